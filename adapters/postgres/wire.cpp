// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/wire.hpp"

#include <libpq-fe.h>

#include <charconv>
#include <tuple>

#include "adapters/records/rows.hpp"

namespace kbase::postgres {
namespace {

constexpr std::string_view kSignature("PGCOPY\n\xFF\r\n\0", 11);
constexpr std::size_t kHeaderBytes = kSignature.size() + 8;  // signature, flags and length of the header extension
constexpr std::int16_t kEnd = -1;

}  // namespace

namespace wire {

namespace {

constexpr model::Day kEpoch{std::chrono::year(2000) / 1 / 1};
constexpr std::size_t kEmptyArrayHeaderBytes = 12;  // dimensions, flags, element type
constexpr std::size_t kArrayHeaderBytes = 20;       // plus the length and first index of the single dimension

template <class Number> void put(std::string& to, Number number) {
  for (int shift = static_cast<int>(sizeof(Number) - 1) * 8; shift >= 0; shift -= 8)
    to.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> shift & 0xFFU));
}

template <class Number> Number get(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) number = number << 8 | static_cast<std::uint8_t>(bytes[i]);
  return static_cast<Number>(number);
}

std::string make_array_header(std::int32_t count, Type element) {
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

void put16(std::string& to, std::int16_t number) { put(to, number); }

void put32(std::string& to, std::int32_t number) { put(to, number); }

void put64(std::string& to, std::int64_t number) { put(to, number); }

std::int64_t integer(std::string_view bytes) {
  switch (bytes.size()) {
    case 2: return get<std::int16_t>(bytes);
    case 4: return get<std::int32_t>(bytes);
    case 8: return get<std::int64_t>(bytes);
    default: return 0;
  }
}

std::int32_t to_date(model::Day day) { return static_cast<std::int32_t>((day - kEpoch).count()); }

model::Day from_date(std::int64_t date) { return kEpoch + std::chrono::days(date); }

std::int64_t to_timestamp(model::Instant instant) {
  return std::chrono::microseconds(instant - model::Instant(kEpoch)).count();
}

model::Instant from_timestamp(std::int64_t timestamp) {
  return model::Instant(kEpoch) + std::chrono::floor<std::chrono::milliseconds>(std::chrono::microseconds(timestamp));
}

ArrayBuilder::ArrayBuilder(Type element) : element_(element), bytes_(kArrayHeaderBytes, '\0') {}

void ArrayBuilder::add(std::string_view bytes) {
  ++count_;
  put32(bytes_, static_cast<std::int32_t>(bytes.size()));
  bytes_ += bytes;
}

void ArrayBuilder::add(std::int64_t number) {
  ++count_;
  put32(bytes_, sizeof number);
  put64(bytes_, number);
}

void ArrayBuilder::add(model::Day day) {
  ++count_;
  put32(bytes_, sizeof(std::int32_t));
  put32(bytes_, to_date(day));
}

Type ArrayBuilder::type() const {
  switch (element_) {
    case Type::Bigint: return Type::BigintList;
    case Type::Date: return Type::DateList;
    default: return Type::ByteaList;
  }
}

std::string_view ArrayBuilder::encode() {
  const std::string first = make_array_header(count_, element_);
  bytes_.replace(0, first.size(), first);
  return std::string_view(bytes_).substr(0, count_ == 0 ? kEmptyArrayHeaderBytes : bytes_.size());
}

bool read_list(std::string_view bytes, std::vector<std::string_view>& list) {
  list.clear();
  if (bytes.size() < kEmptyArrayHeaderBytes) return false;
  if (get<std::int32_t>(bytes) == 0) return bytes.size() == kEmptyArrayHeaderBytes;
  if (get<std::int32_t>(bytes) != 1 || bytes.size() < kArrayHeaderBytes) return false;
  const auto count = get<std::int32_t>(bytes.substr(kEmptyArrayHeaderBytes));
  bytes.remove_prefix(kArrayHeaderBytes);
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

}  // namespace wire

Parameters::Arrays Parameters::arrays() const {
  Arrays arrays;
  for (std::size_t i = 0; i < count_; ++i) {
    const Slot& slot = slots_[i];
    const char* const view = slot.view.data() != nullptr ? slot.view.data() : "";  // a null pointer would be NULL
    arrays.types[i] = static_cast<std::uint32_t>(slot.type);
    arrays.values[i] = slot.is_null ? nullptr : slot.is_inline ? slot.inline_bytes.data() : view;
    arrays.lengths[i] = slot.is_inline ? slot.inline_length : static_cast<int>(slot.view.size());
    arrays.formats[i] = 1;
  }
  return arrays;
}

void Parameters::add_number(wire::Type type, std::int64_t number, int bytes) {
  Slot& slot = slots_[count_++];
  slot.type = type;
  slot.is_inline = true;
  slot.inline_length = bytes;
  for (int i = bytes; i-- > 0; number >>= 8)
    slot.inline_bytes[static_cast<std::size_t>(i)] = static_cast<char>(static_cast<std::uint64_t>(number) & 0xFFU);
}

void Parameters::add_view(wire::Type type, std::string_view bytes) {
  Slot& slot = slots_[count_++];
  slot.type = type;
  slot.view = bytes;
}

std::string_view Row::text(int column) const {
  return {PQgetvalue(result_, number_, column), static_cast<std::size_t>(PQgetlength(result_, number_, column))};
}

bool Row::is_null(int column) const { return PQgetisnull(result_, number_, column) != 0; }

int QueryResult::rows() const { return PQntuples(result_.get()); }

std::uint64_t QueryResult::changed_rows() const {
  const std::string_view emitted = PQcmdTuples(result_.get());
  std::uint64_t rows = 0;
  std::from_chars(emitted.data(), emitted.data() + emitted.size(), rows);
  return rows;
}

void QueryResult::Clear::operator()(pg_result* result) const noexcept { PQclear(result); }

bool CopyRows::empty() const { return is_finished_ || bytes_.size() <= kHeaderBytes; }

void CopyRows::add(const model::ItemView& item, model::Revision revision) {
  if (is_finished_) {
    bytes_.assign(kSignature);
    wire::put32(bytes_, 0);
    wire::put32(bytes_, 0);
    is_finished_ = false;
  }
  wire::put16(bytes_, records::kItemColumns);
  std::apply([this](const auto&... values) { (add(values), ...); }, records::item_values(item, revision));
}

std::string_view CopyRows::finish() {
  wire::put16(bytes_, kEnd);
  is_finished_ = true;
  return bytes_;
}

void CopyRows::add(std::string_view bytes) {
  wire::put32(bytes_, static_cast<std::int32_t>(bytes.size()));
  bytes_ += bytes;
}

void CopyRows::add(std::int64_t number) {
  wire::put32(bytes_, sizeof number);
  wire::put64(bytes_, number);
}

void CopyRows::add(model::Day day) {
  wire::put32(bytes_, sizeof(std::int32_t));
  wire::put32(bytes_, wire::to_date(day));
}

void CopyRows::add(model::TextList list) {
  wire::ArrayBuilder texts(wire::Type::Bytea);
  for (const std::string_view text : list) texts.add(text);
  add(texts.encode());
}

}  // namespace kbase::postgres
