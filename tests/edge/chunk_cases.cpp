// SPDX-License-Identifier: Apache-2.0
// Raw cases: the chunked transfer coding.
#include "tests/edge/raw_cases.hpp"

namespace kbase::tests {

using namespace std::string_literals;

namespace {

const std::string kEnd = "0\r\n\r\n";
const std::string kWhole = "f\r\n" + kPrompt + "\r\n";

std::string chunks_of_one_byte(const std::string& body) {
  std::string coded;
  for (const char c : body) coded.append("1\r\n").append(1, c).append("\r\n");
  return coded;
}

}  // namespace

RawCases chunk_cases() {
  constexpr After Stays = After::Stays;
  constexpr After Closes = After::Closes;
  const auto sized = [](const std::string& size) { return chunked(size + "\r\n" + kPrompt + "\r\n" + kEnd); };
  const auto ended = [](const std::string& end) { return chunked(kWhole + end); };
  return {
      {"OneChunk", "9112 7.1", chunked(kWhole + kEnd), {completion("hi")}, Stays},
      {"ChunksOfOneByte", "9112 7.1", chunked(chunks_of_one_byte(kPrompt) + kEnd), {completion("hi")}, Stays},
      {"AnUpperCaseSize", "9112 7.1", sized("F"), {completion("hi")}, Stays},
      {"ASizeWithZerosBefore", "9112 7.1", sized("000f"), {completion("hi")}, Stays},
      {"ASizeOf16Digits", "9112 7.1", sized("000000000000000f"), {completion("hi")}, Stays},
      {"ALastChunkOfManyZeros", "9112 7.1", ended("0000\r\n\r\n"), {completion("hi")}, Stays},
      {"AnExtension", "9112 7.1.1", sized("f;a=b"), {completion("hi")}, Stays},
      {"AnExtensionWithoutValue", "9112 7.1.1", sized("f;a"), {completion("hi")}, Stays},
      {"AnExtensionInQuotes", "9112 7.1.1", sized("f;a=\"b;c\\\"d\""), {completion("hi")}, Stays},
      {"ManyExtensions", "9112 7.1.1", sized("f;a=b;c;d=e"), {completion("hi")}, Stays},
      {"SpacesAroundAnExtension", "9112 7.1.1", sized("f ; a = b"), {completion("hi")}, Stays},
      {"AnExtensionOfTheLastChunk", "9112 7.1.1", ended("0;a=b\r\n\r\n"), {completion("hi")}, Stays},
      {"Trailers", "9112 7.1.2", ended("0\r\nA: b\r\nC: d\r\n\r\n"), {completion("hi")}, Stays},
      {"ALengthInATrailer", "9110 6.5.1", ended("0\r\nContent-Length: 99\r\n\r\n"), {completion("hi")}, Stays},
      {"ACodingInATrailer", "9110 6.5.1", ended("0\r\nTransfer-Encoding: chunked\r\n\r\n"), {completion("hi")}, Stays},
      {"AHostInATrailer", "9110 6.5.1", ended("0\r\nHost: y\r\n\r\n"), {completion("hi")}, Stays},
      {"ACloseInATrailer", "9110 6.5.1", ended("0\r\nConnection: close\r\n\r\n"), {completion("hi")}, Stays},
      {"SplitsInEveryLineEnd",
       "9112 7.1",
       {{{post("Transfer-Encoding: chunked\r\n\r"), "\nf\r", "\n" + kPrompt, "\r", "\n0", "\r", "\n\r", "\n"},
         {completion("hi")}}},
       Stays},
      {"AChunkEndAtByte4096",
       "9112 7.1",
       {{{[] {
           const std::string head = chunked("");
           const std::string prompt(4095 - head.size() - 5 - 13, 'p');
           return chunked([&] {
             const std::string body = R"({"prompt":")" + prompt + R"("})";
             char size[16];
             std::snprintf(size, sizeof size, "%03zx\r\n", body.size());
             return size + body + "\r\n" + kEnd;
           }());
         }()},
         {completion("ppp")}}},
       Stays},

      {"NoSize", "9112 7.1", sized(""), {refused(400)}, Closes},
      {"ASizeWithAPrefix", "9112 7.1", sized("0xf"), {refused(400)}, Closes},
      {"APositiveSize", "9112 7.1", sized("+f"), {refused(400)}, Closes},
      {"ANegativeSize", "9112 7.1", sized("-f"), {refused(400)}, Closes},
      {"ASpaceBeforeTheSize", "9112 7.1", sized(" f"), {refused(400)}, Closes},
      {"ASpaceAfterTheSize", "9112 7.1", sized("f "), {refused(400)}, Closes},
      {"ATabAfterTheSize", "9112 7.1", sized("f\t"), {refused(400)}, Closes},
      {"AWordAfterTheSize", "9112 7.1", sized("f x"), {refused(400)}, Closes},
      {"ASizeThatIsNoNumber", "9112 7.1", sized("g"), {refused(400)}, Closes},
      {"ASizeWithAComma", "9112 7.1", sized("f,f"), {refused(400)}, Closes},
      {"ASizeWithNul", "9112 7.1", sized("f\0"s), {refused(400)}, Closes},
      {"ASizeOf17Digits", "9112 7.1", sized("0000000000000000f"), {completion("hi")}, Stays},
      {"ASizeAbove64Bits", "9112 7.1", sized("1000000000000000f"), {refused(413)}, Closes},
      {"TheLargestSize", "9112 7.1, the manual: errors", sized("ffffffffffffffff"), {refused(413)}, Closes},
      {"TwoChunksWhoseSizesOverflow", "9112 7.1", chunked(kWhole + "fffffffffffffff1\r\n"), {refused(413)}, Closes},
      {"ASizeAboveTheMaximum", "the manual: errors", sized("100001"), {refused(413)}, Closes},
      {"ABareLfAfterTheSize", "9112 2.2", chunked("f\n" + kPrompt + "\r\n" + kEnd), {refused(400)}, Closes},
      {"ABareCrAfterTheSize", "9112 2.2", chunked("f\r" + kPrompt + "\r\n" + kEnd), {refused(400)}, Closes},
      {"ABareLfInAnExtension", "9112 7.1.1", sized("f;a\nb"), {refused(400)}, Closes},
      {"ABareCrInAnExtension", "9112 7.1.1", sized("f;a\rb"), {refused(400)}, Closes},
      {"NulInAnExtension", "9112 7.1.1", sized("f;a=\0"s), {refused(400)}, Closes},
      {"AnExtensionWithoutAName", "9112 7.1.1", sized("f;"), {refused(400)}, Closes},
      {"AnExtensionWithASignAndNoValue", "9112 7.1.1", sized("f;a="), {refused(400)}, Closes},
      {"AnExtensionOfTwoWords", "9112 7.1.1", sized("f;a b"), {refused(400)}, Closes},
      {"AnExtensionWithAnOpenQuote", "9112 7.1.1", sized("f;a=\"b"), {refused(400)}, Closes},
      {"AnExtensionThatEndsWithASpace", "9112 7.1.1", sized("f;a "), {refused(400)}, Closes},
      {"AnExtensionOfObsText", "9112 7.1.1", sized("f;\x80"), {refused(400)}, Closes},
      {"AChunkLongerThanItsSize", "9112 7.1", sized("e"), {refused(400)}, Closes},
      {"AChunkShorterThanItsSize", "9112 7.1", chunked("10\r\n" + kPrompt + "\r\n" + kEnd), {refused(400)}, Closes},
      {"AChunkWithoutAnEnd", "9112 7.1", chunked("f\r\n" + kPrompt + kEnd), {refused(400)}, Closes},
      {"AChunkEndedByABareLf", "9112 7.1", chunked("f\r\n" + kPrompt + "\n" + kEnd), {refused(400)}, Closes},
      {"AChunkEndedByABareCr", "9112 7.1", chunked("f\r\n" + kPrompt + "\r" + kEnd), {refused(400)}, Closes},
      {"AChunkEndedByTwoCrs", "9112 7.1", chunked("f\r\n" + kPrompt + "\r\r\n" + kEnd), {refused(400)}, Closes},
      {"ATrailerThatIsNoField", "9112 7.1.2", ended("0\r\nnonsense\r\n\r\n"), {refused(400)}, Closes},
      {"ATrailerThatIsARequest", "9112 7.1.2", ended("0\r\n" + get()), {refused(400)}, Closes},
      {"AFoldedTrailer", "9112 5.2", ended("0\r\nA: b\r\n c\r\n\r\n"), {refused(400)}, Closes},
      {"ASpaceBeforeATrailersColon", "9112 5.1", ended("0\r\nA : b\r\n\r\n"), {refused(400)}, Closes},
      {"NulInATrailer", "9110 5.5", ended("0\r\nA: b\0\r\n\r\n"s), {refused(400)}, Closes},
      {"ABareLfAfterTheLastChunk", "9112 2.2", ended("0\n\r\n"), {refused(400)}, Closes},
      {"ABareLfAsTheEnd", "9112 2.2", ended("0\r\n\n"), {refused(400)}, Closes},
      {"TheEndMissing", "9112 8", ended("0\r\n"), {refused(400)}, After::ClientEnds},
      {"TheLastChunkMissing", "9112 8", chunked(kWhole), {refused(400)}, After::ClientEnds},
  };
}

}  // namespace kbase::tests
