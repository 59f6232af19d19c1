// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/view_journal.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <tuple>
#include <utility>

#include "domain/base/encoding.hpp"

namespace kbase::runtime {
namespace {

constexpr std::string_view kSuffix = ".views";
constexpr std::size_t kIdDigits = 32;
constexpr std::size_t kSequenceDigits = 16;
constexpr std::size_t kHeaderBytes = 8;     // length and checksum
constexpr std::size_t kFixedBytes = 4 + 8;  // day and views

template <class T> void append_number(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFF);
}

template <class T> T read_number(std::string_view bytes, std::size_t offset) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i)
    value = static_cast<T>(value |
                           static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[offset + i])) << (8 * i)));
  return value;
}

std::uint32_t compute_checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::string encode_record(const ports::ViewIncrement& increment) {
  std::string body;
  append_number(body, static_cast<std::uint32_t>(increment.day.time_since_epoch().count()));
  append_number(body, increment.views);
  body += increment.item;
  std::string record;
  append_number(record, static_cast<std::uint32_t>(body.size()));
  append_number(record, compute_checksum(body));
  return record + body;
}

std::vector<ViewJournal::Increment> read_records(std::string_view rest) {
  std::map<std::pair<std::string_view, model::Day>, std::uint64_t> counts;
  while (rest.size() >= kHeaderBytes + kFixedBytes) {
    const std::size_t length = read_number<std::uint32_t>(rest, 0);
    if (length < kFixedBytes || length > rest.size() - kHeaderBytes) break;
    const std::string_view body = rest.substr(kHeaderBytes, length);
    if (compute_checksum(body) != read_number<std::uint32_t>(rest, 4)) break;
    const auto day = static_cast<std::int32_t>(read_number<std::uint32_t>(body, 0));
    counts[{body.substr(kFixedBytes), model::Day(std::chrono::days(day))}] += read_number<std::uint64_t>(body, 4);
    rest.remove_prefix(kHeaderBytes + length);
  }
  std::vector<ViewJournal::Increment> increments;
  increments.reserve(counts.size());
  for (const auto& [key, views] : counts) increments.push_back({std::string(key.first), key.second, views});
  return increments;
}

/// Parses the journal id and sequence number from a file name; nullopt: not a segment file.
std::optional<ViewJournal::Segment> parse_segment_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (name.size() != kIdDigits + 1 + kSequenceDigits + kSuffix.size() || !name.ends_with(kSuffix) ||
      name[kIdDigits] != '-')
    return std::nullopt;
  ViewJournal::Segment segment;
  segment.path = path;
  std::array<std::uint8_t, kSequenceDigits / 2> sequence{};
  if (!parse_hex(std::string_view(name).substr(0, kIdDigits), segment.journal) ||
      !parse_hex(std::string_view(name).substr(kIdDigits + 1, kSequenceDigits), sequence))
    return std::nullopt;
  for (const std::uint8_t byte : sequence) segment.sequence = segment.sequence << 8 | byte;
  return segment;
}

Error io_error(std::string_view what, const std::filesystem::path& path, int cause = errno) {
  return {ErrorCode::Unavailable, "cannot " + std::string(what) + " " + path.string() + ": " + std::strerror(cause)};
}

}  // namespace

Result<ViewJournal> ViewJournal::open(std::filesystem::path folder, ports::Random& random) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return Error{ErrorCode::Unavailable, "cannot create the folder " + folder.string() + ": " + failed.message()};
  ports::JournalId id;
  random.fill(id);
  return ViewJournal(std::move(folder), id);
}

ViewJournal::ViewJournal(ViewJournal&& other) noexcept
    : folder_(std::move(other.folder_)),
      id_(other.id_),
      oldest_sequence_(other.oldest_sequence_),
      sequence_(other.sequence_),
      size_(other.size_),
      records_(other.records_),
      file_(std::exchange(other.file_, -1)) {}

ViewJournal::~ViewJournal() {
  if (file_ >= 0) ::close(file_);
}

Result<std::vector<ViewJournal::Segment>> ViewJournal::find_leftover_segments() const {
  std::vector<Segment> segments;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failed))
    if (auto segment = parse_segment_name(entry.path())) segments.push_back(*std::move(segment));
  if (failed)
    return Error{ErrorCode::Unavailable, "cannot read the folder " + folder_.string() + ": " + failed.message()};
  std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) {
    return std::tie(a.journal, a.sequence) < std::tie(b.journal, b.sequence);
  });
  return segments;
}

Status ViewJournal::append(std::span<const ports::ViewIncrement> increments) {
  if (increments.empty()) return {};
  if (records_ + increments.size() > kMaxRecords) close_segment();
  if (file_ < 0) file_ = ::open(segment_path(sequence_).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
  if (file_ < 0) return io_error("open the view journal", segment_path(sequence_));
  std::string records;
  for (const ports::ViewIncrement& increment : increments) records += encode_record(increment);
  for (std::size_t done = 0; done < records.size();) {
    const ssize_t written =
        ::pwrite(file_, records.data() + done, records.size() - done, static_cast<off_t>(size_ + done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const Error error = io_error("write the view journal", segment_path(sequence_));
      // A partial record would hide all records appended after it.
      if (::ftruncate(file_, static_cast<off_t>(size_)) != 0) return error.during("truncate the view journal");
      return error;
    }
    done += static_cast<std::size_t>(written);
  }
  size_ += records.size();
  records_ += increments.size();
  return {};
}

void ViewJournal::close_segment() {
  if (records_ == 0) return;
  // Cut off what a failed write left; its records are written again to another segment. If that fails, the segment
  // stays open.
  if (::ftruncate(file_, static_cast<off_t>(size_)) != 0) return;
  ::close(std::exchange(file_, -1));
  ++sequence_;
  size_ = 0;
  records_ = 0;
}

std::optional<ViewJournal::Segment> ViewJournal::close_oldest() {
  if (oldest_sequence_ == sequence_) close_segment();
  if (oldest_sequence_ == sequence_) return std::nullopt;
  return Segment{id_, oldest_sequence_, segment_path(oldest_sequence_)};
}

Result<std::vector<ViewJournal::Increment>> ViewJournal::read(const Segment& segment) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(segment.path, failed);
  // A removed file was removed deliberately; continue without it.
  if (failed == std::errc::no_such_file_or_directory) return std::vector<Increment>();
  if (failed) return io_error("read the view journal", segment.path, failed.value());
  std::string bytes(size, '\0');
  std::ifstream file(segment.path, std::ios::binary);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
    return io_error("read the view journal", segment.path);
  return read_records(bytes);
}

void ViewJournal::discard(const Segment& segment) {
  std::error_code ignored;  // the store recognizes a segment that it already has
  std::filesystem::remove(segment.path, ignored);
  if (segment.journal == id_) oldest_sequence_ = segment.sequence + 1;
}

std::filesystem::path ViewJournal::segment_path(std::uint64_t sequence) const {
  std::array<std::uint8_t, kSequenceDigits / 2> bytes{};
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, sequence >>= 8) *byte = sequence & 0xFF;
  return folder_ / (to_hex(id_) + '-' + to_hex(bytes) + std::string(kSuffix));
}

}  // namespace kbase::runtime
