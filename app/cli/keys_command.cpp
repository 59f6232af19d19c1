// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/session.hpp"
#include "app/runtime/keys_and_plans.hpp"
#include "domain/base/result.hpp"
#include "domain/model/day.hpp"
#include "domain/model/units.hpp"
#include "domain/usecases/administer_keys.hpp"
#include "ports/driving/access.hpp"

namespace kbase::cli {
namespace {

/// Usage of one key in a range of days.
struct KeyUse {
  std::map<model::Day, std::uint64_t> days;  ///< requests by day
  std::uint64_t requests = 0;                ///< sum over these days
};

/// Usage by key id. Keys without usage in the range are absent.
using KeyUses = std::map<std::string, KeyUse, std::less<>>;

/// Returns the usage counted since `first`. Unsupported: the store does not record usage.
Result<KeyUses> read_key_uses(ports::KeyAdministration& keys, ports::Call& call, model::Day first) {
  constexpr model::Day kLast{std::chrono::year(9999) / 12 / 31};
  KeyUses uses;
  const auto read = keys.usage(call, first, kLast, [&uses](const ports::KeyUsage& row) {
    KeyUse& use = uses[std::string(row.id)];
    use.days[row.day] = row.requests;
    use.requests += row.requests;
    return Visit::Continue;
  });
  if (!read) return read.error();
  return uses;
}

struct KeyArguments {
  ConfigArguments config;
  std::string id;
  std::string name, plan;
  std::optional<std::string> expires, scopes;
  std::string grace = "24h";
  unsigned days = 30;
  bool as_json = false;
};

/// The driving port over the session's stores.
struct KeyCommands {
  explicit KeyCommands(Session& session)
      : keys(session.settings.keys, *session.stores.keys),
        plans(session.settings.plans),
        administer({keys, plans, session.platform.digest, session.platform.random, session.platform.clock}) {}

  runtime::ConfiguredKeys keys;
  runtime::PlanTable plans;
  usecases::AdministerKeys administer;
};

/// Parses a time such as "2027-01-31T00:00:00Z", or a duration from now. nullopt: the key never expires.
Result<std::optional<model::Instant>> expiry_of(const std::optional<std::string>& text, model::Instant now) {
  if (!text || *text == "never") return std::optional<model::Instant>();
  if (const auto instant = model::parse_instant(*text)) return std::optional(*instant);
  if (const auto span = model::parse_duration(*text)) return std::optional(now + *span);
  return invalid_argument("expires",
                          "--expires must be a time such as 2027-01-31T00:00:00Z, a duration such as 90d, or never");
}

Result<model::Scopes> scopes_of(const std::optional<std::string>& text) {
  if (!text) return model::kDefaultScopes;
  model::Scopes scopes = 0;
  for (std::size_t start = 0; start <= text->size();) {
    const std::size_t end = std::min(text->find(',', start), text->size());
    const auto scope = model::scope_named(std::string_view(*text).substr(start, end - start));
    if (!scope)
      return invalid_argument("scopes",
                              "--scopes must be a list of read, llm, codehost and write, separated by commas");
    scopes = static_cast<model::Scopes>(scopes | static_cast<model::Scopes>(*scope));
    start = end + 1;
  }
  return scopes;
}

/// Returns the last day with requests of a key; empty: no requests; nullopt: the store does not record usage.
Result<std::optional<std::string>> last_use_of(ports::KeyAdministration& keys, ports::Call& call, std::string_view id) {
  const auto day = keys.last_used(call, id);
  if (day) return std::optional(*day ? model::format_day(**day) : std::string());
  if (day.error().code == ErrorCode::Unsupported) return std::optional<std::string>();
  return day.error();
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

nlohmann::ordered_json json_of(const model::ApiKey& key) {
  nlohmann::ordered_json json = {{"id", key.id}, {"name", key.name}, {"plan", key.plan}};
  json["created"] = model::format_instant(key.created);
  json["expires"] = key.expires ? nlohmann::ordered_json(model::format_instant(*key.expires)) : nullptr;
  json["scopes"] = nlohmann::ordered_json::array();
  for (const auto scope : {model::Scope::Read, model::Scope::Llm, model::Scope::Codehost, model::Scope::Write})
    if (model::has_scope(key.scopes, scope))
      json["scopes"].push_back(model::names_of(static_cast<model::Scopes>(scope)));
  json["revoked"] = key.revoked;
  if (!key.account.empty()) json["account"] = key.account;
  if (key.suspended) json["suspended"] = true;
  return json;
}

void print_issued(const ports::IssuedKey& issued, bool as_json) {
  if (!as_json) {
    std::printf("id   %s\nkey  %s\n", issued.key.id.c_str(), issued.text.c_str());
    std::fputs("The key is shown only once; it is not stored.\n", stderr);
    return;
  }
  nlohmann::ordered_json json = json_of(issued.key);
  json["key"] = issued.text;
  std::puts(json.dump().c_str());
}

/// Invalid properties of a key are usage errors. A key that cannot be changed is not.
int fail_by_cause(const Error& error) {
  const bool is_of_properties = error.code == ErrorCode::InvalidArgument && error.parameter != "id";
  return is_of_properties ? fail_usage(error) : fail(error);
}

int create(const KeyArguments& arguments, Session& session) {
  const auto expires = expiry_of(arguments.expires, session.platform.clock.now());
  if (!expires) return fail_usage(expires.error());
  const auto scopes = scopes_of(arguments.scopes);
  if (!scopes) return fail_usage(scopes.error());
  ports::Call call;
  KeyCommands service(session);
  const auto issued = service.administer.create(call, {arguments.name, arguments.plan, *expires, *scopes});
  if (!issued) return fail_by_cause(issued.error());
  print_issued(*issued, arguments.as_json);
  return kSuccess;
}

const char* state_of(const model::ApiKey& key, model::Instant now) {
  if (key.revoked) return "revoked";
  if (key.suspended) return "suspended";
  return model::is_alive(key, now) ? "good" : "expired";
}

Result<std::vector<model::ApiKey>> every_key(ports::KeyAdministration& keys, ports::Call& call) {
  std::vector<model::ApiKey> all;
  const auto listed = keys.list(call, [&all](const model::ApiKey& key) {
    all.push_back(key);
    return Visit::Continue;
  });
  if (!listed) return listed.error();
  return all;
}

void print_key(const model::ApiKey& key, const char* state, const std::string& last_used) {
  std::printf("%-20s  %-9s  %-12s  %-20s  %-10s  %s\n", key.id.c_str(), state, key.plan.c_str(),
              key.expires ? model::format_instant(*key.expires).c_str() : "never", last_used.c_str(), key.name.c_str());
}

int list(const KeyArguments& arguments, Session& session) {
  ports::Call call;
  KeyCommands service(session);
  auto json = nlohmann::ordered_json::array();
  const model::Instant now = session.platform.clock.now();
  const auto keys = every_key(service.administer, call);
  if (!keys) return fail(keys.error());
  if (!arguments.as_json)
    std::printf("%-20s  %-9s  %-12s  %-20s  %-10s  %s\n", "key", "state", "plan", "expires", "last used", "name");
  for (const model::ApiKey& key : *keys) {
    const auto last = last_use_of(service.administer, call, key.id);
    if (!last) return fail(last.error());
    if (arguments.as_json) {
      json.push_back(json_of(key));
      if (*last) json.back()["last_used"] = text_or_null(**last);
      continue;
    }
    print_key(key, state_of(key, now), !*last ? "" : (*last)->empty() ? "never" : **last);
  }
  if (arguments.as_json) std::puts(json.dump().c_str());
  return kSuccess;
}

/// A row of the usage report: an existing key, or an id with usage in the range.
struct UsageRow {
  std::string id;
  std::string name;
  KeyUse use;
  std::string last_used;  // empty: never
};

nlohmann::ordered_json json_of(const UsageRow& key) {
  nlohmann::ordered_json json = {{"id", key.id}, {"name", key.name}, {"requests", key.use.requests}};
  json["last_used"] = text_or_null(key.last_used);
  json["days"] = nlohmann::ordered_json::object();
  for (const auto& [day, requests] : key.use.days) json["days"][model::format_day(day)] = requests;
  return json;
}

/// Reports all keys, or only the one with the given id.
Result<std::vector<UsageRow>> report_of(const KeyArguments& arguments, KeyCommands& service, model::Day first) {
  ports::Call call;
  auto uses = KBASE_TRY(read_key_uses(service.administer, call, first));
  const auto keys = KBASE_TRY(every_key(service.administer, call));
  std::map<std::string, std::string> names;
  for (const model::ApiKey& key : keys) names[key.id] = key.name;
  for (const auto& [id, use] : uses) names.try_emplace(id);  // keys that the configuration no longer contains
  std::vector<UsageRow> report;
  for (const auto& [id, name] : names) {
    if (!arguments.id.empty() && id != arguments.id) continue;
    auto last = KBASE_TRY(last_use_of(service.administer, call, id));
    report.push_back({id, name, std::move(uses[id]), last.value_or(std::string())});
  }
  return report;
}

void print_days(const KeyUse& use) {
  for (const auto& [day, requests] : use.days)
    std::printf("%s  %10llu\n", model::format_day(day).c_str(), static_cast<unsigned long long>(requests));
  std::printf("total       %10llu\n", static_cast<unsigned long long>(use.requests));
}

void print_table(const std::vector<UsageRow>& report) {
  std::printf("%-20s  %10s  %-10s  %s\n", "key", "requests", "last used", "name");
  for (const UsageRow& key : report)
    std::printf("%-20s  %10llu  %-10s  %s\n", key.id.c_str(), static_cast<unsigned long long>(key.use.requests),
                key.last_used.empty() ? "never" : key.last_used.c_str(), key.name.c_str());
}

int usage(const KeyArguments& arguments, Session& session) {
  KeyCommands service(session);
  const model::Day today = model::day_of(session.platform.clock.now());
  const auto report = report_of(arguments, service, today - std::chrono::days(arguments.days - 1));
  if (!report) return fail(report.error());
  const bool is_one = !arguments.id.empty();
  if (is_one && report->empty()) return fail({ErrorCode::NotFound, "no key has the id " + arguments.id});
  if (arguments.as_json) {
    auto keys = nlohmann::ordered_json::array();
    for (const UsageRow& key : *report) keys.push_back(json_of(key));
    std::puts((is_one ? keys.front() : keys).dump().c_str());
  } else if (is_one) {
    print_days(report->front().use);
  } else {
    print_table(*report);
  }
  return kSuccess;
}

int revoke(const KeyArguments& arguments, Session& session) {
  ports::Call call;
  const auto was_valid = KeyCommands(session).administer.revoke(call, arguments.id);
  if (!was_valid) return fail(was_valid.error());
  std::printf(*was_valid ? "revoked %s; servers reject it within 5 seconds\n" : "%s was revoked before\n",
              arguments.id.c_str());
  return kSuccess;
}

int rotate(const KeyArguments& arguments, Session& session) {
  const auto grace = model::parse_duration(arguments.grace);
  if (!grace) return fail_usage(invalid_argument("grace", "--grace must be a duration such as 24h"));
  ports::Call call;
  const auto issued = KeyCommands(session).administer.rotate(call, arguments.id,
                                                             std::chrono::duration_cast<std::chrono::seconds>(*grace));
  if (!issued)
    return fail(with_hint(issued.error(), "expires",
                          "use `kbase keys update " + arguments.id +
                              " --expires 90d`, or edit the key in the configuration if it is defined there"));
  print_issued(*issued, arguments.as_json);
  return kSuccess;
}

int update(const KeyArguments& arguments, Session& session) {
  if (arguments.name.empty() && arguments.plan.empty() && !arguments.expires && !arguments.scopes)
    return fail_usage(invalid_argument({}, "nothing to change; use --name, --plan, --expires or --scopes"));
  const auto expires = expiry_of(arguments.expires, session.platform.clock.now());
  if (!expires) return fail_usage(expires.error());
  const auto scopes = scopes_of(arguments.scopes);
  if (!scopes) return fail_usage(scopes.error());
  ports::KeyChange change;
  if (!arguments.name.empty()) change.name = arguments.name;
  if (!arguments.plan.empty()) change.plan = arguments.plan;
  if (arguments.expires) change.expires = *expires;
  if (arguments.scopes) change.scopes = *scopes;
  ports::Call call;
  const auto updated = KeyCommands(session).administer.update(call, arguments.id, change);
  if (!updated) return fail_by_cause(updated.error());
  if (arguments.as_json)
    std::puts(json_of(*updated).dump().c_str());
  else
    std::printf("updated %s; servers use the change within 5 seconds\n", updated->id.c_str());
  return kSuccess;
}

using Work = int (*)(const KeyArguments&, Session&);

/// Adds a command to the group, with the options that all of them share. The caller adds its own to `arguments`.
Command add_action(Command group, const char* name, const char* description,
                   const std::shared_ptr<KeyArguments>& arguments, Work work) {
  Command command = group.command(name, description);
  add_config_options(command, arguments->config);
  command.set_action([arguments, work] {
    const auto run = work == create ? with_stores : with_existing_stores;
    return run(arguments->config, [&](Session& session) { return work(*arguments, session); });
  });
  return command;
}

void add_id(Command command, KeyArguments& arguments) {
  command.option("ID", arguments.id, "the key's id, as `keys list` shows it").required();
}

void add_properties(Command command, KeyArguments& arguments, bool required) {
  command.option("--name", arguments.name, "name of the key, for example its owner", "NAME").required(required);
  command.option("--plan", arguments.plan, "the plan whose limits apply", "PLAN").required(required);
  command.option("--expires", arguments.expires, "a time (2027-01-31T00:00:00Z), a duration (90d), or never", "WHEN");
  command.option("--scopes", arguments.scopes, "list of read, llm, codehost, write; default: all except write", "LIST");
}

}  // namespace

void add_keys(Command root) {
  const auto arguments = std::make_shared<KeyArguments>();
  const Command group = root.group("keys", "create, list, change and revoke API keys");

  Command created = add_action(group, "create", "create a key and print it once", arguments, create);
  add_properties(created, *arguments, true);
  created.flag("--json", arguments->as_json, "print one JSON object");

  add_action(group, "list", "list all keys, without their text", arguments, list)
      .flag("--json", arguments->as_json, "print one JSON array");

  add_id(add_action(group, "revoke", "revoke a key immediately", arguments, revoke), *arguments);

  Command rotated = add_action(
      group, "rotate", "replace the text of a key; the old text stays valid for the grace period", arguments, rotate);
  add_id(rotated, *arguments);
  rotated.option("--grace", arguments->grace, "how long the old text stays valid").with_default();
  rotated.flag("--json", arguments->as_json, "print one JSON object");

  Command used = add_action(group, "usage", "count the requests of keys by day (UTC)", arguments, usage);
  used.option("ID", arguments->id, "show one key by day; default: all keys");
  used.option("--days", arguments->days, "number of days, including today", "N").between(1, 36500).with_default();
  used.flag("--json", arguments->as_json, "print JSON");

  Command updated = add_action(group, "update", "change the properties of a key", arguments, update);
  add_id(updated, *arguments);
  add_properties(updated, *arguments, false);
  updated.flag("--json", arguments->as_json, "print one JSON object");
}

}  // namespace kbase::cli
