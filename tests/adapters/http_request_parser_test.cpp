// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adapters/http/request_parser.hpp"

namespace kbase::http {
namespace {

using State = RequestParser::State;

/// Result of parsing some bytes: a rejection with a status, or the complete requests and the state after them.
struct Outcome {
  unsigned refused = 0;
  std::vector<std::string> requests;  // "METHOD TARGET body"
  State state = State::Idle;

  bool operator==(const Outcome&) const = default;
};

void collect(RequestParser& parser, std::string_view bytes, Outcome& outcome) {
  for (;;) {
    bytes.remove_prefix(parser.feed(bytes));
    if (parser.state() != State::Complete) break;
    const Request& request = parser.request();
    outcome.requests.push_back(std::string(request.method()) + " " + std::string(request.target()) + " " +
                               request.body());
    parser.next();
  }
  outcome.state = parser.state();
  if (parser.state() == State::Refused) outcome.refused = parser.refusal().status;
}

Outcome parse(std::initializer_list<std::string_view> pieces, const MessageLimits& limits = {}) {
  RequestParser parser(limits);
  Outcome outcome;
  for (const std::string_view piece : pieces) collect(parser, piece, outcome);
  return outcome;
}

/// Returns the outcome after checking that it does not depend on where the bytes are split.
Outcome parse_at_every_split(std::string_view bytes, const MessageLimits& limits = {}) {
  const Outcome whole = parse({bytes}, limits);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut)
    EXPECT_EQ(parse({bytes.substr(0, cut), bytes.substr(cut)}, limits), whole) << "split at " << cut << " of\n"
                                                                               << bytes;
  RequestParser parser(limits);
  Outcome single;
  for (const char& byte : bytes) collect(parser, {&byte, 1}, single);
  EXPECT_EQ(single, whole) << "byte by byte\n" << bytes;
  return whole;
}

std::string get(std::string_view fields) { return "GET / HTTP/1.1\r\nHost: x\r\n" + std::string(fields) + "\r\n"; }

std::string post(std::string_view rest) { return "POST /p HTTP/1.1\r\nHost: x\r\n" + std::string(rest); }

struct Case {
  const char* name;
  std::string bytes;
  unsigned refused;  // 0: accepted as one request
  std::string body = {};
};

std::vector<Case> cases() {
  using namespace std::string_literals;
  const std::string chunked = "Transfer-Encoding: chunked\r\n\r\n";
  return {
      {"APlainGet", get(""), 0},
      {"AnEmptyLineBeforeIt", "\r\n" + get(""), 0},
      {"AnAbsoluteForm", "GET http://h/a?b HTTP/1.1\r\nHost: x\r\n\r\n", 0},
      {"AnAbsoluteFormWithoutPath", "GET http://h HTTP/1.1\r\nHost: x\r\n\r\n", 0},
      {"AnAsteriskOfOptions", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 0},
      {"AnEmptyHost", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 0},
      {"AHostWithAnEmptyPort", "GET / HTTP/1.1\r\nHost: a:\r\n\r\n", 0},
      {"AnIpv6Host", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", 0},
      {"AnUnknownMethod", "FROB /a HTTP/1.1\r\nHost: x\r\n\r\n", 0},
      {"ALaterMinorVersion", "GET / HTTP/1.7\r\nHost: x\r\n\r\n", 0},
      {"AnOldVersionWithoutHost", "GET / HTTP/1.0\r\n\r\n", 0},
      {"AValueWithTabsAround", get("A:\t b \t\r\n"), 0},
      {"AnEmptyValue", get("A:\r\n"), 0},
      {"ObsoleteTextInAValue", get("A: \xC3\xA4\r\n"), 0},
      {"LegalFieldsThatParsersTripOver", get("Accept: *\r\nCache-Control: immutable\r\nCookie: foo\r\nDate: x\r\n"), 0},
      {"ABodyOfKnownLength", post("Content-Length: 3\r\n\r\nabc"), 0, "abc"},
      {"ALengthWithZerosBefore", post("Content-Length: 003\r\n\r\nabc"), 0, "abc"},
      {"AnEmptyBody", post("Content-Length: 0\r\n\r\n"), 0},
      {"AnEmptyChunkedBody", post(chunked + "0\r\n\r\n"), 0},
      {"Chunks", post(chunked + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), 0, "abcde"},
      {"AChunkThatLooksLikeLines", post(chunked + "4\r\n\r\n\r\n\r\n0\r\n\r\n"), 0, "\r\n\r\n"},
      {"ChunkSizesInEitherCase", post(chunked + "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n"), 0,
       "01234567890123456789"},
      {"ChunkExtensions", post(chunked + "3;a=b;c=\"d\"\r\nabc\r\n0;z\r\n\r\n"), 0, "abc"},
      {"ASpaceBeforeAnExtension", post(chunked + "3 ;a\r\nabc\r\n0\r\n\r\n"), 0, "abc"},
      {"Trailers", post(chunked + "3\r\nabc\r\n0\r\nA: b\r\nContent-Length: 9\r\n\r\n"), 0, "abc"},
      {"ACodingNameInUpperCase", post("Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n"), 0},

      {"ABareLf", "GET / HTTP/1.1\nHost: x\n\n", 400},
      {"ABareLfAfterAField", "GET / HTTP/1.1\r\nHost: x\n\r\n", 400},
      {"ABareCrInALine", "GET / HTTP/1.1\rHost: x\r\n\r\n", 400},
      {"ABareCrInAValue", get("A: b\rc\r\n"), 400},
      {"NulInAValue", get("A: b\0c\r\n"s), 400},
      {"AControlCharacterInAValue", get("A: b\x01\r\n"), 400},
      {"DelInAValue", get("A: b\x7F\r\n"), 400},
      {"NulInTheTarget", "GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n"s, 400},
      {"AFoldedField", get("A: b\r\n c\r\n"), 400},
      {"AFoldedFirstField", "GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400},
      {"ASpaceBeforeTheColon", get("A : b\r\n"), 400},
      {"ASpaceBeforeTheColonOfALength", post("Content-Length : 3\r\n\r\nabc"), 400},
      {"AFieldWithoutColon", get("A\r\n"), 400},
      {"AFieldWithoutName", get(": b\r\n"), 400},
      {"AFieldNameThatIsNoToken", get("A(: b\r\n"), 400},
      {"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
      {"TwoHosts", get("Host: x\r\n"), 400},
      {"TwoHostsInAnOldVersion", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", 400},
      {"AHostWithAPath", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
      {"AHostWithAUser", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400},
      {"AHostWithTwoPorts", "GET / HTTP/1.1\r\nHost: a:1:2\r\n\r\n", 400},
      {"TwoAuthorizations", get("Authorization: Bearer a\r\nAuthorization: Bearer a\r\n"), 400},
      {"TwoContentTypes", get("Content-Type: a/b\r\nContent-Type: a/b\r\n"), 400},
      {"TwoLengths", post("Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"), 400},
      {"AListOfLengths", post("Content-Length: 3, 3\r\n\r\nabc"), 400},
      {"ASignedLength", post("Content-Length: +3\r\n\r\nabc"), 400},
      {"ANegativeLength", post("Content-Length: -1\r\n\r\n"), 400},
      {"ALengthWithLetters", post("Content-Length: 3abc\r\n\r\nabc"), 400},
      {"AnEmptyLength", post("Content-Length:\r\n\r\n"), 400},
      {"LengthAndCoding", post("Content-Length: 3\r\n" + chunked + "0\r\n\r\n"), 400},
      {"CodingAndLength", post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc"), 400},
      {"ACodingInAnOldVersion", "POST / HTTP/1.0\r\n" + chunked + "0\r\n\r\n", 400},
      {"AnEmptyCoding", post("Transfer-Encoding:\r\n\r\n"), 400},
      {"ChunkedTwice", post("Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"), 400},
      {"ChunkedTwiceInTwoFields", post("Transfer-Encoding: chunked\r\n" + chunked + "0\r\n\r\n"), 400},
      {"ChunkedNotLast", post("Transfer-Encoding: chunked, gzip\r\n\r\n"), 400},
      {"AnUnknownCoding", post("Transfer-Encoding: gzip, chunked\r\n\r\n"), 501},
      {"TheIdentityCoding", post("Transfer-Encoding: identity\r\n\r\n"), 501},
      {"ACodingThatStartsLikeChunked", post("Transfer-Encoding: chunkedx\r\n\r\n"), 501},
      {"ChunkedWithAParameter", post("Transfer-Encoding: chunked;q=1\r\n\r\n"), 501},
      {"AnotherExpectation", get("Expect: tea\r\n"), 417},
      {"TwoSpacesInTheRequestLine", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"ATabInTheRequestLine", "GET\t/ HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"ASpaceAfterTheVersion", "GET / HTTP/1.1 \r\nHost: x\r\n\r\n", 400},
      {"ASpaceBeforeTheMethod", " GET / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"NoVersion", "GET /\r\n", 400},
      {"AVersionInLowerCase", "GET / http/1.1\r\nHost: x\r\n\r\n", 400},
      {"AVersionOfTwoDigits", "GET / HTTP/1.10\r\nHost: x\r\n\r\n", 400},
      {"VersionTwo", "GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505},
      {"VersionZero", "GET / HTTP/0.9\r\nHost: x\r\n\r\n", 505},
      {"ThePrefaceOfVersionTwo", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"AMethodThatIsNoToken", "GE(T / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"ATargetThatIsNoPath", "GET x HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"AnAsteriskOfGet", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"AFragment", "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"RawBytesInTheTarget", "GET /\xC3\xA4 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"AnAbsoluteFormWithoutHost", "GET http:///a HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"ATlsHandshake", "\x16\x03\x01\x02", 400},
      {"AChunkSizeWithoutDigits", post(chunked + "\r\n"), 400},
      {"AChunkSizeWithPrefix", post(chunked + "0x3\r\nabc\r\n"), 400},
      {"ASignedChunkSize", post(chunked + "+3\r\nabc\r\n"), 400},
      {"ASpaceAfterTheChunkSize", post(chunked + "3 \r\nabc\r\n"), 400},
      {"AChunkSizeThatOverflows", post(chunked + "10000000000000003\r\nabc\r\n"), 413},
      {"AChunkSizeWithABareLf", post(chunked + "3\nabc\r\n"), 400},
      {"AChunkLongerThanItsSize", post(chunked + "3\r\nabcd\r\n"), 400},
      {"AChunkEndedByABareLf", post(chunked + "3\r\nabc\n0\r\n\r\n"), 400},
      {"NulInAnExtension", post(chunked + "3;a=\0\r\nabc\r\n"s), 400},
      {"ATrailerThatIsNoField", post(chunked + "0\r\nnonsense\r\n\r\n"), 400},
      {"AFoldedTrailer", post(chunked + "0\r\nA: b\r\n c\r\n\r\n"), 400},
      {"ALengthAboveTheMaximum", post("Content-Length: 2000000\r\n\r\n"), 413},
      {"ALengthAboveAnyNumber", post("Content-Length: 99999999999999999999999\r\n\r\n"), 413},
      {"AChunkAboveTheMaximum", post(chunked + "200000\r\n"), 413},
  };
}

class RawRequest : public testing::TestWithParam<Case> {};

TEST_P(RawRequest, IsAcceptedOrRejectedWhereverItIsSplit) {
  const Case& raw = GetParam();
  const Outcome outcome = parse_at_every_split(raw.bytes);
  EXPECT_EQ(outcome.refused, raw.refused);
  ASSERT_EQ(outcome.requests.size(), raw.refused == 0 ? 1u : 0u);
  if (raw.refused == 0) {
    EXPECT_TRUE(outcome.requests[0].ends_with(" " + raw.body)) << outcome.requests[0];
  }
}

INSTANTIATE_TEST_SUITE_P(Http, RawRequest, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

Request parsed(std::string_view bytes) {
  RequestParser parser(MessageLimits{});
  parser.feed(bytes);
  EXPECT_EQ(parser.state(), State::Complete) << bytes;
  return std::move(parser.request());
}

TEST(RequestParser, ReturnsPipelinedRequestsOneByOne) {
  const std::string bytes = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n" + post("Content-Length: 2\r\n\r\nhi") +
                            "GET /b HTTP/1.1\r\nHost: x\r\n\r\nGET /c";
  const Outcome outcome = parse_at_every_split(bytes);
  EXPECT_EQ(outcome.requests, (std::vector<std::string>{"GET /a ", "POST /p hi", "GET /b "}));
  EXPECT_EQ(outcome.state, State::Head);
}

TEST(RequestParser, ReadsNothingAfterARejection) {
  const Outcome outcome =
      parse_at_every_split("GET / HTTP/1.1\r\nA : b\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(outcome.refused, 400u);
  EXPECT_TRUE(outcome.requests.empty());
}

TEST(RequestParser, FindsFieldsInAnyCaseAndKeepsTheirOrder) {
  const Request request = parsed(get("X-A: 1\r\nx-b:  two \r\nX-a: 3\r\nX-Empty: \r\n"));
  EXPECT_EQ(request.field("x-a"), "1");
  EXPECT_EQ(request.field("x-b"), "two");
  EXPECT_EQ(request.field("x-empty"), "");
  EXPECT_EQ(request.field("x-c"), std::nullopt);
  std::string all;
  request.each_field("x-a", [&](std::string_view value) { all += value; });
  EXPECT_EQ(all, "13");
}

TEST(RequestParser, ReducesAnAbsoluteFormToItsPath) {
  EXPECT_EQ(parsed("GET HTTP://h:80/a?b HTTP/1.1\r\nHost: x\r\n\r\n").target(), "/a?b");
  EXPECT_EQ(parsed("GET http://h?b HTTP/1.1\r\nHost: x\r\n\r\n").target(), "?b");
  EXPECT_EQ(parsed("GET http://h HTTP/1.1\r\nHost: x\r\n\r\n").target(), "");
}

TEST(RequestParser, DetectsWhetherTheConnectionIsKept) {
  EXPECT_TRUE(parsed(get("")).keep_alive());
  EXPECT_FALSE(parsed(get("Connection: foo, Close\r\n")).keep_alive());
  EXPECT_FALSE(parsed("GET / HTTP/1.0\r\n\r\n").keep_alive());
  EXPECT_TRUE(parsed("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keep_alive());
  EXPECT_FALSE(parsed("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n").keep_alive());
}

TEST(RequestParser, RequestsAWaitingBodyOnce) {
  RequestParser parser(MessageLimits{});
  parser.feed(post("Content-Length: 2\r\nExpect: 100-Continue\r\n\r\n"));
  EXPECT_TRUE(parser.consume_expectation());
  EXPECT_FALSE(parser.consume_expectation());
  parser.feed("hi");
  EXPECT_EQ(parser.state(), State::Complete);
}

TEST(RequestParser, DoesNotRequestABodyThatIsAlreadySent) {
  RequestParser parser(MessageLimits{});
  parser.feed(post("Content-Length: 2\r\nExpect: 100-continue\r\n\r\nh"));
  EXPECT_FALSE(parser.consume_expectation());
  RequestParser old(MessageLimits{});
  old.feed("POST / HTTP/1.0\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_FALSE(old.consume_expectation());
}

TEST(RequestParser, AcceptsALineOf8000BytesAndRejectsOneOf16KiB) {
  const auto request_line_of = [](std::size_t length) {
    return "GET /" + std::string(length - 14, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n";
  };
  EXPECT_EQ(parse({request_line_of(8000)}).requests.size(), 1u);
  EXPECT_EQ(parse({request_line_of(16 * 1024)}).refused, 414u);
  EXPECT_EQ(parse({"GET /" + std::string(100'000, '/')}).refused, 414u);
}

TEST(RequestParser, ReportsATooLongLineFirstHoweverItIsSplit) {
  MessageLimits limits;
  limits.request_line_bytes = 20;
  EXPECT_EQ(parse_at_every_split(std::string(21, 'a') + "\n", limits).refused, 414u);
  EXPECT_EQ(parse_at_every_split(std::string(21, 'a') + "\rb", limits).refused, 414u);
  EXPECT_EQ(parse_at_every_split(std::string(20, 'a') + "\n", limits).refused, 400u);
}

TEST(RequestParser, Accepts100FieldsAnd16KiBOfThemAndRejects64KiB) {
  std::string many;
  for (int i = 0; i < 99; ++i) many += "X-Field: " + std::string(150, 'v') + "\r\n";
  EXPECT_EQ(parse({get(many)}).requests.size(), 1u);
  EXPECT_EQ(parse({get("A: " + std::string(16 * 1024, 'v') + "\r\n")}).requests.size(), 1u);
  EXPECT_EQ(parse({get("A: " + std::string(64 * 1024, 'v') + "\r\n")}).refused, 431u);
  std::string too_many;
  for (int i = 0; i < 1000; ++i) too_many += "A: b\r\n";
  EXPECT_EQ(parse({get(too_many)}).refused, 431u);
}

TEST(RequestParser, AcceptsABodyUpToTheMaximumInAnyFraming) {
  MessageLimits limits;
  limits.body_bytes = 8;
  EXPECT_EQ(parse_at_every_split(post("Content-Length: 8\r\n\r\n12345678"), limits).requests.size(), 1u);
  EXPECT_EQ(parse_at_every_split(post("Content-Length: 9\r\n\r\n"), limits).refused, 413u);
  const std::string chunked = "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(parse_at_every_split(post(chunked + "4\r\n1234\r\n4\r\n5678\r\n0\r\n\r\n"), limits).requests.size(), 1u);
  EXPECT_EQ(parse_at_every_split(post(chunked + "4\r\n1234\r\n5\r\n"), limits).refused, 413u);
  EXPECT_EQ(parse_at_every_split(post(chunked + "ffffffffffffffff\r\n"), limits).refused, 413u);
}

TEST(RequestParser, RejectsEndlessTrailersAndExtensions) {
  const std::string chunked = "Transfer-Encoding: chunked\r\n\r\n";
  std::string trailers;
  for (int i = 0; i < 1000; ++i) trailers += "A: b\r\n";
  EXPECT_EQ(parse({post(chunked + "0\r\n" + trailers)}).refused, 431u);
  EXPECT_EQ(parse({post(chunked + "0\r\nA: " + std::string(64 * 1024, 'v'))}).refused, 431u);
  EXPECT_EQ(parse({post(chunked + "1;" + std::string(64 * 1024, 'e'))}).refused, 400u);
  std::string chunks;
  for (int i = 0; i < 1000; ++i) chunks += "1;" + std::string(64, 'e') + "\r\nx\r\n";
  EXPECT_EQ(parse({post(chunked + chunks)}).refused, 400u);
}

TEST(RequestParser, IgnoresALimitedNumberOfEmptyLines) {
  EXPECT_EQ(parse_at_every_split("\r\n\r\n" + get("")).requests.size(), 1u);
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "\r\n";
  EXPECT_EQ(parse_at_every_split(lines).refused, 400u);
}

/// Passes on all bodies.
class EveryUpload final : public UploadPolicy {
 public:
  std::optional<std::uint64_t> upload_limit(const Request&) const override { return MessageLimits{}.body_bytes; }
};

TEST(RequestParserUploads, ABodyThatIsPassedOnIsThatWhichWouldBeKept) {
  for (const Case& each : cases()) {
    const Outcome kept = parse({each.bytes});
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, each.bytes.size()}) {
      const EveryUpload uploads;
      RequestParser parser(MessageLimits{}, &uploads);
      Outcome passed_on;
      std::string body;
      for (std::string_view rest = each.bytes; !rest.empty() && parser.state() != State::Refused;) {
        std::string_view piece = rest.substr(0, size);
        const std::size_t consumed = parser.feed(piece);
        rest.remove_prefix(consumed);
        body += parser.take_body();
        if (parser.state() != State::Complete) continue;
        const Request& request = parser.request();
        passed_on.requests.push_back(std::string(request.method()) + " " + std::string(request.target()) + " " +
                                     std::exchange(body, {}));
        parser.next();
      }
      passed_on.state = parser.state();
      if (parser.state() == State::Refused) passed_on.refused = parser.refusal().status;
      EXPECT_EQ(passed_on, kept) << each.name << " in pieces of " << size;
    }
  }
}

}  // namespace
}  // namespace kbase::http
