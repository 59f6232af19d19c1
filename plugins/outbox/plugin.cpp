// SPDX-License-Identifier: Apache-2.0
#include "plugins/sdk/plugin.hpp"

#include "adapters/outbox/outbox_mailer.hpp"
#include "domain/base/result.hpp"

namespace kbase::outbox {
namespace {

constexpr char kSettings[] = R"({
  "type": "object", "additionalProperties": false, "required": ["from"], "properties": {
    "from": {"type": "string", "minLength": 1,
      "description": "Sender of the mails: docs@example.org or Example Docs <docs@example.org>."},
    "folder": {"type": "string", "format": "path", "default": "${data_dir}/outbox",
      "description": "Folder in which each mail becomes a file ID.eml. It is created if it is missing."}}})";

sdk::Opened<ports::Mailer> open_mailer(sdk::Setup& setup) {
  auto sender = KBASE_TRY(mail::parse_sender(setup.settings().text("from", "")));
  auto opened =
      KBASE_TRY(OutboxMailer::open(setup.settings().path("folder", "data/outbox"), std::move(sender), setup.clock()));
  return std::shared_ptr<ports::Mailer>(std::move(opened));
}

const auto kMailer = sdk::table<ports::Mailer, open_mailer>({.config_schema = kSettings});

const void* get_port(const char* id) { return sdk::port(id, kMailer); }

constexpr kb_plugin kPlugin =
    sdk::descriptor("org.kbase.outbox", KBASE_PLUGIN_VERSION, "kbase", "Apache-2.0", get_port);

}  // namespace
}  // namespace kbase::outbox

KB_NOTE;

const kb_plugin* kb_plugin_entry() noexcept { return &kbase::outbox::kPlugin; }
