// SPDX-License-Identifier: Apache-2.0
// Whatever the bytes are, the parser takes or refuses them alike wherever they are cut, keeps its limits, and hands out
// nothing that RFC 9112 forbids. The input's first byte says where to cut.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "adapters/http/request_parser.hpp"
#include "adapters/http/syntax.hpp"

namespace kbase::http {
namespace {

void require(bool held) {
  if (!held) std::abort();
}

constexpr MessageLimits kLimits{300, 400, 8, 200};

/// What became of the bytes, as one text.
class Story {
 public:
  void feed(std::string_view bytes) {
    while (parser_.state() != RequestParser::State::Refused) {
      const std::size_t taken = parser_.feed(bytes);
      require(taken <= bytes.size());
      bytes.remove_prefix(taken);
      if (parser_.state() != RequestParser::State::Complete) break;
      tell(parser_.request());
      parser_.next();
    }
    require(bytes.empty() || parser_.state() == RequestParser::State::Refused);
  }

  std::string end() {
    text_ += std::to_string(static_cast<int>(parser_.state()));
    if (parser_.state() == RequestParser::State::Refused) text_ += std::to_string(parser_.refusal().status);
    return text_;
  }

 private:
  void tell(const Request& request) {
    require(is_token(request.method()));
    require(request.target().size() <= kLimits.request_line_bytes && request.body().size() <= kLimits.body_bytes);
    require(request.target().find_first_of(std::string_view("\0\r\n ", 4)) == std::string_view::npos);
    unsigned hosts = 0;
    request.each_field("host", [&](std::string_view value) {
      ++hosts;
      require(is_field_text(value));
    });
    require(hosts <= 1 && (hosts == 1 || request.minor_version() == 0));
    require(!request.field("transfer-encoding") || !request.field("content-length"));
    text_.append(request.method()).append(" ").append(request.target()).append(" ").append(request.body()).append("\n");
  }

  RequestParser parser_{kLimits};
  std::string text_;
};

}  // namespace
}  // namespace kbase::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using kbase::http::Story;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Story whole;
  whole.feed(bytes);
  const std::size_t cut = bytes.empty() ? 0 : data[0] % bytes.size();
  Story halves;
  halves.feed(bytes.substr(0, cut));
  halves.feed(bytes.substr(cut));
  Story single;
  for (std::size_t i = 0; i < bytes.size(); ++i) single.feed(bytes.substr(i, 1));
  const std::string expected = whole.end();
  if (halves.end() != expected || single.end() != expected) std::abort();
  return 0;
}
