// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/index_follower.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "domain/base/encoding.hpp"
#include "domain/base/result.hpp"
#include "domain/usecases/item_document.hpp"

namespace kbase::runtime {
namespace {

constexpr std::size_t kMaxNameBytes = 256;  // of a lease
/// Timeout of renewal and release, so that they do not delay indexing.
constexpr std::chrono::milliseconds kTimeout{2'000};

Error lease_conflict() { return {ErrorCode::Conflict, "Another process is writing the search index."}; }

/// Collects items into batches for an index writer, because an index that works on several threads needs more than one
/// item at a time. Passes the documents of the items, as copies: a store's rows are valid only during the callback.
class ItemBatcher {
 public:
  ItemBatcher(ports::Call& call, ports::IndexWriter& writer, const ports::Markup& markup)
      : call_(call), writer_(writer), document_(markup) {}

  Status add(const ports::Change& change) {
    if (change.kind == ports::Change::Kind::ItemPut) {
      document_.make(*change.item);
      items_.emplace_back(document_.indexed());
      bytes_ += change.item->content.size();
      return items_.size() < kMaxItems && bytes_ < kMaxBytes ? Status() : flush();
    }
    if (change.kind != ports::Change::Kind::ItemRemoved) return {};
    KBASE_TRY(flush());
    return writer_.remove(call_, change.id);
  }

  Status flush() {
    std::vector<const model::ItemView*> views;
    for (const model::Item& item : items_) views.push_back(&item.view());
    auto put = views.empty() ? Status() : writer_.put(call_, views);
    items_.clear();
    bytes_ = 0;
    return put;
  }

 private:
  static constexpr std::size_t kMaxItems = 512;
  static constexpr std::size_t kMaxBytes = std::size_t{8} << 20;

  ports::Call& call_;
  ports::IndexWriter& writer_;
  usecases::ItemDocument document_;
  std::vector<model::Item> items_;
  std::size_t bytes_ = 0;
};

using ports::LogLevel;

constexpr std::chrono::milliseconds kMinBackoff{200};
constexpr std::chrono::milliseconds kMaxBackoff{10'000};
/// Longer than the lease of a process that died, and than most batches.
constexpr std::chrono::seconds kLongConflict{60};
/// Limit of one wait: a notification can be lost, and an index that another process writes may still need an update.
constexpr std::chrono::milliseconds kMaxWait{1'000};

}  // namespace

Result<std::unique_ptr<IndexWriteLease>> IndexWriteLease::make(const Dependencies& deps) {
  if (!deps.index.capabilities().shared) return std::unique_ptr<IndexWriteLease>();
  if (!deps.items.capabilities().leases)
    return Error{
        ErrorCode::Unsupported,
        "several servers share the search index, but the storage plugin has no leases, which they need to write "
        "it one at a time; choose another search or storage plugin"};
  std::array<std::uint8_t, 16> owner{};
  deps.random.fill(owner);
  // Indexes with other settings are different indexes with a lease of their own.
  std::string name = "feed " + std::string(deps.index.fingerprint());
  name.resize(std::min(name.size(), kMaxNameBytes));
  return std::unique_ptr<IndexWriteLease>(new IndexWriteLease(deps, std::move(name), to_hex(owner)));
}

IndexWriteLease::IndexWriteLease(const Dependencies& deps, std::string name, std::string owner)
    : items_(deps.items), clock_(deps.clock), name_(std::move(name)), owner_(std::move(owner)) {}

Result<std::unique_ptr<IndexWriteLease::HeldLease>> IndexWriteLease::acquire(ports::Call& call) {
  std::unique_lock lock(writer_mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return lease_conflict();
  const auto until = KBASE_TRY(request_lease(call));
  return std::make_unique<HeldLease>(*this, std::move(lock), until);
}

/// The returned expiry counts from before the request, so it is never later than the store's.
Result<std::chrono::steady_clock::time_point> IndexWriteLease::request_lease(ports::Call& call) {
  const auto requested = clock_.steady();
  const auto is_ours = KBASE_TRY(items_.try_lease(call, name_, owner_, kTimeToLive));
  if (!is_ours) return lease_conflict();
  return requested + kTimeToLive;
}

IndexWriteLease::HeldLease::HeldLease(IndexWriteLease& lease, std::unique_lock<std::mutex> lock,
                                      std::chrono::steady_clock::time_point until)
    : lease_(lease), lock_(std::move(lock)), until_(until), renewal_(kRenewal, [this] { renew(); }) {}

/// If the release does not reach the store, the lease expires by itself.
IndexWriteLease::HeldLease::~HeldLease() {
  renewal_.stop();
  ports::Call call;
  call.deadline = lease_.clock_.steady() + kTimeout;
  static_cast<void>(lease_.items_.try_lease(call, lease_.name_, lease_.owner_, std::chrono::milliseconds(0)));
}

bool IndexWriteLease::HeldLease::is_held() const { return lease_.clock_.steady() < until_.load(); }

/// A failed renewal is tried again at the next interval until the lease has expired.
void IndexWriteLease::HeldLease::renew() {
  ports::Call call;
  call.deadline = lease_.clock_.steady() + kTimeout;
  if (!is_held()) return;
  if (const auto until = lease_.request_lease(call)) until_ = *until;
}

using Build = ports::SearchIndex::Build;

Result<IndexFollower::Outcome> IndexFollower::follow(ports::Call& call) {
  auto work = plan_work(call);
  if (!work) return work.error();
  if (work->is_up_to_date) return Outcome::UpToDate;
  const auto lease = KBASE_TRY(acquire_lease(call));
  // The previous lease holder may have done the work meanwhile.
  if (lease != nullptr) work = plan_work(call);
  if (!work) return work.error();
  if (work->is_up_to_date) return Outcome::UpToDate;

  return work->may_update ? update(call, lease, *work) : rebuild_because(call, lease, *work->rebuild);
}

Result<IndexFollower::Outcome> IndexFollower::update(ports::Call& call, const HeldLeasePtr& lease, const Work& work) {
  const auto updated = apply(call, lease, Build::Update, work.after);
  if (updated) return Outcome::Updated;
  if (updated.error().code == ErrorCode::Unsupported && work.rebuild)
    return rebuild_because(call, lease, *work.rebuild);
  if (updated.error().code != ErrorCode::Gone) return updated.error().during("update the index");
  return rebuild_because(call, lease, {"it is older than the history of removed items in the store", {}});
}

Result<IndexFollower::Work> IndexFollower::plan_work(ports::Call& call) {
  const auto state = KBASE_TRY(index_.state(call));
  const auto revision = KBASE_TRY(items_.revision(call));
  last_revision_ = revision;
  Work work;
  if (!state.complete)
    work.rebuild = explain_incomplete(call);
  else if (state.store_id != usecases::indexed_store_id(items_.store_id()))
    work.rebuild = Reason{"it belongs to another store, or has the texts of another version of kbase", {}};
  else if (state.revision > revision)
    work.rebuild = Reason{"it is ahead of the store", {}};
  else
    work.is_up_to_date = state.revision == revision;
  // An incomplete index may be the result of an interrupted batch; the next batch completes it if the index supports
  // that.
  work.may_update = state.store_id == usecases::indexed_store_id(items_.store_id()) && state.revision <= revision;
  work.after = state.revision;
  return work;
}

Result<IndexFollower::HeldLeasePtr> IndexFollower::acquire_lease(ports::Call& call) {
  if (lease_ == nullptr) return HeldLeasePtr();
  return lease_->acquire(call);
}

IndexFollower::Reason IndexFollower::explain_incomplete(ports::Call& call) {
  const auto health = index_.health(call);
  if (health) return {"it was built with other settings; searches use it meanwhile", {}};
  return {"it is incomplete or damaged", health.error().detail};
}

Result<IndexFollower::Outcome> IndexFollower::rebuild_because(ports::Call& call, const HeldLeasePtr& lease,
                                                              const Reason& reason) {
  const auto rebuilt = apply(call, lease, Build::Rebuild, 0, reason);
  if (!rebuilt) return rebuilt.error().during("rebuild the index");
  return Outcome::Rebuilt;
}

Status IndexFollower::rebuild(ports::Call& call) {
  const auto lease = KBASE_TRY(acquire_lease(call));
  const auto rebuilt = rebuild_because(call, lease, {"a rebuild was requested", {}});
  return rebuilt ? Status() : rebuilt.error();
}

Status IndexFollower::apply(ports::Call& call, const HeldLeasePtr& lease, Build build, model::Revision after,
                            const Reason& reason) {
  auto writer = KBASE_TRY(index_.begin(call, build, usecases::indexed_store_id(items_.store_id())));
  if (build == Build::Rebuild && listener_.on_rebuild) listener_.on_rebuild(reason);
  ItemBatcher batcher(call, *writer, markup_);
  Status failure;
  std::uint64_t records = 0;
  const auto up_to = items_.changes(call, after, [&](const ports::Change& change) {
    failure = batcher.add(change);
    if (listener_.on_progress && ++records % 1000 == 0) listener_.on_progress(records);
    return failure ? Visit::Continue : Visit::Stop;
  });
  if (!failure) return failure;
  if (!up_to) return up_to.error();
  KBASE_TRY(batcher.flush());
  if (lease != nullptr && !lease->is_held())
    return Error{ErrorCode::Unavailable, "The lease to write the search index expired before the batch was complete.",
                 "the storage did not renew the lease in time"};
  return writer->commit(call, *up_to);
}

IndexUpdater::IndexUpdater(const Dependencies& deps)
    : deps_(deps),
      follower_(deps.items, deps.index, deps.markup,
                {/*on_progress=*/{}, [this](const IndexFollower::Reason& reason) { log_rebuild(reason); }},
                deps.lease) {}

void IndexUpdater::update() {
  if (deps_.clock.steady() < next_attempt_) return;
  ports::Call call;
  call.cancel = &stopping_;
  // If the store fails, so does follow(), whose error is logged.
  static_cast<void>(deps_.synonyms.read(call));
  const auto outcome = follower_.follow(call);
  publish_synonyms(call);
  if (outcome)
    on_updated(*outcome);
  else if (outcome.error().code == ErrorCode::Conflict)
    on_lease_conflict();
  else if (!stopping_)
    on_failure(outcome.error());
  deps_.readiness.refresh(&stopping_);
}

/// Another server may have updated the index.
void IndexUpdater::publish_synonyms(ports::Call& call) {
  const auto revision = deps_.synonyms.unpublished();
  if (!revision) return;
  const auto state = deps_.index.state(call);
  if (state && state->revision >= *revision) deps_.synonyms.publish();
}

void IndexUpdater::await_change() {
  if (backoff_ > backoff_.zero() || !deps_.items.capabilities().waits) return;
  ports::Call call;
  call.cancel = &stopping_;
  call.deadline = deps_.clock.steady() + kMaxWait;
  // A failed wait is ignored; the periodic task polls again after its pause.
  static_cast<void>(deps_.items.wait(call, follower_.last_revision()));
}

void IndexUpdater::log_rebuild(const IndexFollower::Reason& reason) {
  if (backoff_ > backoff_.zero()) return;  // logged at the first attempt
  const std::string message = "the search index is being rebuilt: " + std::string(reason.what);
  const ports::LogField cause[] = {{"cause", reason.cause}};
  deps_.log.log(LogLevel::Info, "index.rebuilding", message, std::span(cause, reason.cause.empty() ? 0 : 1));
}

void IndexUpdater::on_failure(const Error& error) {
  if (backoff_ == backoff_.zero()) {
    const ports::LogField cause[] = {{"cause", error.detail}};
    deps_.log.log(LogLevel::Error, "index.behind", error.message, cause);
  }
  backoff_ = std::clamp(backoff_ * 2, kMinBackoff, kMaxBackoff);
  next_attempt_ = deps_.clock.steady() + backoff_;
  deps_.health.set(ports::Service::Indexing, ports::ServiceState::Down);
}

void IndexUpdater::on_lease_conflict() {
  const auto now = deps_.clock.steady();
  if (!conflict_since_) conflict_since_ = now;
  if (now - *conflict_since_ < kLongConflict || std::exchange(conflict_logged_, true)) return;
  deps_.log.log(
      LogLevel::Warning, "index.fed_elsewhere",
      "another process has been writing the search index for a minute; this server waits until it has finished");
}

void IndexUpdater::on_updated(IndexFollower::Outcome outcome) {
  conflict_since_.reset();
  conflict_logged_ = false;
  if (outcome == IndexFollower::Outcome::Rebuilt)
    deps_.log.log(LogLevel::Info, "index.rebuilt", "the search index was rebuilt");
  if (backoff_ > backoff_.zero())
    deps_.log.log(LogLevel::Info, "index.follows", "the search index is up to date again");
  backoff_ = backoff_.zero();
  deps_.health.set(ports::Service::Indexing, ports::ServiceState::Up);
}

}  // namespace kbase::runtime
