// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <link.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <thread>

#include "app/plugin_check/certify.hpp"
#include "app/plugin_check/check.hpp"
#include "app/plugin_check/port_driver.hpp"
#include "app/plugin_check/process_state.hpp"
#include "app/plugin_host/descriptor_check.hpp"
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

using Bytes = std::span<const std::byte>;

template <class T> std::optional<T> value_at(Bytes bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Bytes part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size()) return {};
  return bytes.subspan(offset, std::min<std::uint64_t>(size, bytes.size() - offset));
}

std::string text_at(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const char* text = reinterpret_cast<const char*>(strings.data()) + offset;
  return std::string(text, ::strnlen(text, strings.size() - offset));
}

bool is_export(const ElfW(Sym) & symbol) {
  const unsigned binding = ELF64_ST_BIND(symbol.st_info);  // same macro for both classes
  const unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
  const bool is_defined = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS;  // ABS: the name of a version
  return is_defined && binding != STB_LOCAL && (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

std::vector<std::string> names_in(Bytes elf, const ElfW(Shdr) & table, const ElfW(Shdr) & text) {
  static const std::set<std::string_view> kLinkers{"_init", "_fini", "_edata", "_end", "__bss_start"};
  const Bytes symbols = part(elf, table.sh_offset, table.sh_size);
  const Bytes strings = part(elf, text.sh_offset, text.sh_size);
  std::vector<std::string> names;
  for (std::uint64_t at = 0; const auto symbol = value_at<ElfW(Sym)>(symbols, at); at += sizeof(ElfW(Sym))) {
    std::string name = text_at(strings, symbol->st_name);
    if (is_export(*symbol) && !kLinkers.contains(name)) names.push_back(std::move(name));
  }
  return names;
}

/// Returns the names that an ELF shared object of this machine's class exports (its .dynsym; System V ABI, "Symbol
/// Table"), without those that linkers add. For a truncated or damaged file, returns those that can be read.
std::vector<std::string> exported_symbols(Bytes elf) {
  const auto header = value_at<ElfW(Ehdr)>(elf, 0);
  if (!header || header->e_shentsize != sizeof(ElfW(Shdr))) return {};
  const auto section = [&](std::uint64_t number) {
    return value_at<ElfW(Shdr)>(elf, header->e_shoff + number * sizeof(ElfW(Shdr)));
  };
  for (std::uint64_t number = 0; number < header->e_shnum; ++number) {
    const auto table = section(number);
    if (!table || table->sh_type != SHT_DYNSYM) continue;
    if (const auto text = section(table->sh_link)) return names_in(elf, *table, *text);
  }
  return {};
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
  bench.report.expect(trusted.has_value(), "only root, the server's user and the program's owner can change the file",
                      trusted ? "" : target.file.string() + " " + trusted.error().message);
}

void file_has_the_note(const Target& target, Bench& bench) {
  const auto elf = plugin_host::read_elf(bytes_of(target.file));
  if (!elf) {
    bench.report.expect(false, "the file is an ELF shared object", "it " + elf.error().message);
    return;
  }
  if (!bench.report.expect(elf->note.has_value(), "the file has the ELF note of KB_NOTE", "it has no such note"))
    return;
  const auto fits = plugin_host::check_abi(*elf->note, plugin_host::own_abi());
  bench.report.expect(fits.has_value(), "the server supports the ABI version in the note",
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
  bench.report.expect(has_entry, "the plugin exports kb_plugin_entry", "it does not export it");
  bench.report.expect(others.empty(), "the plugin exports only kb_plugin_entry", "it also exports " + others);
}

void loads_in_a_server(const Target& target, Bench& bench) { load(target, bench); }

void loads_quickly(const Target& target, Bench& bench) {
  const auto start = std::chrono::steady_clock::now();
  if (!load(target, bench)) return;
  const auto took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
  bench.report.expect(took < kQuick, "a plugin is loaded within 100 ms",
                      "it took " + std::to_string(took.count()) + " ms");
}

void loading_has_no_side_effects(const Target& target, Bench& bench) {
  const ProcessState before;
  const Resources resources = Resources::now();
  const long printed = printed_bytes();
  if (!load(target, bench)) return;
  for (const std::string& change : before.changes())
    bench.report.expect(false, "loading leaves the process as it was", change);
  const Resources now = Resources::now();
  bench.report.expect(now.threads == resources.threads, "loading starts no thread",
                      std::to_string(now.threads - resources.threads) + " more than before");
  bench.report.expect(now.open_files <= resources.open_files, "loading leaves no file open",
                      std::to_string(now.open_files - resources.open_files) + " more than before");
  bench.report.expect(printed_bytes() == printed, "loading prints nothing", "it wrote to standard output or error");
}

std::string fields_of(const kb_plugin& descriptor) {
  return std::string(descriptor.id) + " " + descriptor.version + " " + descriptor.vendor + " " + descriptor.license;
}

void descriptor_is_the_same_each_time(const Target& target, Bench& bench) {
  const auto plugin = load(target, bench);
  if (!plugin) return;
  void* const library = ::dlopen(plugin->path().c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto entry = reinterpret_cast<const kb_plugin* (*)()>(::dlsym(library, "kb_plugin_entry"));
  const std::string first = fields_of(plugin->descriptor());
  const auto repeat = [&] {
    const kb_plugin* const again = entry();
    bench.report.expect(again == &plugin->descriptor() && fields_of(*again) == first,
                        "kb_plugin_entry returns one static descriptor", "it returned another one later");
    for (const plugin_host::KnownPort& port : plugin_host::known_ports())
      bench.report.expect(again->get_port(port.id.data()) == plugin->table<void>(port.id),
                          "get_port always returns the same table",
                          "it returned another one for " + std::string(port.id));
  };
  bench.steps.enter("kb_plugin_entry");
  repeat();
  std::thread(repeat).join();
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
    bench.report.expect(plugin->descriptor().get_port(id.c_str()) == nullptr, "get_port returns NULL for an unknown id",
                        "it returned a table for \"" + id + "\"");
}

/// Serializes the description for the pipe.
std::string serialize(const Plugin& plugin) {
  Json ports = Json::array();
  for (const PortDriver* const port : port_drivers()) {
    const void* const table = plugin.table<void>(port->id);
    if (table == nullptr) continue;
    const char* const schema = plugin_host::start_of(table).config_schema;
    ports.push_back({{"id", port->id}, {"schema", schema != nullptr ? Json(schema) : Json()}});
  }
  const kb_plugin& descriptor = plugin.descriptor();
  const Json all{{"id", descriptor.id},
                 {"version", descriptor.version},
                 {"vendor", descriptor.vendor},
                 {"license", descriptor.license},
                 {"ports", ports}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Description parse_description(const std::string& text) {
  const Json json = Json::parse(text);
  Description description{json.at("id"), json.at("version"), json.at("vendor"), json.at("license"), {}};
  for (const Json& port : json.at("ports"))
    for (const PortDriver* const driver : port_drivers())
      if (driver->id == port.at("id").get<std::string>())
        description.ports.push_back(
            {driver, port.at("schema").is_null() ? std::nullopt : std::optional(port.at("schema").get<std::string>())});
  return description;
}

}  // namespace

std::optional<Description> describe(const Target& target) {
  Steps steps;
  const ExitStatus exit = run_contained(kUsualLimit, Exit::AtOnce, steps, [&]() -> std::string {
    const auto plugin = plugin_host::load_plugin(target.file, {});
    return plugin ? serialize(*plugin) : std::string();
  });
  if (!exit.answer || exit.answer->empty()) return std::nullopt;
  return parse_description(*exit.answer);
}

Checks file_checks(const Target& target) {
  struct Entry {
    const char* name;
    const char* expected;
    const char* about;
    void (*run)(const Target& target, Bench& bench);
    Weight weight = Weight::Requirement;
    bool is_gate = false;
  };
  static constexpr Entry kEntries[] = {
      {"TheFileCanBeTrusted", "only trusted users can change the file", rules::kNote, file_can_be_trusted},
      {"TheFileHasTheNote", "the file has the note", rules::kNote, file_has_the_note},
      {"ExportsOneSymbol", "the plugin exports one symbol", rules::kEntry, exports_one_symbol},
      {"AServerLoadsIt", "a server loads the plugin", rules::kDescriptor, loads_in_a_server, Weight::Requirement, true},
      {"LoadsWithin100Ms", "a plugin is loaded quickly", rules::kEntry, loads_quickly, Weight::Advice},
      {"LoadingHasNoSideEffects", "loading has no side effects", rules::kEntry, loading_has_no_side_effects},
      {"TheDescriptorIsTheSameEachTime", "the descriptor is static", rules::kDescriptor,
       descriptor_is_the_same_each_time},
      {"UnknownPortsAreNotOffered", "get_port returns NULL for an unknown id", rules::kGetPort,
       unknown_ports_are_not_offered},
  };
  Checks checks;
  for (const Entry& entry : kEntries)
    checks.push_back({"plugin",
                      entry.name,
                      entry.expected,
                      {rules::kHeader, entry.about},
                      [target, run = entry.run](Bench& bench) { run(target, bench); },
                      kUsualLimit,
                      entry.weight,
                      Exit::AtOnce,
                      entry.is_gate});
  return checks;
}

}  // namespace kbase::plugin_check
