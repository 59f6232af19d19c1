// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "app/plugin_host/generated/proxies.hpp"

/// The functions of the ports whose form is too special for ports/definitions/generate.py. Errors: those of the port,
/// and Internal if the plugin violated the contract (see CallFrame).
namespace kbase::plugin_host {

class ActivityStoreProxy final : public ActivityStoreCalls {
 public:
  using ActivityStoreCalls::ActivityStoreCalls;

  /// Error: Unsupported if the plugin has no such function.
  Status snapshot(ports::Call& call, Visitor<ports::JournalMark> journals,
                  Visitor<ports::ViewIncrement> counts) override;
};

/// A call is also a violation if the number of hits contradicts the total.
class SearchIndexProxy final : public SearchIndexCalls {
 public:
  /// Reads the fingerprint. Error: Internal if it is not a text of 1 to 4,096 bytes.
  static Result<std::unique_ptr<SearchIndexProxy>> make(std::unique_ptr<InstanceOf<ports::SearchIndex>> instance);

  SearchIndexProxy(std::unique_ptr<InstanceOf<ports::SearchIndex>> instance, std::string fingerprint);

  std::string_view fingerprint() const override { return fingerprint_; }
  Result<ports::SearchResult> search(ports::Call& call, const ports::SearchRequest& request,
                                     Visitor<ports::SearchHit> visitor) override;

 private:
  const std::string fingerprint_;
};

/// A decision is also a violation if more remains than the limit allows, a window ends outside the calendar, or an
/// account was charged that the request did not name. Allocates memory only for calls with many requests.
class RateLimitStoreProxy final : public RateLimitStoreCalls {
 public:
  using RateLimitStoreCalls::RateLimitStoreCalls;

  Status acquire(ports::Call& call, std::span<const ports::AcquireRequest* const> requests,
                 std::span<ports::Decision* const> decisions) override;
  /// Error: Unsupported if the plugin has no such function.
  Status adjust(ports::Call& call, const ports::AcquireRequest& request, const ports::Decision& decision,
                std::uint32_t used) override;
};

/// A look-up is also a violation if its parts are incomplete, repeated or out of order, or above the size limits.
class CodeHostProxy final : public CodeHostCalls {
 public:
  using CodeHostCalls::CodeHostCalls;

  bool is_username(std::string_view username) const noexcept override;
  Result<ports::LookUp> look_up(ports::Call& call, std::string_view username, std::string_view validator,
                                ports::UserVisitor& visitor) override;
};

/// A completion is also a violation if a piece of text is empty or beyond the size limit, or if the end is invalid or
/// not reported exactly once.
class LanguageModelProxy final : public LanguageModelCalls {
 public:
  using LanguageModelCalls::LanguageModelCalls;

  Result<ports::Completion> complete(ports::Call& call, const ports::Prompt& prompt,
                                     Visitor<std::string_view> text) override;
};

template <> struct ProxyOf<ports::ActivityStore> { using Type = ActivityStoreProxy; };
template <> struct ProxyOf<ports::SearchIndex> { using Type = SearchIndexProxy; };
template <> struct ProxyOf<ports::RateLimitStore> { using Type = RateLimitStoreProxy; };
template <> struct ProxyOf<ports::CodeHost> { using Type = CodeHostProxy; };
template <> struct ProxyOf<ports::LanguageModel> { using Type = LanguageModelProxy; };

}  // namespace kbase::plugin_host
