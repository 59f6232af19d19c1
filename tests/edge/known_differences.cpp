// SPDX-License-Identifier: Apache-2.0
#include "tests/edge/known_differences.hpp"
#include "domain/base/text.hpp"

#include <algorithm>

#include "adapters/http/syntax.hpp"

namespace kbase::tests {

const std::vector<KnownDifference>& only_we_refuse() {
  static const std::vector<KnownDifference> kDifferences{
      {"400 The Host field is m",
       {},
       "RFC 9112 section 3.2: a server refuses what has no valid Host; llhttp leaves it to others"},
      {"400 There is more than one Host", {"host"}, "RFC 9112 section 3.2, likewise"},
      {"400 There is more than one Authorization",
       {"authorization"},
       "RFC 9110 section 5.3: only lists may come twice"},
      {"400 There is more than one Content-Type", {"content-type"}, "RFC 9110 section 5.3, likewise"},
      {"400 Transfer-Encoding is not allowed in HTTP/1.0",
       {"http/1.0"},
       "RFC 9112 section 6.1: such framing is faulty"},
      {"400 The request line is not", {}, "RFC 9112 section 3: llhttp takes HTTP/0.9, which has no version"},
      {"400 The request line does not end with an HTTP version",
       {"  "},
       "RFC 9112 section 3: one space; llhttp takes more"},
      {"400 The request target is not a path", {"*"}, "RFC 9112 section 3.2.4: * is for OPTIONS alone"},
      {"400 The request target is not a path",
       {"connect"},
       "RFC 9112 section 3.2.3: CONNECT has a host and a port alone"},
      {"400 The request target is not a path", {"://"}, "RFC 9110 section 4.2: the schemes of HTTP are http and https"},
      {"400 The request target has no valid host",
       {"http"},
       "RFC 9110 section 4.2: a URI of http has a host and no user"},
      {"400 The request target has an invalid character", {"  "}, "RFC 9112 section 3: one space; llhttp takes more"},
      {"400 The request target has an invalid character", {"#"}, "RFC 9112 section 3.2: a fragment is never sent"},
      {"400 A header field is folded", {"\r\n ", "\r\n\t"}, "RFC 9112 section 5.2: may be refused, and is here"},
      {"400 The name of a header field is empty", {"\r\n:"}, "RFC 9112 section 5: llhttp takes a field without a name"},
      {"400 A line does not end with CR LF", {"\n"}, "RFC 9112 section 2.2: a bare LF may be refused, and is here"},
      {"400 A line of the chunked body does not end with CR LF", {"\n"}, "RFC 9112 section 2.2, likewise"},
      {"400 This is not an HTTP request", {"\n"}, "RFC 9112 section 2.2: llhttp takes a bare LF for an empty line"},
      {"400 There are too many empty lines", {"\r\n\r\n\r\n"}, "RFC 9112 section 2.2: some, not any number"},
      {"400 The Transfer-Encoding field is empty", {}, "RFC 9112 section 6.1: there is at least one coding"},
      {"400 The transfer coding chunked must be the last one",
       {"\t"},
       "RFC 9110 section 5.5: llhttp misses one before a tab"},
      {"400 The size or the extension of a chunk", {";"}, "RFC 9112 section 7.1.1: llhttp takes an = without a value"},
      {"413 ", {}, "the manual: errors"},
      {"417 ", {"expect"}, "RFC 9110 section 10.1.1: an unknown expectation; llhttp leaves it to others"},
      {"501 ", {}, "RFC 9112 section 6.1: a coding that is not understood; llhttp leaves it to others"},
      {"505 ", {}, "RFC 9110 section 15.6.6: llhttp also takes 0.9 and 2.0"},
  };
  return kDifferences;
}

const std::vector<KnownDifference>& only_llhttp_refuses() {
  static const std::vector<KnownDifference> kDifferences{
      {"HPE_INVALID_METHOD", {}, "RFC 9110 section 9.1: a method is any token; llhttp knows a list"},
      {"HPE_INVALID_VERSION", {}, "RFC 9110 section 2.5: a higher minor version is taken for the highest known"},
      {"HPE_STRICT: Invalid character in chunk extensions",
       {";"},
       "RFC 9112 section 7.1.1: white space and quoted pairs"},
      {"HPE_INVALID_CHUNK_SIZE",
       {";"},
       "RFC 9112 section 7.1.1: an extension after white space, or after one without a value"},
      {"HPE_INVALID_CONTENT_LENGTH", {"\t"}, "RFC 9110 section 5.5: a tab before or after a value"},
      {"HPE_INVALID_CONTENT_LENGTH", {"chunked"}, "RFC 9110 section 6.5.1: a trailer's Content-Length says nothing"},
      {"HPE_UNEXPECTED_CONTENT_LENGTH", {"\r\n0"}, "RFC 9110 section 6.5.1: a trailer's Content-Length says nothing"},
      {"HPE_INVALID_TRANSFER_ENCODING", {","}, "RFC 9110 section 5.6.1.2: an empty element"},
      {"HPE_INVALID_TRANSFER_ENCODING",
       {"\r\n0"},
       "RFC 9110 section 6.5.1: a trailer's Transfer-Encoding says nothing"},
      {"HPE_INVALID_TRANSFER_ENCODING", {"\t"}, "RFC 9110 section 5.5: a tab before or after a value"},
  };
  return kDifferences;
}

const KnownDifference* known_difference(const std::vector<KnownDifference>& differences, const std::string& why,
                                        const std::string& bytes) {
  const std::string lower = ascii::to_lower(bytes);
  const auto is_example = [&](const KnownDifference& difference) {
    return why.starts_with(difference.why) &&
           (difference.signs.empty() ||
            std::any_of(difference.signs.begin(), difference.signs.end(),
                        [&](const std::string& sign) { return lower.find(sign) != std::string::npos; }));
  };
  const auto found = std::find_if(differences.begin(), differences.end(), is_example);
  return found == differences.end() ? nullptr : &*found;
}

}  // namespace kbase::tests
