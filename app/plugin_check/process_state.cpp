// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_check/process_state.hpp"

#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <string_view>
#include <utility>

// Defined if a sanitizer runtime is linked (sanitizer/allocator_interface.h).
extern "C" std::size_t __sanitizer_get_current_allocated_bytes() __attribute__((weak));  // NOLINT: its own name

namespace kbase::plugin_check {
namespace {

namespace fs = std::filesystem;

std::string number_in_hex(std::uintptr_t number) {
  char text[2 * sizeof number + 3];
  std::snprintf(text, sizeof text, "0x%zx", static_cast<std::size_t>(number));
  return text;
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
}

std::string handler_of(const struct sigaction& action) {
  if (action.sa_handler == SIG_DFL) return "the default";
  if (action.sa_handler == SIG_IGN) return "to ignore it";
  return "the handler at " + number_in_hex(reinterpret_cast<std::uintptr_t>(action.sa_handler));
}

/// Skips the signals that the C library reserves; they cannot be queried.
void add_signals(std::map<std::string, std::string>& state) {
  struct sigaction action {};
  for (int signal = 1; signal < NSIG; ++signal)
    if (::sigaction(signal, nullptr, &action) == 0)
      state["what the process does on " + signal_name(signal)] = handler_of(action);
  sigset_t blocked;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  std::string names;
  for (int signal = 1; signal < NSIG; ++signal)
    if (::sigismember(&blocked, signal) == 1) names += (names.empty() ? "" : ", ") + signal_name(signal);
  state["the set of blocked signals"] = names.empty() ? "empty" : names;
}

std::string status_line(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  return {};
}

void add_environment(std::map<std::string, std::string>& state) {
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::size_t name_end = std::min(text.find('='), text.size());
    const std::string value = name_end < text.size() ? std::string(text.substr(name_end + 1)) : std::string();
    state["the environment variable " + std::string(text.substr(0, name_end))] = '"' + value + '"';
  }
}

std::map<std::string, std::string> current_state() {
  std::map<std::string, std::string> state;
  state["the umask"] = status_line("Umask");
  state["the locale"] = std::setlocale(LC_ALL, nullptr);
  state["the working directory"] = fs::current_path().string();
  add_environment(state);
  state["the rounding of floating-point numbers"] = "mode " + std::to_string(std::fegetround());
  add_signals(state);
  return state;
}

std::size_t entries_of(const char* folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const fs::directory_entry& entry : fs::directory_iterator(folder)) ++count;
  return count;
}

std::size_t allocated_bytes() {
  if (is_allocator_instrumented()) return __sanitizer_get_current_allocated_bytes();
  const struct mallinfo2 heap = ::mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

/// Returns the size of the process's address space in bytes.
std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

void limit_address_space(rlim_t bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes;
  ::setrlimit(RLIMIT_AS, &limit);
}

}  // namespace

bool is_allocator_instrumented() { return __sanitizer_get_current_allocated_bytes != nullptr; }

ProcessState::ProcessState() : state_(current_state()) {}

std::vector<std::string> ProcessState::changes() const {
  static const std::string kNone = "not set";
  const std::map<std::string, std::string> now = current_state();
  const auto value_of = [](const auto& state, const std::string& name) {
    const auto found = state.find(name);
    return found != state.end() ? found->second : kNone;
  };
  std::map<std::string, std::string> either = now;
  either.insert(state_.begin(), state_.end());
  std::vector<std::string> sentences;
  for (const auto& [name, _] : either)
    if (const std::string before = value_of(state_, name), after = value_of(now, name); before != after)
      sentences.push_back(name + " is " + after + ", it was " + before);
  return sentences;
}

Resources Resources::now() {
  // A joined thread may stay in the folder for a moment longer.
  std::size_t threads = entries_of("/proc/self/task");
  for (int tries = 0; tries < 20 && threads > 1; ++tries) {
    ::poll(nullptr, 0, 5);
    threads = entries_of("/proc/self/task");
  }
  return {allocated_bytes(), threads, entries_of("/proc/self/fd")};
}

long printed_bytes() {
  std::fflush(nullptr);
  struct stat status {};
  return ::fstat(STDOUT_FILENO, &status) == 0 ? static_cast<long>(status.st_size) : 0;
}

MemoryHog::MemoryHog(std::size_t left) {
  limit_address_space(address_space());
  for (std::size_t size = 1U << 20U; size >= sizeof(Block); size /= 2)
    while (void* const memory = std::malloc(size)) blocks_ = new (memory) Block{blocks_};
  give(left);
}

MemoryHog::~MemoryHog() {
  while (blocks_ != nullptr) std::free(std::exchange(blocks_, blocks_->next));
  limit_address_space(RLIM_INFINITY);
}

void MemoryHog::give(std::size_t bytes) {
  while (blocks_ != nullptr && bytes > 0) {
    const std::size_t size = ::malloc_usable_size(blocks_);
    std::free(std::exchange(blocks_, blocks_->next));
    bytes -= size < bytes ? size : bytes;
  }
}

}  // namespace kbase::plugin_check
