// SPDX-License-Identifier: Apache-2.0
#include "adapters/sqlite/instance.hpp"

#include <optional>
#include <string>

namespace kbase::sqlite {
namespace {

constexpr char kOwner[] = "SELECT name FROM instance";
constexpr char kClaim[] = "INSERT INTO instance SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM instance)";

model::Result<std::optional<std::string>> owner_of(Database& database) {
  const ports::Call call;
  const auto reader = database.read(call);
  if (!reader) return reader.error();
  Statement owner = (*reader)->use(kOwner);
  const auto row = owner.step();
  if (!row) return row.error();
  return *row ? std::optional(std::string(owner.text(0))) : std::nullopt;
}

/// Records the owner unless another process has done it first; the caller reads back the result.
model::Status write_owner(Database& database, std::string_view instance) {
  const ports::Call call;
  auto transaction = database.write(call);
  if (!transaction) return transaction.error();
  if (auto claimed = (*transaction)->use(kClaim).bind(instance).run(); !claimed) return claimed;
  return transaction->commit();
}

}  // namespace

model::Status claim(Database& database, std::string_view instance, std::string_view noun) {
  if (instance.empty()) return {};
  auto owner = owner_of(database);
  if (owner && !*owner) {
    if (auto written = write_owner(database, instance); !written) return written;
    owner = owner_of(database);
  }
  if (!owner) return owner.error();
  if (**owner == instance) return {};
  return model::Error{model::ErrorCode::Unsupported,
                      database.file() + " is the " + std::string(noun) + " of the instance '" + **owner +
                          "', and this configuration is of '" + std::string(instance) + "': set instance to '" +
                          **owner + "', or name another file",
                      {},
                      {},
                      {}};
}

}  // namespace kbase::sqlite
