// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/github_form.hpp"

#include "adapters/code_host/rest_code_host.hpp"

namespace kbase::code_host {

void add_repository(const Json& repository, const char* stars, Findings& findings) {
  const auto name = text(repository, "name");
  const auto full_name = text(repository, "full_name");
  if (!name || !full_name || flag(repository, "private") != false) return;
  ports::Repository row;
  row.name = *name;
  row.full_name = *full_name;
  row.description = text(repository, "description");
  row.url = text(repository, "html_url");
  row.language = text(repository, "language");
  row.topics = findings.topics_of(member(repository, "topics"));
  row.stars = number(repository, stars);
  row.forks = number(repository, "forks_count");
  row.is_fork = flag(repository, "fork");
  row.is_archived = flag(repository, "archived");
  row.created = instant(repository, "created_at");
  row.updated = instant(repository, "updated_at");
  findings.repositories.push_back(row);
}

model::Status read_byte_counts(Calls& calls, std::string_view api_path, Findings& findings) {
  const std::string repositories = std::string(api_path) + "/repos/";
  const auto path_of = [&](const ports::Repository& repository) {
    // A repository without a main language has no languages.
    if (!repository.language || !is_full_name(repository.full_name)) return std::string();
    return repositories + std::string(repository.full_name) + "/languages";
  };
  const auto add = [&](ports::Repository&, const Json& languages) {
    for (const auto& [name, bytes] : languages.items())
      if (bytes.is_number()) findings.add_language(name, bytes.get<double>());
  };
  return read_languages(calls, findings, path_of, add);
}

}  // namespace kbase::code_host
