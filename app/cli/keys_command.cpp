// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/key_use.hpp"
#include "app/cli/session.hpp"
#include "app/runtime/configured_keys.hpp"
#include "app/runtime/plan_table.hpp"
#include "domain/model/units.hpp"
#include "domain/usecases/administer_keys.hpp"

namespace kbase::cli {
namespace {

struct KeyArguments {
  ConfigArguments config;
  std::string id;
  std::string name, plan, expires, scopes;
  std::string grace = "24h";
  unsigned days = 30;
  bool as_json = false;
};

/// The driving port over the opened stores.
struct KeyDesk {
  explicit KeyDesk(Session& session)
      : keys(session.settings.keys, *session.stores.keys),
        plans(session.settings.plans),
        administer({keys, plans, session.platform.digest, session.platform.random, session.platform.clock}) {}

  runtime::ConfiguredKeys keys;
  runtime::PlanTable plans;
  usecases::AdministerKeys administer;
};

/// "2027-01-31T00:00:00Z", or a duration from now; nullopt: never.
model::Result<std::optional<model::Instant>> expiry_of(const std::string& text, model::Instant now) {
  if (text.empty() || text == "never") return std::optional<model::Instant>();
  if (const auto instant = model::parse_instant(text)) return std::optional(*instant);
  if (const auto span = model::parse_duration(text)) return std::optional(now + *span);
  return model::invalid_argument("expires",
                                 "--expires takes a time such as 2027-01-31T00:00:00Z, a span such as 90d, or never");
}

model::Result<model::Scopes> scopes_of(const std::string& text) {
  if (text.empty()) return model::kAllScopes;
  model::Scopes scopes = 0;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const auto scope = model::scope_named(std::string_view(text).substr(start, end - start));
    if (!scope) return model::invalid_argument("scopes", "--scopes takes read, llm and codehost, parted by commas");
    scopes = static_cast<model::Scopes>(scopes | static_cast<model::Scopes>(*scope));
    start = end + 1;
  }
  return scopes;
}

/// The uses of all keys; nullopt where the store keeps no usage.
model::Result<std::optional<KeyUses>> uses_if_kept(ports::KeyAdministration& keys, ports::Call& call) {
  auto uses = read_key_uses(keys, call, model::Day::max());
  if (uses) return std::optional(*std::move(uses));
  if (uses.error().code == model::ErrorCode::Unsupported) return std::optional<KeyUses>();
  return uses.error();
}

std::string last_day_of(const KeyUse* use) {
  return use != nullptr && use->last ? model::format_day(*use->last) : std::string();
}

const KeyUse* find_use(const KeyUses& uses, std::string_view id) {
  const auto found = uses.find(id);
  return found == uses.end() ? nullptr : &found->second;
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

nlohmann::ordered_json json_of(const model::ApiKey& key) {
  nlohmann::ordered_json json = {{"id", key.id}, {"name", key.name}, {"plan", key.plan}};
  json["created"] = model::format_instant(key.created);
  json["expires"] = key.expires ? nlohmann::ordered_json(model::format_instant(*key.expires)) : nullptr;
  json["scopes"] = nlohmann::ordered_json::array();
  for (const auto scope : {model::Scope::Read, model::Scope::Llm, model::Scope::Codehost})
    if (model::has_scope(key.scopes, scope))
      json["scopes"].push_back(model::names_of(static_cast<model::Scopes>(scope)));
  json["revoked"] = key.revoked;
  return json;
}

void print_issued(const ports::IssuedKey& issued, bool as_json) {
  if (!as_json) {
    std::printf("id   %s\nkey  %s\n", issued.key.id.c_str(), issued.text.c_str());
    std::fputs("The key is shown this once; it is stored nowhere.\n", stderr);
    return;
  }
  nlohmann::ordered_json json = json_of(issued.key);
  json["key"] = issued.text;
  std::puts(json.dump().c_str());
}

int create(const KeyArguments& arguments, Session& session) {
  const auto expires = expiry_of(arguments.expires, session.platform.clock.now());
  if (!expires) return fail_usage(expires.error());
  const auto scopes = scopes_of(arguments.scopes);
  if (!scopes) return fail_usage(scopes.error());
  ports::Call call;
  KeyDesk desk(session);
  const auto issued = desk.administer.create(call, {arguments.name, arguments.plan, *expires, *scopes});
  if (!issued) return fail(issued.error());
  print_issued(*issued, arguments.as_json);
  return kSuccess;
}

const char* state_of(const model::ApiKey& key, model::Instant now) {
  if (key.revoked) return "revoked";
  return model::is_alive(key, now) ? "good" : "expired";
}

int list(const KeyArguments& arguments, Session& session) {
  ports::Call call;
  KeyDesk desk(session);
  auto keys = nlohmann::ordered_json::array();
  const model::Instant now = session.platform.clock.now();
  const auto uses = uses_if_kept(desk.administer, call);
  if (!uses) return fail(uses.error());
  const auto listed = desk.administer.list(call, [&](const model::ApiKey& key) {
    const std::string last = *uses ? last_day_of(find_use(**uses, key.id)) : std::string();
    if (arguments.as_json) {
      keys.push_back(json_of(key));
      if (*uses) keys.back()["last_used"] = text_or_null(last);
      return model::Visit::Continue;
    }
    const std::string used = !*uses ? "" : last.empty() ? "never used" : "used " + last;
    std::printf("%-20s  %-8s  %-12s  %-20s  %-15s  %s\n", key.id.c_str(), state_of(key, now), key.plan.c_str(),
                key.expires ? model::format_instant(*key.expires).c_str() : "never expires", used.c_str(),
                key.name.c_str());
    return model::Visit::Continue;
  });
  if (!listed) return fail(listed.error());
  if (arguments.as_json) std::puts(keys.dump().c_str());
  return kSuccess;
}

nlohmann::ordered_json json_of(const std::string& id, const std::string& name, const KeyUse& use) {
  nlohmann::ordered_json json = {{"id", id}, {"name", name}, {"requests", use.requests}};
  json["last_used"] = text_or_null(last_day_of(&use));
  json["days"] = nlohmann::ordered_json::object();
  for (const auto& [day, requests] : use.days) json["days"][model::format_day(day)] = requests;
  return json;
}

void print_days(const KeyUse& use) {
  for (const auto& [day, requests] : use.days)
    std::printf("%s  %10llu\n", model::format_day(day).c_str(), static_cast<unsigned long long>(requests));
  std::printf("together    %10llu\n", static_cast<unsigned long long>(use.requests));
}

/// Of one key, day by day. NotFound, where neither the keys nor the counts know its id.
int usage_of_one(const KeyArguments& arguments, const std::map<std::string, std::string>& names, const KeyUses& uses) {
  const KeyUse* const counted = find_use(uses, arguments.id);
  const auto name = names.find(arguments.id);
  if (name == names.end() && counted == nullptr)
    return fail({model::ErrorCode::NotFound, "no key has the id " + arguments.id, {}, {}, {}});
  const KeyUse use = counted != nullptr ? *counted : KeyUse();
  if (arguments.as_json)
    std::puts(json_of(arguments.id, name == names.end() ? "" : name->second, use).dump().c_str());
  else
    print_days(use);
  return kSuccess;
}

/// Of every key that there is, or that was counted.
int usage_of_all(const KeyArguments& arguments, const std::map<std::string, std::string>& names, const KeyUses& uses) {
  if (!arguments.as_json) std::printf("%-20s  %10s  %-10s  %s\n", "key", "requests", "last used", "name");
  auto keys = nlohmann::ordered_json::array();
  for (const auto& [id, name] : names) {
    const KeyUse* const counted = find_use(uses, id);
    const KeyUse use = counted != nullptr ? *counted : KeyUse();
    const std::string last = last_day_of(&use);
    if (arguments.as_json)
      keys.push_back(json_of(id, name, use));
    else
      std::printf("%-20s  %10llu  %-10s  %s\n", id.c_str(), static_cast<unsigned long long>(use.requests),
                  last.empty() ? "never" : last.c_str(), name.c_str());
  }
  if (arguments.as_json) std::puts(keys.dump().c_str());
  return kSuccess;
}

int usage(const KeyArguments& arguments, Session& session) {
  ports::Call call;
  KeyDesk desk(session);
  const model::Day today = model::day_of(session.platform.clock.now());
  const auto uses = read_key_uses(desk.administer, call, today - std::chrono::days(arguments.days - 1));
  if (!uses) return fail(uses.error());
  std::map<std::string, std::string> names;
  const auto listed = desk.administer.list(call, [&](const model::ApiKey& key) {
    names[key.id] = key.name;
    return model::Visit::Continue;
  });
  if (!listed) return fail(listed.error());
  if (!arguments.id.empty()) return usage_of_one(arguments, names, *uses);
  for (const auto& [id, use] : *uses) names.try_emplace(id);  // of keys that the configuration had once
  return usage_of_all(arguments, names, *uses);
}

int revoke(const KeyArguments& arguments, Session& session) {
  ports::Call call;
  const auto revoked = KeyDesk(session).administer.revoke(call, arguments.id);
  if (!revoked) return fail(revoked.error());
  std::printf("revoked %s; servers refuse it within 5 seconds\n", arguments.id.c_str());
  return kSuccess;
}

int rotate(const KeyArguments& arguments, Session& session) {
  const auto grace = model::parse_duration(arguments.grace);
  if (!grace) return fail_usage(model::invalid_argument("grace", "--grace takes a span such as 24h"));
  ports::Call call;
  const auto issued =
      KeyDesk(session).administer.rotate(call, arguments.id, std::chrono::duration_cast<std::chrono::seconds>(*grace));
  if (!issued) return fail(issued.error());
  print_issued(*issued, arguments.as_json);
  return kSuccess;
}

int update(const KeyArguments& arguments, Session& session) {
  if (arguments.name.empty() && arguments.plan.empty() && arguments.expires.empty() && arguments.scopes.empty())
    return fail_usage(model::invalid_argument({}, "say what to change: --name, --plan, --expires or --scopes"));
  const auto expires = expiry_of(arguments.expires, session.platform.clock.now());
  if (!expires) return fail_usage(expires.error());
  const auto scopes = scopes_of(arguments.scopes);
  if (!scopes) return fail_usage(scopes.error());
  ports::KeyChange change;
  if (!arguments.name.empty()) change.name = arguments.name;
  if (!arguments.plan.empty()) change.plan = arguments.plan;
  if (!arguments.expires.empty()) change.expires = *expires;
  if (!arguments.scopes.empty()) change.scopes = *scopes;
  ports::Call call;
  const auto updated = KeyDesk(session).administer.update(call, arguments.id, change);
  if (!updated) return fail(updated.error());
  if (arguments.as_json)
    std::puts(json_of(*updated).dump().c_str());
  else
    std::printf("updated %s; servers know of it within 5 seconds\n", updated->id.c_str());
  return kSuccess;
}

using Work = int (*)(const KeyArguments&, Session&);

/// A command of the group, with the options that every one of them takes; the caller adds its own to `arguments`.
CLI::App* add_action(CLI::App& group, const char* name, const char* description,
                     const std::shared_ptr<KeyArguments>& arguments, Action& chosen, Work work) {
  CLI::App* command = group.add_subcommand(name, description);
  add_config_options(*command, arguments->config);
  command->callback([arguments, &chosen, work] {
    chosen = [arguments, work] {
      return with_stores(arguments->config, [&](Session& session) { return work(*arguments, session); });
    };
  });
  return command;
}

void add_id(CLI::App& command, KeyArguments& arguments) {
  command.add_option("ID", arguments.id, "the key's id, as `keys list` shows it")->required();
}

void add_properties(CLI::App& command, KeyArguments& arguments, bool required) {
  command.add_option("--name", arguments.name, "whose key it is")->required(required)->type_name("NAME");
  command.add_option("--plan", arguments.plan, "the plan whose limits apply")->required(required)->type_name("PLAN");
  command.add_option("--expires", arguments.expires, "a time (2027-01-31T00:00:00Z), a span (90d), or never")
      ->type_name("WHEN");
  command.add_option("--scopes", arguments.scopes, "of read, llm, codehost; all by default")->type_name("LIST");
}

}  // namespace

void add_keys(CLI::App& app, Action& chosen) {
  auto arguments = std::make_shared<KeyArguments>();
  CLI::App* group = app.add_subcommand("keys", "make and end the keys of the API");
  group->require_subcommand(1);

  CLI::App* created = add_action(*group, "create", "make a key and show it, this once", arguments, chosen, create);
  add_properties(*created, *arguments, true);
  created->add_flag("--json", arguments->as_json, "print one JSON object");

  CLI::App* listed = add_action(*group, "list", "every key, without its text", arguments, chosen, list);
  listed->add_flag("--json", arguments->as_json, "print one JSON array");

  add_id(*add_action(*group, "revoke", "end a key at once", arguments, chosen, revoke), *arguments);

  CLI::App* rotated = add_action(*group, "rotate", "a new text for a key; the old one stays good for a while",
                                 arguments, chosen, rotate);
  add_id(*rotated, *arguments);
  rotated->add_option("--grace", arguments->grace, "how long the old text stays good")->capture_default_str();
  rotated->add_flag("--json", arguments->as_json, "print one JSON object");

  CLI::App* used =
      add_action(*group, "usage", "how many requests keys made, by the day (UTC)", arguments, chosen, usage);
  used->add_option("ID", arguments->id, "one key, day by day; without it, all of them");
  used->add_option("--days", arguments->days, "of how many days, today included")
      ->check(CLI::Range(1u, 36500u))
      ->capture_default_str();
  used->add_flag("--json", arguments->as_json, "print JSON");

  CLI::App* updated = add_action(*group, "update", "change what a key may do", arguments, chosen, update);
  add_id(*updated, *arguments);
  add_properties(*updated, *arguments, false);
  updated->add_flag("--json", arguments->as_json, "print one JSON object");
}

}  // namespace kbase::cli
