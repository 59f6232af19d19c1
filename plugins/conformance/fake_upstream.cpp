// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/fake_upstream.hpp"

#include <algorithm>
#include <memory>

namespace kbase::conformance {
namespace {

model::Error broken(std::string message) {
  return {model::ErrorCode::BadUpstream, std::move(message), {}, {}, {}};
}

}  // namespace

class FakeUpstream::Exchange final : public ports::HttpExchange {
 public:
  Exchange(FakeUpstream& upstream, std::shared_ptr<const Reply> reply, std::uint64_t max_body_bytes)
      : upstream_(upstream), reply_(std::move(reply)), max_body_bytes_(max_body_bytes) {
    ++upstream_.under_way_;
    for (const auto& [name, value] : reply_->fields) fields_.push_back({name, value});
  }
  ~Exchange() override { --upstream_.under_way_; }

  model::Result<ports::HttpHead> head() override {
    if (reply_->failure) return model::Error{*reply_->failure, "It did not answer.", {}, {}, {}};
    return ports::HttpHead{reply_->status, fields_};
  }

  model::Result<std::size_t> read(std::span<char> buffer) override {
    if (auto begun = head(); !begun) return begun.error();
    const std::string_view body = reply_->body;
    if (max_body_bytes_ != 0 && body.size() > max_body_bytes_) return broken("The answer is too large.");
    const std::size_t end = reply_->breaks_off ? body.size() / 2 : body.size();
    if (read_ == end && reply_->breaks_off) return broken("The answer broke off.");
    const std::size_t size = std::min(buffer.size(), end - read_);
    std::copy_n(body.data() + read_, size, buffer.data());
    read_ += size;
    return size;
  }

 private:
  FakeUpstream& upstream_;
  const std::shared_ptr<const Reply> reply_;
  const std::uint64_t max_body_bytes_;
  std::vector<ports::HttpField> fields_;
  std::size_t read_ = 0;
};

void FakeUpstream::set(Reply reply) {
  auto shared = std::make_shared<const Reply>(std::move(reply));
  const std::lock_guard lock(mutex_);
  reply_ = std::move(shared);
}

model::Result<std::unique_ptr<ports::HttpExchange>> FakeUpstream::open(ports::Call&,
                                                                       const ports::HttpRequest& request) {
  ++asked_;
  const std::lock_guard lock(mutex_);
  return std::unique_ptr<ports::HttpExchange>(std::make_unique<Exchange>(*this, reply_, request.max_body_bytes));
}

}  // namespace kbase::conformance
