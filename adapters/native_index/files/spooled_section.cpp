// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/files/spooled_section.hpp"

#include <utility>

#include "adapters/native_index/files/bytes.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

}  // namespace

SpooledSection::SpooledSection(SectionFileWriter& file, SectionKind kind)
    : file_(file), kind_(kind), path_(file.path().string() + "." + name_of(kind)) {}

SpooledSection::~SpooledSection() {
  if (has_file_) (void)file_.files().remove(path_);  // if this fails, the next writer removes the file
}

model::Status SpooledSection::append(std::string_view bytes) {
  waiting_ += bytes;
  return waiting_.size() < kPieceBytes ? model::Status() : spool();
}

model::Status SpooledSection::spool() {
  if (spooled_ == nullptr) {
    has_file_ = true;
    auto created = file_.files().create(path_);
    if (!created) return created.error();
    spooled_ = *std::move(created);
  }
  const auto appended = spooled_->append(waiting_);
  waiting_.clear();
  return appended;
}

model::Status SpooledSection::write(model::FunctionRef<bool()> stop) {
  if (const auto begun = file_.begin(kind_); !begun) return begun;
  if (has_file_)
    if (const auto copied = copy_spooled(stop); !copied) return copied;
  return file_.append(waiting_);
}

model::Status SpooledSection::copy_spooled(model::FunctionRef<bool()> stop) {
  const auto mapped = file_.files().map(path_);
  if (!mapped) return mapped.error();
  if (const auto removed = file_.files().remove(path_); !removed) return removed;
  has_file_ = false;
  for (std::string_view rest = as_text((*mapped)->bytes()); !rest.empty();) {
    if (stop()) return cancelled();
    const std::string_view piece = rest.substr(0, kPieceBytes);
    if (const auto appended = file_.append(piece); !appended) return appended;
    rest.remove_prefix(piece.size());
  }
  return {};
}

}  // namespace kbase::native_index
