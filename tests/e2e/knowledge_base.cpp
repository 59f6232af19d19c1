// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/knowledge_base.hpp"

#include <cstdlib>
#include <fstream>

#include "tests/support/eventually.hpp"
#include "tests/support/text_file.hpp"

namespace kbase::tests {
namespace {

std::string configuration_text(const std::filesystem::path& folder, const BackEnds& back_ends,
                               const std::filesystem::path& content, Quota quota) {
  std::string text = "data_dir: " + (folder / "data").string() + "\n";
  text += "server: { port: 0, max_queue_time: 5s }\n";  // a busy machine must not count as overload
  text += configuration_of(back_ends, folder, content);
  if (quota == Quota::Lifted) text += "plans:\n  public: { per_minute: 0, per_day: 0 }\n";
  return text;
}

}  // namespace

KnowledgeBase::KnowledgeBase(BackEnds back_ends, std::filesystem::path content, Quota quota)
    : back_ends_(back_ends),
      configuration_(write("kbase.yaml", configuration_text(folder_.path(), back_ends, content, quota))) {
  if (back_ends.storage != Storage::Memory && !content.empty()) import(content);
}

KnowledgeBase::~KnowledgeBase() {
  try {
    clear(back_ends_, folder_.path());
  } catch (const std::runtime_error&) {  // the shared server has stopped already
  }
}

std::filesystem::path KnowledgeBase::write(const std::string& name, std::string_view text) const {
  const std::filesystem::path path = folder_.path() / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::vector<std::string> KnowledgeBase::command(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), program());
  arguments.insert(arguments.end(), {"--config", configuration_.string()});
  return arguments;
}

Outcome KnowledgeBase::run(std::vector<std::string> arguments, std::string_view input) const {
  return run_program({.command = command(std::move(arguments)), .environment = {}, .error_log = {}}, input);
}

ChildProcess KnowledgeBase::start(std::vector<std::string> arguments) const {
  return ChildProcess(
      {.command = command(std::move(arguments)), .environment = {}, .error_log = folder_.path() / "log"});
}

void KnowledgeBase::import(const std::filesystem::path& source, std::vector<std::string> options) const {
  options.insert(options.begin(), "import");
  options.push_back(source.string());
  const Outcome outcome = run(options);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
}

std::string KnowledgeBase::exported() const {
  const Outcome outcome = run({"export"});
  if (outcome.errors.find("there is no knowledge base") != std::string::npos) return {};
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  return outcome.output;
}

KnowledgeBase::Key KnowledgeBase::create_key(const std::string& plan, std::vector<std::string> options) const {
  std::vector<std::string> arguments{"keys", "create", "--name", "tester", "--plan", plan, "--json"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
  const nlohmann::json answer = nlohmann::json::parse(outcome.output, nullptr, false);
  if (!answer.is_object()) throw std::runtime_error("keys create --json printed \"" + outcome.output + '"');
  return {answer.at("id"), answer.at("key")};
}

ServerProcess KnowledgeBase::serve(std::vector<std::string> arguments, std::vector<std::string> environment) const {
  arguments.insert(arguments.begin(), "serve");
  return ServerProcess({.command = command(std::move(arguments)),
                        .environment = std::move(environment),
                        .error_log = folder_.path() / "log"});
}

std::string KnowledgeBase::log() const { return text_of(folder_.path() / "log"); }

ServedBase::ServedBase(BackEnds back_ends, const std::filesystem::path& content, Quota quota,
                       std::vector<std::string> arguments)
    : base_(back_ends, content, quota), arguments_(std::move(arguments)) {
  start();
}

void ServedBase::start() {
  server_.reset(new ServerProcess(base_.serve(arguments_)));
  Client web = client();
  EXPECT_TRUE(eventually(kWithinFiveSeconds, [&] { return web.get("/health").status == 200; })) << base_.log();
}

void ServedBase::restart() {
  EXPECT_EQ(server_->stop(), 0) << base_.log();
  start();
}

std::string program() {
  const char* const named = std::getenv("KBASE_TEST_PROGRAM");
  return named != nullptr ? named : KBASE_PROGRAM;
}

Outcome run_kbase(std::vector<std::string> arguments, std::vector<std::string> environment) {
  arguments.insert(arguments.begin(), program());
  return run_program({.command = std::move(arguments), .environment = std::move(environment), .error_log = {}});
}

std::string in_shell(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) {
    line += line.empty() ? "'" : " '";
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace kbase::tests
