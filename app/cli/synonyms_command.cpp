// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <string>

#include "adapters/content/content_source.hpp"
#include "app/cli/session.hpp"
#include "domain/base/result.hpp"
#include "domain/usecases/stored_synonyms.hpp"

namespace kbase::cli {
namespace {

struct SynonymsArguments {
  ConfigArguments config;
  bool as_json = false;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

int list(const SynonymsArguments& arguments, Session& session) {
  ports::Call call;
  const auto all = usecases::read_synonyms(call, *session.stores.items);
  if (!all) return fail(all.error());
  for (const model::Synonyms& each : *all) {
    std::string line;
    std::vector<std::string_view> words;
    if (arguments.as_json)
      content::append_line(line, each.view(words));
    else if (each.from.empty())
      line = joined(each.words) + "\n";
    else
      line = each.from + " -> " + joined(each.words) + "\n";
    std::fputs(terminal_safe(stdout, line).c_str(), stdout);
  }
  if (all->empty()) std::fputs("no synonyms; `kbase import` takes lines of the type synonyms\n", stderr);
  return kSuccess;
}

}  // namespace

void add_synonyms(Command root) {
  const auto arguments = std::make_shared<SynonymsArguments>();
  Command group = root.group("synonyms", "list the synonyms of the base");
  Command command = group.command("list", "list all synonyms: words for each other, and words -> what they also find");
  command.flag("--json", arguments->as_json, "print JSON Lines, as `kbase import` reads them");
  add_config_options(command, arguments->config);
  command.set_action([arguments] {
    return with_existing_stores(arguments->config, [&](Session& session) { return list(*arguments, session); });
  });
}

}  // namespace kbase::cli
