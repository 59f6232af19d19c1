// SPDX-License-Identifier: Apache-2.0
// Raw cases: several messages on a connection, its end, its limits and its timeouts.
#include "tests/edge/raw_cases.hpp"

namespace kbase::tests {
namespace {

constexpr After Stays = After::Stays;
constexpr After Closes = After::Closes;

std::string get_item(const std::string& id, const std::string& fields = {}) {
  return "GET /api/v1/item/" + id + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n";
}

std::string old(const std::string& fields) { return "GET /api/v1/item/a HTTP/1.0\r\n" + fields + "\r\n"; }

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

RawCases pipeline_cases() {
  const std::string b = get_item("b");
  return {
      {"ThreeGets", "9112 9.3.2", get() + b + get_item("c"), {item("a"), item("b"), item("c")}, Stays},
      {"AHundredGets", "9112 9.3.2", repeated(b, 100), std::vector<Expected>(100, item("b")), Stays},
      {"AGetAfterABody",
       "9112 9.3.2",
       post("Content-Length: 15\r\n\r\n" + kPrompt) + b,
       {completion("hi"), item("b")},
       Stays},
      {"AGetAfterChunks",
       "9112 9.3.2",
       chunked("f\r\n" + kPrompt + "\r\n0\r\n\r\n") + b,
       {completion("hi"), item("b")},
       Stays},
      {"AGetAfterTrailers",
       "9112 9.3.2",
       chunked("f\r\n" + kPrompt + "\r\n0\r\nA: b\r\n\r\n") + b,
       {completion("hi"), item("b")},
       Stays},
      {"AGetAfterAHead", "9112 9.3.2", line("HEAD /api/v1/item/a HTTP/1.1") + b, {head_only(200), item("b")}, Stays},
      {"AGetAfterA404", "9112 9.3.2", get_item("none") + b, {error(404), item("b")}, Stays},
      {"AGetAfterA304", "9112 9.3.2", get("If-None-Match: *\r\n") + b, {{{304}}, item("b")}, Stays},
      {"AGetAfterA204", "9112 9.3.2", line("OPTIONS * HTTP/1.1") + b, {{{204}}, item("b")}, Stays},
      {"AGetAfterWorkElsewhere",
       "9112 9.3.2",
       line("GET /api/v1/stats HTTP/1.1") + b,
       {any_of({200, 404}), item("b")},
       Stays},
      {"AGetAfterAnEmptyLine", "9112 2.2", get() + "\r\n" + b, {item("a"), item("b")}, Stays},
      {"ABodyWithALineEndBehind",
       "9112 2.2",
       post("Content-Length: 15\r\n\r\n" + kPrompt + "\r\n") + b,
       {completion("hi"), item("b")},
       Stays},
      {"GarbageAfterAGet", "9112 9.3.2", get() + "garbage\r\n\r\n" + b, {item("a"), refused(400)}, Closes},
      {"ABadLengthAfterAGet", "9112 6.3", get() + get("Content-Length: x\r\n") + b, {item("a"), refused(400)}, Closes},
      {"AGetAfterGarbage", "9112 9.6", "garbage\r\n\r\n" + b, {refused(400)}, Closes},
      {"AGetAfterA417", "9112 9.6", get("Expect: x\r\n") + b, {refused(417)}, Closes},
      {"AGetAfterClose", "9112 9.6", get("Connection: close\r\n") + b, {item("a")}, Closes},
      {"MoreBodyThanItsLength",
       "9112 6.3",
       post("Content-Length: 15\r\n\r\n" + kPrompt + "{}\r\n"),
       {completion("hi"), refused(400)},
       Closes},
      {"CutInTheMiddleOfASecondGet",
       "9112 9.3.2",
       {{{get() + b.substr(0, 20)}, {item("a")}}, {{b.substr(20)}, {item("b")}}},
       Stays},
      {"OneAfterTheOther", "9112 9.3.2", {{{get()}, {item("a")}}, {{b}, {item("b")}}, {{get()}, {item("a")}}}, Stays},
  };
}

RawCases connection_cases() {
  return {
      {"Close", "9112 9.6", get("Connection: close\r\n"), {item("a")}, Closes},
      {"CloseInUpperCase", "9112 9.6", get("CONNECTION: CLOSE\r\n"), {item("a")}, Closes},
      {"CloseInAList", "9110 7.6.1", get("Connection: foo, ,close\r\n"), {item("a")}, Closes},
      {"CloseAfterAQuote", "9110 7.6.1", get("Connection: \", close\r\n"), {item("a")}, Closes},
      {"CloseInASecondField", "9110 7.6.1", get("Connection: foo\r\nConnection: close\r\n"), {item("a")}, Closes},
      {"CloseAndKeepAlive", "9112 9.3", get("Connection: keep-alive, close\r\n"), {item("a")}, Closes},
      {"CloseAfterA404", "9112 9.6", get_item("none", "Connection: close\r\n"), {error(404)}, Closes},
      {"CloseAfterWorkElsewhere",
       "9112 9.6",
       line("GET /api/v1/stats HTTP/1.1\r\nConnection: close"),
       {any_of({200, 404})},
       Closes},
      {"CloseOfAHead", "9112 9.6", line("HEAD /api/v1/item/a HTTP/1.1\r\nConnection: close"), {head_only(200)}, Closes},
      {"CloseAfterABody",
       "9112 9.6",
       post("Connection: close\r\nContent-Length: 15\r\n\r\n" + kPrompt),
       {completion("hi")},
       Closes},
      {"KeepAlive", "9112 9.3", get("Connection: keep-alive\r\n"), {item("a")}, Stays},
      {"AnOptionThatContainsClose", "9110 7.6.1", get("Connection: closed, disclose\r\n"), {item("a")}, Stays},
      {"AnEmptyConnection", "9110 7.6.1", get("Connection:\r\n"), {item("a")}, Stays},
      {"AProxysConnection", "9112 C.2.2", get("Proxy-Connection: close\r\n"), {item("a")}, Stays},
      {"Version10WithoutAWord", "9112 9.3", old(""), {item("a")}, Closes},
      {"Version10ThatStays", "9112 9.3", old("Connection: Keep-Alive\r\n"), {item("a")}, Stays},
      {"Version10ThatStaysAndCloses", "9112 9.3", old("Connection: keep-alive, close\r\n"), {item("a")}, Closes},
      {"Version10ThatClosesLater",
       "9112 9.3",
       old("Connection: keep-alive\r\n") + old(""),
       {item("a"), item("a")},
       Closes},
      {"Version10Head", "9112 9.3", "HEAD /api/v1/item/a HTTP/1.0\r\n\r\n", {head_only(200)}, Closes},
      {"HalfClosedAfterAGet", "9112 9.6", get(), {item("a")}, After::ClientEnds},
      {"HalfClosedAfterTwoGets", "9112 9.6", get() + get_item("b"), {item("a"), item("b")}, After::ClientEnds},
      {"HalfClosedAfterWorkElsewhere",
       "9112 9.6",
       line("GET /api/v1/stats HTTP/1.1") + get(),
       {any_of({200, 404}), item("a")},
       After::ClientEnds},
      {"HalfClosedAtOnce", "9112 9.6", "", {}, After::ClientEnds},
      {"HalfClosedAfterAnEmptyLine", "9112 2.2", "\r\n", {}, After::ClientEnds},
      {"HalfClosedInTheRequestLine", "9112 8", "GET /api", {refused(400)}, After::ClientEnds},
      {"HalfClosedAfterTheRequestLine", "9112 8", "GET /api/v1/item/a HTTP/1.1\r\n", {refused(400)}, After::ClientEnds},
      {"HalfClosedBeforeTheEmptyLine",
       "9112 8",
       "GET /api/v1/item/a HTTP/1.1\r\nHost: x\r\n",
       {refused(400)},
       After::ClientEnds},
      {"HalfClosedInABody", "9112 8", post("Content-Length: 15\r\n\r\n{\"pro"), {refused(400)}, After::ClientEnds},
      {"HalfClosedInAChunk", "9112 8", chunked("f\r\n{\"pro"), {refused(400)}, After::ClientEnds},
      {"HalfClosedInASecondGet", "9112 8", get() + "GET /api", {item("a"), refused(400)}, After::ClientEnds},
  };
}

RawCases expectation_cases() {
  const auto expecting = [](const std::string& fields) { return post("Expect: 100-continue\r\n" + fields + "\r\n"); };
  const Expected go_on{{100}, {}, Expected::Body::HeadOnly};
  const Exchange body{{kPrompt}, {completion("hi")}};
  return {
      {"ABodyThatWaits", "9110 10.1.1", {{{expecting("Content-Length: 15\r\n")}, {go_on}}, body}, Stays},
      {"ABodyThatWaitsAndCloses",
       "9110 10.1.1",
       {{{expecting("Content-Length: 15\r\nConnection: close\r\n")}, {go_on}}, body},
       Closes},
      {"ChunksThatWait",
       "9110 10.1.1",
       {{{expecting("Transfer-Encoding: chunked\r\n")}, {go_on}},
        {{"f\r\n", kPrompt, "\r\n0\r\n\r\n"}, {completion("hi")}}},
       Stays},
      {"AnExpectationInUpperCase",
       "9110 10.1.1",
       {{{post("EXPECT: 100-CONTINUE\r\nContent-Length: 15\r\n\r\n")}, {go_on}}, body},
       Stays},
      {"TwoBodiesThatWait",
       "9110 10.1.1",
       {{{expecting("Content-Length: 15\r\n")}, {go_on}}, body, {{expecting("Content-Length: 15\r\n")}, {go_on}}, body},
       Stays},
      {"ABodyThatDoesNotWait", "9110 10.1.1", expecting("Content-Length: 15\r\n") + kPrompt, {completion("hi")}, Stays},
      {"NothingToWaitFor", "9110 10.1.1", get("Expect: 100-continue\r\n"), {item("a")}, Stays},
      {"AnEmptyBodyThatWaits", "9110 10.1.1", expecting("Content-Length: 0\r\n"), {any_of({400, 401})}, Stays},
      {"AnExpectationInVersion10",
       "9110 10.1.1",
       {{{"POST /api/v1/external/llm HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 15\r\n\r\n"}, {}}, body},
       Closes},
      {"ATooLargeBodyThatWaits", "9110 10.1.1", expecting("Content-Length: 9999999\r\n"), {refused(413)}, Closes},
      {"AnotherExpectation", "9110 10.1.1, the manual: errors", get("Expect: tea\r\n"), {refused(417)}, Closes},
      {"AnotherExpectationTogetherWithIt", "9110 10.1.1", get("Expect: 100-continue, tea\r\n"), {refused(417)}, Closes},
      {"AnEmptyExpectation", "9110 10.1.1", get("Expect:\r\n"), {refused(417)}, Closes},
  };
}

RawCases limit_cases() {
  const auto of_length = [](std::size_t octets) {
    return line("GET /api/v1/item/a?" + std::string(octets - 28, 'q') + " HTTP/1.1");
  };
  const auto fields = [](int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += "F" + std::to_string(i) + ": v\r\n";
    return all;
  };
  const auto prompt = [](std::size_t bytes) { return R"({"prompt":")" + std::string(bytes - 13, 'p') + R"("})"; };
  const auto sized = [](const std::string& body) {
    return post("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  constexpr std::size_t kMost = 1024 * 1024;
  return {
      {"ALineOf8000Octets", "9112 3, the manual: errors", of_length(8000), {item("a")}, Stays},
      {"ALineOf16KiB", "9112 3, the manual: errors", of_length(16 * 1024), {refused(414)}, Closes},
      {"ALineWithoutEnd", "9112 3", "GET /" + std::string(100'000, 'a'), {refused(414)}, Closes},
      {"APathOf100000Slashes",
       "the manual: errors",
       line("GET " + std::string(100'000, '/') + " HTTP/1.1"),
       {refused(414)},
       Closes},
      {"APathOf7000Slashes",
       "the manual: errors",
       line("GET " + std::string(7000, '/') + " HTTP/1.1"),
       {error(404)},
       Stays},
      {"AMethodWithoutEnd", "9112 3", std::string(100'000, 'M'), {any_of({400, 414, 501})}, Closes},
      {"AHundredFields", "the manual: errors", get(fields(99)), {item("a")}, Stays},
      {"AThousandFields", "the manual: errors", get(fields(1000)), {refused(431)}, Closes},
      {"FieldsOf16KiB",
       "the manual: errors",
       get("A: " + std::string(16 * 1024 - 20, 'v') + "\r\n"),
       {item("a")},
       Stays},
      {"FieldsOf64KiB",
       "the manual: errors",
       get("A: " + std::string(64 * 1024, 'v') + "\r\n"),
       {refused(431)},
       Closes},
      {"AFieldOf1MiB", "the manual: errors", get("A: " + std::string(kMost, 'v') + "\r\n"), {refused(431)}, Closes},
      {"AFieldNameWithoutEnd",
       "the manual: errors",
       "GET / HTTP/1.1\r\n" + std::string(100'000, 'n'),
       {refused(431)},
       Closes},
      {"ABodyOfTheMaximum", "the manual: errors", sized(prompt(kMost)), {completion("ppp")}, Stays},
      {"ABodyAboveTheMaximum", "9110 15.5.14", sized(prompt(kMost + 1)), {refused(413)}, Closes},
      {"ChunksAboveTheMaximum",
       "9110 15.5.14",
       chunked(repeated("10000\r\n" + std::string(65536, 'c') + "\r\n", 17)),
       {refused(413)},
       Closes},
      {"ExtensionsWithoutEnd", "9112 7.1.1", chunked("1;" + std::string(100'000, 'e')), {any_of({400, 413})}, Closes},
      {"ManyChunksWithExtensions",
       "9112 7.1.1",
       chunked(repeated("1;" + std::string(100, 'e') + "\r\nx\r\n", 1000)),
       {any_of({400, 413})},
       Closes},
      {"TrailersWithoutEnd", "9112 7.1.2", chunked("0\r\n" + repeated("A: b\r\n", 1000)), {refused(431)}, Closes},
      {"ATrailerOf1MiB", "9112 7.1.2", chunked("0\r\nA: " + std::string(kMost, 'v')), {refused(431)}, Closes},
  };
}

RawCases timeout_cases() {
  constexpr After TimePasses = After::TimePasses;
  return {
      {"NothingAtAll", "9112 9.5", "", {}, TimePasses},
      {"AnEmptyLineAndNoMore", "9112 9.5", "\r\n", {}, TimePasses},
      {"HalfARequestLine", "9110 15.5.9", "GET /api", {refused(408)}, TimePasses},
      {"HalfAField", "9110 15.5.9", "GET /api/v1/item/a HTTP/1.1\r\nHos", {refused(408)}, TimePasses},
      {"NoEmptyLine", "9110 15.5.9", "GET /api/v1/item/a HTTP/1.1\r\nHost: x\r\n", {refused(408)}, TimePasses},
      {"HalfABody", "9110 15.5.9", post("Content-Length: 15\r\n\r\n{\"pro"), {refused(408)}, TimePasses},
      {"NoBody", "9110 15.5.9", post("Content-Length: 15\r\n\r\n"), {refused(408)}, TimePasses},
      {"HalfAChunk", "9110 15.5.9", chunked("f\r\n{\"pro"), {refused(408)}, TimePasses},
      {"ChunksWithoutALast", "9110 15.5.9", chunked("f\r\n" + kPrompt + "\r\n"), {refused(408)}, TimePasses},
      {"NothingAfterAGet", "9112 9.5", get(), {item("a")}, TimePasses},
      {"HalfASecondRequest", "9110 15.5.9", get() + "GET", {item("a"), refused(408)}, TimePasses},
  };
}

}  // namespace kbase::tests
