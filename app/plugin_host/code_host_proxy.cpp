// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/code_host_proxy.hpp"

#include <utility>

#include "app/plugin_host/user_sink.hpp"

namespace kbase::plugin_host {

using sdk::view_of;

CodeHostProxy::CodeHostProxy(std::unique_ptr<CodeHostInstance> instance)
    : instance_(std::move(instance)), table_(instance_->table()), code_host_(instance_->object()) {}

bool CodeHostProxy::is_username(std::string_view username) const noexcept {
  bool could_be = false;
  instance_->run("code_host.is_username", [&] { could_be = table_.is_username(code_host_, view_of(username)) != 0; });
  return could_be;
}

model::Result<ports::LookUp> CodeHostProxy::look_up(ports::Call& call, std::string_view username,
                                                    std::string_view validator, ports::UserVisitor& visitor) {
  CallFrame frame = instance_->frame("code_host.look_up", call);
  UserSink sink(frame, visitor);
  std::int32_t unchanged = 0;
  const kb_status status = frame.run(table_.look_up, code_host_, frame.call(), view_of(username), view_of(validator),
                                     &sink.table(), &unchanged);
  const bool is_unchanged = status == KB_OK && unchanged != 0;
  if (is_unchanged && (validator.empty() || frame.rows() != 0))
    frame.report_violation("said that nothing changed where it was given no validator, or told something");
  if (status == KB_OK && !is_unchanged) sink.check_whole();
  if (status == KB_NOT_FOUND && frame.rows() != 0) frame.report_violation("told of a user who it said is not there");
  if (auto found = frame.found_or(status, "There is no such user."); !found) return found.error();
  if (is_unchanged) return ports::LookUp{ports::LookUp::Outcome::Unchanged, {}};
  return ports::LookUp{ports::LookUp::Outcome::Updated, std::move(sink.validator())};
}

}  // namespace kbase::plugin_host
