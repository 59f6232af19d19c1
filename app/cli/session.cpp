// SPDX-License-Identifier: Apache-2.0
#include "app/cli/session.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/command_line.hpp"
#include "app/composition/configured_files.hpp"
#include "app/composition/upstream_services.hpp"
#include "app/runtime/data_folder.hpp"
#include "app/runtime/index_follower.hpp"
#include "domain/base/result.hpp"

namespace kbase::cli {
namespace {

std::atomic<bool> interrupted{false};

void interrupt(int) { interrupted = true; }

std::string join_key(std::string_view section, std::string_view key) {
  return std::string(section).append(".").append(key);
}

/// Returns a hint that names the option for a request parameter.
std::string option_of(std::string_view parameter) {
  if (parameter == "model") return "choose another model with --model or llm.config.default_model";
  if (parameter == "max_tokens") return "set it with --max-tokens; llm.max_tokens is the maximum";
  if (parameter == "temperature") return "set it with --temperature";
  return parameter == "prompt" ? "set it with --prompt; llm.max_prompt_bytes is the maximum size" : "";
}

/// Returns for example "codehost.config.base_url". If no setting names the service: the whole section,
/// "rate_limit.config".
std::string setting_of(const UpstreamService& service) {
  const auto setting = composition::find_service_setting(service.config);
  return join_key(service.section, setting ? "config." + setting->name : "config");
}

/// Shows how much of the changes of the store an index has taken over. Single-threaded.
class IndexProgress {
 public:
  IndexProgress(ports::Call& call, Session& session, ports::SearchIndex& index) : call_(call), session_(session) {
    const auto state = index.state(call);
    const auto revision = session.stores.items->revision(call);
    if (state && revision && *revision > state->revision) all_ = *revision - state->revision;
  }

  void begin_rebuild() {
    const auto totals = session_.stores.items->totals(call_, model::day_of(session_.platform.clock.now()));
    all_ = totals ? totals->items + totals->categories : 0;
  }

  /// `records`: of the current batch.
  void show(std::uint64_t records) {
    if (records < last_) before_ += last_;
    last_ = records;
    const std::uint64_t done = before_ + records;
    const auto fraction =
        all_ == 0 ? std::nullopt : std::optional(std::min(1.0, static_cast<double>(done) / static_cast<double>(all_)));
    progress_.show(fraction, done);
  }

  void finish() { progress_.finish(); }

 private:
  ports::Call& call_;
  Session& session_;
  Progress progress_{"index"};
  std::uint64_t all_ = 0;  // 0: unknown
  std::uint64_t before_ = 0, last_ = 0;
};

}  // namespace

Status open_stores(Session& session) {
  KBASE_TRY(composition::prepare_data_dir(session.settings));
  auto stores = KBASE_TRY(session.backends.open_stores());
  session.stores = std::move(stores);
  return {};
}

int with_session(const ConfigArguments& arguments, const std::function<int(Session&)>& work) {
  auto settings = load_settings(arguments);
  if (!settings) return fail_usage(settings.error());
  Session session(*std::move(settings));
  // The command prints its own result, so log only problems of the stores.
  session.platform.log.set_level(ports::LogLevel::Warning);
  return work(session);
}

int with_stores(const ConfigArguments& arguments, const std::function<int(Session&)>& work) {
  return with_session(arguments, [&work](Session& session) {
    if (auto opened = open_stores(session); !opened) return fail(opened.error());
    return work(session);
  });
}

int with_existing_stores(const ConfigArguments& arguments, const std::function<int(Session&)>& work) {
  return with_session(arguments, [&work](Session& session) {
    if (const auto missing = missing_path(session.settings, "storage", session.settings.storage); !missing.empty())
      return fail({ErrorCode::NotFound, "there is no knowledge base: " + missing.string() +
                                            " does not exist; create it with `kbase import` or `kbase restore`, or "
                                            "check data_dir in the configuration"});
    if (auto opened = open_stores(session); !opened) return fail(opened.error());
    return work(session);
  });
}

std::filesystem::path missing_path(const config::Settings& settings, std::string_view section,
                                   const config::Backend& backend) {
  const auto plugin =
      composition::load_chosen_plugin({section, backend.plugin, backend.sha256, settings.plugin_directories});
  if (!plugin || (section == "search" && composition::has_shared_index(*plugin))) return {};
  const auto schema =
      nlohmann::json::parse(composition::config_schema(*plugin, section), nullptr, /*allow_exceptions=*/false);
  const auto config = nlohmann::json::parse(backend.config, nullptr, /*allow_exceptions=*/false);
  if (!schema.is_object() || !schema.contains("properties") || !config.is_object()) return {};
  for (const auto& [name, property] : schema["properties"].items()) {
    if (property.value("format", "") != "path" || !config.contains(name) || !config[name].is_string()) continue;
    std::filesystem::path path = config[name].get<std::string>();
    std::error_code unreadable;
    if (!path.empty() && !std::filesystem::exists(path, unreadable) && !unreadable) return path;
  }
  return {};
}

int feed_index(Session& session, const ports::Markup& markup) {
  if (runtime::ServeLock::is_locked(session.settings.data_dir)) return kSuccess;
  auto index = session.backends.open_index(session.stores);
  if (!index) return fail(index.error());
  ports::Call call;
  IndexProgress progress(call, session, *index->port);
  runtime::IndexFollower follower(
      *session.stores.items, *index->port, markup,
      {[&](std::uint64_t records) { progress.show(records); }, [&](const auto&) { progress.begin_rebuild(); }},
      index->lease.get());
  const auto followed = follower.follow(call);
  progress.finish();
  if (followed || followed.error().code == ErrorCode::Conflict) return kSuccess;
  return fail(followed.error());
}

const std::atomic<bool>& watch_for_interruption() {
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  return interrupted;
}

std::string connection_hint(const UpstreamService& service) {
  const auto setting = composition::find_service_setting(service.config);
  const std::string see = "see " + setting_of(service);
  return setting && setting->is_http ? see + ", upstream.proxy and upstream.ca_file"
                                     : see + " and check that this server is running";
}

std::string remedy_for(const Error& error, const UpstreamService& service) {
  if (error.parameter == "base_url") return "see " + setting_of(service);
  switch (error.code) {
    case ErrorCode::InvalidArgument: return option_of(error.parameter);
    case ErrorCode::NotFound: return setting_of(service) + " selects the service that was queried";
    case ErrorCode::Unavailable:
      if (error.retry_after.count() == 0) return connection_hint(service);
      return "retry in " + std::to_string((error.retry_after.count() + 999) / 1000) + " s";
    case ErrorCode::BadUpstream:
      return "see " + setting_of(service) + " and check that the server there is of the type that " +
             join_key(service.section, "plugin") + " selects";
    case ErrorCode::Deadline:
      return "the time limit is " + join_key(service.section, "timeout") + "; " + connection_hint(service);
    default: return {};
  }
}

int fail_at_service(const Error& error, const UpstreamService& service) {
  const std::string remedy = remedy_for(error, service);
  const bool is_usage = error.code == ErrorCode::InvalidArgument;
  const int exit_code = is_usage ? fail_usage(error) : fail(error);
  if (!remedy.empty()) std::fprintf(stderr, "kbase: %s\n", remedy.c_str());
  return exit_code;
}

}  // namespace kbase::cli
