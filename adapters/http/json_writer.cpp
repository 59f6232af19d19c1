// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/json_writer.hpp"

#include <charconv>
#include <cmath>

#include "adapters/base/json.hpp"

namespace kbase::http {

void JsonWriter::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

JsonWriter& JsonWriter::begin(char bracket) {
  separate();
  out_ += bracket;
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  out_ += bracket;
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  text(name);
  out_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  json::append_string(out_, value);
  return *this;
}

JsonWriter& JsonWriter::number(std::uint64_t value) {
  separate();
  char digits[20];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), value);
  out_.append(digits, end);
  (void)error;  // 20 digits are enough for any value
  return *this;
}

JsonWriter& JsonWriter::fraction(double value) {
  separate();
  char digits[32];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), std::isfinite(value) ? value : 0.0);
  (void)error;  // the shortest form of any double fits
  const std::string_view text(digits, static_cast<std::size_t>(end - digits));
  out_ += text;
  if (text.find_first_of(".e") == std::string_view::npos) out_ += ".0";
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::members(std::string_view json) {
  if (json.empty()) return *this;
  separate();
  out_ += json;
  return *this;
}

}  // namespace kbase::http
