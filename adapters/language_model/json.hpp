// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

namespace kbase::language_model {

/// A value of a document, or no value: a value that is absent or of another type than requested counts as not given. A
/// view of the document.
class Value {
 public:
  Value() = default;
  explicit Value(const nlohmann::json* value) : value_(value) {}

  Value member(std::string_view name) const;
  Value at(std::size_t index) const;
  std::size_t size() const;

  /// Whether the value is neither absent nor null.
  bool has_value() const;
  bool is_object() const;
  bool is_true() const;
  /// Returns the string; "" if the value is not a string. May contain bytes that are not UTF-8: see Document.
  std::string_view text() const;
  /// Returns an integer from 0 to 2^32 - 1; nullopt: any other value. Real counts are smaller, and their sums do not
  /// overflow.
  std::optional<std::uint64_t> count() const;

 private:
  const nlohmann::json* value_ = nullptr;
};

/// A JSON document of a service. Keeps the bytes of strings, because some services split characters between parts:
/// bytes that are not UTF-8 stay, and half of an escaped surrogate pair becomes U+FFFD.
class Document {
 public:
  /// nullopt: `text` is not JSON, or is nested deeper or has more values than any valid response.
  static std::optional<Document> parse(std::string_view text);

  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  Value root() const { return Value(root_.get()); }

 private:
  explicit Document(std::unique_ptr<const nlohmann::json> root);
  std::unique_ptr<const nlohmann::json> root_;
};

}  // namespace kbase::language_model
