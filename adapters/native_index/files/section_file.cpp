// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/files/section_file.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

/// XXH3-64 of bytes that arrive in pieces. Call reset() before the first update().
class Checksum {
 public:
  static std::uint64_t of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

  void reset() { XXH3_64bits_reset(state_.get()); }
  void update(std::string_view bytes) { XXH3_64bits_update(state_.get(), bytes.data(), bytes.size()); }
  std::uint64_t digest() const { return XXH3_64bits_digest(state_.get()); }

 private:
  struct Deleter {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };

  std::unique_ptr<XXH3_state_t, Deleter> state_{XXH3_createState()};
};

using namespace section_format;

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr std::size_t kVerifyChunkBytes = std::size_t{4} << 20;
constexpr std::size_t kSpoolChunkBytes = std::size_t{1} << 20;

struct Footer {
  std::uint32_t format;
  std::uint32_t sections;
  std::uint64_t table;
  std::uint64_t checksum;
};

/// Reads the footer. Requires has_magic(file).
Footer read_footer(std::string_view file) {
  ByteReader reader(file.substr(file.size() - kFooterBytes));
  Footer footer{};
  footer.format = reader.u32();
  footer.sections = reader.u32();
  footer.table = reader.u64();
  footer.checksum = reader.u64();
  return footer;
}

bool has_magic(std::string_view file) {
  return file.size() >= kSectionAlignment + kFooterBytes && file.starts_with(kMagic) && file.ends_with(kMagic);
}

/// Returns the bytes that the footer's checksum covers: the table and the start of the footer. Empty if the footer is
/// inconsistent.
std::string_view checksummed_bytes(std::string_view file, const Footer& footer) {
  const std::uint64_t table_bytes = std::uint64_t{footer.sections} * kTableEntryBytes;
  if (table_bytes + kFooterBytes > file.size() || footer.table != file.size() - kFooterBytes - table_bytes) return {};
  return file.substr(footer.table, table_bytes + kFooterChecksumAt);
}

Error wrong_format_error(const std::filesystem::path& path, std::uint32_t format) {
  return {ErrorCode::Unsupported, "The search index was built by another version of kbase. Rebuild it.",
          path.string() + " has format " + std::to_string(format)};
}

}  // namespace

Result<std::shared_ptr<const SectionFile>> SectionFile::open(Files& files, const std::filesystem::path& path,
                                                             std::uint32_t format) {
  const std::optional<FileStamp> stamp = files.stamp(path);
  auto mapped = KBASE_TRY(files.map(path));
  const std::string_view file = as_text(mapped->bytes());
  if (!has_magic(file)) return corrupt_error(path.string() + " is truncated or is not an index file");
  const Footer footer = read_footer(file);
  const std::string_view checksummed = checksummed_bytes(file, footer);
  if (checksummed.empty() || Checksum::of(checksummed) != footer.checksum)
    return corrupt_error("the section table of " + path.string() + " has a wrong checksum");
  if (footer.format != format) return wrong_format_error(path, footer.format);

  std::vector<Section> sections;
  ByteReader table(checksummed);
  for (std::uint32_t i = 0; i < footer.sections; ++i) {
    const SectionKind kind{table.u32()};
    table.skip(sizeof(std::uint32_t));
    const std::uint64_t offset = table.u64();
    const std::uint64_t size = table.u64();
    if (offset % kSectionAlignment != 0 || offset > footer.table || size > footer.table - offset)
      return corrupt_error("section " + name_of(kind) + " of " + path.string() + " lies outside the file");
    sections.push_back({kind, mapped->bytes().subspan(offset, size), table.u64()});
  }
  return {std::shared_ptr<const SectionFile>(new SectionFile(path, stamp, std::move(mapped), std::move(sections)))};
}

std::span<const std::byte> SectionFile::section(SectionKind kind) const noexcept {
  const auto found =
      std::find_if(sections_.begin(), sections_.end(), [&](auto& section) { return section.kind == kind; });
  return found == sections_.end() ? std::span<const std::byte>() : found->bytes;
}

Status SectionFile::verify() const {
  std::string names;
  for (const Section& section : sections_)
    if (!is_valid(section)) names += (names.empty() ? "" : ", ") + name_of(section.kind);
  return names.empty() ? Status() : damaged_sections_error(names);
}

Status SectionFile::verify(SectionKind kind) const {
  for (const Section& section : sections_)
    if (section.kind == kind && !is_valid(section)) return damaged_sections_error(name_of(kind));
  return {};
}

Status SectionFile::verify(FunctionRef<bool()> stop) const {
  Checksum checksum;
  for (const Section& section : sections_) {
    checksum.reset();
    for (std::string_view rest = as_text(section.bytes); !rest.empty();) {
      if (stop()) return cancelled_error();
      const std::string_view chunk = rest.substr(0, kVerifyChunkBytes);
      checksum.update(chunk);
      file_->release(std::as_bytes(std::span(chunk)));
      rest.remove_prefix(chunk.size());
    }
    if (checksum.digest() != section.checksum) return damaged_sections_error(name_of(section.kind));
  }
  return {};
}

bool SectionFile::is_valid(const Section& section) noexcept {
  return Checksum::of(as_text(section.bytes)) == section.checksum;
}

Error SectionFile::damaged_sections_error(const std::string& names) const {
  return corrupt_error(path_.string() + " has sections with a wrong checksum: " + names);
}

struct SectionFileWriter::State {
  struct Section {
    SectionKind kind;
    std::uint64_t offset;
    std::uint64_t size;
    std::uint64_t checksum;
  };

  Files& files;
  std::filesystem::path path;
  std::unique_ptr<NewFile> file;
  std::uint32_t format;
  std::uint64_t size = 0;  ///< file size, including the bytes in `buffer`
  std::string buffer{};
  Checksum checksum{};
  std::vector<Section> sections{};
  bool is_open = false;  ///< the last section accepts bytes
  bool is_finished = false;
};

SectionFileWriter::SectionFileWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
SectionFileWriter::SectionFileWriter(SectionFileWriter&&) noexcept = default;

SectionFileWriter::~SectionFileWriter() {
  if (state_ == nullptr || state_->is_finished) return;
  state_->file.reset();
  (void)state_->files.remove(state_->path);  // if this fails, the next writer removes the file
}

Result<SectionFileWriter> SectionFileWriter::create(Files& files, const std::filesystem::path& path,
                                                    std::uint32_t format) {
  auto file = KBASE_TRY(files.create(path));
  SectionFileWriter writer(std::unique_ptr<State>(new State{files, path, std::move(file), format}));
  writer.state_->buffer.reserve(kBufferBytes);
  KBASE_TRY(writer.write(kMagic));
  return writer;
}

Status SectionFileWriter::begin(SectionKind kind) {
  end_section();
  State& state = *state_;
  assert(
      std::none_of(state.sections.begin(), state.sections.end(), [&](auto& section) { return section.kind == kind; }));
  KBASE_TRY(pad());
  state.sections.push_back({kind, state.size, 0, 0});
  state.is_open = true;
  state.checksum.reset();
  return {};
}

Status SectionFileWriter::append(std::string_view bytes) {
  assert(state_->is_open);
  state_->checksum.update(bytes);
  state_->sections.back().size += bytes.size();
  return write(bytes);
}

Files& SectionFileWriter::files() const { return state_->files; }

const std::filesystem::path& SectionFileWriter::path() const { return state_->path; }

std::uint64_t SectionFileWriter::section_bytes() const { return state_->sections.back().size; }

Status SectionFileWriter::finish() {
  end_section();
  KBASE_TRY(pad());
  State& state = *state_;
  std::string end;
  ByteWriter writer(end);
  for (const State::Section& section : state.sections) {
    writer.u32(static_cast<std::uint32_t>(section.kind));
    writer.u32(0);
    writer.u64(section.offset);
    writer.u64(section.size);
    writer.u64(section.checksum);
  }
  writer.u32(state.format);
  writer.u32(static_cast<std::uint32_t>(state.sections.size()));
  writer.u64(state.size);
  writer.u64(Checksum::of(end));
  writer.bytes(kMagic);
  KBASE_TRY(write(end));
  KBASE_TRY(flush());
  KBASE_TRY(state.file->sync());
  state.is_finished = true;
  state.file.reset();
  return {};
}

void SectionFileWriter::end_section() {
  if (!state_->is_open) return;
  state_->sections.back().checksum = state_->checksum.digest();
  state_->is_open = false;
}

Status SectionFileWriter::pad() {
  const std::size_t excess = state_->size % kSectionAlignment;
  return excess == 0 ? Status() : write(std::string(kSectionAlignment - excess, '\0'));
}

Status SectionFileWriter::write(std::string_view bytes) {
  State& state = *state_;
  state.size += bytes.size();
  if (state.buffer.size() + bytes.size() > kBufferBytes) KBASE_TRY(flush());
  if (bytes.size() >= kBufferBytes) return state.file->append(bytes);
  state.buffer.append(bytes);
  return {};
}

Status SectionFileWriter::flush() {
  if (state_->buffer.empty()) return {};
  const auto appended = state_->file->append(state_->buffer);
  state_->buffer.clear();
  return appended;
}

SpooledSection::SpooledSection(SectionFileWriter& file, SectionKind kind)
    : file_(file), kind_(kind), path_(file.path().string() + "." + name_of(kind)) {}

SpooledSection::~SpooledSection() {
  if (has_file_) (void)file_.files().remove(path_);  // if this fails, the next writer removes the file
}

Status SpooledSection::append(std::string_view bytes) {
  buffer_ += bytes;
  return buffer_.size() < kSpoolChunkBytes ? Status() : flush_buffer();
}

Status SpooledSection::flush_buffer() {
  if (spool_file_ == nullptr) {
    has_file_ = true;
    auto created = KBASE_TRY(file_.files().create(path_));
    spool_file_ = std::move(created);
  }
  const auto appended = spool_file_->append(buffer_);
  buffer_.clear();
  return appended;
}

Status SpooledSection::write(FunctionRef<bool()> stop) {
  KBASE_TRY(file_.begin(kind_));
  if (has_file_) KBASE_TRY(copy_spool_file(stop));
  return file_.append(buffer_);
}

Status SpooledSection::copy_spool_file(FunctionRef<bool()> stop) {
  const auto mapped = KBASE_TRY(file_.files().map(path_));
  KBASE_TRY(file_.files().remove(path_));
  has_file_ = false;
  for (std::string_view rest = as_text(mapped->bytes()); !rest.empty();) {
    if (stop()) return cancelled_error();
    const std::string_view chunk = rest.substr(0, kSpoolChunkBytes);
    KBASE_TRY(file_.append(chunk));
    rest.remove_prefix(chunk.size());
  }
  return {};
}

}  // namespace kbase::native_index
