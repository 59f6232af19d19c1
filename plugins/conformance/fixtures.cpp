// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/fixtures.hpp"

#include <algorithm>
#include <memory>
#include <thread>

#include "domain/base/result.hpp"

namespace kbase::conformance {
namespace {

Error broken(std::string message) { return {ErrorCode::BadUpstream, std::move(message)}; }

}  // namespace

class FakeUpstream::Exchange final : public ports::HttpExchange {
 public:
  Exchange(FakeUpstream& upstream, const ports::Call& call, Reply reply, std::uint64_t max_body_bytes)
      : upstream_(upstream), call_(call), reply_(std::move(reply)), max_body_bytes_(max_body_bytes) {
    ++upstream_.open_exchanges_;
    for (const auto& field : reply_.fields) fields_.push_back({field.first, field.second});
  }
  ~Exchange() override { --upstream_.open_exchanges_; }

  Result<ports::HttpHead> head() override {
    if (reply_.is_silent && !reply_.failure) reply_.failure = silence();
    if (reply_.failure) return Error{*reply_.failure, "It did not answer.", {}, {}, {}};
    return ports::HttpHead{reply_.status, fields_};
  }

  Result<std::size_t> read(std::span<char> buffer) override {
    KBASE_TRY(head());
    const std::string_view body = reply_.body;
    if (max_body_bytes_ != 0 && body.size() > max_body_bytes_) return broken("The answer is too large.");
    const std::size_t end = reply_.is_truncated ? body.size() / 2 : body.size();
    if (read_ == end && reply_.is_truncated) return broken("The answer broke off.");
    const std::size_t size = std::min(buffer.size(), end - read_);
    std::copy_n(body.data() + read_, size, buffer.data());
    read_ += size;
    return size;
  }

 private:
  ErrorCode silence() const {
    while (!call_.cancelled()) {
      if (upstream_.clock_.steady() >= call_.deadline) return ErrorCode::Deadline;
      std::this_thread::yield();
    }
    return ErrorCode::Cancelled;
  }

  FakeUpstream& upstream_;
  const ports::Call& call_;
  Reply reply_;
  const std::uint64_t max_body_bytes_;
  std::vector<ports::HttpField> fields_;
  std::size_t read_ = 0;
};

void FakeUpstream::set(Reply reply) {
  set_handler([reply = std::move(reply)](const ports::HttpRequest&) { return reply; });
}

void FakeUpstream::set_handler(Handler handler) {
  auto shared = std::make_shared<const Handler>(std::move(handler));
  const std::lock_guard lock(mutex_);
  handler_ = std::move(shared);
}

Result<std::unique_ptr<ports::HttpExchange>> FakeUpstream::open(ports::Call& call, const ports::HttpRequest& request) {
  ++request_count_;
  std::shared_ptr<const Handler> handler;
  {
    const std::lock_guard lock(mutex_);
    handler = handler_;
  }
  return std::unique_ptr<ports::HttpExchange>(
      std::make_unique<Exchange>(*this, call, handler ? (*handler)(request) : Reply(), request.max_body_bytes));
}

}  // namespace kbase::conformance
