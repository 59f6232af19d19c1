// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/cli/session.hpp"
#include "domain/usecases/administer_accounts.hpp"

namespace kbase::cli {
namespace {

struct AccountArguments {
  ConfigArguments config;
  std::string id;
  bool as_json = false;
};

using Work = int (*)(const AccountArguments&, Session&);

/// The driving port over the session's stores, which must include accounts.
usecases::AdministerAccounts administration(Session& session) {
  return usecases::AdministerAccounts(
      {*session.stores.accounts, *session.stores.keys, session.platform.digest, session.platform.clock});
}

Result<std::map<std::string, unsigned>> count_keys(Session& session) {
  std::map<std::string, unsigned> counts;
  ports::Call call;
  KBASE_TRY(session.stores.keys->list(call, [&counts](const model::ApiKey& key) {
    if (!key.account.empty()) ++counts[key.account];
    return Visit::Continue;
  }));
  return counts;
}

int list(const AccountArguments& arguments, Session& session) {
  ports::Call call;
  auto keys = count_keys(session);
  if (!keys) return fail(keys.error());
  auto json = nlohmann::ordered_json::array();
  if (!arguments.as_json)
    std::printf("%-16s  %-8s  %-12s  %-20s  %4s  %s\n", "account", "state", "plan", "created", "keys", "email");
  const auto listed = administration(session).list(call, [&](const model::Account& account) {
    const std::string state(model::name_of(account.state));
    const std::string created = model::format_instant(account.created);
    const unsigned count = (*keys)[account.id];
    if (arguments.as_json)
      json.push_back({{"id", account.id},
                      {"email", account.email},
                      {"state", state},
                      {"plan", account.plan},
                      {"created", created},
                      {"keys", count}});
    else
      std::printf("%-16s  %-8s  %-12s  %-20s  %4u  %s\n", account.id.c_str(), state.c_str(), account.plan.c_str(),
                  created.c_str(), count, account.email.c_str());
    return Visit::Continue;
  });
  if (!listed) return fail(listed.error());
  if (arguments.as_json) std::puts(json.dump().c_str());
  return kSuccess;
}

int approve(const AccountArguments& arguments, Session& session) {
  ports::Call call;
  const auto approved = administration(session).approve(call, arguments.id);
  if (!approved) return fail(approved.error());
  std::printf("approved %s (%s); its keys work within 5 seconds\n", approved->id.c_str(), approved->email.c_str());
  return kSuccess;
}

int block(const AccountArguments& arguments, Session& session) {
  ports::Call call;
  const auto blocked = administration(session).block(call, arguments.id);
  if (!blocked) return fail(blocked.error());
  std::printf("blocked %s (%s); servers reject its keys within 5 seconds\n", blocked->id.c_str(),
              blocked->email.c_str());
  return kSuccess;
}

int remove(const AccountArguments& arguments, Session& session) {
  ports::Call call;
  const auto removed = administration(session).remove(call, arguments.id);
  if (!removed) return fail(removed.error());
  std::printf("deleted %s; servers reject its keys within 5 seconds\n", arguments.id.c_str());
  return kSuccess;
}

Command add_action(Command group, const char* name, const char* description,
                   const std::shared_ptr<AccountArguments>& arguments, Work work) {
  Command command = group.command(name, description);
  add_config_options(command, arguments->config);
  command.set_action([arguments, work] {
    return with_existing_stores(arguments->config, [&](Session& session) {
      if (session.stores.accounts != nullptr) return work(*arguments, session);
      return fail_usage(invalid_argument("storage", "the storage keeps no accounts; use sqlite or postgres"));
    });
  });
  return command;
}

}  // namespace

void add_accounts(Command root) {
  const auto arguments = std::make_shared<AccountArguments>();
  const Command group = root.group("accounts", "list, approve, block and delete accounts of developers");
  add_action(group, "list", "list all accounts", arguments, list)
      .flag("--json", arguments->as_json, "print one JSON array");
  const auto add = [&](const char* name, const char* description, Work work) {
    add_action(group, name, description, arguments, work)
        .option("ID", arguments->id, "the account's id, as `accounts list` shows it")
        .required();
  };
  add("approve", "make the keys of a waiting or blocked account work", approve);
  add("block", "make the keys of an account invalid", block);
  add("delete", "delete an account with its keys and forget its address", remove);
}

}  // namespace kbase::cli
