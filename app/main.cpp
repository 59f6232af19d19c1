// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include "app/cli/command_line.hpp"
#include "app/plugin_host/call_frame.hpp"

int main(int count, char** arguments) {
  kbase::plugin_host::install_crash_handler();
  try {
    namespace cli = kbase::cli;
    cli::CommandLine command_line("kbase", "kbase: a knowledge base served over HTTP");
    for (const auto add :
         {cli::add_serve, cli::add_import, cli::add_export, cli::add_delete, cli::add_backup, cli::add_restore,
          cli::add_keys, cli::add_accounts, cli::add_insights, cli::add_health, cli::add_index, cli::add_external,
          cli::add_doctor, cli::add_plugin, cli::add_config, cli::add_synonyms, cli::add_completion, cli::add_version})
      add(command_line.root());
    return command_line.run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kbase: unexpected: %s\n", error.what());
  } catch (...) {
    std::fputs("kbase: unexpected failure\n", stderr);
  }
  return kbase::cli::kFailure;
}
