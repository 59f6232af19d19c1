// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/lease_file.hpp"

#include <array>

#include "adapters/sqlite/database.hpp"
#include "domain/base/result.hpp"

namespace kbase::sqlite {
namespace {

constexpr char kVersion1[] = R"sql(
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  until INTEGER NOT NULL           -- milliseconds since 1970
) WITHOUT ROWID;
)sql";

constexpr std::array<const char*, 1> kMigrations = {kVersion1};

constexpr Schema kSchema = {
    "lease file",
    0x6B624C73,  // "kbLs"
    4096,         kMigrations, {ErrorCode::Unavailable, "another process is acquiring a lease"},
};

constexpr char kAcquireLease[] =
    "INSERT INTO leases VALUES (?1, ?2, ?3) ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = "
    "excluded.until WHERE owner = excluded.owner OR until <= ?4";
constexpr char kReleaseLease[] = "DELETE FROM leases WHERE name = ?1 AND owner = ?2";

constexpr std::size_t kCacheBytes = 64 * 1024;

}  // namespace

LeaseFile::LeaseFile(std::filesystem::path path, const ports::Clock& clock) : path_(std::move(path)), clock_(clock) {}

LeaseFile::~LeaseFile() = default;

Result<Database*> LeaseFile::database() {
  const std::lock_guard lock(mutex_);
  if (!database_) {
    auto opened = Database::open({.path = path_,
                                  .if_missing = IfMissing::Create,
                                  .readers = 1,
                                  .readers_cache_bytes = kCacheBytes,
                                  .writer_cache_bytes = kCacheBytes},
                                 kSchema, clock_, [](Connection&) { return Status(); });
    if (!opened) return opened.error();
    database_ = *std::move(opened);
  }
  return database_.get();
}

Result<bool> LeaseFile::try_lease(const ports::Call& call, std::string_view name, std::string_view owner,
                                  std::chrono::milliseconds ttl) {
  const auto opened = KBASE_TRY(database());
  auto transaction = KBASE_TRY(opened->write(call));
  Connection& connection = *transaction;
  const model::Instant now = clock_.now();
  const bool acquires = ttl > ttl.zero();
  KBASE_TRY(acquires ? connection.prepare(kAcquireLease).bind(name, owner, now + ttl, now).run()
                     : connection.prepare(kReleaseLease).bind(name, owner).run());
  const bool is_held = acquires && connection.changed_rows() != 0;
  KBASE_TRY(transaction.commit());
  return is_held;
}

}  // namespace kbase::sqlite
