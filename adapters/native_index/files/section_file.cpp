// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/files/section_file.hpp"

#include <algorithm>

#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/files/checksum.hpp"
#include "adapters/native_index/files/section_format.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

struct Footer {
  std::uint32_t format;
  std::uint32_t sections;
  std::uint64_t table;
  std::uint64_t checksum;
};

/// Reads the footer. Requires ends_whole(file).
Footer footer_of(std::string_view file) {
  ByteReader reader(file.substr(file.size() - kFooterBytes));
  Footer footer{};
  footer.format = reader.u32();
  footer.sections = reader.u32();
  footer.table = reader.u64();
  footer.checksum = reader.u64();
  return footer;
}

bool ends_whole(std::string_view file) {
  return file.size() >= kSectionAlignment + kFooterBytes && file.starts_with(kMagic) && file.ends_with(kMagic);
}

/// Returns the bytes that the footer's checksum covers: the table and the start of the footer. Empty if the footer is
/// inconsistent.
std::string_view checked_part(std::string_view file, const Footer& footer) {
  const std::uint64_t table_bytes = std::uint64_t{footer.sections} * kTableEntryBytes;
  if (table_bytes + kFooterBytes > file.size() || footer.table != file.size() - kFooterBytes - table_bytes) return {};
  return file.substr(footer.table, table_bytes + kFooterChecksumAt);
}

model::Error of_another_format(const std::filesystem::path& path, std::uint32_t format) {
  return {model::ErrorCode::Unsupported,
          "The search index is of another version of this program; rebuild it.",
          path.string() + " is of format " + std::to_string(format),
          {},
          {}};
}

}  // namespace

model::Result<std::shared_ptr<const SectionFile>> SectionFile::open(Files& files, const std::filesystem::path& path,
                                                                    std::uint32_t format) {
  const std::optional<FileStamp> stamp = files.stamp(path);
  auto mapped = files.map(path);
  if (!mapped) return mapped.error();
  const std::string_view file = as_text((*mapped)->bytes());
  if (!ends_whole(file)) return damaged(path.string() + " is cut off or no file of an index");
  const Footer footer = footer_of(file);
  const std::string_view checked = checked_part(file, footer);
  if (checked.empty() || Checksum::of(checked) != footer.checksum)
    return damaged("the table of " + path.string() + " has another checksum");
  if (footer.format != format) return of_another_format(path, footer.format);

  std::vector<Section> sections;
  ByteReader table(checked);
  for (std::uint32_t i = 0; i < footer.sections; ++i) {
    const SectionKind kind{table.u32()};
    table.skip(sizeof(std::uint32_t));
    const std::uint64_t offset = table.u64();
    const std::uint64_t size = table.u64();
    if (offset % kSectionAlignment != 0 || offset > footer.table || size > footer.table - offset)
      return damaged("section " + name_of(kind) + " of " + path.string() + " is no part of the file");
    sections.push_back({kind, (*mapped)->bytes().subspan(offset, size), table.u64()});
  }
  return {std::shared_ptr<const SectionFile>(new SectionFile(path, stamp, std::move(*mapped), std::move(sections)))};
}

std::span<const std::byte> SectionFile::section(SectionKind kind) const noexcept {
  const auto found =
      std::find_if(sections_.begin(), sections_.end(), [&](auto& section) { return section.kind == kind; });
  return found == sections_.end() ? std::span<const std::byte>() : found->bytes;
}

model::Status SectionFile::verify() const {
  std::string names;
  for (const Section& section : sections_)
    if (!is_sound(section)) names += (names.empty() ? "" : ", ") + name_of(section.kind);
  return names.empty() ? model::Status() : damaged_sections(names);
}

model::Status SectionFile::verify(SectionKind kind) const {
  for (const Section& section : sections_)
    if (section.kind == kind && !is_sound(section)) return damaged_sections(name_of(kind));
  return {};
}

model::Status SectionFile::verify(model::FunctionRef<bool()> stop) const {
  Checksum checksum;
  for (const Section& section : sections_) {
    checksum.reset();
    for (std::string_view rest = as_text(section.bytes); !rest.empty();) {
      if (stop()) return cancelled();
      const std::string_view piece = rest.substr(0, kPieceBytes);
      checksum.update(piece);
      rest.remove_prefix(piece.size());
    }
    if (checksum.digest() != section.checksum) return damaged_sections(name_of(section.kind));
  }
  return {};
}

bool SectionFile::is_sound(const Section& section) noexcept {
  return Checksum::of(as_text(section.bytes)) == section.checksum;
}

model::Error SectionFile::damaged_sections(const std::string& names) const {
  return damaged("sections of " + path_.string() + " with another checksum: " + names);
}

}  // namespace kbase::native_index
