// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/bulk.hpp"

#include <algorithm>
#include <utility>

#include "adapters/opensearch/failure.hpp"

namespace kbase::opensearch {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kBytesOfAction = 80;
constexpr std::size_t kMostDocuments = 20'000;  // per request: the response has some values per document (see parse)
constexpr int kMostAttempts = 8;
constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{5000};
constexpr std::uint64_t kFirstError = 300;

bool is_busy_status(std::uint64_t status) {
  return status == 429 || status == 503;
}

}  // namespace

Bulk::Bulk(const Server& server, const std::string& alias, std::size_t most_bytes)
    : server_(server),
      path_("/" + alias +
            "/_bulk?require_alias=true&filter_path=error,status,items.*.status,items.*.error.type,"
            "items.*.error.reason"),
      most_bytes_(most_bytes) {}

model::Status Bulk::add(ports::Call& call, const Lines& lines, std::uint64_t version) {
  const std::size_t bytes = lines.id.size() + lines.document.size() + kBytesOfAction;
  const bool is_full = next_.size() + bytes > most_bytes_ || documents_ == kMostDocuments;
  if (!next_.empty() && is_full)
    if (const auto sent = send(call); !sent) return sent;
  next_ += R"({"index":{"_id":)" + lines.id + R"(,"version_type":"external_gte","version":)" + std::to_string(version) +
           "}}\n" + lines.document + "\n";
  ++documents_;
  return {};
}

model::Status Bulk::send(ports::Call& call) {
  if (const auto waited = wait(call); !waited) return waited;
  if (next_.empty()) return {};
  sent_ = std::exchange(next_, {});
  documents_ = 0;
  begin(call);
  return {};
}

void Bulk::begin(ports::Call& call) {
  pending_ = server_.begin(call, {.path = path_, .body = sent_, .type = Request::Body::Lines, .is_repeatable = true});
}

model::Status Bulk::wait(ports::Call& call) {
  milliseconds length = kFirstPause;
  for (int attempt = 1; pending_ != nullptr; ++attempt) {
    const auto answer = pending_->wait();
    pending_.reset();
    if (!answer) return answer.error();
    bool is_busy = false;
    const auto judged = judge(*answer, is_busy);
    if (judged) break;
    if (!is_busy || attempt == kMostAttempts) return judged;
    if (const auto paused = server_.pause(call, length); !paused) return paused;
    length = std::min(length * 2, kLongestPause);
    begin(call);
  }
  sent_.clear();
  return {};
}

/// Returns the first failure that a retry cannot fix, else a temporary one. `is_busy`: the failure is temporary.
model::Status Bulk::judge(const Json& answer, bool& is_busy) const {
  const Json& items = member(answer, "items");
  if (!items.is_array()) return nonsense("a bulk request was answered without its items");
  model::Status judged;
  for (const Json& item : items) {
    const Json& outcome = member(item, "index");
    const auto status = number(outcome, "status");
    if (!status) return nonsense("a bulk request was answered with what is no item");
    if (*status < kFirstError) continue;
    if (!judged && is_busy_status(*status)) continue;
    const Json& error = member(outcome, "error");
    is_busy = is_busy_status(*status);
    judged = error_of(
        {static_cast<std::uint32_t>(*status), std::string(text(error, "type")), std::string(text(error, "reason")), {}},
        "a document of POST " + path_.substr(0, path_.find('?')));
    // The alias was removed together with the index.
    if (judged.error().code == model::ErrorCode::NotFound) judged = written_by_another(judged.error().detail);
    if (!is_busy) break;
  }
  return judged;
}

}  // namespace kbase::opensearch
