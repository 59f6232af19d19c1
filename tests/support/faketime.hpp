// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "domain/model/day.hpp"

namespace kbase::tests {

inline constexpr const char* kNoFaketime = "this machine has no faketime; Debian's package is faketime";

/// Returns the path of the library that gives a program a fake clock; empty: not installed.
inline std::filesystem::path faketime_library() {
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime"})
    if (std::filesystem::path library = std::filesystem::path(folder) / "libfaketimeMT.so.1";
        std::filesystem::exists(library))
      return library;
  return {};
}

/// Wall clock of programs that are started with environment(). It stands still until set() is called. Their monotonic
/// clock keeps running.
class FakeWallClock {
 public:
  /// Stores the clock in a file of `folder`.
  explicit FakeWallClock(const std::filesystem::path& folder) : file_(folder / "time") {}

  void set(model::Instant now) const {
    const auto ms = now.time_since_epoch().count();
    char text[32];
    std::snprintf(text, sizeof text, "%lld.%03lld\n", static_cast<long long>(ms / 1000),
                  static_cast<long long>(ms % 1000));
    const std::filesystem::path next = file_.string() + "-next";
    std::ofstream(next) << text;
    std::filesystem::rename(next, file_);  // so that no program reads a partial file
  }

  std::vector<std::string> environment() const {
    // libc.so.6 comes next so that its allocator is used: the jemalloc that Redis includes reads the time before
    // faketime is initialised.
    return {"LD_PRELOAD=" + faketime_library().string() + " libc.so.6",
            "FAKETIME_TIMESTAMP_FILE=" + file_.string(),
            "FAKETIME_FMT=%s",
            "FAKETIME_NO_CACHE=1",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
            "NO_FAKE_STAT=1",
            "TZ=UTC"};
  }

 private:
  std::filesystem::path file_;
};

}  // namespace kbase::tests
