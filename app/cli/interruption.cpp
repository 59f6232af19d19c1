// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interruption.hpp"

#include <csignal>

namespace kbase::cli {
namespace {

std::atomic<bool> interrupted{false};

void interrupt(int) {
  interrupted = true;
}

}  // namespace

const std::atomic<bool>& watch_for_interruption() {
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  return interrupted;
}

}  // namespace kbase::cli
