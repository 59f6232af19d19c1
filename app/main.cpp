// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "app/cli/command.hpp"
#include "app/plugin_host/crash_mark.hpp"

int main(int count, char** arguments) {
  kbase::plugin_host::install_crash_handler();
  try {
    CLI::App app("kbase: a knowledge base served over HTTP", "kbase");
    app.require_subcommand(1);
    app.failure_message(CLI::FailureMessage::simple);
    kbase::cli::Action chosen;
    kbase::cli::add_serve(app, chosen);
    kbase::cli::add_import(app, chosen);
    kbase::cli::add_export(app, chosen);
    kbase::cli::add_delete(app, chosen);
    kbase::cli::add_backup(app, chosen);
    kbase::cli::add_restore(app, chosen);
    kbase::cli::add_keys(app, chosen);
    kbase::cli::add_health(app, chosen);
    kbase::cli::add_index(app, chosen);
    kbase::cli::add_external(app, chosen);
    kbase::cli::add_doctor(app, chosen);
    kbase::cli::add_plugin(app, chosen);
    kbase::cli::add_config(app, chosen);
    kbase::cli::add_version(app, chosen);
    try {
      app.parse(count, arguments);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? kbase::cli::kSuccess : kbase::cli::kUsage;
    }
    return chosen();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kbase: unexpected: %s\n", error.what());
  } catch (...) {
    std::fputs("kbase: unexpected failure\n", stderr);
  }
  return kbase::cli::kFailure;
}
