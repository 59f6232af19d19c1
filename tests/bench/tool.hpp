// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "domain/base/result.hpp"

/// Shared code of the measuring programs.
namespace kbase::bench {

[[noreturn]] inline void fail(const Error& error) {
  std::fprintf(stderr, "%s (%s)\n", error.message.c_str(), error.detail.c_str());
  std::exit(1);
}

inline void require(const Status& status) {
  if (!status) fail(status.error());
}

template <class T> T require(Result<T> result) {
  if (!result) fail(result.error());
  return *std::move(result);
}

/// Returns the resident memory of this process (proc(5), statm).
inline double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// Measures this thread's CPU seconds, so that other load on the machine does not count.
class Stopwatch {
 public:
  double seconds() const { return now() - start_; }

  /// Returns the seconds since the last lap.
  double lap() {
    const double before = std::exchange(start_, now());
    return start_ - before;
  }

 private:
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  }

  double start_ = now();
};

}  // namespace kbase::bench
