// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "adapters/native_index/files/files.hpp"
#include "domain/base/function_ref.hpp"

/// Encoding of numbers and texts in the index files: little-endian, fixed width or LEB128 (seven bits per byte, lowest
/// first, top bit set on all but the last byte; DWARF 5, section 7.6).
namespace kbase::native_index {

static_assert(std::endian::native == std::endian::little, "files are mapped, so their byte order is the machine's");

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// Reads the number at `address`, which may be unaligned.
template <class Number>
requires std::is_arithmetic_v<Number> Number load(const void* address)
noexcept {
  Number number;
  std::memcpy(&number, address, sizeof(number));
  return number;
}

inline constexpr std::size_t kMaxVarintBytes = 10;

/// Appends to a string that the caller owns. The caller may read, move out or clear the string between calls.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& bytes) : bytes_(bytes) {}

  std::size_t size() const noexcept { return bytes_.size(); }

  void u8(std::uint8_t number) { bytes_.push_back(static_cast<char>(number)); }
  void u16(std::uint16_t number) { fixed(number); }
  void u32(std::uint32_t number) { fixed(number); }
  void u64(std::uint64_t number) { fixed(number); }

  void varint(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) u8(static_cast<std::uint8_t>(number | 0x80));
    u8(static_cast<std::uint8_t>(number));
  }

  void bytes(std::string_view text) { bytes_.append(text); }
  void bytes(std::span<const std::byte> span) { bytes_.append(as_text(span)); }

  /// Appends zeros up to the next multiple of `alignment`, a power of two, of the string's size.
  void align(std::size_t alignment) { bytes_.resize((bytes_.size() + alignment - 1) & ~(alignment - 1)); }

 private:
  template <class Number> void fixed(Number number) {
    char raw[sizeof(number)];
    std::memcpy(raw, &number, sizeof(number));
    bytes_.append(raw, sizeof(raw));
  }

  std::string& bytes_;
};

/// Bounds-checked reader of bytes that a ByteWriter wrote, or of any other bytes. If too few bytes are left, or a
/// varint exceeds 64 bits, it returns 0 or an empty view, and this and every later read fail; see failed(). Does not
/// own the bytes. Not thread-safe.
class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::span<const std::byte> bytes) : ByteReader(as_text(bytes)) {}
  explicit ByteReader(std::string_view bytes)
      : begin_(bytes.data()), next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool failed() const noexcept { return failed_; }
  std::size_t position() const noexcept { return static_cast<std::size_t>(next_ - begin_); }
  std::size_t remaining() const noexcept { return static_cast<std::size_t>(end_ - next_); }
  bool at_end() const noexcept { return next_ == end_; }

  std::uint8_t u8() noexcept { return fixed<std::uint8_t>(); }
  std::uint16_t u16() noexcept { return fixed<std::uint16_t>(); }
  std::uint32_t u32() noexcept { return fixed<std::uint32_t>(); }
  std::uint64_t u64() noexcept { return fixed<std::uint64_t>(); }

  std::uint64_t varint() noexcept {
    if (next_ != end_ && static_cast<std::int8_t>(*next_) >= 0) return static_cast<std::uint8_t>(*next_++);
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && next_ != end_; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(*next_++);
      if (shift == 63 && byte > 1) break;
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
    fail();
    return 0;
  }

  std::string_view bytes(std::uint64_t size) noexcept {
    if (size > remaining()) {
      fail();
      return {};
    }
    const std::string_view text(next_, static_cast<std::size_t>(size));
    next_ += size;
    return text;
  }

  void skip(std::uint64_t size) noexcept { (void)bytes(size); }

  /// Skips to the next multiple of `alignment`, a power of two, of the position.
  void align(std::size_t alignment) noexcept { skip((alignment - (position() & (alignment - 1))) & (alignment - 1)); }

  /// Makes all later reads fail. For callers that find the decoded values to be invalid.
  void fail() noexcept {
    failed_ = true;
    next_ = end_;
  }

 private:
  template <class Number> Number fixed() noexcept {
    const std::string_view raw = bytes(sizeof(Number));
    return raw.empty() ? Number{0} : load<Number>(raw.data());
  }

  const char* begin_ = nullptr;
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  bool failed_ = false;
};

/// Kind of a section: four characters, readable in hex dumps and in damage reports.
enum class SectionKind : std::uint32_t {};

consteval SectionKind section_kind(const char (&name)[5]) {
  std::uint32_t code = 0;
  for (int i = 3; i >= 0; --i) code = code << 8 | static_cast<unsigned char>(name[i]);
  return SectionKind{code};
}

/// Returns the four characters; unprintable ones, which only a damaged file has, as '?'.
inline std::string name_of(SectionKind kind) {
  std::string name;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    const auto byte = static_cast<unsigned char>(static_cast<std::uint32_t>(kind) >> shift);
    name.push_back(byte > ' ' && byte < 0x7F ? static_cast<char>(byte) : '?');
  }
  return name;
}

/// Layout of a file of sections:
///
///   8 bytes magic, zeros up to 64
///   sections, each at a multiple of 64, zeros between them
///   table at a multiple of 64, per section: kind u32, 0 u32, offset u64, size u64, XXH3-64 u64
///   footer: format u32, number of sections u32, offset of the table u64,
///           XXH3-64 of the table and of the footer's first 16 bytes u64, magic
///
/// The file is read from its end, which is written last: a truncated file has no footer.
namespace section_format {

inline constexpr std::size_t kSectionAlignment = 64;
inline constexpr std::size_t kTableEntryBytes = 32;
inline constexpr std::size_t kFooterBytes = 32;
inline constexpr std::size_t kFooterChecksumAt = 16;
inline constexpr std::size_t kMagicBytes = 8;

/// First and last bytes of the file.
inline constexpr std::string_view kMagic{"kbaseidx", kMagicBytes};

}  // namespace section_format

/// An immutable file of sections, mapped into memory. Keep it alive while you use a view of a section. Thread-safe.
class SectionFile {
 public:
  /// Checks the section table, not the sections. Errors: NotFound; Corrupt; Unsupported if the file has another format
  /// version.
  static Result<std::shared_ptr<const SectionFile>> open(Files& files, const std::filesystem::path& path,
                                                         std::uint32_t format);

  /// Returns a section, aligned to 64 bytes, or an empty span if the file has no section of this kind.
  std::span<const std::byte> section(SectionKind kind) const noexcept;

  const std::filesystem::path& path() const noexcept { return path_; }

  /// Stamp of the file when it was opened; nullopt if it was removed at that moment.
  const std::optional<FileStamp>& stamp() const noexcept { return stamp_; }

  /// See MappedFile::release().
  void release() const noexcept { file_->release(file_->bytes()); }

  /// Size of the whole file.
  std::uint64_t bytes() const noexcept { return file_->bytes().size(); }

  /// Verifies the checksums of all sections, or of one section if it exists. Errors: Corrupt; `detail` names the file
  /// and each damaged section.
  Status verify() const;
  Status verify(SectionKind kind) const;

  /// Verifies the checksums of all sections and calls `stop` every few MiB. Keeps no section in memory. Errors: Corrupt
  /// for the first damaged section; Cancelled if `stop` returns true.
  Status verify(FunctionRef<bool()> stop) const;

 private:
  struct Section {
    SectionKind kind;
    std::span<const std::byte> bytes;
    std::uint64_t checksum;
  };

  static bool is_valid(const Section& section) noexcept;
  Error damaged_sections_error(const std::string& names) const;

  SectionFile(std::filesystem::path path, const std::optional<FileStamp>& stamp, std::shared_ptr<const MappedFile> file,
              std::vector<Section> sections)
      : path_(std::move(path)), stamp_(stamp), file_(std::move(file)), sections_(std::move(sections)) {}

  std::filesystem::path path_;
  std::optional<FileStamp> stamp_;
  std::shared_ptr<const MappedFile> file_;
  std::vector<Section> sections_;
};

/// Writes a new file of sections, one section at a time, in pieces of any size. Holds a buffer and the section table in
/// memory, not the sections. The destructor removes the file unless finish() succeeded. Not thread-safe. After an error
/// the object can only be destroyed.
class SectionFileWriter {
 public:
  /// `format` is the version of the content: readers open only their own version. `files` must outlive the writer.
  static Result<SectionFileWriter> create(Files& files, const std::filesystem::path& path, std::uint32_t format);

  SectionFileWriter(SectionFileWriter&&) noexcept;
  SectionFileWriter& operator=(SectionFileWriter&&) = delete;
  ~SectionFileWriter();

  /// Ends the current section and begins a new one. A file has at most one section of each kind.
  Status begin(SectionKind kind);

  /// Appends to the current section.
  Status append(std::string_view bytes);

  Files& files() const;
  const std::filesystem::path& path() const;

  /// Number of bytes in the current section.
  std::uint64_t section_bytes() const;

  /// Writes the table and syncs the file. Its name is durable only after Files::sync_folder().
  Status finish();

 private:
  struct State;
  explicit SectionFileWriter(std::unique_ptr<State> state);

  Status write(std::string_view bytes);
  Status flush();
  Status pad();
  void end_section();

  std::unique_ptr<State> state_;
};

/// Buffers a section while another section is being written. Keeps up to 1 MiB in memory and spools the rest to a file
/// named after the section file and the section kind. write() or the destructor removes that file. Not thread-safe. The
/// section writer must outlive it. After an error the object can only be destroyed.
class SpooledSection {
 public:
  SpooledSection(SectionFileWriter& file, SectionKind kind);
  SpooledSection(const SpooledSection&) = delete;
  SpooledSection& operator=(const SpooledSection&) = delete;
  ~SpooledSection();

  Status append(std::string_view bytes);

  /// Begins the section and moves all bytes into it. Call once. Calls `stop` every MiB. Errors: Cancelled if `stop`
  /// returns true.
  Status write(FunctionRef<bool()> stop);

 private:
  Status flush_buffer();
  Status copy_spool_file(FunctionRef<bool()> stop);

  SectionFileWriter& file_;
  SectionKind kind_;
  std::string buffer_;
  std::filesystem::path path_;
  std::unique_ptr<NewFile> spool_file_;  // bytes that are no longer in memory
  bool has_file_ = false;                // the file exists, or creating it failed
};

}  // namespace kbase::native_index
