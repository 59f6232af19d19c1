// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/read_ahead_source.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <utility>
#include <vector>

#include "domain/usecases/item_document.hpp"

namespace kbase::runtime {
namespace {

/// Deep copies of records, valid as long as the block. Not thread-safe.
class RecordBlock {
 public:
  void add(const ports::ContentRecord& record) {
    ports::ContentRecord copied = record;
    copied.position.file = copy(record.position.file);
    if (auto* item = std::get_if<ports::ItemRecord>(&copied.record)) {
      for (std::string_view* const text : model::text_members(*item)) *text = copy(*text);
      for (model::TextList* const list : model::list_members(*item)) *list = copy_texts(*list);
    } else if (auto* category = std::get_if<ports::CategoryRecord>(&copied.record)) {
      for (std::string_view* text : {&category->id, &category->name, &category->description, &category->icon})
        *text = copy(*text);
      category->subcategories = copy_texts(category->subcategories);
    } else if (auto* gone = std::get_if<ports::DeleteRecord>(&copied.record)) {
      gone->id = copy(gone->id);
    } else if (auto* activity = std::get_if<ports::ActivityRecord>(&copied.record)) {
      activity->item = copy(activity->item);
      activity->days = copy(activity->days);
    } else if (auto* synonyms = std::get_if<model::SynonymsView>(&copied.record)) {
      synonyms->from = copy(synonyms->from);
      synonyms->words = copy_texts(synonyms->words);
      synonyms->source = copy(synonyms->source);
    } else if (auto* reject = std::get_if<ports::Reject>(&copied.record)) {
      reject->reason = copy(reject->reason);
    }
    copied.text = copy(record.text);
    std::vector<ports::IgnoredValue> ignored(record.ignored.begin(), record.ignored.end());
    for (ports::IgnoredValue& value : ignored) value.reason = copy(value.reason);
    copied.ignored = copy(std::span<const ports::IgnoredValue>(ignored));
    copied.unknown = {copy_texts(record.unknown.ignored), copy_texts(record.unknown.stored)};
    records_.push_back(copied);
  }

  /// Makes the documents of the items.
  void prepare(const ports::Markup& markup) {
    for (const ports::ContentRecord& record : records_) {
      model::Document& document = documents_.emplace_back();
      if (const auto* item = std::get_if<ports::ItemRecord>(&record.record))
        document = markup.document(item->content, usecases::format_of(*item));
    }
  }

  const std::vector<ports::ContentRecord>& records() const { return records_; }
  /// Returns the document of a record; null if it was not made.
  model::Document* document(std::size_t record) { return documents_.empty() ? nullptr : &documents_[record]; }
  bool is_full() const { return records_.size() >= kMaxRecords || bytes_ >= kMaxBytes; }

 private:
  static constexpr std::size_t kMaxRecords = 500;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  std::string_view copy(std::string_view text) {
    const auto characters = copy(std::span<const char>(text));
    return {characters.data(), characters.size()};
  }
  template <class Entry> std::span<const Entry> copy(std::span<const Entry> entries);
  model::TextList copy_texts(model::TextList texts) {
    std::vector<std::string_view> copies;
    for (const std::string_view text : texts) copies.push_back(copy(text));
    return copy(model::TextList(copies));
  }

  std::pmr::monotonic_buffer_resource memory_{std::size_t{256} << 10};
  std::vector<ports::ContentRecord> records_;
  std::vector<model::Document> documents_;  // one for each record, or none
  std::size_t bytes_ = 0;
};

template <class Entry> std::span<const Entry> RecordBlock::copy(std::span<const Entry> entries) {
  if (entries.empty()) return {};
  auto* memory = static_cast<Entry*>(memory_.allocate(entries.size_bytes(), alignof(Entry)));
  std::uninitialized_copy(entries.begin(), entries.end(), memory);
  bytes_ += entries.size_bytes();
  return {memory, entries.size()};
}

constexpr std::size_t kMaxBlocks = 4;

/// Bounded queue of blocks between the reading thread and the storing thread.
class BlockQueue {
 public:
  /// Blocks while the queue is full. False: the queue is closed.
  bool push(std::unique_ptr<RecordBlock> block) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return blocks_.size() < kMaxBlocks || closed_; });
    if (closed_) return false;
    blocks_.push_back(std::move(block));
    changed_.notify_all();
    return true;
  }

  /// Blocks until there is a block. Null: the queue is closed and empty.
  std::unique_ptr<RecordBlock> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !blocks_.empty() || closed_; });
    if (blocks_.empty()) return nullptr;
    std::unique_ptr<RecordBlock> block = std::move(blocks_.front());
    blocks_.pop_front();
    changed_.notify_all();
    return block;
  }

  bool has_blocks() {
    const std::lock_guard lock(mutex_);
    return !blocks_.empty();
  }

  /// Ends the transfer; called by either side.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<RecordBlock>> blocks_;
  bool closed_ = false;
};

/// Reads the source to its end, or until the queue is closed.
Status read_into(BlockQueue& queue, ports::ContentSource& source, const ports::Markup& markup, ports::Call& call) {
  auto block = std::make_unique<RecordBlock>();
  auto read = source.read(call, [&](const ports::ContentRecord& record) {
    block->add(record);
    if (!block->is_full()) return Visit::Continue;
    if (queue.has_blocks()) block->prepare(markup);
    const bool is_open = queue.push(std::exchange(block, std::make_unique<RecordBlock>()));
    return is_open ? Visit::Continue : Visit::Stop;
  });
  queue.push(std::move(block));
  return read;
}

/// Closes a queue even if an exception is on its way, so that the other thread ends.
struct QueueCloser {
  BlockQueue& queue;
  ~QueueCloser() { queue.close(); }
};

}  // namespace

Status ReadAheadSource::read(ports::Call& call, Visitor<ports::ContentRecord> visitor) {
  BlockQueue queue;
  ports::Call reading = call;
  std::future<Status> reader = std::async(std::launch::async, [&] {
    const QueueCloser closer{queue};
    return read_into(queue, source_, prepared_.markup(), reading);
  });
  const QueueCloser closer{queue};  // ends before `reader`, which waits for its thread
  bool stopped = false;
  while (const auto block = stopped ? nullptr : queue.pop())
    for (std::size_t i = 0; i < block->records().size() && !stopped; ++i) {
      const ports::ContentRecord& record = block->records()[i];
      if (const auto* item = std::get_if<ports::ItemRecord>(&record.record))
        prepared_.offer(item->content, block->document(i));
      stopped = visitor(record) == Visit::Stop;
      prepared_.offer({}, nullptr);
    }
  queue.close();
  Status read = reader.get();
  return stopped ? Status() : read;
}

}  // namespace kbase::runtime
