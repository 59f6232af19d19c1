// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include "app/cli/doctor/checks.hpp"
#include "app/cli/service_failure.hpp"
#include "app/composition/upstream_clients.hpp"
#include "app/runtime/keys_and_plans.hpp"
#include "domain/base/result.hpp"

namespace kbase::cli::doctor {
namespace {

constexpr std::chrono::seconds kTimeout{10};
/// Time for a running server to update its index. It does so several times per second, but a large batch takes longer.
constexpr std::chrono::seconds kFollowTimeout{3};
constexpr std::chrono::milliseconds kPollInterval{100};

constexpr const char* kRebuild =
    "run `kbase index rebuild`, or start the server, which rebuilds the index and serves everything but searches "
    "meanwhile";

ports::Call call_of(const Base& base) {
  ports::Call call;
  call.deadline = base.platform.clock.steady() + kTimeout;
  return call;
}

void skip_all(std::initializer_list<const char*> checks, const std::string& why, Findings& findings) {
  for (const char* const check : checks) findings.skip(check, why);
}

void check_keys(Base& base, ports::ApiKeyStore& keys, Findings& findings) {
  const auto is_gone = [&](const std::string& plan) {
    for (const model::Plan& known : base.settings.plans)
      if (known.name == plan) return false;
    return true;
  };
  const auto planless = runtime::list_keys_without_plan(keys, is_gone, base.platform.clock);
  if (!planless) return findings.fail("keys", text_of(planless.error()), "see the check `store`");
  if (planless->empty()) return findings.ok("keys", "every key has a plan that the configuration defines");
  findings.fail(
      "keys",
      "the configuration does not define the plans of these keys: " + *planless + "; they get the public limits",
      "add the plans, or set other plans with `kbase keys update`");
}

/// Opens the stores if they exist. nullopt: they cannot be opened; the finding explains why.
std::optional<composition::Stores> open_stores(Base& base, Findings& findings) {
  const Section storage{"storage", base.settings.storage};
  if (const auto missing = missing_path(base.settings, storage); !missing.empty()) {
    findings.fail("store", "there is no " + missing.string(),
                  "create it with `kbase import` or `kbase restore`, or check data_dir in the configuration");
    return std::nullopt;
  }
  auto stores = base.backends.open_stores(composition::IfMissing::Fail);
  if (stores) return *std::move(stores);
  findings.fail(
      "store", text_of(stores.error()),
      stores.error().code == ErrorCode::NotFound
          ? "start the server once, which creates or migrates it"
          : "see the message on the page Troubleshooting of the manual; if the file is damaged, restore a backup");
  return std::nullopt;
}

bool check_store(Base& base, ports::ItemStore& items, Findings& findings) {
  ports::Call call = call_of(base);
  const auto health = items.health(call);
  const auto totals = items.totals(call, model::day_of(base.platform.clock.now()));
  const auto revision = items.revision(call);
  const bool answers = health && totals && revision;
  if (answers) {
    findings.ok("store", base.settings.storage.plugin + " answers: " + std::to_string(totals->items) +
                             " items, revision " + std::to_string(*revision));
    return true;
  }
  const Error& error = !health ? health.error() : !totals ? totals.error() : revision.error();
  findings.fail("store", text_of(error), "fix the cause, or restore a backup with `kbase restore`");
  return false;
}

/// Returns the remedy for an index that fails. An unreachable index cannot be rebuilt either.
std::string remedy_of(const Base& base, const Error& error) {
  const UpstreamService service{"search", base.settings.search.config};
  const bool is_away = error.code == ErrorCode::Unavailable || error.code == ErrorCode::Deadline;
  return is_away && composition::find_service_setting(service.config) ? connection_hint(service) : kRebuild;
}

/// Returns how many changes the index lacks, after waiting for a running server to apply them.
Result<std::uint64_t> changes_behind(Base& base, ports::ItemStore& items, ports::SearchIndex& index) {
  const auto until = base.platform.clock.steady() + (base.server ? kFollowTimeout : std::chrono::seconds(0));
  for (;;) {
    ports::Call call = call_of(base);
    const auto revision = KBASE_TRY(items.revision(call));
    const auto state = KBASE_TRY(index.state(call));
    if (state.revision >= revision) return std::uint64_t{0};
    if (base.platform.clock.steady() >= until) return revision - state.revision;
    std::this_thread::sleep_for(kPollInterval);
  }
}

void check_follows(Base& base, ports::ItemStore& items, ports::SearchIndex& index, Findings& findings) {
  const auto behind = changes_behind(base, items, index);
  if (!behind) return findings.fail("index.follows", text_of(behind.error()), remedy_of(base, behind.error()));
  if (*behind == 0) return findings.ok("index.follows", "the index has every change of the store");
  findings.fail("index.follows", std::to_string(*behind) + " changes of the store are not in the index",
                base.server ? "see the event index.behind in the server's log for the cause"
                            : "start the server, which updates the index, or run `kbase index rebuild`");
}

/// Returns why the index does not match this store and these settings. Empty: it matches.
std::string defect_of(const ports::IndexState& state, ports::ItemStore& items, model::Revision revision) {
  if (!state.complete) return "the index was built with other settings, or is incomplete";
  if (state.store_id != items.store_id()) return "the index was built from another store";
  if (state.revision > revision)
    return "the index is ahead of the store; an old copy of the store may have been restored";
  return {};
}

void check_index(Base& base, const composition::Stores& stores, Findings& findings) {
  const auto fail = [&](const std::string& message, std::string remedy = kRebuild) {
    findings.fail("index.complete", message, std::move(remedy));
    findings.skip("index.follows", "the index is not complete");
  };
  const auto fail_with = [&](const Error& error) { fail(text_of(error), remedy_of(base, error)); };
  if (const auto missing = missing_path(base.settings, {"search", base.settings.search}); !missing.empty())
    return fail("there is no index at " + missing.string());
  auto index = base.backends.open_index(stores);
  if (!index) return fail_with(index.error());
  ports::Call call = call_of(base);
  if (const auto health = index->port->health(call); !health) return fail_with(health.error());
  const auto state = index->port->state(call);
  if (!state) return fail_with(state.error());
  const auto revision = stores.items->revision(call);
  if (!revision) return fail(text_of(revision.error()), "see the check `store`");
  if (const std::string defect = defect_of(*state, *stores.items, *revision); !defect.empty()) return fail(defect);
  findings.ok("index.complete",
              std::string(index->port->fingerprint()) + ": " + std::to_string(state->documents) + " documents");
  check_follows(base, *stores.items, *index->port, findings);
}

}  // namespace

void check_content(Base& base, Findings& findings) {
  const auto storage = composition::load_plugin_config(chosen(base.settings, {"storage", base.settings.storage}));
  if (storage && storage->is_ephemeral)
    return skip_all({"store", "keys", "index.complete", "index.follows"},
                    "the storage is not persistent; it is filled at each start", findings);
  const auto stores = open_stores(base, findings);
  if (!stores || !check_store(base, *stores->items, findings))
    return skip_all({"keys", "index.complete", "index.follows"}, "the store does not answer", findings);
  check_keys(base, *stores->keys, findings);
  check_index(base, *stores, findings);
}

}  // namespace kbase::cli::doctor
