// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kbase/code_host.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "app/plugin_host/call_frame.hpp"
#include "app/plugin_host/lent_rows.hpp"
#include "ports/driven/code_host.hpp"

namespace kbase::plugin_host {

/// Reads the rows of a look-up. Like the readers of lent_rows.hpp, but checks everything, because the rows are printed
/// and cached. Also limits the total size of all rows of a look-up.
class UserReader {
 public:
  Fault read(const kb_profile* lent, ports::UserProfile& row);
  Fault read(const kb_repository* lent, ports::Repository& row);
  Fault read(const kb_contributions* lent, ports::Contributions& row);
  Fault read(std::int32_t day, std::uint64_t count, model::Day& row);
  Fault read(kb_view name, double share, std::string_view& row);

  /// Returns the violation if a finished look-up is incomplete; null: it is complete.
  Fault missing() const noexcept;

 private:
  /// In the order in which the parts may arrive.
  enum class Part { Nothing, Profile, Repositories, Contributions, Days, Languages };

  Fault move_to(Part part) noexcept;
  Fault read_text(kb_view lent, std::string_view& text) noexcept;
  Fault read_text(kb_view lent, std::optional<std::string_view>& text) noexcept;
  Fault read_name(kb_view lent, std::string_view& name) noexcept;
  Fault read_time(kb_view lent, std::optional<model::Instant>& instant) noexcept;
  Fault read_topics(const kb_repository& lent, ports::Repository& row);

  Part part_ = Part::Nothing;
  std::size_t bytes_ = 0;
  ListRoom topics_;
  model::Day next_day_{}, last_day_{};
  std::set<std::string, std::less<>> languages_;
  double shares_ = 0;
};

/// The sinks of a look-up: passes rows to the visitor and stores the validator. See RowSink.
class UserSink {
 public:
  UserSink(CallFrame& frame, ports::UserVisitor& visitor) noexcept;

  const kb_code_host_sink& table() const noexcept { return table_; }

  /// Reports a violation if the finished look-up is incomplete.
  void check_whole() noexcept;

  std::string& validator() noexcept { return validator_; }

 private:
  static std::int32_t take_profile(void* data, const kb_profile* lent) noexcept;
  static std::int32_t take_repository(void* data, const kb_repository* lent) noexcept;
  static std::int32_t take_contributions(void* data, const kb_contributions* lent) noexcept;
  static std::int32_t take_day(void* data, std::int32_t day, std::uint64_t count) noexcept;
  static std::int32_t take_language(void* data, kb_view name, double share) noexcept;
  static void take_validator(void* data, kb_view validator) noexcept;

  CallFrame& frame_;
  ports::UserVisitor& visitor_;
  UserReader reader_;
  std::string validator_;
  kb_code_host_sink table_;
};

}  // namespace kbase::plugin_host
