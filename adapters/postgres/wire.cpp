// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/wire.hpp"

namespace kbase::postgres::wire {
namespace {

constexpr model::Day kEpoch{std::chrono::year(2000) / 1 / 1};
constexpr std::size_t kEmptyHead = 12;  // dimensions, flags, element type
constexpr std::size_t kHead = 20;       // plus the length and first index of the single dimension

template <class Number>
void put(std::string& to, Number number) {
  for (int shift = static_cast<int>(sizeof(Number) - 1) * 8; shift >= 0; shift -= 8)
    to.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> shift & 0xFFU));
}

template <class Number>
Number get(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) number = number << 8 | static_cast<std::uint8_t>(bytes[i]);
  return static_cast<Number>(number);
}

std::string head(std::int32_t count, Type element) {
  std::string bytes;
  put32(bytes, count == 0 ? 0 : 1);
  put32(bytes, 0);  // no nulls
  put32(bytes, static_cast<std::int32_t>(element));
  if (count == 0) return bytes;
  put32(bytes, count);
  put32(bytes, 1);
  return bytes;
}

}  // namespace

void put16(std::string& to, std::int16_t number) {
  put(to, number);
}

void put32(std::string& to, std::int32_t number) {
  put(to, number);
}

void put64(std::string& to, std::int64_t number) {
  put(to, number);
}

std::int64_t integer(std::string_view bytes) {
  switch (bytes.size()) {
    case 2:
      return get<std::int16_t>(bytes);
    case 4:
      return get<std::int32_t>(bytes);
    case 8:
      return get<std::int64_t>(bytes);
    default:
      return 0;
  }
}

std::int32_t date_of(model::Day day) {
  return static_cast<std::int32_t>((day - kEpoch).count());
}

model::Day day_of(std::int64_t date) {
  return kEpoch + std::chrono::days(date);
}

std::int64_t timestamp_of(model::Instant instant) {
  return std::chrono::microseconds(instant - model::Instant(kEpoch)).count();
}

model::Instant instant_of(std::int64_t timestamp) {
  return model::Instant(kEpoch) + std::chrono::floor<std::chrono::milliseconds>(std::chrono::microseconds(timestamp));
}

List::List(Type element) : element_(element), bytes_(kHead, '\0') {}

void List::add(std::string_view bytes) {
  ++count_;
  put32(bytes_, static_cast<std::int32_t>(bytes.size()));
  bytes_ += bytes;
}

void List::add(std::int64_t number) {
  ++count_;
  put32(bytes_, sizeof number);
  put64(bytes_, number);
}

void List::add(model::Day day) {
  ++count_;
  put32(bytes_, sizeof(std::int32_t));
  put32(bytes_, date_of(day));
}

Type List::type() const {
  switch (element_) {
    case Type::Bigint:
      return Type::BigintList;
    case Type::Date:
      return Type::DateList;
    default:
      return Type::ByteaList;
  }
}

std::string_view List::done() {
  const std::string first = head(count_, element_);
  bytes_.replace(0, first.size(), first);
  return std::string_view(bytes_).substr(0, count_ == 0 ? kEmptyHead : bytes_.size());
}

bool read_list(std::string_view bytes, std::vector<std::string_view>& list) {
  list.clear();
  if (bytes.size() < kEmptyHead) return false;
  if (get<std::int32_t>(bytes) == 0) return bytes.size() == kEmptyHead;
  if (get<std::int32_t>(bytes) != 1 || bytes.size() < kHead) return false;
  const auto count = get<std::int32_t>(bytes.substr(kEmptyHead));
  bytes.remove_prefix(kHead);
  for (std::int32_t i = 0; i < count; ++i) {
    if (bytes.size() < sizeof(std::int32_t)) return false;
    const auto length = get<std::int32_t>(bytes);
    bytes.remove_prefix(sizeof length);
    if (length < 0 || static_cast<std::size_t>(length) > bytes.size()) return false;
    list.push_back(bytes.substr(0, static_cast<std::size_t>(length)));
    bytes.remove_prefix(static_cast<std::size_t>(length));
  }
  return bytes.empty() && count >= 0;
}

}  // namespace kbase::postgres::wire
