// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/native_index/faulty_files.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <utility>

namespace kbase::tests {
namespace {

namespace fs = std::filesystem;
using native_index::FileLock;
using native_index::MappedFile;
using native_index::NewFile;

constexpr std::size_t kAlignment = 64;

Error failure(const std::string& operation) {
  return {ErrorCode::Unavailable, "The files of the search index cannot be accessed.", operation + ": a planned fault"};
}

struct Node {
  std::uint64_t number = 0;
  std::string bytes;
  std::size_t synced = 0;
};

using Names = std::map<fs::path, std::shared_ptr<Node>>;

/// A name added to or removed from a folder that is not yet durable. A rename is one change.
struct NameChange {
  std::optional<fs::path> taken;
  std::optional<std::pair<fs::path, std::shared_ptr<Node>>> given;

  void apply_to(Names& names) const {
    if (taken) names.erase(*taken);
    if (given) names[given->first] = given->second;
  }
  bool is_in(const fs::path& folder) const {
    return (taken && taken->parent_path() == folder) || (given && given->first.parent_path() == folder);
  }
};

class CopiedFile final : public MappedFile {
 public:
  explicit CopiedFile(const std::string& bytes) : lines_(bytes.size() / kAlignment + 1), size_(bytes.size()) {
    std::memcpy(lines_.data(), bytes.data(), bytes.size());
  }
  std::span<const std::byte> bytes() const noexcept override {
    return {reinterpret_cast<const std::byte*>(lines_.data()), size_};
  }
  void release(std::span<const std::byte>) const noexcept override {}

 private:
  struct alignas(kAlignment) Line {
    std::byte bytes[kAlignment];
  };
  std::vector<Line> lines_;
  std::size_t size_;
};

}  // namespace

class FaultyDisk {
 public:
  /// A single operation under the disk's lock. The constructor selects its fault; outcome() is its result.
  class Operation {
   public:
    Operation(FaultyDisk& disk, std::string name, std::optional<std::uint64_t> process = {})
        : lock_(disk.mutex_), name_(std::move(name)) {
      disk.log_.push_back(name_);
      const bool is_stale = process && *process != disk.process_;
      fault_ = disk.is_killed_ || is_stale ? Fault::Kills : disk.next_fault();
      has_no_effect_ = disk.is_killed_ || is_stale;
      if (fault_ == Fault::Kills && !is_stale) disk.is_killed_ = true;
    }

    /// The operation has no effect.
    bool is_prevented() const { return fault_ == Fault::Fails || fault_ == Fault::Kills; }
    bool writes_half() const { return !has_no_effect_ && (fault_ == Fault::Tears || fault_ == Fault::Kills); }
    Status outcome() const { return fault_ ? Status(failure(name_)) : Status(); }

   private:
    std::unique_lock<std::mutex> lock_;
    std::string name_;
    std::optional<Fault> fault_;
    bool has_no_effect_ = false;  // the process is gone, so the operation has no partial effect either
  };

  std::optional<Fault> next_fault() {
    ++operations_;
    return operations_ == broken_ ? std::optional(fault_) : std::nullopt;
  }

  void change(NameChange change) {
    change.apply_to(names_);
    pending_.push_back(std::move(change));
  }

  void lose_power(Surviving surviving, std::uint64_t seed) {
    std::mt19937_64 chance(seed);
    const auto survives = [&] { return surviving == Surviving::RandomParts && chance() % 2 == 0; };
    names_ = safe_names_;
    for (const NameChange& change : pending_)
      if (survives()) change.apply_to(names_);
    for (auto& [path, node] : names_) {
      const std::size_t unsynced = node->bytes.size() - node->synced;
      if (unsynced == 0) continue;
      const std::size_t size = node->bytes.size();
      const std::size_t kept = survives() ? chance() % (unsynced + 1) : 0;
      node->bytes.resize(node->synced + kept);
      if (survives()) node->bytes.resize(size);  // the new length is durable, but the bytes are zeros
      node->synced = node->bytes.size();
    }
    safe_names_ = names_;
    pending_.clear();
  }

  mutable std::mutex mutex_;
  std::uint64_t process_ = 0;
  bool is_killed_ = false;
  std::uint64_t operations_ = 0;
  std::uint64_t broken_ = 0;
  Fault fault_ = Fault::Fails;
  std::uint64_t nodes_ = 0;
  std::vector<std::string> log_;
  Names names_;
  Names safe_names_;
  std::vector<NameChange> pending_;
  std::set<fs::path> locks_;
};

namespace {

/// State shared by an open file and a lock: their disk, process and path.
struct Handle {
  std::shared_ptr<FaultyDisk> disk;
  std::uint64_t process;
  fs::path path;
};

class FaultyNewFile final : public NewFile {
 public:
  FaultyNewFile(Handle handle, std::shared_ptr<Node> node) : handle_(std::move(handle)), node_(std::move(node)) {}

  Status append(std::string_view bytes) override {
    const FaultyDisk::Operation operation(*handle_.disk, "append " + handle_.path.string(), handle_.process);
    if (operation.writes_half()) bytes = bytes.substr(0, bytes.size() / 2);
    if (operation.writes_half() || !operation.is_prevented()) node_->bytes += bytes;
    return operation.outcome();
  }

  Status sync() override {
    const FaultyDisk::Operation operation(*handle_.disk, "sync " + handle_.path.string(), handle_.process);
    if (!operation.is_prevented()) node_->synced = node_->bytes.size();
    return operation.outcome();
  }

 private:
  Handle handle_;
  std::shared_ptr<Node> node_;
};

class FaultyLock final : public FileLock {
 public:
  explicit FaultyLock(Handle handle) : handle_(std::move(handle)) {}
  FaultyLock(const FaultyLock&) = delete;
  FaultyLock& operator=(const FaultyLock&) = delete;
  ~FaultyLock() override {
    const std::lock_guard guard(handle_.disk->mutex_);
    if (handle_.process == handle_.disk->process_) handle_.disk->locks_.erase(handle_.path);
  }

 private:
  Handle handle_;
};

}  // namespace

FaultyFiles::FaultyFiles() : disk_(std::make_shared<FaultyDisk>()) {}
FaultyFiles::~FaultyFiles() = default;

void FaultyFiles::inject_fault(std::uint64_t nth, Fault fault) {
  const std::lock_guard guard(disk_->mutex_);
  disk_->broken_ = disk_->operations_ + nth;
  disk_->fault_ = fault;
}

bool FaultyFiles::was_fault_injected() const {
  const std::lock_guard guard(disk_->mutex_);
  return disk_->broken_ > 0 && disk_->operations_ >= disk_->broken_;
}

std::uint64_t FaultyFiles::operations() const {
  const std::lock_guard guard(disk_->mutex_);
  return disk_->operations_;
}

std::vector<std::string> FaultyFiles::log() const {
  const std::lock_guard guard(disk_->mutex_);
  return disk_->log_;
}

void FaultyFiles::restart(Surviving surviving, std::uint64_t seed) {
  const std::lock_guard guard(disk_->mutex_);
  if (surviving != Surviving::Everything) disk_->lose_power(surviving, seed);
  disk_->locks_.clear();
  disk_->broken_ = 0;
  disk_->is_killed_ = false;
  ++disk_->process_;
}

void FaultyFiles::flip_bit(const fs::path& path, std::uint64_t bit) {
  const std::lock_guard guard(disk_->mutex_);
  char& byte = disk_->names_.at(path)->bytes.at(bit / 8);
  byte = static_cast<char>(byte ^ (1 << bit % 8));
}

std::string FaultyFiles::content(const fs::path& path) const {
  const std::lock_guard guard(disk_->mutex_);
  return disk_->names_.at(path)->bytes;
}

Result<std::unique_ptr<NewFile>> FaultyFiles::create(const fs::path& path) {
  const FaultyDisk::Operation operation(*disk_, "create " + path.string());
  const auto node = std::make_shared<Node>();
  node->number = ++disk_->nodes_;
  if (!operation.is_prevented()) disk_->change({{}, {{path, node}}});
  if (const Status outcome = operation.outcome(); !outcome) return outcome.error();
  return {std::make_unique<FaultyNewFile>(Handle{disk_, disk_->process_, path}, node)};
}

Result<std::shared_ptr<const MappedFile>> FaultyFiles::map(const fs::path& path) {
  const FaultyDisk::Operation operation(*disk_, "map " + path.string());
  if (const Status outcome = operation.outcome(); !outcome) return outcome.error();
  const auto found = disk_->names_.find(path);
  if (found == disk_->names_.end()) return Error{ErrorCode::NotFound, "no " + path.string()};
  return {std::make_shared<const CopiedFile>(found->second->bytes)};
}

std::optional<native_index::FileStamp> FaultyFiles::stamp(const fs::path& path) {
  const std::lock_guard guard(disk_->mutex_);
  const auto found = disk_->names_.find(path);
  if (found == disk_->names_.end()) return std::nullopt;
  return native_index::FileStamp{0, found->second->number, 0};
}

Status FaultyFiles::rename(const fs::path& from, const fs::path& to) {
  const FaultyDisk::Operation operation(*disk_, "rename " + from.string() + " " + to.string());
  if (operation.is_prevented()) return operation.outcome();
  const auto found = disk_->names_.find(from);
  if (found == disk_->names_.end()) return failure("rename " + from.string() + ", which is not there");
  disk_->change({from, {{to, found->second}}});
  return operation.outcome();
}

Status FaultyFiles::remove(const fs::path& path) {
  const FaultyDisk::Operation operation(*disk_, "remove " + path.string());
  if (!operation.is_prevented() && disk_->names_.contains(path)) disk_->change({path, {}});
  return operation.outcome();
}

Result<std::vector<std::string>> FaultyFiles::list(const fs::path& folder) {
  const FaultyDisk::Operation operation(*disk_, "list " + folder.string());
  if (const Status outcome = operation.outcome(); !outcome) return outcome.error();
  std::vector<std::string> names;
  for (const auto& [path, node] : disk_->names_)
    if (path.parent_path() == folder) names.push_back(path.filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Status FaultyFiles::create_folder(const fs::path& folder) {
  return FaultyDisk::Operation(*disk_, "make " + folder.string()).outcome();
}

Status FaultyFiles::sync_folder(const fs::path& folder) {
  const FaultyDisk::Operation operation(*disk_, "sync folder " + folder.string());
  if (operation.is_prevented()) return operation.outcome();
  for (const NameChange& change : disk_->pending_)
    if (change.is_in(folder)) change.apply_to(disk_->safe_names_);
  std::erase_if(disk_->pending_, [&](const NameChange& change) { return change.is_in(folder); });
  return operation.outcome();
}

Result<std::unique_ptr<FileLock>> FaultyFiles::lock(const fs::path& path) {
  const FaultyDisk::Operation operation(*disk_, "lock " + path.string());
  if (const Status outcome = operation.outcome(); !outcome) return outcome.error();
  if (!disk_->names_.contains(path)) disk_->change({{}, {{path, std::make_shared<Node>()}}});
  if (!disk_->locks_.insert(path).second) return Error{ErrorCode::Conflict, path.string() + " is locked"};
  return {std::make_unique<FaultyLock>(Handle{disk_, disk_->process_, path})};
}

}  // namespace kbase::tests
