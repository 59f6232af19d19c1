// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/files/section_file_writer.hpp"

#include <algorithm>
#include <cassert>

#include "adapters/native_index/files/bytes.hpp"
#include "adapters/native_index/files/checksum.hpp"
#include "adapters/native_index/files/section_format.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kBufferBytes = 256 * 1024;

}  // namespace

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

model::Result<SectionFileWriter> SectionFileWriter::create(Files& files, const std::filesystem::path& path,
                                                           std::uint32_t format) {
  auto file = files.create(path);
  if (!file) return file.error();
  SectionFileWriter writer(std::unique_ptr<State>(new State{files, path, std::move(*file), format}));
  writer.state_->buffer.reserve(kBufferBytes);
  if (const auto written = writer.write(kMagic); !written) return written.error();
  return writer;
}

model::Status SectionFileWriter::begin(SectionKind kind) {
  end_section();
  State& state = *state_;
  assert(std::none_of(state.sections.begin(), state.sections.end(), [&](auto& had) { return had.kind == kind; }));
  if (const auto padded = pad(); !padded) return padded;
  state.sections.push_back({kind, state.size, 0, 0});
  state.is_open = true;
  state.checksum.reset();
  return {};
}

model::Status SectionFileWriter::append(std::string_view bytes) {
  assert(state_->is_open);
  state_->checksum.update(bytes);
  state_->sections.back().size += bytes.size();
  return write(bytes);
}

Files& SectionFileWriter::files() const {
  return state_->files;
}

const std::filesystem::path& SectionFileWriter::path() const {
  return state_->path;
}

std::uint64_t SectionFileWriter::section_bytes() const {
  return state_->sections.back().size;
}

model::Status SectionFileWriter::finish() {
  end_section();
  if (const auto padded = pad(); !padded) return padded;
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
  if (const auto written = write(end); !written) return written;
  if (const auto flushed = flush(); !flushed) return flushed;
  if (const auto synced = state.file->sync(); !synced) return synced;
  state.is_finished = true;
  state.file.reset();
  return {};
}

void SectionFileWriter::end_section() {
  if (!state_->is_open) return;
  state_->sections.back().checksum = state_->checksum.digest();
  state_->is_open = false;
}

model::Status SectionFileWriter::pad() {
  const std::size_t beyond = state_->size % kSectionAlignment;
  return beyond == 0 ? model::Status() : write(std::string(kSectionAlignment - beyond, '\0'));
}

model::Status SectionFileWriter::write(std::string_view bytes) {
  State& state = *state_;
  state.size += bytes.size();
  if (state.buffer.size() + bytes.size() > kBufferBytes)
    if (const auto flushed = flush(); !flushed) return flushed;
  if (bytes.size() >= kBufferBytes) return state.file->append(bytes);
  state.buffer.append(bytes);
  return {};
}

model::Status SectionFileWriter::flush() {
  if (state_->buffer.empty()) return {};
  const auto appended = state_->file->append(state_->buffer);
  state_->buffer.clear();
  return appended;
}

}  // namespace kbase::native_index
