// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/plugin_check/contained.hpp"
#include "app/plugin_check/exported_symbols.hpp"
#include "app/plugin_check/printed.hpp"
#include "app/plugin_check/process_state.hpp"
#include "app/plugin_check/rules.hpp"
#include "app/plugin_check/target.hpp"
#include "app/plugin_host/abi_version.hpp"
#include "app/plugin_host/elf_file.hpp"
#include "app/plugin_host/file_trust.hpp"
#include "app/plugin_host/known_ports.hpp"
#include "app/plugin_host/plugin.hpp"

namespace kbase::plugin_check {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using plugin_host::Plugin;
using std::chrono::milliseconds;

constexpr milliseconds kQuick{100};

std::vector<std::byte> bytes_of(const fs::path& file) {
  std::vector<std::byte> bytes(fs::file_size(file));
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

std::optional<Plugin> load(const Target& target, Bench& bench) {
  bench.steps.enter("loading the file");
  auto plugin = plugin_host::load_plugin(target.file, {});
  bench.steps.leave();
  if (plugin) return *plugin;
  bench.report.expect(false, "a server loads the plugin", plugin.error().message);
  return std::nullopt;
}

void file_can_be_trusted(const Target& target, Bench& bench) {
  const auto trusted = plugin_host::trusted_file(target.file, plugin_host::owners_of_this_process());
  bench.report.expect(trusted.has_value(),
                      "nobody but root, the server's user and the program's owner can change the file",
                      trusted ? "" : target.file.string() + " " + trusted.error().message);
}

void file_has_the_note(const Target& target, Bench& bench) {
  const auto elf = plugin_host::read_elf(bytes_of(target.file));
  if (!elf) {
    bench.report.expect(false, "the file is an ELF shared object", "it " + elf.error().message);
    return;
  }
  if (!bench.report.expect(elf->note.has_value(), "the file has the note that KB_NOTE makes", "it has none")) return;
  const auto fits = plugin_host::check_abi(*elf->note, plugin_host::own_abi());
  bench.report.expect(fits.has_value(), "the note names a version of the header that this server can live with",
                      fits ? "" : "the plugin " + fits.error().message);
}

void exports_one_symbol(const Target& target, Bench& bench) {
  std::string others;
  bool has_entry = false;
  for (const std::string& name : exported_symbols(bytes_of(target.file))) {
    if (name == "kb_plugin_entry")
      has_entry = true;
    else
      others += (others.empty() ? "" : ", ") + name;
  }
  bench.report.expect(has_entry, "the plugin exports kb_plugin_entry", "it does not");
  bench.report.expect(others.empty(), "the plugin exports nothing but kb_plugin_entry", "it also exports " + others);
}

void loads_in_a_server(const Target& target, Bench& bench) {
  load(target, bench);
}

void loads_quickly(const Target& target, Bench& bench) {
  const auto start = std::chrono::steady_clock::now();
  if (!load(target, bench)) return;
  const auto took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
  bench.report.expect(took < kQuick, "a plugin is loaded within 100 ms",
                      "it took " + std::to_string(took.count()) + " ms");
}

void loading_does_nothing_else(const Target& target, Bench& bench) {
  const ProcessState before;
  const Holdings held = Holdings::now();
  const long printed = printed_bytes();
  if (!load(target, bench)) return;
  for (const std::string& change : before.changes())
    bench.report.expect(false, "loading leaves the process as it was", change);
  const Holdings now = Holdings::now();
  bench.report.expect(now.threads == held.threads, "loading starts no thread",
                      std::to_string(now.threads - held.threads) + " more than before");
  bench.report.expect(now.open_files <= held.open_files, "loading leaves no file open",
                      std::to_string(now.open_files - held.open_files) + " more than before");
  bench.report.expect(printed_bytes() == printed, "loading prints nothing", "it wrote to standard output or error");
}

std::string told(const kb_plugin& descriptor) {
  return std::string(descriptor.id) + " " + descriptor.version + " " + descriptor.vendor + " " + descriptor.license;
}

void descriptor_is_the_same_each_time(const Target& target, Bench& bench) {
  const auto plugin = load(target, bench);
  if (!plugin) return;
  void* const library = ::dlopen(plugin->path().c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto entry = reinterpret_cast<const kb_plugin* (*)()>(::dlsym(library, "kb_plugin_entry"));
  const std::string first = told(plugin->descriptor());
  const auto ask = [&] {
    const kb_plugin* const again = entry();
    bench.report.expect(again == &plugin->descriptor() && told(*again) == first,
                        "kb_plugin_entry returns one static descriptor", "it returned another one later");
    for (const plugin_host::KnownPort& port : plugin_host::known_ports())
      bench.report.expect(again->get_port(port.id.data()) == plugin->table<void>(port.id),
                          "get_port always gives the same answer", "it gave another one for " + std::string(port.id));
  };
  bench.steps.enter("kb_plugin_entry");
  ask();
  std::thread(ask).join();
}

void unknown_ports_are_not_offered(const Target& target, Bench& bench) {
  const auto plugin = load(target, bench);
  if (!plugin) return;
  bench.steps.enter("get_port");
  std::vector<std::string> ids{"", "kbase", "kbase.nothing/1", "org.example.cache/1"};
  for (const plugin_host::KnownPort& port : plugin_host::known_ports()) {
    const std::string id(port.id);
    for (const char* tail : {"0", " ", "x", "/1", "\n"}) ids.push_back(id + tail);
    ids.push_back(id.substr(0, id.size() - 1) + "2");
    ids.push_back(id.substr(0, id.size() - 2));
    ids.push_back(" " + id);
    ids.push_back("K" + id.substr(1));
  }
  for (const std::string& id : ids)
    bench.report.expect(plugin->descriptor().get_port(id.c_str()) == nullptr, "get_port of an unknown id is NULL",
                        "of \"" + id + "\" it gave a table");
}

/// Serializes the description for the pipe.
std::string described(const Plugin& plugin) {
  Json ports = Json::array();
  for (const PortAccess& port : port_accesses()) {
    const void* const table = plugin.table<void>(port.id);
    if (table == nullptr) continue;
    const char* const schema = plugin_host::start_of(table).config_schema;
    ports.push_back({{"id", port.id}, {"schema", schema != nullptr ? Json(schema) : Json()}});
  }
  const kb_plugin& of = plugin.descriptor();
  const Json all{
      {"id", of.id}, {"version", of.version}, {"vendor", of.vendor}, {"license", of.license}, {"ports", ports}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Description description_in(const std::string& text) {
  const Json told = Json::parse(text);
  Description description{told.at("id"), told.at("version"), told.at("vendor"), told.at("license"), {}};
  for (const Json& port : told.at("ports"))
    for (const PortAccess& access : port_accesses())
      if (access.id == port.at("id").get<std::string>())
        description.ports.push_back({&access, port.at("schema").is_null()
                                                  ? std::nullopt
                                                  : std::optional(port.at("schema").get<std::string>())});
  return description;
}

}  // namespace

std::optional<Description> describe(const Target& target) {
  Steps steps;
  const ExitStatus ending = run_contained(kUsualLimit, Exit::AtOnce, steps, [&]() -> std::string {
    const auto plugin = plugin_host::load_plugin(target.file, {});
    return plugin ? described(*plugin) : std::string();
  });
  if (!ending.answer || ending.answer->empty()) return std::nullopt;
  return description_in(*ending.answer);
}

Checks plugin_checks(const Target& target) {
  struct Entry {
    const char* name;
    const char* wanted;
    Rule rule;
    void (*run)(const Target& target, Bench& bench);
    Weight weight = Weight::Requirement;
    bool is_gate = false;
  };
  static constexpr Entry kEntries[] = {
      {"TheFileCanBeTrusted", "the file can be trusted", rules::kNote, file_can_be_trusted},
      {"TheFileHasTheNote", "the file has the note", rules::kNote, file_has_the_note},
      {"ExportsOneSymbol", "the plugin exports one symbol", rules::kEntry, exports_one_symbol},
      {"AServerLoadsIt", "a server loads the plugin", rules::kDescriptor, loads_in_a_server, Weight::Requirement, true},
      {"LoadsWithin100Ms", "a plugin is loaded quickly", rules::kEntry, loads_quickly, Weight::Advice},
      {"LoadingDoesNothingElse", "loading does nothing but load", rules::kEntry, loading_does_nothing_else},
      {"TheDescriptorIsTheSameEachTime", "the descriptor is static", rules::kDescriptor,
       descriptor_is_the_same_each_time},
      {"UnknownPortsAreNotOffered", "get_port of an unknown id is NULL", rules::kGetPort,
       unknown_ports_are_not_offered},
  };
  Checks checks;
  for (const Entry& entry : kEntries)
    checks.push_back({"plugin", entry.name, entry.wanted, entry.rule,
                      [target, run = entry.run](Bench& bench) { run(target, bench); }, kUsualLimit, entry.weight,
                      Exit::AtOnce, entry.is_gate});
  return checks;
}

}  // namespace kbase::plugin_check
