// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

/// `kbase doctor`: checks everything that a server needs. Changes nothing and acquires no lock that a server holds.
namespace kbase::cli::doctor {

enum class State {
  Ok,
  Skipped,  ///< nothing to check, or the check is impossible
  Warning,  ///< a possible problem; may be intended
  Failed,   ///< a problem to fix
};

/// The result of one check. The check's id is stable, for programs; docs/operations/doctor.md lists all ids.
struct Finding {
  std::string check;
  State state;
  std::string message;
  std::string remedy;  ///< empty unless the state is Warning or Failed
};

/// The findings in the order of the checks.
class Findings {
 public:
  void ok(std::string check, std::string message) { add(std::move(check), State::Ok, std::move(message), {}); }
  void skip(std::string check, std::string why) { add(std::move(check), State::Skipped, std::move(why), {}); }
  void warn(std::string check, std::string message, std::string remedy) {
    add(std::move(check), State::Warning, std::move(message), std::move(remedy));
  }
  void fail(std::string check, std::string message, std::string remedy) {
    add(std::move(check), State::Failed, std::move(message), std::move(remedy));
  }

  const std::vector<Finding>& all() const { return all_; }

 private:
  void add(std::string check, State state, std::string message, std::string remedy) {
    all_.push_back({std::move(check), state, std::move(message), std::move(remedy)});
  }

  std::vector<Finding> all_;
};

}  // namespace kbase::cli::doctor
