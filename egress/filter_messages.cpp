// SPDX-License-Identifier: Apache-2.0
#include "egress/filter_messages.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter_ipv4.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace agentctl::egress {
namespace {

using policy::IpPrefix;

constexpr const char* kTable = "agentctl";
constexpr const char* kChain = "output";
constexpr std::array<std::uint8_t, 1> kUdp = {IPPROTO_UDP};
constexpr std::uint32_t kLoopback = 1;                           // the index of lo in every network namespace
constexpr std::uint32_t kDestination4 = 16, kDestination6 = 24;  // in the IP header (RFC 791, RFC 8200)

using Bytes = std::span<const std::uint8_t>;

nfgenmsg family(std::uint8_t which, std::uint16_t resource = 0) {
  nfgenmsg header{};
  header.nfgen_family = which;
  header.version = NFNETLINK_V0;
  header.res_id = htons(resource);
  return header;
}

NetlinkMessage transaction(std::uint16_t type) {
  NetlinkMessage message(type, 0);
  message.head(family(AF_UNSPEC, NFNL_SUBSYS_NFTABLES));
  return message;
}

NetlinkMessage request(std::uint16_t type, std::uint8_t which, std::uint16_t flags = 0) {
  NetlinkMessage message(static_cast<std::uint16_t>((NFNL_SUBSYS_NFTABLES << 8) | type),
                         static_cast<std::uint16_t>(NLM_F_ACK | NLM_F_CREATE | flags));
  message.head(family(which));
  return message;
}

NetlinkMessage new_table(std::uint8_t which) {
  NetlinkMessage message = request(NFT_MSG_NEWTABLE, which);
  message.text(NFTA_TABLE_NAME, kTable);
  return message;
}

NetlinkMessage new_chain(std::uint8_t which) {
  NetlinkMessage message = request(NFT_MSG_NEWCHAIN, which);
  message.text(NFTA_CHAIN_TABLE, kTable).text(NFTA_CHAIN_NAME, kChain).text(NFTA_CHAIN_TYPE, "filter");
  message.number_be32(NFTA_CHAIN_POLICY, NF_ACCEPT);
  message.nest(NFTA_CHAIN_HOOK, [](NetlinkMessage& hook) {
    hook.number_be32(NFTA_HOOK_HOOKNUM, NF_INET_LOCAL_OUT);
    hook.number_be32(NFTA_HOOK_PRIORITY, static_cast<std::uint32_t>(NF_IP_PRI_FILTER));
  });
  return message;
}

// One expression of a rule: its name and what it is told.
template <typename Fill>
void add(NetlinkMessage& rule, const char* name, Fill fill) {
  rule.nest(NFTA_LIST_ELEM, [&](NetlinkMessage& element) {
    element.text(NFTA_EXPR_NAME, name);
    element.nest(NFTA_EXPR_DATA, fill);
  });
}

void compare(NetlinkMessage& rule, Bytes value, std::uint32_t how = NFT_CMP_EQ) {
  add(rule, "cmp", [&](NetlinkMessage& data) {
    data.number_be32(NFTA_CMP_SREG, NFT_REG_1).number_be32(NFTA_CMP_OP, how);
    data.nest(NFTA_CMP_DATA, [&](NetlinkMessage& content) { content.bytes(NFTA_DATA_VALUE, value); });
  });
}

void load_destination(NetlinkMessage& rule, bool is_v4) {
  add(rule, "payload", [&](NetlinkMessage& data) {
    data.number_be32(NFTA_PAYLOAD_DREG, NFT_REG_1).number_be32(NFTA_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
    data.number_be32(NFTA_PAYLOAD_OFFSET, is_v4 ? kDestination4 : kDestination6);
    data.number_be32(NFTA_PAYLOAD_LEN, is_v4 ? 4 : 16);
  });
}

void mask(NetlinkMessage& rule, Bytes bits) {
  static constexpr std::array<std::uint8_t, 16> kZero{};
  add(rule, "bitwise", [&](NetlinkMessage& data) {
    data.number_be32(NFTA_BITWISE_SREG, NFT_REG_1).number_be32(NFTA_BITWISE_DREG, NFT_REG_1);
    data.number_be32(NFTA_BITWISE_LEN, static_cast<std::uint32_t>(bits.size()));
    data.nest(NFTA_BITWISE_MASK, [&](NetlinkMessage& content) { content.bytes(NFTA_DATA_VALUE, bits); });
    data.nest(NFTA_BITWISE_XOR,
              [&](NetlinkMessage& content) { content.bytes(NFTA_DATA_VALUE, Bytes(kZero).first(bits.size())); });
  });
}

void decide(NetlinkMessage& rule, std::uint32_t verdict) {
  add(rule, "immediate", [&](NetlinkMessage& data) {
    data.number_be32(NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
    data.nest(NFTA_IMMEDIATE_DATA, [&](NetlinkMessage& content) {
      content.nest(NFTA_DATA_VERDICT, [&](NetlinkMessage& code) { code.number_be32(NFTA_VERDICT_CODE, verdict); });
    });
  });
}

// What a packet is, by its side: the interface, the protocol.
void load_meta(NetlinkMessage& rule, std::uint32_t key) {
  add(rule, "meta",
      [&](NetlinkMessage& data) { data.number_be32(NFTA_META_DREG, NFT_REG_1).number_be32(NFTA_META_KEY, key); });
}

Bytes loopback() { return {reinterpret_cast<const std::uint8_t*>(&kLoopback), sizeof kLoopback}; }

// Behind the other rules, or with no flags before them.
template <typename Fill>
NetlinkMessage new_rule(std::uint8_t which, Fill fill, std::uint16_t flags = NLM_F_APPEND) {
  NetlinkMessage message = request(NFT_MSG_NEWRULE, which, flags);
  message.text(NFTA_RULE_TABLE, kTable).text(NFTA_RULE_CHAIN, kChain).nest(NFTA_RULE_EXPRESSIONS, fill);
  return message;
}

NetlinkMessage to_loopback(std::uint8_t which) {
  return new_rule(which, [](NetlinkMessage& rule) {
    load_meta(rule, NFT_META_OIF);
    compare(rule, loopback());
    decide(rule, NF_ACCEPT);
  });
}

NetlinkMessage of_udp(std::uint8_t which) {
  const auto fill = [](NetlinkMessage& rule) {
    load_meta(rule, NFT_META_OIF);
    compare(rule, loopback(), NFT_CMP_NEQ);
    load_meta(rule, NFT_META_L4PROTO);
    compare(rule, kUdp);
    decide(rule, NF_DROP);
  };
  return new_rule(which, fill, 0);
}

NetlinkMessage to_range(const IpPrefix& range, std::uint32_t verdict) {
  std::array<std::uint8_t, 16> ones{};
  ones.fill(0xff);
  const auto all = range.address.is_v4() ? policy::IpAddress::v4(std::span<const std::uint8_t, 16>(ones).first<4>())
                                         : policy::IpAddress::v6(ones);
  const policy::IpAddress bits = policy::prefix_of(all, range.length).address;
  return new_rule(range.address.is_v4() ? NFPROTO_IPV4 : NFPROTO_IPV6, [&](NetlinkMessage& rule) {
    load_destination(rule, range.address.is_v4());
    mask(rule, bits.bytes());
    compare(rule, range.address.bytes());
    decide(rule, verdict);
  });
}

}  // namespace

std::vector<NetlinkMessage> make_filter(const ClosedPrefixes& closed) {
  std::vector<NetlinkMessage> messages;
  messages.push_back(transaction(NFNL_MSG_BATCH_BEGIN));
  for (const std::uint8_t which : {NFPROTO_IPV4, NFPROTO_IPV6}) {
    messages.push_back(new_table(which));
    messages.push_back(new_chain(which));
    messages.push_back(to_loopback(which));
  }
  for (const IpPrefix& range : closed.v4) messages.push_back(to_range(range, NF_DROP));
  for (const IpPrefix& range : closed.v6_first) messages.push_back(to_range(range, NF_DROP));
  messages.push_back(to_range(closed.v6_open, NF_ACCEPT));
  for (const IpPrefix& range : closed.v6) messages.push_back(to_range(range, NF_DROP));
  messages.push_back(transaction(NFNL_MSG_BATCH_END));
  return messages;
}

std::vector<NetlinkMessage> make_udp_filter() {
  std::vector<NetlinkMessage> messages;
  messages.push_back(transaction(NFNL_MSG_BATCH_BEGIN));
  for (const std::uint8_t which : {NFPROTO_IPV4, NFPROTO_IPV6}) messages.push_back(of_udp(which));
  messages.push_back(transaction(NFNL_MSG_BATCH_END));
  return messages;
}

}  // namespace agentctl::egress
