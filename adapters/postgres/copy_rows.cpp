// SPDX-License-Identifier: Apache-2.0
#include "adapters/postgres/copy_rows.hpp"

namespace kbase::postgres {
namespace {

constexpr std::string_view kSignature("PGCOPY\n\xFF\r\n\0", 11);
constexpr std::size_t kHeadBytes = kSignature.size() + 8;  // signature, flags and length of the header extension
constexpr std::int16_t kColumns = 13;
constexpr std::int16_t kEnd = -1;

}  // namespace

bool CopyRows::empty() const {
  return is_done_ || bytes_.size() <= kHeadBytes;
}

void CopyRows::add(const model::ItemView& item, model::Revision revision) {
  if (is_done_) {
    bytes_.assign(kSignature);
    wire::put32(bytes_, 0);
    wire::put32(bytes_, 0);
    is_done_ = false;
  }
  wire::put16(bytes_, kColumns);
  add(static_cast<std::int64_t>(revision));
  add(item.id);
  add(item.category);
  add(item.metadata.created);
  add(item.metadata.updated);
  add(static_cast<std::int64_t>(item.metadata.views));
  add(item.title);
  add(item.excerpt);
  add(item.tags);
  add(item.metadata.author);
  add(item.metadata.extra);
  add(item.related);
  add(item.content);
}

std::string_view CopyRows::done() {
  wire::put16(bytes_, kEnd);
  is_done_ = true;
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
  wire::put32(bytes_, wire::date_of(day));
}

void CopyRows::add(model::TextList list) {
  wire::List texts(wire::Type::Bytea);
  for (const std::string_view text : list) texts.add(text);
  add(texts.done());
}

}  // namespace kbase::postgres
