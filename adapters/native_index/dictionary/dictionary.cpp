// SPDX-License-Identifier: Apache-2.0
#include "adapters/native_index/dictionary/dictionary.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/native_index/files/files.hpp"
#include "adapters/native_index/files/section_file.hpp"
#include "domain/base/result.hpp"

namespace kbase::native_index {
namespace {

constexpr std::size_t kMaxBits = 56;

/// Writes bit-packed numbers of given widths, starting at the lowest bit of the first byte.
class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}

  /// `number` must fit into `bits` bits, at most kMaxBits.
  void append(std::uint64_t number, std::size_t bits) {
    pending_ |= number << count_;
    for (count_ += bits; count_ >= 8; count_ -= 8, pending_ >>= 8) out_ += static_cast<char>(pending_);
  }

  void finish() {
    if (count_ > 0) out_ += static_cast<char>(pending_);
  }

 private:
  std::string& out_;
  std::uint64_t pending_ = 0;
  std::size_t count_ = 0;  // number of bits in pending_; below 8 between calls
};

/// Reads the number that begins at bit `at`. Returns nullopt if `bits` exceeds kMaxBits, or if fewer than 8 bytes
/// remain from the number's first byte.
std::optional<std::uint64_t> read_bits(std::string_view bytes, std::size_t at, std::size_t bits) {
  if (bits > kMaxBits || at / 8 + sizeof(std::uint64_t) > bytes.size()) return std::nullopt;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  return load<std::uint64_t>(bytes.data() + at / 8) >> at % 8 & mask;
}

/// Blocks per entry of the table of samples: the sort keys of one cache line.
constexpr std::size_t kBlocksPerSample = 8;

constexpr std::size_t kTableEntryBytes = kSortKeyBytes + sizeof(std::uint32_t);  // per block

std::size_t count_samples(std::size_t blocks) { return (blocks + kBlocksPerSample - 1) / kBlocksPerSample; }

constexpr std::size_t kFooterBytes = 16;

/// Returns the number of ascending numbers at `numbers` that are at most `key`. A branchless binary search, because the
/// comparisons are unpredictable and mispredicted branches would dominate the cost.
std::size_t count_up_to(std::uint64_t key, const char* numbers, std::size_t size) {
  std::size_t count = 0;
  for (std::size_t length = size; length > 0;) {
    const std::size_t half = (length + 1) / 2;
    count += half * static_cast<std::size_t>(load<std::uint64_t>(numbers + kSortKeyBytes * (count + half - 1)) <= key);
    length -= half;
  }
  return count;
}

/// Returns the size of the blocks with the zeros behind them.
std::size_t round_up_to_line(std::size_t bytes) { return (bytes + 63) & ~std::size_t{63}; }

std::size_t filter_bytes(std::uint64_t terms) {
  return (terms + TermFilter::kTermsPerBlock - 1) / TermFilter::kTermsPerBlock * TermFilter::kBlockBytes;
}

}  // namespace

TermCursor::TermCursor(const TermBlocks& blocks, std::string_view prefix) : blocks_(blocks), prefix_(prefix) {
  if (blocks_.size() > 0) next_block_ = blocks_.find_block(prefix);
}

bool TermCursor::next() {
  if (!advance()) return false;
  while (at_first_ && term_ < prefix_)
    if (!advance()) return false;
  at_first_ = false;
  return std::string_view(term_).starts_with(prefix_);
}

bool TermCursor::advance() {
  while (!block_.next()) {
    if (block_.damaged()) return mark_damaged();
    if (next_block_ == blocks_.size()) return false;
    block_ = blocks_.at(next_block_++);
  }
  term_.resize(block_.shared());
  term_ += block_.suffix();
  const auto entry = block_.entry();
  if (!entry) return mark_damaged();
  entry_ = *entry;
  return true;
}

bool TermCursor::mark_damaged() {
  damaged_ = true;
  block_ = TermBlock();
  next_block_ = blocks_.size();
  return false;
}

Result<Dictionary> Dictionary::open(std::span<const std::byte> section) {
  auto blocks = KBASE_TRY(TermBlocks::open(as_text(section)));
  return Dictionary(blocks);
}

std::optional<TermEntry> Dictionary::find(std::string_view term) const {
  if (blocks_.size() == 0 || !blocks_.filter().may_have(term)) return std::nullopt;
  TermBlock block = blocks_.at(blocks_.find_block(term));
  std::size_t matched = 0;  // common prefix of `term` and the block's previous term, bytes
  while (block.next()) {
    if (block.shared() > matched) continue;  // same mismatch with `term` as the previous term
    if (block.shared() < matched) return std::nullopt;
    const std::size_t common = common_prefix_length(block.suffix(), term.substr(matched));
    matched += common;
    if (common == block.suffix().size() && matched == term.size()) return block.entry();
  }
  return std::nullopt;
}

void Dictionary::visit_entries(std::string_view prefix, FunctionRef<Visit(const TermEntry&)> visitor) const {
  if (blocks_.size() == 0) return;
  for (std::size_t number = blocks_.find_block(prefix); number < blocks_.size(); ++number) {
    TermBlock block = blocks_.at(number);
    std::size_t matched = 0;  // common prefix of `prefix` and the block's previous term, bytes
    while (block.next()) {
      if (block.shared() < matched) return;  // behind the terms with the prefix
      if (block.shared() == matched) {
        const std::string_view rest = prefix.substr(matched);
        const std::size_t common = common_prefix_length(block.suffix(), rest);
        matched += common;
        if (common < rest.size() && block.suffix().substr(common) > rest.substr(common)) return;
      }
      if (matched < prefix.size()) continue;
      const auto entry = block.entry();
      if (!entry || visitor(*entry) == Visit::Stop) return;
    }
    if (block.damaged()) return;
  }
}

TermBlock::TermBlock(std::string_view section, std::size_t bytes, std::size_t terms) : terms_(terms) {
  ByteReader block(section.substr(0, bytes));
  const std::string_view before_entries = block.bytes(block.varint());
  if (block.failed() || before_entries.size() < terms) {
    mark_damaged();
    return;
  }
  headers_ = reinterpret_cast<const unsigned char*>(before_entries.data());
  suffixes_ = ByteReader(before_entries.substr(terms));
  entries_ = section.substr(block.position());
}

bool TermBlock::next_long(std::uint64_t shared, std::uint64_t suffix_bytes) {
  if (shared == kLongLength) shared += suffixes_.varint();
  if (suffix_bytes == kLongLength) suffix_bytes += suffixes_.varint();
  return set_term(shared, suffix_bytes);
}

bool TermBlock::mark_damaged() {
  damaged_ = true;
  terms_ = index_;
  return false;
}

std::optional<TermEntry> TermBlock::entry() const {
  if (bits_.empty() && !read_widths()) return std::nullopt;
  if (documents_bits_ > 32) return std::nullopt;
  const std::size_t at = index() * (std::size_t{documents_bits_} + 1 + postings_bits_);
  const auto first = read_bits(bits_, at, std::size_t{documents_bits_} + 1);
  const auto postings = read_bits(bits_, at + documents_bits_ + 1, postings_bits_);
  if (!first || !postings) return std::nullopt;
  return TermEntry{static_cast<std::uint32_t>(*first >> 1), min_postings_ + *postings, (*first & 1) == 1};
}

bool TermBlock::read_widths() const {
  ByteReader reader(entries_);
  min_postings_ = reader.varint();
  documents_bits_ = reader.u8();
  postings_bits_ = reader.u8();
  bits_ = entries_.substr(reader.position());
  return !reader.failed();
}

Result<TermBlocks> TermBlocks::open(std::string_view section) {
  if (section.size() < kFooterBytes) return corrupt_error("dictionary: the footer is missing");
  const std::string_view tables = section.substr(0, section.size() - kFooterBytes);
  const auto terms = load<std::uint64_t>(section.data() + tables.size());
  const auto bytes = load<std::uint64_t>(section.data() + tables.size() + 8);
  const std::uint64_t blocks = terms / kBlockTerms + (terms % kBlockTerms != 0 ? 1 : 0);
  if (bytes > tables.size() || blocks > tables.size() / kTableEntryBytes ||
      round_up_to_line(bytes) + filter_bytes(terms) + blocks * kTableEntryBytes +
              count_samples(blocks) * kSortKeyBytes !=
          tables.size())
    return corrupt_error("dictionary: the footer does not match the size of the section");

  TermBlocks opened;
  opened.section_ = section;
  opened.bytes_ = bytes;
  opened.filter_ = TermFilter(section.substr(round_up_to_line(bytes), filter_bytes(terms)));
  opened.sort_keys_ = section.data() + round_up_to_line(bytes) + filter_bytes(terms);
  opened.samples_ = opened.sort_keys_ + kSortKeyBytes * blocks;
  opened.offsets_ = opened.samples_ + kSortKeyBytes * count_samples(blocks);
  opened.size_ = blocks;
  opened.terms_ = terms;
  return opened;
}

TermBlock TermBlocks::at(std::size_t block) const {
  const bool last = block + 1 == size_;
  const std::size_t begin = load<std::uint32_t>(offsets_ + 4 * block);
  const std::size_t end = last ? bytes_ : load<std::uint32_t>(offsets_ + 4 * (block + 1));
  if (begin > end || end > bytes_) return {{}, 0, kBlockTerms};
  return {section_.substr(begin), end - begin, last ? terms_ - block * kBlockTerms : kBlockTerms};
}

std::size_t TermBlocks::find_block(std::string_view term) const {
  const std::uint64_t key = make_sort_key(term);
  std::size_t end = count_blocks_up_to(key);
  if (end == 0) return 0;
  --end;
  if (sort_key(end) < key || first_term(end) <= term) return end;
  // Several blocks may share these 8 bytes; a binary search over their first terms decides.
  std::size_t begin = key == 0 ? 0 : count_blocks_up_to(key - 1);
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (first_term(middle) <= term)
      begin = middle + 1;
    else
      end = middle;
  }
  return end == 0 ? 0 : end - 1;
}

/// Returns the number of blocks whose sort key is at most `key`.
std::size_t TermBlocks::count_blocks_up_to(std::uint64_t key) const {
  const std::size_t samples = count_up_to(key, samples_, count_samples(size_));
  if (samples == 0) return 0;
  const std::size_t first = (samples - 1) * kBlocksPerSample;
  __builtin_prefetch(offsets_ + 4 * first);  // read next; saves a tenth of a lookup
  return first + count_up_to(key, sort_keys_ + kSortKeyBytes * first, std::min(kBlocksPerSample, size_ - first));
}

std::string_view TermBlocks::first_term(std::size_t block) const {
  TermBlock terms = at(block);
  return terms.next() ? terms.suffix() : std::string_view();
}

void DictionaryWriter::add(std::string_view term, TermEntry entry) {
  assert(terms_ == 0 || last_term_ < term);
  assert(entry.postings >> kMaxBits == 0);
  if (headers_.size() == kBlockTerms) finish_block();
  const bool first = headers_.empty();
  if (first) sort_keys_.push_back(make_sort_key(term));

  const std::size_t shared = first ? 0 : common_prefix_length(last_term_, term);
  const std::size_t suffix_bytes = term.size() - shared;
  const std::size_t high = std::min<std::size_t>(shared, kLongLength);
  const std::size_t low = std::min<std::size_t>(suffix_bytes, kLongLength);
  headers_ += static_cast<char>(high << 4 | low);
  if (high == kLongLength) ByteWriter(suffixes_).varint(shared - kLongLength);
  if (low == kLongLength) ByteWriter(suffixes_).varint(suffix_bytes - kLongLength);
  suffixes_ += term.substr(shared);
  entries_.push_back(entry);
  hashes_.push_back(hash_term(term));

  last_term_ = term;
  ++terms_;
}

void DictionaryWriter::finish_block() {
  assert(written_ <= std::numeric_limits<std::uint32_t>::max());
  offsets_.push_back(static_cast<std::uint32_t>(written_));
  const std::size_t begin = out_.size();
  ByteWriter(out_).varint(headers_.size() + suffixes_.size());
  out_.append(headers_).append(suffixes_);
  append_entries();
  written_ += out_.size() - begin;
  headers_.clear();
  suffixes_.clear();
  entries_.clear();
}

void DictionaryWriter::append_entries() {
  std::uint64_t min_postings = entries_.front().postings;
  std::uint64_t max_postings = min_postings;
  std::uint32_t documents = 0;
  for (const TermEntry& entry : entries_) {
    min_postings = std::min(min_postings, entry.postings);
    max_postings = std::max(max_postings, entry.postings);
    documents = std::max(documents, entry.documents);
  }
  const auto documents_bits = static_cast<std::uint8_t>(std::bit_width(documents));
  const auto postings_bits = static_cast<std::uint8_t>(std::bit_width(max_postings - min_postings));
  ByteWriter out(out_);
  out.varint(min_postings);
  out.u8(documents_bits);
  out.u8(postings_bits);
  BitWriter bits(out_);
  for (const TermEntry& entry : entries_) {
    bits.append(entry.is_word ? 1 : 0, 1);
    bits.append(entry.documents, documents_bits);
    bits.append(entry.postings - min_postings, postings_bits);
  }
  bits.finish();
}

void DictionaryWriter::finish() {
  if (!headers_.empty()) finish_block();
  out_.append(round_up_to_line(written_) - written_, '\0');
  out_ += make_term_filter(hashes_);
  ByteWriter out(out_);
  for (const std::uint64_t key : sort_keys_) out.u64(key);
  for (std::size_t i = 0; i < sort_keys_.size(); i += kBlocksPerSample) out.u64(sort_keys_[i]);
  for (const std::uint32_t offset : offsets_) out.u32(offset);
  out.u64(terms_);
  out.u64(written_);
}

}  // namespace kbase::native_index
