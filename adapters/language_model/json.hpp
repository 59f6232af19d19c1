// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

namespace kbase::language_model {

/// A value of a document, or none: what is not there, or of another type than is asked for, is just not given. A loan
/// of the document.
class Value {
 public:
  Value() = default;
  explicit Value(const nlohmann::json* value) : value_(value) {}

  Value member(std::string_view name) const;
  Value element(std::size_t index) const;
  std::size_t elements() const;

  /// Neither absent nor null.
  bool is_given() const;
  bool is_object() const;
  bool is_true() const;
  /// "" where it is none. May hold bytes that are no UTF-8: see Document.
  std::string_view text() const;
  /// A whole number below 2^32: no service counts more, and sums of what it counts stay in range.
  std::optional<std::uint64_t> count() const;

 private:
  const nlohmann::json* value_ = nullptr;
};

/// JSON of a service. Texts come as the service wrote them, since
/// some cut characters in two: bytes that are no UTF-8 stay, and half of an escaped surrogate pair becomes U+FFFD.
class Document {
 public:
  /// nullopt: it is no JSON, or is nested deeper or has more values than any answer.
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
