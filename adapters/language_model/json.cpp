// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/json.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "adapters/base/json_bounds.hpp"
#include "domain/base/utf8.hpp"

namespace kbase::language_model {
namespace {

using Json = nlohmann::json;

constexpr json::Bounds kBounds{.depth = 16, .values = 10'000};
constexpr std::size_t kEscapeSize = 6;  // \uXXXX

// The parser accepts only UTF-8. So a byte B that is not part of valid UTF-8 is passed as the private-use character
// U+10FF00 + B and restored after parsing. Only documents with such bytes are searched for these characters.
constexpr std::string_view kPlaceholderStart = "\xF4\x8F";
constexpr std::size_t kPlaceholderSize = 4;

void append_placeholder(std::string& text, char c) {
  const auto byte = static_cast<unsigned char>(c);
  text.append(kPlaceholderStart);
  text += static_cast<char>(0xBC | byte >> 6);
  text += static_cast<char>(0x80 | (byte & 0x3F));
}

void restore_bytes(std::string& text) {
  for (std::size_t at = text.find(kPlaceholderStart); at != std::string::npos;
       at = text.find(kPlaceholderStart, at + 1)) {
    const auto high = static_cast<unsigned char>(text[at + 2]);
    if (high < 0xBE) continue;
    const auto low = static_cast<unsigned char>(text[at + 3]);
    text.replace(at, kPlaceholderSize, 1, static_cast<char>((high & 3) << 6 | (low & 0x3F)));
  }
}

/// Returns the UTF-16 code unit of the escape at the start of `text`; nullopt: there is no escape.
std::optional<unsigned> escaped_unit(std::string_view text) {
  if (text.size() < kEscapeSize || !text.starts_with("\\u")) return std::nullopt;
  unsigned unit = 0;
  const char* const end = text.data() + kEscapeSize;
  const auto [stop, error] = std::from_chars(text.data() + 2, end, unit, 16);
  if (error != std::errc() || stop != end) return std::nullopt;
  return unit;
}

bool is_high_surrogate(std::optional<unsigned> unit) { return unit && *unit >= 0xD800 && *unit <= 0xDBFF; }
bool is_low_surrogate(std::optional<unsigned> unit) { return unit && *unit >= 0xDC00 && *unit <= 0xDFFF; }

/// Moves the escape at the start of `rest` to `repaired`. Replaces half of a surrogate pair by U+FFFD.
void repair_escape(std::string_view& rest, std::string& repaired) {
  const auto unit = escaped_unit(rest);
  std::size_t size = unit ? kEscapeSize : std::min<std::size_t>(rest.size(), 2);
  if (is_high_surrogate(unit) && is_low_surrogate(escaped_unit(rest.substr(kEscapeSize)))) size = 2 * kEscapeSize;
  const bool is_half_pair = size == kEscapeSize && (is_high_surrogate(unit) || is_low_surrogate(unit));
  repaired += is_half_pair ? std::string_view("\\ufffd") : rest.substr(0, size);
  rest.remove_prefix(size);
}

/// Returns `text` with invalid UTF-8 and halves of surrogate pairs replaced, so that the parser accepts it. Both occur
/// in streams that split a character.
std::string repaired(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 16);
  while (!text.empty()) {
    if (text.front() == '\\') {
      repair_escape(text, result);
      continue;
    }
    const std::size_t length = utf8::sequence_length(text);
    if (length == 0)
      append_placeholder(result, text.front());
    else
      result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::optional<Json> parse_json(std::string_view text, bool has_placeholders) {
  using Event = Json::parse_event_t;
  const auto restore = [](int, Event event, Json& value) {
    if (event == Event::value && value.is_string()) restore_bytes(value.get_ref<std::string&>());
    return true;
  };
  Json root = Json::parse(text, has_placeholders ? restore : Json::parser_callback_t(), /*allow_exceptions=*/false);
  if (root.is_discarded()) return std::nullopt;
  return root;
}

}  // namespace

Value Value::member(std::string_view name) const {
  if (!is_object()) return {};
  const auto found = value_->find(name);
  return found == value_->end() ? Value() : Value(&*found);
}

Value Value::at(std::size_t index) const { return index < size() ? Value(&(*value_)[index]) : Value(); }

std::size_t Value::size() const { return value_ != nullptr && value_->is_array() ? value_->size() : 0; }

bool Value::has_value() const { return value_ != nullptr && !value_->is_null(); }

bool Value::is_object() const { return value_ != nullptr && value_->is_object(); }

bool Value::is_true() const { return value_ != nullptr && value_->is_boolean() && value_->get<bool>(); }

std::string_view Value::text() const {
  return value_ != nullptr && value_->is_string() ? value_->get_ref<const std::string&>() : std::string_view();
}

std::optional<std::uint64_t> Value::count() const {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  if (value_ == nullptr || !value_->is_number_unsigned() || value_->get<std::uint64_t>() > kMax) return std::nullopt;
  return value_->get<std::uint64_t>();
}

Document::Document(std::unique_ptr<const Json> root) : root_(std::move(root)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

std::optional<Document> Document::parse(std::string_view text) {
  if (!json::is_within(kBounds, text)) return std::nullopt;
  auto root = parse_json(text, false);
  if (!root) root = parse_json(repaired(text), true);
  if (!root) return std::nullopt;
  return Document(std::make_unique<const Json>(*std::move(root)));
}

}  // namespace kbase::language_model
