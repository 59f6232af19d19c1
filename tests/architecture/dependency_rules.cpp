// SPDX-License-Identifier: Apache-2.0
#include "tests/architecture/dependency_rules.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <set>
#include <stdexcept>
#include <string_view>

namespace kbase::tests {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string_view>;

/// Which standard and system headers a module may include.
enum class System {
  Pure,  ///< the standard library without I/O and threads
  Full,  ///< all of the standard library, POSIX and Linux
};

/// A module of the codebase: the other modules that it may include besides domain/base (and adapters/base for
/// adapters), and the prefixes of its third-party headers. A file belongs to the module with the longest matching
/// folder.
struct Module {
  std::string_view folder;
  System system;
  Names sees;
  Names technology;
  bool has_own_root = false;  ///< quoted includes are relative to a folder within the module, as in third-party code
};

const Names kAnything{""};

// The allowed dependencies. A folder that is missing here is an error, so a new module must be added here first.
const std::vector<Module> kModules{
    {"domain/base", System::Pure, {}, {}},
    {"domain/model", System::Pure, {}, {}},
    {"ports/driven", System::Pure, {"domain/model"}, {}},
    {"ports/driving", System::Pure, {"domain/model", "ports/driven"}, {}},
    {"domain/usecases", System::Pure, {"domain/model", "ports/driven", "ports/driving"}, {}},

    {"adapters/base", System::Full, {"domain/model", "ports/driven"}, {}},
    {"adapters/anthropic", System::Full, {"domain/model", "ports/driven", "adapters/language_model"}, {"nlohmann/"}},
    {"adapters/code_host", System::Full, {"domain/model", "ports/driven"}, {"nlohmann/"}},
    {"adapters/content",
     System::Full,
     {"domain/model", "ports/driven"},
     {"archive.h", "archive_entry.h", "libxml/", "nlohmann/", "openssl/", "toml++/", "yaml-cpp/", "zlib.h"}},
    {"adapters/curl", System::Full, {"domain/model", "ports/driven"}, {"curl/", "zlib.h"}},
    {"adapters/gitea", System::Full, {"domain/model", "ports/driven", "adapters/code_host"}, {}},
    {"adapters/github", System::Full, {"domain/model", "ports/driven", "adapters/code_host"}, {}},
    {"adapters/gitlab", System::Full, {"domain/model", "ports/driven", "adapters/code_host"}, {}},
    {"adapters/http",
     System::Full,
     {"domain/model", "ports/driven", "ports/driving", "adapters/pages"},
     {"nlohmann/", "pistache/", "xxhash.h", "zlib.h"}},
    {"adapters/idn", System::Full, {"ports/driven"}, {"idn2.h"}},
    {"adapters/insight_page",
     System::Full,
     {"domain/model", "ports/driven", "ports/driving", "adapters/templates"},
     {"ctemplate/"}},
    {"adapters/language_model", System::Full, {"domain/model", "ports/driven"}, {"nlohmann/"}},
    {"adapters/mail", System::Full, {"domain/model", "ports/driven"}, {}},
    {"adapters/mail_texts", System::Full, {"domain/model", "ports/driven", "adapters/templates"}, {"ctemplate/"}},
    {"adapters/markup",
     System::Full,
     {"domain/model", "ports/driven"},
     {"libxml/", "md4c-html.h", "md4c.h", "utf8proc.h"}},
    {"adapters/memory", System::Full, {"domain/model", "ports/driven"}, {}},
    {"adapters/native_index",
     System::Full,
     {"domain/model", "ports/driven", "adapters/spelling", "adapters/text", "adapters/native_index"},
     {}},
    {"adapters/native_index/commits",
     System::Full,
     {"domain/model", "ports/driven", "adapters/text", "adapters/native_index"},
     {"xxhash.h"}},
    {"adapters/native_index/columns",
     System::Full,
     {"domain/model", "adapters/native_index/dictionary", "adapters/native_index/files"},
     {}},
    {"adapters/native_index/dictionary", System::Full, {"domain/model", "adapters/native_index/files"}, {"xxhash.h"}},
    {"adapters/native_index/files", System::Full, {"domain/model"}, {"xxhash.h"}},
    {"adapters/native_index/postings", System::Full, {"domain/model", "adapters/native_index/files"}, {"immintrin.h"}},
    {"adapters/native_index/query", System::Full, {"domain/model", "adapters/native_index/postings"}, {}},
    {"adapters/native_index/search",
     System::Full,
     {"domain/model", "ports/driven", "adapters/spelling", "adapters/text", "adapters/native_index"},
     {}},
    {"adapters/native_index/segments",
     System::Full,
     {"domain/model", "adapters/text", "adapters/native_index"},
     {"xxhash.h"}},
    {"adapters/native_index/store",
     System::Full,
     {"domain/model", "adapters/native_index/files"},
     {"zdict.h", "zstd.h"}},
    {"adapters/ollama", System::Full, {"domain/model", "ports/driven", "adapters/language_model"}, {"nlohmann/"}},
    {"adapters/openai", System::Full, {"domain/model", "ports/driven", "adapters/language_model"}, {"nlohmann/"}},
    {"adapters/opensearch", System::Full, {"domain/model", "ports/driven", "adapters/text"}, {"nlohmann/"}},
    {"adapters/outbox", System::Full, {"ports/driven", "adapters/mail"}, {}},
    {"adapters/pages",
     System::Full,
     {"domain/model", "ports/driven", "ports/driving", "adapters/templates"},
     {"ctemplate/", "nlohmann/"}},
    {"adapters/postgres", System::Full, {"domain/model", "ports/driven", "adapters/records"}, {"libpq-fe.h"}},
    {"adapters/prometheus", System::Full, {"domain/model", "ports/driven"}, {"prometheus/"}},
    {"adapters/records", System::Pure, {"domain/model"}, {}},
    {"adapters/redis", System::Full, {"domain/model", "ports/driven"}, {"hiredis/", "openssl/", "xxhash.h"}},
    {"adapters/smtp", System::Full, {"ports/driven", "adapters/mail"}, {"curl/"}},
    {"adapters/spelling", System::Full, {}, {"hunspell/", "iconv.h", "utf8proc.h"}},
    {"adapters/sqlite", System::Full, {"domain/model", "ports/driven", "adapters/records"}, {"sqlite3.h"}},
    {"adapters/system", System::Full, {"domain/model", "ports/driven"}, {"openssl/"}},
    {"adapters/systemd", System::Full, {}, {"systemd/"}},
    {"adapters/templates", System::Full, {}, {"ctemplate/"}},
    {"adapters/text",
     System::Full,
     {"domain/model", "ports/driven"},
     {"cld2/", "emmintrin.h", "libstemmer.h", "utf8proc.h", "xxhash.h"}},
    {"adapters/vectors", System::Full, {}, {}},
    {"adapters/web",
     System::Full,
     {"domain/model", "ports/driven", "adapters/content"},
     {"iconv.h", "libxml/", "nlohmann/", "zlib.h"}},
    {"adapters/word_vectors", System::Full, {"adapters/vectors"}, {"Eigen/", "xxhash.h"}},

    {"plugins/anthropic",
     System::Full,
     {"domain/model", "ports/driven", "adapters/language_model", "adapters/anthropic", "plugins/language_model",
      "plugins/sdk"},
     {"kbase/"}},
    {"plugins/code_host", System::Full, {"domain/model", "ports/driven", "adapters/code_host", "plugins/sdk"}, {}},
    {"plugins/conformance", System::Full, {"domain/model", "ports/driven"}, {"nlohmann/"}},
    {"plugins/examples", System::Full, {"domain/model", "ports/driven", "plugins/sdk"}, kAnything, true},
    {"plugins/gitea",
     System::Full,
     {"domain/model", "ports/driven", "adapters/gitea", "plugins/code_host", "plugins/sdk"},
     {"kbase/"}},
    {"plugins/github",
     System::Full,
     {"domain/model", "ports/driven", "adapters/github", "plugins/code_host", "plugins/sdk"},
     {"kbase/"}},
    {"plugins/gitlab",
     System::Full,
     {"domain/model", "ports/driven", "adapters/gitlab", "plugins/code_host", "plugins/sdk"},
     {"kbase/"}},
    {"plugins/language_model",
     System::Full,
     {"domain/model", "ports/driven", "adapters/language_model", "plugins/sdk"},
     {}},
    {"plugins/memory",
     System::Full,
     {"domain/model", "ports/driven", "adapters/memory", "adapters/system", "plugins/sdk"},
     {"kbase/"}},
    {"plugins/native",
     System::Full,
     {"domain/model", "ports/driven", "adapters/native_index", "adapters/system", "plugins/sdk"},
     {"kbase/"}},
    {"plugins/ollama",
     System::Full,
     {"domain/model", "ports/driven", "adapters/language_model", "adapters/ollama", "plugins/language_model",
      "plugins/sdk"},
     {"kbase/"}},
    {"plugins/openai",
     System::Full,
     {"domain/model", "ports/driven", "adapters/language_model", "adapters/openai", "plugins/language_model",
      "plugins/sdk"},
     {"kbase/"}},
    {"plugins/opensearch",
     System::Full,
     {"domain/model", "ports/driven", "adapters/opensearch", "adapters/system", "plugins/sdk"},
     {"kbase/"}},
    {"plugins/outbox", System::Full, {"ports/driven", "adapters/outbox", "adapters/system", "plugins/sdk"}, {"kbase/"}},
    {"plugins/postgres",
     System::Full,
     {"domain/model", "ports/driven", "adapters/postgres", "plugins/sdk"},
     {"kbase/"}},
    {"plugins/redis",
     System::Full,
     {"domain/model", "ports/driven", "adapters/redis", "adapters/system", "plugins/sdk"},
     {"kbase/"}},
    {"plugins/sdk", System::Full, {"domain/model", "ports/driven"}, {"kbase/", "nlohmann/"}},
    {"plugins/sdk/include", System::Full, {}, {"kbase/"}, true},
    {"plugins/sdk/template", System::Full, {"domain/model", "ports/driven", "plugins/sdk"}, kAnything, true},
    {"plugins/smtp", System::Full, {"ports/driven", "adapters/smtp", "adapters/system", "plugins/sdk"}, {"kbase/"}},
    {"plugins/sqlite",
     System::Full,
     {"domain/model", "ports/driven", "adapters/sqlite", "adapters/system", "plugins/sdk"},
     {"kbase/"}},

    {"app",
     System::Full,
     {"domain", "ports", "adapters/base", "adapters/curl", "adapters/http", "adapters/content", "adapters/system",
      "adapters/systemd", "adapters/web", "plugins/sdk"},
     kAnything},
    {"app/plugin_check",
     System::Full,
     {"domain/model", "ports", "adapters/curl", "adapters/prometheus", "adapters/system", "plugins", "app"},
     kAnything},
    {"app/plugin_host",
     System::Full,
     {"domain/model", "ports/driven", "plugins/sdk", "app/config/version.hpp"},
     {"kbase/"}},
    {"app/runtime",
     System::Full,
     {"domain/model", "domain/usecases", "ports", "adapters/http", "adapters/content"},
     {"xxhash.h", "zlib.h"}},
    {"app/composition",
     System::Full,
     {"domain", "ports", "adapters/curl", "adapters/http", "adapters/content", "adapters/idn", "adapters/insight_page",
      "adapters/mail_texts", "adapters/markup", "adapters/pages", "adapters/prometheus", "adapters/system",
      "adapters/text", "adapters/web", "plugins/sdk", "app"},
     kAnything},
};

/// Standard headers that give access to I/O or threads.
const std::set<std::string_view> kImpure{
    "barrier", "condition_variable", "filesystem", "fstream",    "future",     "iostream",     "latch", "mutex",
    "ostream", "semaphore",          "istream",    "stop_token", "syncstream", "shared_mutex", "thread"};

const std::set<std::string_view> kStandard{"algorithm",     "any",
                                           "array",         "atomic",
                                           "bit",           "bitset",
                                           "cassert",       "cctype",
                                           "cerrno",        "cfloat",
                                           "charconv",      "chrono",
                                           "cinttypes",     "climits",
                                           "cmath",         "compare",
                                           "complex",       "concepts",
                                           "coroutine",     "cstddef",
                                           "cstdint",       "cstdio",
                                           "cstdlib",       "cstring",
                                           "ctime",         "deque",
                                           "exception",     "execution",
                                           "format",        "forward_list",
                                           "functional",    "initializer_list",
                                           "iomanip",       "ios",
                                           "iosfwd",        "iterator",
                                           "limits",        "list",
                                           "locale",        "map",
                                           "memory",        "memory_resource",
                                           "new",           "numbers",
                                           "numeric",       "optional",
                                           "queue",         "random",
                                           "ranges",        "ratio",
                                           "regex",         "scoped_allocator",
                                           "set",           "source_location",
                                           "span",          "stack",
                                           "stdexcept",     "streambuf",
                                           "string",        "string_view",
                                           "system_error",  "tuple",
                                           "type_traits",   "typeindex",
                                           "typeinfo",      "unordered_map",
                                           "unordered_set", "utility",
                                           "valarray",      "variant",
                                           "vector",        "version",
                                           "csignal",       "cstdarg",
                                           "sstream"};

/// Prefixes of the C, POSIX and Linux headers.
const Names kPosix{"arpa/",    "linux/",   "net/",      "netinet/", "sys/",      "assert.h",  "ctype.h",
                   "dirent.h", "dlfcn.h",  "elf.h",     "errno.h",  "fcntl.h",   "fnmatch.h", "glob.h",
                   "limits.h", "link.h",   "netdb.h",   "poll.h",   "pwd.h",     "pthread.h", "sched.h",
                   "signal.h", "spawn.h",  "stdbool.h", "stddef.h", "stdint.h",  "stdio.h",   "stdlib.h",
                   "locale.h", "string.h", "strings.h", "syslog.h", "termios.h", "time.h",    "unistd.h"};

/// A pattern that files of some folders must not contain.
struct Ban {
  Names folders;  ///< "": the whole codebase
  Names endings;  ///< suffixes of the file name
  const char* pattern;
  const char* why;
  Names except = {};  ///< files and folders that may contain it
};

const Names kSources{".cpp", ".hpp", ".c", ".h"};
const Names kCMakeFiles{"CMakeLists.txt", ".cmake"};

const std::vector<Ban> kBans{
    {{"domain/", "ports/", "adapters/"},
     kSources,
     R"(_clock\s*::\s*now\b)",
     "reads a clock; time comes through ports::Clock",
     {"adapters/base/waiting.hpp", "adapters/system/"}},
    {{"tests/"}, kSources, R"(\bsleep_(for|until)\b|\bu?sleep\s*\()", "sleeps; move the clock or wait for an event"},
    {{""}, kCMakeFiles, R"(^[^#]*\bGLOB(_RECURSE)?\b)", "collects files with GLOB; list them"},
};

const Names kProduction{"domain/", "ports/", "adapters/", "plugins/", "app/"};
const Names kCodebase{"domain/", "ports/", "adapters/", "plugins/", "app/", "tests/", "cmake/", "config/"};
constexpr std::size_t kMaxLines = 400;
constexpr std::string_view kLicence = "SPDX-License-Identifier: Apache-2.0";

bool starts_with_any(std::string_view text, const Names& starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return text.starts_with(start); });
}

bool ends_with_any(std::string_view text, const Names& endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view end) { return text.ends_with(end); });
}

bool is_in(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

std::string joined(const Names& names, std::string_view none) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text.empty() ? std::string(none) : text;
}

const Module* module_of(std::string_view file) {
  const Module* found = nullptr;
  for (const Module& module : kModules)
    if (is_in(file, module.folder) && (found == nullptr || module.folder.size() > found->folder.size()))
      found = &module;
  return found;
}

bool is_standard(std::string_view header) { return kStandard.contains(header) || kImpure.contains(header); }

/// A source or CMake file that is being checked.
struct File {
  std::string path;
  std::vector<std::string> lines;
  std::vector<Violation>& violations;

  void breaks(std::size_t line, std::string rule) const { violations.push_back({path, line, std::move(rule)}); }
};

void check_include(const File& file, std::size_t line, const Module& module, std::string_view header) {
  const auto sees = [&](std::string_view folder) { return is_in(header, folder); };
  if (sees(module.folder) || sees("domain/base") || std::any_of(module.sees.begin(), module.sees.end(), sees)) return;
  if (module.folder.starts_with("adapters/") && sees("adapters/base")) return;
  file.breaks(line, "module " + std::string(module.folder) + " must not include " + std::string(header) +
                        " (allowed: " + joined(module.sees, "nothing but itself") + ")");
}

void judge_outer_include(const File& file, std::size_t line, const Module& module, std::string_view header) {
  const bool is_pure = kStandard.contains(header);
  const bool is_system = is_standard(header) || starts_with_any(header, kPosix);
  if (is_pure || (is_system && module.system == System::Full)) return;
  if (!is_system && starts_with_any(header, module.technology)) return;
  const std::string_view none = module.system == System::Pure ? "the standard library without I/O and threads"
                                                              : "the standard library and the system";
  file.breaks(line, "module " + std::string(module.folder) + " must not include <" + std::string(header) +
                        "> (allowed: " + joined(module.technology, none) + ")");
}

void judge_include(const File& file, std::size_t line, const Module& module, bool quoted, std::string_view header) {
  if (starts_with_any(header, kProduction))
    check_include(file, line, module, header);
  else if (quoted && !module.has_own_root)
    file.breaks(line, "\"" + std::string(header) + "\" is not relative to the root of the repository");
  else if (!quoted)
    judge_outer_include(file, line, module, header);
}

void judge_arrows(const File& file) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*(["<])([^">]+)[">])");
  const Module* module = module_of(file.path);
  if (module == nullptr) return file.breaks(0, "belongs to no module; add the module to the table of the rules");
  std::smatch match;
  for (std::size_t i = 0; i < file.lines.size(); ++i)
    if (std::regex_search(file.lines[i], match, kInclude))
      judge_include(file, i + 1, *module, match[1] == "\"", match[2].str());
}

void judge_licence(const File& file) {
  const std::string_view comment = ends_with_any(file.path, kCMakeFiles) ? "# " : "// ";
  const std::string wanted = std::string(comment).append(kLicence);
  const std::string in_c = "/* " + std::string(kLicence) + " */";
  if (!file.lines.empty() &&
      (file.lines.front() == wanted || (ends_with_any(file.path, {".c", ".h"}) && file.lines.front() == in_c)))
    return;
  file.breaks(1, "must begin with \"" + wanted + "\"");
}

void judge_bans(const File& file) {
  for (const Ban& ban : kBans) {
    if (!starts_with_any(file.path, ban.folders) || !ends_with_any(file.path, ban.endings)) continue;
    if (starts_with_any(file.path, ban.except)) continue;
    const std::regex pattern(ban.pattern);
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      if (std::regex_search(file.lines[i], pattern)) file.breaks(i + 1, ban.why);
  }
}

void judge_size(const File& file) {
  if (file.lines.size() > kMaxLines && file.path.find("/generated/") == std::string::npos)
    file.breaks(0, "has " + std::to_string(file.lines.size()) + " lines, more than " + std::to_string(kMaxLines));
}

void judge(const File& file) {
  judge_licence(file);
  judge_bans(file);
  if (!starts_with_any(file.path, kProduction) || !ends_with_any(file.path, kSources)) return;
  judge_arrows(file);
  judge_size(file);
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

/// Returns the codebase's source and CMake files, as sorted paths relative to `top`.
std::set<std::string> files_of(const fs::path& top) {
  std::set<std::string> files;
  if (fs::exists(top / "CMakeLists.txt")) files.insert("CMakeLists.txt");
  for (const std::string_view folder : kCodebase) {
    if (!fs::exists(top / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top / folder)) {
      const std::string path = fs::relative(entry.path(), top).generic_string();
      if (entry.is_regular_file() && (ends_with_any(path, kSources) || ends_with_any(path, kCMakeFiles)))
        files.insert(path);
    }
  }
  return files;
}

}  // namespace

std::vector<Violation> violations_of(const fs::path& top) {
  std::vector<Violation> violations;
  for (const std::string& path : files_of(top)) judge(File{path, lines_of(top / path), violations});
  return violations;
}

}  // namespace kbase::tests
