// SPDX-License-Identifier: Apache-2.0
#include "egress/request_gate.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace agentctl::egress {
namespace {

using State = RelayGate::State;

const std::string kSwitch = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n";

HttpHead request(HttpFraming framing, bool wants_websocket = false) {
  HttpHead head;
  head.framing = framing;
  head.wants_websocket = wants_websocket;
  return head;
}

HttpHead websocket() { return request({}, true); }

// What went on of a client's bytes, in pieces of that size.
std::string passed(RequestGate& gate, std::string_view bytes, std::size_t piece = 100'000) {
  std::string out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) gate.pass(bytes.substr(0, piece), out);
  return out;
}

void answer(RequestGate& gate, std::string_view bytes, std::size_t piece = 100'000) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    if (gate.looks_at_answer()) gate.look_at_answer(bytes.substr(0, piece));
  }
}

}  // namespace

TEST_SUITE("request_gate") {
  TEST_CASE("a request without a body ends with its head, and nothing follows") {
    RequestGate gate(request({}));
    CHECK(passed(gate, "GET http://evil.example/ HTTP/1.1\r\n\r\n").empty());
    CHECK(gate.state() == State::watching);
    CHECK_FALSE(gate.looks_at_answer());
  }

  TEST_CASE("a body goes on and what follows does not, however they are cut") {
    for (std::size_t piece = 1; piece < 40; ++piece) {
      RequestGate counted(request({HttpFraming::Kind::length, 5}));
      CHECK(passed(counted, "helloGET http://evil.example/", piece) == "hello");
      CHECK(counted.state() == State::watching);
      RequestGate chunked(request({HttpFraming::Kind::chunked, 0}));
      CHECK(passed(chunked, "5\r\nhello\r\n0\r\n\r\nGET http://evil.example/", piece) == "5\r\nhello\r\n0\r\n\r\n");
      CHECK(chunked.state() == State::watching);
    }
  }

  TEST_CASE("a body that is framed otherwise than announced is refused, and nothing goes on from there") {
    RequestGate gate(request({HttpFraming::Kind::chunked, 0}));
    CHECK(passed(gate, "5;name=value\r\nhello\r\n", 1) == "5");
    CHECK(gate.state() == State::refused);
    CHECK(gate.denial().reason == Reason::malformed);
    CHECK(passed(gate, "0\r\n\r\n").empty());
  }

  TEST_CASE("until the origin takes to the websocket nothing goes on, then everything does") {
    for (std::size_t piece = 1; piece < 70; ++piece) {
      RequestGate gate(websocket());
      CHECK(gate.looks_at_answer());
      CHECK(passed(gate, "too early", piece).empty());
      answer(gate, kSwitch + "a frame", piece);
      CHECK(gate.state() == State::over);
      CHECK_FALSE(gate.looks_at_answer());
      std::string out;
      gate.pass({}, out);
      CHECK(out == "too early");
      CHECK(passed(gate, "and more", piece) == "and more");
    }
  }

  TEST_CASE("interim answers decide nothing") {
    RequestGate gate(websocket());
    answer(gate, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
    CHECK(gate.state() == State::watching);
    CHECK(gate.looks_at_answer());
    answer(gate, kSwitch);
    CHECK(gate.state() == State::over);
  }

  TEST_CASE("where the origin answers otherwise, nothing more of the client's goes on") {
    for (const char* text : {"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 403 Forbidden\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n\r\n",
                             "HTTP/1.1 1010 No\r\n\r\n", "HTTP/2 101 Switching Protocols\r\n\r\n"}) {
      CAPTURE(text);
      RequestGate gate(websocket());
      CHECK(passed(gate, "too early").empty());
      answer(gate, text);
      answer(gate, kSwitch);
      CHECK(gate.state() == State::watching);
      CHECK_FALSE(gate.looks_at_answer());
      CHECK(passed(gate, "GET http://evil.example/ HTTP/1.1\r\n\r\n").empty());
    }
  }

  TEST_CASE("a 101 to a request that asks for no websocket opens nothing") {
    RequestGate gate(request({}));
    gate.look_at_answer(kSwitch);
    CHECK(gate.state() == State::watching);
    CHECK(passed(gate, "GET http://evil.example/").empty());
  }

  TEST_CASE("the body of a request for a websocket goes on before, and is told from what is too early") {
    RequestGate gate(request({HttpFraming::Kind::length, 4}, true));
    CHECK(passed(gate, "bodyframe", 3) == "body");
    answer(gate, kSwitch);
    std::string out;
    gate.pass({}, out);
    CHECK(out == "frame");
  }

  TEST_CASE("what is sent too early is held up to a limit, and refused beyond") {
    RequestGate gate(websocket());
    CHECK(passed(gate, std::string(65'536, 'x'), 1'000).empty());
    CHECK(gate.state() == State::watching);
    CHECK(passed(gate, "x").empty());
    CHECK(gate.state() == State::refused);
    CHECK(gate.denial().reason == Reason::too_large);
    answer(gate, kSwitch);
    CHECK(gate.state() == State::refused);
  }
}

}  // namespace agentctl::egress
