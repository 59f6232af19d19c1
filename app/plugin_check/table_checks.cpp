// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/plugin_check/check.hpp"
#include "app/plugin_check/guard.hpp"
#include "app/plugin_check/port_driver.hpp"
#include "app/plugin_check/process_state.hpp"

namespace kbase::plugin_check {
namespace {

using std::chrono::milliseconds;
using Memory = GuardMode::Memory;
using Timeout = GuardMode::Timeout;

constexpr int kLivesInARound = 100;
constexpr std::array<int, 4> kLives{20, kLivesInARound, kLivesInARound, kLivesInARound};  // the first round warms up
constexpr std::size_t kLeastLeak = 8;                                                     // bytes per instance

constexpr milliseconds kSoon{50};
constexpr milliseconds kNoise{1000};  // a longer call is slow every time, so it is not retried

/// The environment of a check: the loaded plugin behind a guard.
class PortBench {
 public:
  PortBench(const Target& target, const PortDriver& port, Bench& bench, const plugin_host::Plugin& plugin)
      : driver(port),
        report(bench.report),
        steps(bench.steps),
        scratch(bench.scratch),
        guard(bench.steps, bench.report),
        target_(target),
        plugin_(plugin) {}

  const char* schema() const { return plugin_host::start_of(plugin_.table<void>(driver.id)).config_schema; }

  /// Returns the settings of an instance with its own `folder` below the scratch folder. nullopt: the report contains
  /// the reason.
  std::optional<std::string> configuration(const std::string& folder = "a") {
    const std::filesystem::path own = scratch / folder;
    std::filesystem::create_directories(own);
    auto made = configuration_for(schema(), target_.configuration, driver.id, own);
    if (report.ok(made, "there is a configuration that fits config_schema")) return *made;
    return std::nullopt;
  }

  Result<std::unique_ptr<Instance>> try_open(const std::string& configuration) {
    return driver.open(plugin_, &guard, configuration);
  }

  /// Returns a new instance. Null: the report contains the reason.
  std::unique_ptr<Instance> open(const std::string& folder = "a") {
    const auto settings = configuration(folder);
    if (!settings) return nullptr;
    auto opened = try_open(*settings);
    if (!report.ok(opened, "create makes an instance of a configuration that fits config_schema")) return nullptr;
    return *std::move(opened);
  }

  /// Runs the smoke checks, each with an instance of its own.
  void use() {
    for (const std::size_t check : driver.smoke_checks())
      if (const auto instance = open("use " + std::to_string(++uses_))) run(*instance, check);
  }

  /// Runs a smoke check. A check that does not apply to this plugin does not end the others.
  void run(Instance& instance, std::size_t check) {
    conformance::Report own;
    instance.run(check, own);
    guard.flush();
    for (const conformance::Finding& finding : own.findings())
      report.expect(false, finding.expected, finding.observed, finding.where);
  }

  /// Runs the first smoke check and asks for the health.
  void use_a_little() {
    const auto instance = open("use " + std::to_string(++uses_));
    if (instance == nullptr) return;
    (void)instance->health();
    run(*instance, driver.smoke_checks().front());
  }

  const PortDriver& driver;
  conformance::Report& report;
  Steps& steps;
  const std::filesystem::path scratch;
  Guard guard;

 private:
  const Target& target_;
  const plugin_host::Plugin plugin_;
  int uses_ = 0;
};

// ---- creation and destruction
// ----------------------------------------------------------------------------------------

void the_schema_is_valid(PortBench& bench) {
  for (const std::string& defect : defects_of_schema(bench.schema()))
    bench.report.expect(false, "config_schema is a JSON Schema with the keywords that servers support", defect);
}

void a_default_instance_works(PortBench& bench) { bench.use_a_little(); }

/// Returns true if an unusable setting is refused by create, or by health if the plugin opens late. A refusal without
/// an explanation is a violation.
bool is_refused(PortBench& bench, const std::string& configuration) {
  auto opened = bench.try_open(configuration);
  const Status status = opened ? (*opened)->health() : Status(opened.error());
  if (status) return false;
  bench.report.expect(!status.error().detail.ends_with("without an explanation"), "a failure is explained",
                      status.error().detail);
  return true;
}

/// Sets each path setting in turn to a path below a regular file. At least one must be refused, because a port need not
/// use every path.
void an_unusable_path_is_explained(PortBench& bench) {
  const auto configuration = bench.configuration();
  if (!configuration) return;
  const std::filesystem::path file = bench.scratch / "no-folder";
  std::ofstream(file) << "a file\n";
  const nlohmann::json settings = nlohmann::json::parse(*configuration);
  std::string tried;
  bool refused = false;
  for (const std::string& name : path_settings(bench.schema())) {
    if (!settings.contains(name) || settings[name] == "") continue;
    nlohmann::json wrong = settings;
    wrong[name] = (file / "below" / "it").string();
    refused = is_refused(bench, wrong.dump()) || refused;
    tried += (tried.empty() ? "" : " and ") + name;
  }
  if (tried.empty()) return bench.report.skip("no setting is a path");
  bench.report.expect(refused, "create or health refuses a path that cannot be used",
                      "the plugin accepted a path below a regular file as " + tried);
}

void live_and_die(PortBench& bench, const std::string& configuration, int lives) {
  for (int i = 0; i < lives; ++i)
    if (const auto opened = bench.try_open(configuration)) (void)(*opened)->health();
}

std::string growth(const char* what, std::size_t before, std::size_t after) {
  return std::to_string(before) + what + " before, " + std::to_string(after) + what + " after them";
}

void destroy_releases_everything(PortBench& bench) {
  const auto configuration = bench.configuration();
  if (!configuration) return;
  std::thread([] {}).join();  // thread checkers such as sanitizers may start a thread of their own at the first one
  const Resources first = Resources::now();
  std::vector<Resources> after;
  for (const int lives : kLives) {
    // A new thread for each round, so that the C library's per-thread caches are not counted as the plugin's.
    std::thread([&] { live_and_die(bench, *configuration, lives); }).join();
    after.push_back(Resources::now());
  }
  bench.report.expect(after.back().threads <= first.threads, "no thread outlives destroy",
                      growth(" running", first.threads, after.back().threads));
  bench.report.expect(after.back().open_files <= after.front().open_files, "no file stays open after destroy",
                      growth(" open", after.front().open_files, after.back().open_files));
  bool grows = true;
  for (std::size_t i = 1; i < after.size(); ++i)
    grows = grows && after[i].heap_bytes >= after[i - 1].heap_bytes + kLivesInARound * kLeastLeak;
  const std::size_t leaked = after.back().heap_bytes - after.front().heap_bytes;
  bench.report.expect(!grows, "creating and destroying instances does not use more and more memory",
                      std::to_string(leaked / (3 * kLivesInARound)) + " bytes are lost with each instance");
}

void leaves_the_process_unchanged(PortBench& bench) {
  const ProcessState before;
  const auto compare = [&](const std::string& when) {
    for (const std::string& change : before.changes())
      bench.report.expect(false, "the plugin does not change the state of the process", when + change);
  };
  {
    const auto instance = bench.open();
    if (instance == nullptr) return;
    compare("after create ");
    bench.run(*instance, bench.driver.smoke_checks().front());
    compare("after some calls ");
  }
  compare("after destroy ");
}

void prints_nothing(PortBench& bench) {
  const long before = printed_bytes();
  bench.use_a_little();
  const long written = printed_bytes() - before;
  bench.report.expect(written == 0, "messages go to kb_host.log",
                      std::to_string(written) + " bytes went to standard output or error");
}

/// Ends the process as a server does, so that static destructors and exit handlers run.
void lets_the_process_end(PortBench& bench) {
  bench.use_a_little();
  bench.steps.enter("the end of the process");
}

void create_survives_a_lack_of_memory(PortBench& bench) {
  if (is_allocator_instrumented()) return bench.report.skip("a sanitizer replaces the allocator");
  const auto configuration = bench.configuration();
  if (!configuration) return;
  (void)bench.try_open(*configuration);  // creates what the plugin creates only once
  for (std::size_t left = 0; left <= 1024; left = left == 0 ? 1 : left * 2) {
    bench.guard.mode.memory_left = left * 1024;
    const auto opened = bench.try_open(*configuration);
    bench.guard.mode.memory_left.reset();
  }
}

// ---- use ---------------------------------------------------------------------------------------------------------

void use_with(PortBench& bench, const GuardMode& mode) {
  bench.guard.mode = mode;
  bench.use();
}

void reads_no_further_than_the_end(PortBench& bench) { use_with(bench, {.memory = Memory::AtTheEdge}); }

void copies_what_it_keeps(PortBench& bench) { use_with(bench, {.memory = Memory::Overwritten}); }

void accepts_structs_of_a_newer_server(PortBench& bench) { use_with(bench, {.longer_structs = true}); }

/// Runs a check whose findings do not count, and returns the health of the instance afterwards. nullopt: it could not
/// be opened.
std::optional<Status> health_after(PortBench& bench, std::size_t check, bool stops_sinks) {
  const auto instance = bench.open("check " + std::to_string(check));
  if (instance == nullptr) return std::nullopt;
  conformance::Report ignored;
  bench.guard.mode.stops_sinks = stops_sinks;
  instance->run(check, ignored);
  bench.guard.mode.stops_sinks = false;
  return instance->health();
}

/// The guard reports what the plugin does wrong. Some checks leave an instance that is not healthy, for example a
/// search index whose rebuild is not complete; so each runs without stops first.
void stops_when_a_sink_says_so(PortBench& bench) {
  for (const std::size_t check : bench.driver.smoke_checks()) {
    const auto before = health_after(bench, check, false);
    if (!before) return;
    const auto after = health_after(bench, check, true);
    if (!after) return;
    if (*before) bench.report.ok(*after, "an instance works after its sinks were stopped");
  }
  if (bench.guard.stopped_sinks() == 0) bench.report.skip("no function called a sink");
}

void calls_a_sink_only_during_its_call(PortBench& bench) {
  bench.use();
  bench.steps.enter("waiting for late calls");
  ::poll(nullptr, 0, 100);  // time for a plugin's thread to make a late call
}

void instances_are_independent(PortBench& bench) {
  auto first = bench.open("first");
  const auto second = bench.open("second");
  if (first == nullptr || second == nullptr) return;
  const std::size_t check = bench.driver.smoke_checks().front();
  bench.run(*first, check);
  bench.run(*second, check);
  first.reset();
  conformance::Report ignored;
  second->run(check, ignored);  // not empty as the check expects; must not crash
  bench.report.ok(second->health(), "an instance works after another one was destroyed");
}

/// Repeats each smoke check with calls that are already cancelled or past their deadline, whose outcome does not count.
/// Returns the longest one.
Guard::Longest use_impatiently(PortBench& bench, const std::string& folder, Timeout timeout) {
  Guard::Longest longest;
  conformance::Report ignored;
  for (const std::size_t check : bench.driver.smoke_checks()) {
    const auto instance = bench.open(folder + std::to_string(check));
    if (instance == nullptr) return longest;
    instance->run(check, ignored);  // fills the instance
    auto batch = instance->begin_batch();
    bench.guard.take_longest();
    bench.guard.mode.timeout = timeout;
    (void)instance->health();
    (void)instance->begin_batch();
    batch.reset();
    instance->run(check, ignored);
    bench.guard.mode.timeout = Timeout::None;
    if (auto each = bench.guard.take_longest(); each.took > longest.took) longest = std::move(each);
  }
  return longest;
}

/// Tries up to three times, because a busy machine may delay a call.
void expect_soon(PortBench& bench, Timeout timeout, const char* expected) {
  Guard::Longest least{"", milliseconds::max()};
  bool is_noise = true;
  for (int tries = 0; tries < 3 && least.took > kSoon && is_noise; ++tries) {
    const Guard::Longest longest = use_impatiently(bench, "try " + std::to_string(tries) + " ", timeout);
    if (longest.took < least.took) least = longest;
    is_noise = longest.took < kNoise;
  }
  bench.report.expect(least.took <= kSoon, expected,
                      least.function + " took " + std::to_string(least.took.count()) + " ms");
}

void a_passed_deadline_ends_a_call(PortBench& bench) {
  expect_soon(bench, Timeout::DeadlinePassed, "a call whose deadline has passed ends within 50 ms");
}

void a_cancelled_call_ends(PortBench& bench) {
  expect_soon(bench, Timeout::Cancelled, "a call that was cancelled ends within 50 ms");
}

struct TableCheck {
  const char* name;
  const char* expected;
  const char* about;
  void (*run)(PortBench& bench);
  std::chrono::milliseconds limit = kSlowLimit;
  Weight weight = Weight::Requirement;
  Exit exit = Exit::AtOnce;
  bool is_gate = false;
};

constexpr TableCheck kChecks[] = {
    {"TheSchemaIsValid", "config_schema is valid", rules::kSchema, the_schema_is_valid},
    {"ADefaultInstanceWorks", "an instance can be created, used and destroyed", rules::kCreate,
     a_default_instance_works, kUsualLimit, Weight::Requirement, Exit::AtOnce, true},
    {"AnUnusablePathIsExplained", "a wrong setting is refused with an explanation", rules::kExplain,
     an_unusable_path_is_explained},
    {"DestroyReleasesEverything", "destroy releases what create made", rules::kDestroy, destroy_releases_everything},
    {"LeavesTheProcessUnchanged", "the plugin does not change the state of the process", rules::kProcess,
     leaves_the_process_unchanged},
    {"PrintsNothing", "messages go to kb_host.log", rules::kProcess, prints_nothing},
    {"LetsTheProcessEnd", "the process can end with the plugin loaded", rules::kProcess, lets_the_process_end,
     kSlowLimit, Weight::Requirement, Exit::Orderly},
    {"CreateSurvivesALackOfMemory", "without memory create returns KB_NO_MEMORY", rules::kNoMemory,
     create_survives_a_lack_of_memory, kSlowLimit, Weight::Advice},
    {"ReadsNoFurtherThanTheEnd", "nothing is read or written beyond the end of an argument", rules::kViews,
     reads_no_further_than_the_end},
    {"CopiesWhatItKeeps", "a pointer or view is valid only until the call returns", rules::kArguments,
     copies_what_it_keeps},
    {"AcceptsStructsOfANewerServer", "a struct may be longer than the plugin's header defines it", rules::kStructsGrow,
     accepts_structs_of_a_newer_server},
    {"StopsWhenASinkSaysSo", "a sink that returned \"stop\" is not called again", rules::kStopped,
     stops_when_a_sink_says_so},
    {"CallsASinkOnlyDuringItsCall", "a sink is not called after its function has returned", rules::kArguments,
     calls_a_sink_only_during_its_call},
    {"InstancesAreIndependent", "several instances may exist at once", rules::kCreate, instances_are_independent},
    {"APassedDeadlineEndsACall", "a call whose deadline has passed ends soon", rules::kDeadline,
     a_passed_deadline_ends_a_call},
    {"ACancelledCallEnds", "a call that was cancelled ends soon", rules::kCancelled, a_cancelled_call_ends},
};

}  // namespace

Checks table_checks(const Target& target, const PortDriver& port) {
  Checks checks;
  for (const TableCheck& entry : kChecks) {
    const auto run = [target, &port, run = entry.run](Bench& bench) {
      bench.steps.enter("loading the file");
      const auto plugin = plugin_host::load_plugin(target.file, {});
      bench.steps.leave();
      if (!bench.report.ok(plugin, "a server loads the plugin")) return;
      PortBench port_bench(target, port, bench, *plugin);
      run(port_bench);
    };
    checks.push_back({std::string(port.id),
                      entry.name,
                      entry.expected,
                      {rules::kHeader, entry.about},
                      run,
                      entry.limit,
                      entry.weight,
                      entry.exit,
                      entry.is_gate});
  }
  return checks;
}

}  // namespace kbase::plugin_check
