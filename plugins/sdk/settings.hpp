// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "domain/model/result.hpp"

namespace kbase::sdk {

/// A setting that its schema should have refused. Thrown by the reads of Settings, for create to answer with.
class WrongSetting final : public std::runtime_error {
 public:
  WrongSetting(std::string_view name, const std::string& reason) : std::runtime_error(reason), name_(name) {}
  const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
};

/// The settings of an instance. The server has checked them against the plugin's schema and filled in its defaults;
/// what is absent nevertheless is `otherwise`. Every read throws WrongSetting where the value is of another type.
class Settings {
 public:
  /// InvalidArgument: `json` is no JSON object. Empty text has no settings.
  static model::Result<Settings> parse(std::string_view json);

  std::string text(std::string_view name, std::string_view otherwise) const;
  std::filesystem::path path(std::string_view name, const std::filesystem::path& otherwise) const;
  bool flag(std::string_view name, bool otherwise) const;
  std::uint64_t number(std::string_view name, std::uint64_t otherwise) const;

  /// A size as it is written, "64MiB" (also KiB, GiB, or none for bytes), or a plain number.
  std::uint64_t bytes(std::string_view name, std::uint64_t otherwise) const;

 private:
  struct Values;
  explicit Settings(std::shared_ptr<const Values> values) : values_(std::move(values)) {}

  std::shared_ptr<const Values> values_;
};

}  // namespace kbase::sdk
