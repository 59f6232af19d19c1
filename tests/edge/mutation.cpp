// SPDX-License-Identifier: Apache-2.0
#include "tests/edge/mutation.hpp"

#include <algorithm>
#include <cstdio>

namespace kbase::tests {
namespace {

using Choices = std::vector<std::string>;

// Valid choices outnumber invalid ones, so that most requests have at most one error.
const Choices kMethods{"GET", "GET", "POST", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "get", "GE(T"};
const Choices kTargets{"/", "/a", "/a/b?c=d&e", "/%41", "http://h/a", "http://h", "https://h:8/?q",
                       "*", "a",  "//",         "/a b", "/\x80"};
const Choices kVersions{"HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0",
                        "HTTP/1.2", "HTTP/2.0", "HTTP/1.",  "http/1.1"};
const Choices kFields{"Host: x",
                      "A: b",
                      "A:b ",
                      "A:",
                      "A: \xC3\xA4",
                      "Accept: */*",
                      "Connection: close",
                      "Connection: keep-alive",
                      "Connection: x, close",
                      "Upgrade: h2c",
                      "TE: trailers",
                      "Cookie: a=b; c",
                      "A : b",
                      " A: b",
                      "A\t: b",
                      "A: b\x01",
                      "A",
                      ":",
                      "A: b\rc",
                      "\"A\": b"};
const Choices kLengths{"0", "1", "3", "5", "05", "+5", "-5", "5 ", "5,5", "5a", "0x5", "", "99999999999999999999"};
const Choices kCodings{"chunked",  "chunked",     "Chunked",          "gzip, chunked", "chunked, gzip",
                       "identity", "xchunked",    "chunked, chunked", ", chunked",     "chunked,",
                       "",         "\"chunked\"", "chunked;a"};
const Choices kLineEnds{"\r\n", "\n", "\r", "\r\r\n", "\r\n "};
const Choices kTrailers{"", "", "", "A: b\r\n", "Content-Length: 5\r\n", "A : b\r\n", "x\r\n"};
const Choices kExtensions{"", "", "", ";a", ";a=b", ";a=\"b;c\"", " ;a", ";", " ", ";a=", ";\x01"};
const Choices kInsertions{"\r\n",
                          "\n",
                          "\r",
                          " ",
                          "\t",
                          ":",
                          ";",
                          ",",
                          "0",
                          "f",
                          std::string(1, '\0'),
                          "\x80",
                          "chunked",
                          "Content-Length: 5\r\n",
                          "Transfer-Encoding: chunked\r\n",
                          "Host: y\r\n",
                          "HTTP/1.1",
                          "GET / "};

}  // namespace

std::string RequestMutator::next() {
  std::string bytes;
  do bytes += one_in(3) ? any_of(models_) : assembled();
  while (one_in(4));
  for (std::size_t changes = one_in(2) ? 1 + below(2) : 0; changes > 0; --changes) change(bytes);
  return bytes;
}

std::string RequestMutator::assembled() {
  const std::string line_end = one_in(30) ? any_of(kLineEnds) : "\r\n";
  std::string bytes = any_of(kMethods) + " " + any_of(kTargets) + " " + any_of(kVersions) + line_end;
  if (!one_in(15)) bytes += "Host: x\r\n";
  for (std::size_t fields = below(3); fields > 0; --fields) bytes += any_of(kFields) + "\r\n";
  const std::string body(below(6), 'b');
  const bool has_length = one_in(3);
  const bool is_chunked = has_length ? one_in(15) : one_in(2);
  const std::string length = one_in(4) ? any_of(kLengths) : std::to_string(body.size());
  if (has_length) bytes += "Content-Length: " + length + "\r\n";
  if (is_chunked) bytes += "Transfer-Encoding: " + (one_in(3) ? any_of(kCodings) : "chunked") + "\r\n";
  bytes += "\r\n";
  return bytes + (is_chunked ? chunks(body) : has_length ? body : "");
}

std::string RequestMutator::chunks(const std::string& body) {
  std::string coded;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t size = std::min(body.size() - at, 1 + below(4));
    char digits[16];
    std::snprintf(digits, sizeof digits, one_in(5) ? "%04zX" : "%zx", one_in(20) ? size + 1 : size);
    coded += digits + any_of(kExtensions) + "\r\n" + body.substr(at, size) + (one_in(30) ? any_of(kLineEnds) : "\r\n");
    at += size;
  }
  return coded + "0" + (one_in(10) ? any_of(kExtensions) : "") + "\r\n" + any_of(kTrailers) + "\r\n";
}

void RequestMutator::change(std::string& bytes) {
  if (bytes.empty()) return;
  const std::size_t at = below(bytes.size());
  switch (below(6)) {
    case 0: bytes[at] = static_cast<char>(below(256)); break;
    case 1: bytes.erase(at, 1 + below(3)); break;
    case 2: bytes.insert(at, any_of(kInsertions)); break;
    case 3: bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(20))); break;
    case 4: bytes[at] ^= 0x20; break;
    default: std::swap(bytes[at], bytes[below(bytes.size())]); break;
  }
}

}  // namespace kbase::tests
