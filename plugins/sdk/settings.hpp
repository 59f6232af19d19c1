// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "domain/base/result.hpp"

namespace kbase::sdk {

/// A setting that the schema should have refused. Thrown by the getters of Settings; create() converts it to an error.
class WrongSetting final : public std::runtime_error {
 public:
  WrongSetting(std::string_view name, const std::string& reason) : std::runtime_error(reason), name_(name) {}
  const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
};

/// The settings of an instance. The server has validated them against the plugin's schema and filled in the defaults;
/// `otherwise` is returned for a setting that is still absent. Every getter throws WrongSetting if the value has
/// another type.
class Settings {
 public:
  /// Error: InvalidArgument if `json` is not a JSON object. Empty text means no settings.
  static Result<Settings> parse(std::string_view json);

  std::string text(std::string_view name, std::string_view otherwise) const;
  std::filesystem::path path(std::string_view name, const std::filesystem::path& otherwise) const;
  bool flag(std::string_view name, bool otherwise) const;
  std::uint64_t number(std::string_view name, std::uint64_t otherwise) const;

  /// Returns a size such as "64MiB" (also KiB, GiB, or no unit for bytes) or a plain number, in bytes.
  std::uint64_t bytes(std::string_view name, std::uint64_t otherwise) const;

 private:
  struct Values;
  explicit Settings(std::shared_ptr<const Values> values) : values_(std::move(values)) {}

  std::shared_ptr<const Values> values_;
};

}  // namespace kbase::sdk
