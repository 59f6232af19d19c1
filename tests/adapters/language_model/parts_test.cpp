// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adapters/language_model/api_error.hpp"
#include "adapters/language_model/part_stream.hpp"
#include "tests/adapters/language_model/model_fixture.hpp"
#include "tests/support/split_response.hpp"

namespace kbase::tests {
namespace {

using namespace language_model;
using Texts = std::vector<std::string>;

Texts lines_of(const std::string& body, std::size_t piece_bytes) {
  SplitResponse answer(body, piece_bytes);
  ResponseLines lines(answer);
  Texts found;
  for (auto more = lines.next(); more && *more; more = lines.next()) found.emplace_back(lines.line());
  return found;
}

Texts parts_of(const std::string& body, Framing framing, std::size_t piece_bytes) {
  SplitResponse answer(body, piece_bytes);
  PartStream stream(answer, framing);
  Texts found;
  for (auto more = stream.next(); more && *more; more = stream.next()) found.emplace_back(stream.part());
  return found;
}

TEST(ResponseLines, EndWithAnyOfThreeLineEndsWhereverTheResponseIsSplit) {
  for (const std::size_t piece : {1U, 2U, 3U, 100U, 5000U})
    EXPECT_EQ(lines_of("one\ntwo\r\nthree\rfour\r\r\n\nlast", piece),
              (Texts{"one", "two", "three", "four", "", "", "last"}))
        << piece;
}

TEST(ResponseLines, AreCompleteBeforeTheSecondHalfOfTheirEnd) {
  // The service has sent nothing after the CR yet.
  SplitResponse answer("now\r\nlater", 4);
  ResponseLines lines(answer);
  ASSERT_TRUE(*lines.next());
  EXPECT_EQ(lines.line(), "now");
  ASSERT_TRUE(*lines.next());
  EXPECT_EQ(lines.line(), "later");
  EXPECT_FALSE(*lines.next());
}

TEST(ResponseLines, BeginAfterAByteOrderMark) {
  for (const std::size_t piece : {1U, 100U})
    EXPECT_EQ(lines_of("\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\n", piece), (Texts{"one", "\xEF\xBB\xBFtwo"}));
}

TEST(ResponseLines, HaveALengthLimit) {
  EXPECT_EQ(lines_of(std::string(kMaxLineBytes - 4096, 'x') + "\n", 4096).size(), 1U);
  SplitResponse answer(std::string(kMaxLineBytes + 4096, 'x'), 4096);
  ResponseLines lines(answer);
  EXPECT_TRUE(failed(lines.next(), ErrorCode::BadUpstream));
}

TEST(PartStreams, ReadTheDataOfEvents) {
  const std::string body =
      ": a comment\n\nevent: named\ndata: one\nid: 7\nretry: 10\n\ndata:two\ndata\ndata:  lines\n\n\nevent: empty\n\n"
      "data: cut off\n";
  for (const std::size_t piece : {1U, 2U, 1000U})
    EXPECT_EQ(parts_of(body, Framing::Events, piece), (Texts{"one", "two\n\n lines"}));
}

TEST(PartStreams, GiveAnEventWithoutDataNoPart) {
  EXPECT_EQ(parts_of("data\n\ndata:\n\ndatum: x\n\n", Framing::Events, 1000), (Texts{"", ""}));
}

TEST(PartStreams, ReadLinesIncludingAnUnterminatedLastOne) {
  for (const std::size_t piece : {1U, 2U, 1000U})
    EXPECT_EQ(parts_of("{\"a\":1}\n\n \r\n{\"b\":2}\r\n{}", Framing::Lines, piece),
              (Texts{"{\"a\":1}", "{\"b\":2}", "{}"}));
}

TEST(PartStreams, RejectAnEventWithTooManyLines) {
  std::string body;
  for (int i = 0; i < 300; ++i) body += "data: " + std::string(4000, 'x') + "\n";
  SplitResponse answer(body, 4096);
  PartStream stream(answer, Framing::Events);
  EXPECT_TRUE(failed(stream.next(), ErrorCode::BadUpstream));
}

Texts pieces_of(const Texts& parts) {
  Texts pieces;
  const auto keep = [&](std::string_view piece) {
    pieces.emplace_back(piece);
    return Visit::Continue;
  };
  Utf8Stream stream(keep);
  for (const std::string& part : parts) stream.append(part);
  stream.finish();
  return pieces;
}

TEST(PiecesOfText, AreWholeCharactersWhereverTheyAreSplit) {
  EXPECT_EQ(pieces_of({"a", "\xC3", "\xA4", "\xE2\x82", "\xAC!", "\xF0\x9F", "\x98", "\x80"}),
            (Texts{"a", "\xC3\xA4", "\xE2\x82\xAC!", "\xF0\x9F\x98\x80"}));
  EXPECT_EQ(pieces_of({"x\xC3", "\xA4y"}), (Texts{"x", "\xC3\xA4y"}));
  EXPECT_EQ(pieces_of({"", "a", ""}), (Texts{"a"}));
}

TEST(PiecesOfText, ReplaceInvalidCharacters) {
  const std::string no_character = "\xEF\xBF\xBD";
  EXPECT_EQ(pieces_of({"a\xFF"
                       "b"}),
            (Texts{"a" + no_character + "b"}));
  EXPECT_EQ(pieces_of({"a\xC3"}), (Texts{"a", no_character}));
  EXPECT_EQ(pieces_of({"\xC3", "b"}), (Texts{no_character + "b"}));
  EXPECT_EQ(pieces_of({"\xED\xA0", "\x80"}), (Texts{no_character})) << "half of a surrogate pair";
}

TEST(PiecesOfText, JoinTheHalvesOfASurrogatePair) {
  const std::string high = "\xED\xA0\xBD", low = "\xED\xB8\x80", smile = "\xF0\x9F\x98\x80";
  const std::string no_character = "\xEF\xBF\xBD";
  EXPECT_EQ(pieces_of({"a" + high, low + "b"}), (Texts{"a", smile + "b"}));
  EXPECT_EQ(pieces_of({high + low}), (Texts{smile}));
  EXPECT_EQ(pieces_of({high.substr(0, 2), high.substr(2), low.substr(0, 1), low.substr(1)}), (Texts{smile}));
  EXPECT_EQ(pieces_of({high, "b"}), (Texts{no_character + "b"}));
  EXPECT_EQ(pieces_of({high, high + low}), (Texts{no_character + smile}));
  EXPECT_EQ(pieces_of({low + "b", high}), (Texts{no_character + "b", no_character}));
}

std::string text_in(const std::string& json) {
  const auto document = Document::parse(json);
  return document ? std::string(document->root().member("t").text()) : "(no JSON)";
}

TEST(ServiceJson, KeepsIncompleteCharacters) {
  EXPECT_EQ(text_in("{\"t\":\"a\xC3\"}"), "a\xC3");
  EXPECT_EQ(text_in("{\"t\":\"\xA4\xFF\x80 \xE2\x82\xAC \\u00e4 \\\\\"}"), "\xA4\xFF\x80 \xE2\x82\xAC \xC3\xA4 \\");
  EXPECT_EQ(text_in("{\"t\":\"\xF4\x8F\xBF\xBD\"}"), "\xF4\x8F\xBF\xBD");  // U+10FFFD, private use
}

TEST(ServiceJson, KeepsALoneSurrogate) {
  EXPECT_EQ(text_in(R"({"t":"\ud83d"})"), "\xED\xA0\xBD");
  EXPECT_EQ(text_in(R"({"t":"\ude00\\ud83d"})"), "\xED\xB8\x80\\ud83d");
  EXPECT_EQ(text_in(R"({"t":"\ud83d\ud83d\ude00"})"), "\xED\xA0\xBD\xF0\x9F\x98\x80");
}

TEST(ServiceJson, RejectsInvalidJson) {
  for (const char* const text : {"", "{", "{\"t\":}", "nonsense", "{} {}", "\\", "{\"t\":\"\\u12", "\xFF"})
    EXPECT_FALSE(Document::parse(text)) << text;
}

TEST(ServiceJson, LimitsItsDepthAndItsNumberOfValues) {
  const auto deep = [](std::size_t levels) {
    return "{\"t\":" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  EXPECT_TRUE(Document::parse(deep(15)));
  EXPECT_FALSE(Document::parse(deep(16)));
  EXPECT_FALSE(Document::parse(deep(100'000)));
  std::string many = "[0";
  for (int i = 0; i < 10'000; ++i) many += ",0";
  EXPECT_FALSE(Document::parse(many + "]"));
  EXPECT_TRUE(Document::parse("{\"t\":\"" + std::string(20'000, ',') + "\"}"));
}

TEST(ServiceJson, RejectsCountsThatOverflow) {
  const auto document = Document::parse(R"({"most":4294967295,"more":4294967296,"all":18446744073709551615})");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().member("most").count(), 4294967295U);
  EXPECT_FALSE(document->root().member("more").count());
  EXPECT_FALSE(document->root().member("all").count());
}

TEST(ServiceJson, ReturnsNothingForMissingMembers) {
  const auto document = Document::parse(R"({"n":null,"t":5,"neg":-1,"a":[1],"o":{}})");
  ASSERT_TRUE(document);
  const Value root = document->root();
  EXPECT_EQ(root.member("t").text(), "");
  EXPECT_EQ(root.member("t").count(), 5U);
  EXPECT_FALSE(root.member("neg").count());
  EXPECT_FALSE(root.member("n").has_value());
  EXPECT_FALSE(root.member("none").has_value());
  EXPECT_EQ(root.member("none").member("of").at(3).member("it").text(), "");
  EXPECT_EQ(root.member("a").at(0).count(), 1U);
  EXPECT_FALSE(root.member("a").at(1).has_value());
  EXPECT_FALSE(root.member("a").member("x").has_value());
  EXPECT_FALSE(root.member("t").is_true());
}

std::chrono::milliseconds wait_of(std::initializer_list<ports::HttpField> fields) {
  const std::vector<ports::HttpField> all(fields);
  return retry_after({429, all}, conformance::ManualClock().now());  // 2026-03-14 12:00
}

TEST(RetryAfter, IsSecondsADateOrMilliseconds) {
  EXPECT_EQ(wait_of({{"retry-after", "20"}}), 20s);
  EXPECT_EQ(wait_of({{"retry-after", "0.5"}}), 500ms);
  EXPECT_EQ(wait_of({{"retry-after", "Sat, 14 Mar 2026 12:01:30 GMT"}}), 90s);
  EXPECT_EQ(wait_of({{"retry-after", "Sat, 14 Mar 2026 11:00:00 GMT"}}), 0s);
  EXPECT_EQ(wait_of({{"retry-after", "2"}, {"retry-after-ms", "1234"}}), 1234ms);
}

TEST(RetryAfter, IsTheLongestResetOfTheExhaustedLimits) {
  EXPECT_EQ(wait_of({{"x-ratelimit-reset-requests", "1m0s"}, {"x-ratelimit-reset-tokens", "6ms"}}), 60s);
  EXPECT_EQ(wait_of({{"x-ratelimit-remaining-requests", "12"},
                     {"x-ratelimit-reset-requests", "1h2m3.5s"},
                     {"x-ratelimit-remaining-tokens", "0"},
                     {"x-ratelimit-reset-tokens", "17"}}),
            17s);
}

TEST(RetryAfter, IsUnknownOrCappedIfInvalid) {
  for (const char* const text : {"", "soon", "-5", "nan", "5 apples", "Sat, 14 Mar 2026"})
    EXPECT_EQ(wait_of({{"retry-after", text}, {"x-ratelimit-reset-tokens", text}}), 0ms) << text;
  EXPECT_EQ(wait_of({{"retry-after", "99999999999999999999"}}), 24h);
  EXPECT_EQ(wait_of({{"retry-after", "Sat, 14 Mar 2099 12:01:30 GMT"}}), 24h);
}

/// Returns a completion of `text` for which the service reported no token counts.
ports::Completion uncounted(const std::string& prompt_text, const std::string& text) {
  const auto ignore = [](std::string_view) { return Visit::Continue; };
  const ports::Prompt prompt = prompt_of(prompt_text);
  CompletionBuilder draft(prompt, ignore);
  EXPECT_TRUE(succeeded(draft.append_text(text)));
  draft.set_prompt_tokens(0);
  draft.set_completion_tokens(std::nullopt);
  draft.set_model("two\nlines");
  draft.set_finish_reason(ports::FinishReason::Stop);
  return draft.finish().value();
}

TEST(Drafts, EstimateMissingTokenCounts) {
  const ports::Completion completion = uncounted("1234567", "12345");
  EXPECT_EQ(completion.prompt_tokens, 3U);
  EXPECT_EQ(completion.completion_tokens, 2U);
  EXPECT_EQ(uncounted("x", std::string(1000, 'x')).completion_tokens, 100U);  // at most the allowed number
  EXPECT_EQ(uncounted("x", "").completion_tokens, 0U);
}

TEST(Drafts, NameTheRequestedModelIfTheServiceNamesNone) { EXPECT_EQ(uncounted("x", "y").model, kFakeModel); }

}  // namespace
}  // namespace kbase::tests
