// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>

#include "app/plugin_check/certify.hpp"

namespace kbase::plugin_check {
namespace {

enum ExitCode : int {
  kPassed = 0,
  kFailed = 1,     ///< a check failed, or no server would load the plugin
  kNotChecked = 2  ///< wrong usage, or the file does not exist
};

struct Arguments {
  std::string file;
  std::string config;
  bool json = false;
  bool junit = false;
  Selection selection;
};

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option("FILE", arguments.file, "the plugin, a shared object")->required();
  app.add_option("--port", arguments.selection.port, "check one port alone")->type_name("ID");
  app.add_option("--config", arguments.config,
                 "the plugin's settings, the `config:` part of a configuration (YAML or JSON); ${SCRATCH} in it stands "
                 "for an empty folder")
      ->type_name("FILE");
  auto* json = app.add_flag("--json", arguments.json, "report as JSON");
  app.add_flag("--junit", arguments.junit, "report as JUnit XML")->excludes(json);
  for (const auto& [name, patterns, description] :
       {std::tuple("--only", &arguments.selection.only, "run only the checks of this name; * stands for any text"),
        std::tuple("--skip", &arguments.selection.skip, "leave the checks of this name out")})
    app.add_option(name, *patterns, description)->type_name("PATTERN")->allow_extra_args(false);
}

int refuse(const std::string& sentence) {
  std::fprintf(stderr, "kbase plugin check: %s\n", sentence.c_str());
  return kNotChecked;
}

/// Shows the current check on a terminal, on one line.
void show_progress(const CheckResult& result) { std::fprintf(stderr, "\r\x1b[K%s", words_of(result.name).c_str()); }

std::string report_of(const Arguments& arguments, const Certificate& certificate) {
  if (arguments.json) return json_report(certificate);
  if (arguments.junit) return junit_report(certificate);
  return text_report(certificate, ::isatty(STDOUT_FILENO) == 1 ? Colour::Ansi : Colour::None);
}

int check(const Arguments& arguments) {
  std::error_code error;
  Target target{std::filesystem::absolute(arguments.file), std::nullopt};
  if (!std::filesystem::is_regular_file(target.file, error)) return refuse("there is no file " + target.file.string());
  if (!arguments.config.empty()) {
    std::ifstream in(arguments.config, std::ios::binary);
    if (!in) return refuse("cannot read " + arguments.config + ": " + std::strerror(errno));
    target.configuration = {arguments.config, std::string(std::istreambuf_iterator<char>(in), {})};
  }
  const bool is_watched = ::isatty(STDERR_FILENO) == 1;
  const auto certificate = certify(target, arguments.selection, is_watched ? Progress(show_progress) : Progress());
  if (is_watched) std::fputs("\r\x1b[K", stderr);
  if (!certificate) return refuse(certificate.error().parameter + ": " + certificate.error().message);
  std::fputs(report_of(arguments, *certificate).c_str(), stdout);
  return certificate->is_passed() ? kPassed : kFailed;
}

int run(int count, char** values) {
  CLI::App app("checks a plugin against the rules of <kbase/plugin.h>", "kbase plugin check");
  app.failure_message(CLI::FailureMessage::simple);
  app.footer("Exit code: 0 the plugin passed, 1 it failed, 2 it could not be checked.");
  Arguments arguments;
  declare(app, arguments);
  try {
    app.parse(count, values);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kPassed : kNotChecked;
  }
  return check(arguments);
}

}  // namespace
}  // namespace kbase::plugin_check

int main(int count, char** values) {
  try {
    return kbase::plugin_check::run(count, values);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kbase plugin check: unexpected: %s\n", error.what());
  } catch (...) {
    std::fputs("kbase plugin check: unexpected failure\n", stderr);
  }
  return kbase::plugin_check::kNotChecked;
}
