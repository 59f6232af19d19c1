// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/refusal_log.hpp"

#include <utility>

namespace kbase::runtime {

void RefusalLog::update(ports::EventLog& log, Time now) {
  const WorkerPool::Stats stats = pool_.stats();
  const bool has_news = stats.refused != refused_ || stats.late != late_;
  if (!has_news || !throttle_.is_due(now)) return;
  const std::uint64_t refused = stats.refused - std::exchange(refused_, stats.refused);
  const std::uint64_t late = stats.late - std::exchange(late_, stats.late);
  const ports::LogField fields[] = {{"pool", name_},
                                    {"late", late},
                                    {"refused", refused},
                                    {"threads", std::uint64_t{stats.threads}},
                                    {"busy", std::uint64_t{stats.busy}},
                                    {"queued", std::uint64_t{stats.queued}}};
  log.log(ports::LogLevel::Warning, "http.overloaded",
          stats.is_overloaded
              ? "requests got 503: more requests arrive than the threads of the pool can serve"
              : "requests got 503: they waited too long for a thread of the pool, or its queue was full",
          fields);
}

}  // namespace kbase::runtime
