// SPDX-License-Identifier: Apache-2.0
// Verifies the decisions of a rate limiter over the logs of all processes: no client was allowed more than the limit
// in any 60 seconds, and no client was denied while it had requests left. Usage: rate_limiter_verify PER_MINUTE
// LOG... Prints one line of results. Exit code 1: an excess admission, or a denial that no kill explains.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <vector>

#include "tests/faults/decision_log.hpp"

namespace kbase::faults {
namespace {

constexpr std::int64_t kWindowMs = 60'000;

/// An acquire whose process was killed or whose reply was lost may have been charged up to this long after the call.
constexpr std::int64_t kUnknownMs = 2000;

/// Times at which acquires were charged, each between an earliest and a latest time.
class Times {
 public:
  void add(std::int64_t earliest, std::int64_t latest) {
    earliest_.push_back(earliest);
    latest_.push_back(latest);
    is_sorted_ = false;
  }

  /// Returns the maximum number in a window that ends between `from` and `to`.
  std::size_t most_in_window(std::int64_t from, std::int64_t to) {
    sort();
    const auto started = std::upper_bound(earliest_.begin(), earliest_.end(), to) - earliest_.begin();
    const auto over = std::upper_bound(latest_.begin(), latest_.end(), from - kWindowMs) - latest_.begin();
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, started - over));
  }

  /// Returns the minimum number in the 60 seconds from `start`: those whose earliest and latest times are both
  /// inside.
  std::size_t least_in_window_from(std::int64_t start) {
    sort();
    const auto started = std::lower_bound(earliest_.begin(), earliest_.end(), start) - earliest_.begin();
    const auto ended = std::lower_bound(latest_.begin(), latest_.end(), start + kWindowMs) - latest_.begin();
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, ended - started));
  }

  const std::vector<std::int64_t>& earliest() const { return earliest_; }

 private:
  void sort() {
    if (is_sorted_) return;
    std::sort(earliest_.begin(), earliest_.end());
    std::sort(latest_.begin(), latest_.end());
    is_sorted_ = true;
  }

  std::vector<std::int64_t> earliest_;
  std::vector<std::int64_t> latest_;
  bool is_sorted_ = false;
};

struct ClientTimes {
  Times admitted;
  Times unknown;
};

struct Results {
  std::size_t requests = 0, admitted = 0, denied = 0, unknown = 0;
  std::size_t over_admissions = 0;  ///< windows with more than the limit
  std::size_t explained = 0;        ///< denials below the limit, explained by acquires of unknown outcome
  std::size_t unexplained = 0;
};

class Verification {
 public:
  explicit Verification(std::size_t limit) : limit_(limit) {}

  void read(const DecisionLog& log) {
    for (const DecisionRecord& record : log.records()) {
      if (record.state == DecisionRecord::None) continue;
      ++results_.requests;
      ClientTimes& client = clients_[record.client_id];
      if (record.state == DecisionRecord::Allowed) {
        ++results_.admitted;
        client.admitted.add(record.earliest_ms, record.latest_ms());
      } else if (record.state != DecisionRecord::Denied) {
        ++results_.unknown;
        client.unknown.add(record.earliest_ms, record.latest_ms() + kUnknownMs);
      }
    }
  }

  void check_admissions() {
    for (auto& [number, client] : clients_) {
      const std::vector<std::int64_t> starts = client.admitted.earliest();
      for (const std::int64_t start : starts)
        if (client.admitted.least_in_window_from(start) > limit_) ++results_.over_admissions;
    }
  }

  void check_denials(const DecisionLog& log) {
    for (const DecisionRecord& record : log.records()) {
      if (record.state != DecisionRecord::Denied) continue;
      ++results_.denied;
      ClientTimes& client = clients_[record.client_id];
      const std::size_t counted = client.admitted.most_in_window(record.earliest_ms, record.latest_ms());
      if (counted >= limit_) continue;
      const std::size_t unknown = client.unknown.most_in_window(record.earliest_ms, record.latest_ms());
      ++(counted + unknown >= limit_ ? results_.explained : results_.unexplained);
    }
  }

  const Results& results() const { return results_; }

 private:
  const std::size_t limit_;
  std::unordered_map<std::uint32_t, ClientTimes> clients_;
  Results results_;
};

}  // namespace
}  // namespace kbase::faults

int main(int argc, char** argv) {
  using namespace kbase::faults;
  if (argc < 3) {
    std::fprintf(stderr, "usage: rate_limiter_verify PER_MINUTE LOG...\n");
    return 2;
  }
  Verification verification(std::strtoull(argv[1], nullptr, 10));
  for (int i = 2; i < argc; ++i) verification.read(DecisionLog(argv[i]));
  verification.check_admissions();
  for (int i = 2; i < argc; ++i) verification.check_denials(DecisionLog(argv[i]));
  const Results& results = verification.results();
  std::printf(
      "acquires %zu   admitted %zu   denied %zu   unknown %zu   over-admissions %zu   too few, explained by a kill "
      "%zu, unexplained %zu\n",
      results.requests, results.admitted, results.denied, results.unknown, results.over_admissions, results.explained,
      results.unexplained);
  return results.over_admissions + results.unexplained == 0 ? 0 : 1;
}
