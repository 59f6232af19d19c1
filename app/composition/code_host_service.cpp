// SPDX-License-Identifier: Apache-2.0
#include "app/composition/code_host_service.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "adapters/http/user_document.hpp"
#include "app/composition/service_watch.hpp"
#include "app/config/version.hpp"

namespace kbase::composition {
namespace {

constexpr std::size_t kFingerprintBytes = 16;

/// Returns the part of the cache key that does not depend on the user. It contains the program version, because another
/// version may write other documents, and the settings, because they select the repositories that are shown. Secrets
/// are masked in `settings.shown`, and the text is hashed.
std::string cache_prefix(const config::Settings& settings, const ports::Digest& digest) {
  const auto shown = nlohmann::json::parse(settings.shown, nullptr, /*allow_exceptions=*/false);
  const std::string config = shown.is_object() && shown.contains("codehost") ? shown["codehost"].dump() : "";
  const auto hash = digest.sha256(std::string(config::kVersion) + '\n' + config);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string prefix = "user/";
  for (std::size_t i = 0; i < kFingerprintBytes; ++i) (prefix += kDigits[hash[i] >> 4]) += kDigits[hash[i] & 15];
  return prefix += '/';
}

usecases::LookUpUser::Options options_of(const config::Settings& settings, const ports::Digest& digest) {
  const config::CodeHost& wanted = settings.codehost;
  usecases::LookUpUser::Options options;
  options.cache_prefix = cache_prefix(settings, digest);
  options.fresh_for = wanted.fresh_for;
  options.keep_for = wanted.keep_for;
  options.unknown_for = wanted.unknown_for;
  options.cold_per_minute = wanted.cold_per_minute;
  options.cold_per_minute_keyless = wanted.cold_per_minute_keyless;
  return options;
}

}  // namespace

model::Result<std::unique_ptr<CodeHostService>> CodeHostService::open(const Parts& parts) {
  auto host = parts.backends.open_code_host();
  if (!host) return host.error();
  auto turns = parts.backends.open_local_rate_limiter();
  if (!turns) return turns.error();
  return std::make_unique<CodeHostService>(parts, *std::move(host), *std::move(turns));
}

CodeHostService::CodeHostService(const Parts& parts, std::unique_ptr<ports::CodeHost> host,
                                 std::unique_ptr<ports::RateLimitStore> turns)
    : parts_(parts),
      host_(std::move(host)),
      turns_(std::move(turns)),
      documents_(std::make_unique<http::UserDocuments>()),
      look_up_({host_.get(), parts.cache, *turns_, *documents_, parts.platform.clock, parts.counts},
               options_of(parts.settings, parts.platform.digest)),
      users_(look_up_) {}

std::unique_ptr<runtime::PeriodicTask> CodeHostService::watch(runtime::ServiceProbes& probes) const {
  return watch_service(ports::Service::Codehost, host_.get(), parts_.platform.clock, probes);
}

}  // namespace kbase::composition
