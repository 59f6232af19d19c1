// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adapters/markup/library_markup.hpp"
#include "adapters/system/stderr_log.hpp"
#include "adapters/system/system_crypto.hpp"

namespace kbase::composition {

/// Clock, random numbers, digest, markup and log of this machine. Created once in main; outlives everything else.
struct Platform {
  explicit Platform(system::StderrLog::Format format) : log(clock, ports::LogLevel::Info, format) {}

  system::SystemClock clock;
  system::SystemRandom random;
  system::OpensslDigest digest;
  markup::LibraryMarkup markup;
  system::StderrLog log;
};

}  // namespace kbase::composition
