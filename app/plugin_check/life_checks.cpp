// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/plugin_check/memory_hog.hpp"
#include "app/plugin_check/printed.hpp"
#include "app/plugin_check/process_state.hpp"
#include "app/plugin_check/rules.hpp"
#include "app/plugin_check/table_bench.hpp"

namespace kbase::plugin_check {
namespace {

constexpr int kLivesInARound = 100;
constexpr std::array<int, 4> kLives{20, kLivesInARound, kLivesInARound, kLivesInARound};  // the first round warms up
constexpr std::size_t kLeastLeak = 8;                                                     // bytes per instance

void the_schema_is_understood(TableBench& bench) {
  for (const std::string& defect : defects_of_schema(bench.start().config_schema))
    bench.report().expect(false, "config_schema is a JSON Schema of the kind that servers understand", defect);
}

void use_a_little(TableInstance& instance, Caller& caller) {
  if (instance.is_made()) instance.ask_health(caller);
  if (instance.smoke_test() == nullptr) return;
  instance.smoke_test()->write(caller, 0);
  instance.smoke_test()->read(caller, 0);
  instance.expect_healthy(caller);
}

void a_default_instance_works(TableBench& bench) {
  const auto configuration = bench.configuration();
  if (!configuration) return;
  const auto caller = bench.caller();
  TableInstance instance(bench, *caller, *configuration);
  use_a_little(instance, *caller);
}

/// Returns true if an unusable setting is refused by create, or by health if the plugin opens late. A refusal without
/// an explanation is a violation.
bool is_refused(TableBench& bench, Caller& caller, const std::string& configuration) {
  const PortAccess& port = bench.port();
  void* instance = nullptr;
  const auto judge = [&](const Turn& turn, kb_status status) {
    if (status < KB_OK)
      caller.expect(turn.is_explained(), "a failure is put into words", turn.told(status) + " without explaining");
    return status < KB_OK;
  };
  {
    Turn turn(caller, "create");
    const kb_view text = turn.lend().text(configuration);
    const kb_status status = port.create(bench.table(), turn.call()->host, turn.call(), text, &instance);
    if (status != KB_OK) return judge(turn, status);
  }
  bool refused = false;
  {
    Turn turn(caller, "health");
    refused = judge(turn, port.health(bench.table(), instance, turn.call()));
  }
  const Turn turn(caller, "destroy");
  port.destroy(bench.table(), instance);
  return refused;
}

/// Sets each path setting in turn to a path below a regular file. At least one must be refused, because a port need not
/// use every path.
void an_unusable_path_is_explained(TableBench& bench) {
  const auto configuration = bench.configuration();
  if (!configuration) return;
  const auto caller = bench.caller();
  const std::filesystem::path file = bench.bench().scratch / "no-folder";
  std::ofstream(file) << "a file\n";
  const nlohmann::json settings = nlohmann::json::parse(*configuration);
  std::string tried;
  bool refused = false;
  for (const std::string& name : path_settings(bench.start().config_schema)) {
    if (!settings.contains(name) || settings[name] == "") continue;
    nlohmann::json wrong = settings;
    wrong[name] = (file / "below" / "it").string();
    refused = is_refused(bench, *caller, wrong.dump()) || refused;
    tried += (tried.empty() ? "" : " and ") + name;
  }
  if (tried.empty()) return bench.report().skip("no setting is a path");
  caller->expect(refused, "a path that cannot be used is refused by create or health",
                 "nothing happened when " + tried + " named a place below a file that is no folder");
}

void live_and_die(TableBench& bench, Caller& caller, const std::string& configuration, int lives) {
  for (int i = 0; i < lives; ++i) TableInstance(bench, caller, configuration).ask_health(caller);
}

std::string growth(const char* what, std::size_t before, std::size_t after) {
  return std::to_string(before) + what + " before, " + std::to_string(after) + what + " after them";
}

void three_hundred_lives_leave_nothing(TableBench& bench) {
  const auto configuration = bench.configuration();
  if (!configuration) return;
  const auto caller = bench.caller();
  std::thread([] {}).join();  // thread checkers such as sanitizers may start a thread of their own at the first one
  const Holdings first = Holdings::now();
  std::vector<Holdings> after;
  for (const int lives : kLives) {
    // A new thread for each round, so that the C library's per-thread caches are not counted as the plugin's.
    std::thread([&] { live_and_die(bench, *caller, *configuration, lives); }).join();
    after.push_back(Holdings::now());
  }
  bench.report().expect(after.back().threads <= first.threads, "no thread outlives destroy",
                        growth(" running", first.threads, after.back().threads));
  bench.report().expect(after.back().open_files <= after.front().open_files, "no file stays open after destroy",
                        growth(" open", after.front().open_files, after.back().open_files));
  bool grows = true;
  for (std::size_t i = 1; i < after.size(); ++i)
    grows = grows && after[i].heap_bytes >= after[i - 1].heap_bytes + kLivesInARound * kLeastLeak;
  const std::size_t leaked = after.back().heap_bytes - after.front().heap_bytes;
  bench.report().expect(!grows, "creating and destroying instances does not take more and more memory",
                        std::to_string(leaked / (3 * kLivesInARound)) + " bytes are lost with each instance");
}

void the_process_stays_as_it_was(TableBench& bench) {
  const auto configuration = bench.configuration();
  if (!configuration) return;
  const auto caller = bench.caller();
  const ProcessState before;
  const auto compare = [&](const char* when) {
    for (const std::string& change : before.changes())
      caller->fault("what belongs to the process as a whole stays as it was", when + change);
  };
  TableInstance instance(bench, *caller, *configuration);
  compare("after create ");
  use_a_little(instance, *caller);
  compare("after some calls ");
  instance.destroy();
  compare("after destroy ");
}

void prints_nothing(TableBench& bench) {
  const auto configuration = bench.configuration();
  if (!configuration) return;
  const auto caller = bench.caller();
  const long before = printed_bytes();
  {
    TableInstance instance(bench, *caller, *configuration);
    use_a_little(instance, *caller);
  }
  const long written = printed_bytes() - before;
  bench.report().expect(written == 0, "what is to be said goes through kb_host.log",
                        std::to_string(written) + " bytes went to standard output or error");
}

/// Ends the process as a server does, so that static destructors and exit handlers run.
void lets_the_process_end(TableBench& bench) {
  const auto configuration = bench.configuration();
  if (!configuration) return;
  const auto caller = bench.caller();
  {
    TableInstance instance(bench, *caller, *configuration);
    use_a_little(instance, *caller);
  }
  bench.bench().steps.enter("the end of the process");
}

void create_survives_a_lack_of_memory(TableBench& bench) {
  if (is_allocator_instrumented()) return bench.report().skip("a sanitizer stands in the allocator's place");
  const auto configuration = bench.configuration();
  if (!configuration) return;
  const auto caller = bench.caller();
  const PortAccess& port = bench.port();
  TableInstance(bench, *caller, *configuration).destroy();  // creates what the plugin creates only once
  for (std::size_t left = 0; left <= 1024; left = left == 0 ? 1 : left * 2) {
    Turn turn(*caller, "create with hardly any memory left");
    const kb_view text = turn.lend().text(*configuration);
    void* instance = nullptr;
    kb_status status = KB_OK;
    {
      const MemoryHog memory_hog(left * 1024);
      status = port.create(bench.table(), turn.call()->host, turn.call(), text, &instance);
    }
    if (status == KB_OK && instance != nullptr) port.destroy(bench.table(), instance);
  }
}

}  // namespace

std::span<const TableCheck> life_checks() {
  static constexpr TableCheck kChecks[] = {
      {"TheSchemaIsUnderstood", "config_schema is understood", rules::kSchema, the_schema_is_understood, false},
      {"ADefaultInstanceWorks", "an instance can be made, used and ended", rules::kCreate, a_default_instance_works,
       false, kUsualLimit, Weight::Requirement, Exit::AtOnce, true},
      {"AnUnusablePathIsExplained", "a wrong setting is refused in words", rules::kExplain,
       an_unusable_path_is_explained, false},
      {"ThreeHundredLivesLeaveNothing", "what create makes ends with destroy", rules::kDestroy,
       three_hundred_lives_leave_nothing, false, kSlowLimit},
      {"TheProcessStaysAsItWas", "what belongs to the process as a whole stays as it was", rules::kProcess,
       the_process_stays_as_it_was, false},
      {"PrintsNothing", "what is to be said goes through kb_host.log", rules::kProcess, prints_nothing, false},
      {"LetsTheProcessEnd", "the process can end with the plugin loaded", rules::kProcess, lets_the_process_end, false,
       kUsualLimit, Weight::Requirement, Exit::Orderly},
      {"CreateSurvivesALackOfMemory", "without memory create returns KB_NO_MEMORY", rules::kNoMemory,
       create_survives_a_lack_of_memory, false, kUsualLimit, Weight::Advice},
  };
  return kChecks;
}

}  // namespace kbase::plugin_check
