// SPDX-License-Identifier: Apache-2.0
#include "app/cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace kbase::cli {
namespace {

constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::seconds kPlainLine{5};
constexpr int kBarWidth = 30;

}  // namespace

Progress::Progress(std::string_view title)
    : title_(title),
      on_terminal_(::isatty(STDERR_FILENO) != 0),
      begun_(std::chrono::steady_clock::now()),
      last_(begun_) {}

bool Progress::is_due() {
  const auto now = std::chrono::steady_clock::now();
  const bool is = now - last_ >= (on_terminal_ ? kRedraw : std::chrono::milliseconds(kPlainLine));
  if (is) last_ = now;
  return is;
}

void Progress::show_time() {
  if (!is_due()) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(last_ - begun_).count();
  std::fprintf(stderr, on_terminal_ ? "\r\033[K%s  %lld s" : "%s: %lld s\n", title_.c_str(),
               static_cast<long long>(seconds));
  drawn_ = on_terminal_;
}

void Progress::show(std::optional<double> fraction, std::uint64_t records) {
  if (!is_due()) return;
  const double part = std::clamp(fraction.value_or(0), 0.0, 1.0);
  const auto count = static_cast<unsigned long long>(records);
  if (!on_terminal_) {
    if (fraction)
      std::fprintf(stderr, "%s: %.0f %%, %llu records\n", title_.c_str(), part * 100, count);
    else
      std::fprintf(stderr, "%s: %llu records\n", title_.c_str(), count);
    return;
  }
  std::string bar(static_cast<std::size_t>(part * kBarWidth), '#');
  if (fraction)
    std::fprintf(stderr, "\r\033[K%s [%-*s] %3.0f %%  %llu records", title_.c_str(), kBarWidth, bar.c_str(), part * 100,
                 count);
  else
    std::fprintf(stderr, "\r\033[K%s  %llu records", title_.c_str(), count);
  drawn_ = true;
}

void Progress::finish() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace kbase::cli
