// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "adapters/curl/transfer_loop.hpp"
#include "adapters/opensearch/opensearch_search_index.hpp"
#include "adapters/prometheus/prometheus_metrics.hpp"
#include "adapters/system/system_crypto.hpp"
#include "ports/driven/event_log.hpp"

namespace kbase::tests {

/// Returns what this machine lacks to test OpenSearch; null: nothing.
const char* missing_opensearch();

/// A uniquely named index on a real OpenSearch, deleted with the object. Thread-safe.
class TemporaryOpenSearchIndex {
 public:
  TemporaryOpenSearchIndex();
  ~TemporaryOpenSearchIndex();

  /// HTTP client, as a server passes it to its plugin. The timeout of each call is five minutes.
  ports::HttpClient& http() { return *http_; }

  static std::string url();
  const std::string& index() const { return index_; }
  opensearch::Options options() const;

  /// Opens the same index as another server would.
  std::unique_ptr<opensearch::OpenSearchSearchIndex> open(const ports::Clock& clock) {
    return opensearch::OpenSearchSearchIndex::open(&http(), clock, options()).value();
  }

  /// Sends a request to OpenSearch directly. Null: OpenSearch rejected it.
  opensearch::Json ask(std::string_view method, const std::string& path, const opensearch::Json& body = {});

 private:
  class Silence final : public ports::EventLog {
   public:
    void log(ports::LogLevel, std::string_view, std::string_view, std::span<const ports::LogField>) override {}
  };

  system::SystemClock clock_;
  system::SystemRandom random_;
  Silence log_;
  prometheus::PrometheusMetrics metrics_;
  std::unique_ptr<curl::TransferLoop> loop_;
  std::unique_ptr<ports::HttpClient> http_;
  const std::string index_;
};

}  // namespace kbase::tests
