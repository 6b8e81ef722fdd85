// SPDX-License-Identifier: Apache-2.0
#include "egress/http_answer.h"

#include "base/text.h"
#include "egress/http_status.h"
#include "tests/unit/egress/sample_access.h"

namespace agentctl::egress {
namespace {

std::string status(std::string_view bytes, std::size_t piece = 1000) {
  HttpStatusReader reader;
  std::size_t used = 0;
  while (used < bytes.size() && reader.state() == HttpStatusReader::State::more)
    used += reader.feed(bytes.substr(used, piece));
  if (reader.state() == HttpStatusReader::State::more) return "more";
  return reader.state() == HttpStatusReader::State::refused ? "refused"
                                                            : cat(reader.status(), " in ", reader.head().size());
}

TEST_SUITE("http_answer") {
  TEST_CASE("a denial tells the agent which host, why, and what the user can type") {
    const Denial denial{Reason::no_rule, "evil.example:443", {}, "no rule allows it", "evil.example"};
    CHECK_EQ(denial_answer(denial, "claude-webshop"),
             "HTTP/1.1 403 Forbidden by agentctl: no-rule\r\nContent-Type: text/plain; "
             "charset=utf-8\r\nContent-Length: 152\r\n"
             "Cache-Control: no-store\r\nX-Agentctl-Reason: no-rule\r\nConnection: close\r\n\r\n"
             "agentctl: 'evil.example:443' is denied: no rule allows it\n"
             "The user can allow it from outside of the sandbox: agentctl allow claude-webshop evil.example\n");
    const std::string bare = denial_answer(denial, "claude-webshop", true);
    CHECK(bare.ends_with("Connection: close\r\n\r\n"));
    CHECK(bare.find("Content-Length: 152\r\n") != std::string::npos);
  }

  TEST_CASE("the length in the head is that of the body") {
    for (const Reason reason :
         {Reason::deny_rule, Reason::malformed, Reason::unresolved, Reason::timed_out, Reason::too_large}) {
      const std::string answer = denial_answer(refusal(reason, "why"), "s");
      const std::size_t body = answer.find("\r\n\r\n") + 4;
      CHECK(answer.find(cat("Content-Length: ", answer.size() - body, "\r\n")) != std::string::npos);
      CHECK(answer.starts_with(cat("HTTP/1.1 ", status_of(reason), " ")));
    }
    CHECK_EQ(status_of(Reason::server_name), 403);
    CHECK_EQ(status_of(Reason::malformed), 400);
    CHECK_EQ(status_of(Reason::unreachable), 502);
  }

  TEST_CASE("a response is read as far as its status, in whatever pieces") {
    for (const std::size_t piece : {1U, 2U, 7U, 1000U}) {
      CHECK_EQ(status("HTTP/1.1 200 Connection established\r\nX: y\r\n\r\nbody", piece), "200 in 45");
      CHECK_EQ(status("HTTP/1.1 599 X\r\n\r\n", piece), "599 in 18");
      CHECK_EQ(status("HTTP/1.0 407 \r\n\r\n", piece), "407 in 17");
      CHECK_EQ(status("HTTP/1.1 101\r\nUpgrade: websocket\r\n\r\n\x81", piece), "101 in 36");
      CHECK_EQ(status("HTTP/1.1 200 OK\r\nX: y\r\n", piece), "more");
    }
  }

  TEST_CASE("what is no response of HTTP/1 opens nothing") {
    for (const std::string bytes : {"HTTP/2 200 OK\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 2000\r\n",
                                    "HTTP/1.1 99 OK\r\n", "HTTP/1.1 600 X\r\n", "200 OK\r\n", "HTTP/1.1  200 OK\r\n",
                                    "HTTP/1.1 200 OK\n\n", "\r\n", "HTTP/1.1 2x0 OK\r\n", "SSH-2.0-OpenSSH\r\n"}) {
      CAPTURE(bytes);
      CHECK_EQ(status(bytes), "refused");
    }
    CHECK_EQ(status("HTTP/1.1 200 OK\r\n" + std::string(70000, 'a')), "refused");
  }
}

}  // namespace
}  // namespace agentctl::egress
