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

/// The library that shows a program another time; empty where it is not installed.
inline std::filesystem::path faketime_library() {
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime"})
    if (std::filesystem::path library = std::filesystem::path(folder) / "libfaketimeMT.so.1";
        std::filesystem::exists(library))
      return library;
  return {};
}

/// The wall clock of programs that are started with environment(): it stands still until it is set. Their monotonic
/// clock goes on.
class FakeWallClock {
 public:
  /// The clock lies in a file of this folder.
  explicit FakeWallClock(const std::filesystem::path& folder) : file_(folder / "time") {}

  void set(model::Instant now) const {
    const auto ms = now.time_since_epoch().count();
    char text[32];
    std::snprintf(text, sizeof text, "%lld.%03lld\n", static_cast<long long>(ms / 1000),
                  static_cast<long long>(ms % 1000));
    const std::filesystem::path next = file_.string() + "-next";
    std::ofstream(next) << text;
    std::filesystem::rename(next, file_);  // nobody reads half of it
  }

  std::vector<std::string> environment() const {
    // The C library comes next so that its allocator is taken: jemalloc, which a Redis brings along, asks for the time
    // before faketime is ready to tell it.
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
