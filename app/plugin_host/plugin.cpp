// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/plugin.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>

#include "app/plugin_host/call_frame.hpp"
#include "app/plugin_host/descriptor_check.hpp"
#include "app/plugin_host/file_trust.hpp"
#include "app/plugin_host/known_ports.hpp"
#include "domain/base/encoding.hpp"
#include "domain/base/result.hpp"
#include "domain/base/similar_words.hpp"

namespace kbase::plugin_host {
namespace {

namespace fs = std::filesystem;

/// A file mapped for the lifetime of the object: only the headers of a large file are read.
class MappedFile {
 public:
  static Result<MappedFile> open(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    const bool is_open = file >= 0 && ::fstat(file, &status) == 0;
    const auto size = static_cast<std::size_t>(status.st_size);
    void* start = is_open && size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
    const int reason = errno;
    if (file >= 0) ::close(file);
    if (!is_open || start == MAP_FAILED)
      return refusal("cannot be read: " + std::string(std::strerror(reason)) + "; let the server's user read it");
    return MappedFile(start, size);
  }

  MappedFile(MappedFile&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile() {
    if (start_ != nullptr) ::munmap(start_, size_);
  }

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(start_), size_}; }
  std::string_view text() const { return {static_cast<const char*>(start_), size_}; }

 private:
  MappedFile(void* start, std::size_t size) : start_(start), size_(size) {}

  void* start_;
  std::size_t size_;
};

Status check_elf(const MappedFile& file) {
  const auto elf = KBASE_TRY(read_elf(file.bytes()));
  if (!elf.is_native)
    return refusal("was built for " + std::to_string(elf.bits) + "-bit " + machine_name(elf.machine) +
                   ", this server for 64-bit " + machine_name(own_machine()) + "; install the build for this machine");
  if (elf.type != ET_DYN) return refusal("is not a shared object; link it with -shared");
  if (elf.has_executable_stack) return refusal("wants an executable stack; link it with -Wl,-z,noexecstack");
  if (!elf.note)
    return refusal("has no .note.kbase; write KB_NOTE; in one of its source files, and build it with the kbase SDK");
  return check_abi(*elf.note, own_abi());
}

Status check_digest(const MappedFile& file, const LoadOptions& options) {
  if (!options.expected) return {};
  const auto found = options.expected->digest.sha256(file.text());
  if (found == options.expected->sha256) return {};
  return refusal("has the SHA-256 " + to_hex(found) + ", the configuration wants " + to_hex(options.expected->sha256) +
                 "; install the file that is meant, or configure its sum");
}

/// Returns the last error of dlopen or dlsym without its file name prefix.
std::string linking_failure(const fs::path& file) {
  const std::string text = ::dlerror();
  const std::string prefix = file.string() + ": ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

/// Returns the crash report's label for a plugin whose id is not known yet.
std::string label_while_loading(const fs::path& file) { return "being loaded (" + file.string() + ")"; }

/// Maps the plugin into the process permanently and gets its descriptor. From here on its code runs.
Result<const kb_plugin*> enter(const fs::path& file) {
  const std::string label = label_while_loading(file);
  const CallMark mark(label.c_str());
  void* handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr)
    return refusal("cannot be linked: " + linking_failure(file) +
                   "; install the libraries it needs, and link it with -Wl,-z,defs");
  const auto entry = reinterpret_cast<const kb_plugin* (*)()>(::dlsym(handle, "kb_plugin_entry"));
  if (entry == nullptr) return refusal("does not export kb_plugin_entry; define it as <kbase/base.h> declares it");
  return entry();
}

/// Gets the table of every known port and checks those that are offered.
Status collect_tables(const kb_plugin& descriptor, std::span<const void*, kKnownPorts> tables) {
  bool offers_any = false;
  for (std::size_t i = 0; i < kKnownPorts; ++i) {
    const KnownPort& port = known_ports()[i];
    tables[i] = descriptor.get_port(port.id.data());
    if (tables[i] == nullptr) continue;
    offers_any = true;
    KBASE_TRY(check_table(port, tables[i]));
  }
  if (!offers_any) return refusal("offers no port that this server knows; return a table from kb_plugin.get_port");
  return {};
}

/// Checks a trusted file, loads it and returns its descriptor.
Result<const kb_plugin*> descriptor_of(const fs::path& file, const LoadOptions& options) {
  {
    const auto mapped = KBASE_TRY(MappedFile::open(file));
    KBASE_TRY(check_elf(mapped));
    KBASE_TRY(check_digest(mapped, options));
  }
  return enter(file);
}

constexpr std::string_view kPrefix = "kbase-";
constexpr std::string_view kEnding = ".so";

bool is_plugin_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

std::string joined(std::span<const fs::path> directories) {
  std::string text;
  for (const fs::path& directory : directories) text.append(text.empty() ? "" : ", ").append(directory);
  return text;
}

}  // namespace

Result<Plugin> Plugin::accept(fs::path path, const kb_plugin* descriptor) {
  const std::string label = label_while_loading(path);
  const CallMark mark(label.c_str());
  if (auto checked = check_descriptor(descriptor); !checked) return refusal_of(path, checked.error());
  auto facts = std::make_shared<Facts>();
  facts->path = std::move(path);
  facts->descriptor = descriptor;
  facts->label = std::string(descriptor->id) + " (" + facts->path.string() + ")";
  if (auto collected = collect_tables(*descriptor, facts->tables); !collected)
    return refusal_of(facts->path, collected.error());
  return Plugin(std::move(facts));
}

const void* Plugin::find_table(std::string_view port_id) const {
  for (std::size_t i = 0; i < kKnownPorts; ++i)
    if (known_ports()[i].id == port_id) return facts_->tables[i];
  return nullptr;
}

Result<Plugin> load_plugin(const fs::path& absolute_path, const LoadOptions& options) {
  const auto file = trusted_file(absolute_path, owners_of_this_process());
  if (!file) return refusal_of(absolute_path, file.error());
  const auto descriptor = descriptor_of(*file, options);
  if (!descriptor) return refusal_of(absolute_path, descriptor.error());
  return Plugin::accept(*file, *descriptor);
}

fs::path own_program() {
  std::error_code unreadable;
  return fs::read_symlink("/proc/self/exe", unreadable);
}

std::vector<fs::path> plugin_directories(std::span<const std::string> configured, const fs::path& program) {
  std::vector<fs::path> directories(configured.begin(), configured.end());
  const fs::path root = program.parent_path().parent_path();
  for (const char* folder : {"plugins", "lib/kbase/plugins"})
    if (std::find(directories.begin(), directories.end(), root / folder) == directories.end())
      directories.push_back(root / folder);
  return directories;
}

std::string file_name_of(std::string_view plugin_name) {
  return std::string(kPrefix).append(plugin_name).append(kEnding);
}

std::string plugin_name_of(const fs::path& file) {
  const std::string name = file.filename();
  if (!name.starts_with(kPrefix) || !name.ends_with(kEnding) || name.size() < kPrefix.size() + kEnding.size())
    return {};
  const std::string middle = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kEnding.size());
  return is_plugin_name(middle) ? middle : std::string();
}

Result<fs::path> find_plugin(std::string_view plugin, std::span<const fs::path> directories) {
  const fs::path path(plugin);
  if (path.is_absolute()) return path;
  if (!is_plugin_name(plugin))
    return Error{ErrorCode::Unsupported,
                 "'" + std::string(plugin) +
                     "' names no plugin; write a name of a-z, 0-9, _ and -, or the absolute path of a file"};
  for (const fs::path& directory : directories) {
    std::error_code missing;
    if (fs::path file = directory / file_name_of(plugin); fs::exists(file, missing)) return file;
  }
  std::vector<std::string> names;
  for (const fs::path& file : list_plugins(directories)) names.push_back(plugin_name_of(file));
  const std::string meant = nearest(plugin, names);
  return Error{ErrorCode::NotFound,
               "there is no " + file_name_of(plugin) + " in " + joined(directories) +
                   (meant.empty() ? "; install the plugin, or name its folder in plugins.directories"
                                  : "; did you mean '" + meant + "'?")};
}

std::vector<fs::path> list_plugins(std::span<const fs::path> directories) {
  std::vector<fs::path> files;
  for (const fs::path& directory : directories) {
    std::vector<fs::path> found;
    std::error_code unreadable;
    for (fs::directory_iterator entry(directory, unreadable), end; !unreadable && entry != end;
         entry.increment(unreadable))
      if (!plugin_name_of(entry->path()).empty()) found.push_back(entry->path());
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace kbase::plugin_host
