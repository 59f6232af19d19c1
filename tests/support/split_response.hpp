// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ports/driven/http_client.hpp"

namespace kbase::tests {

/// A response whose body arrives in pieces of `piece_bytes`, or of the size of the reader's buffer if that is smaller.
class SplitResponse final : public ports::HttpExchange {
 public:
  SplitResponse(std::string body, std::size_t piece_bytes, std::uint32_t status = 200)
      : body_(std::move(body)), piece_bytes_(piece_bytes), status_(status) {}

  Result<ports::HttpHead> head() override { return ports::HttpHead{status_, {}}; }

  Result<std::size_t> read(std::span<char> buffer) override {
    const std::string_view piece =
        std::string_view(body_).substr(at_, std::min({buffer.size(), piece_bytes_, body_.size() - at_}));
    std::copy(piece.begin(), piece.end(), buffer.begin());
    at_ += piece.size();
    return piece.size();
  }

 private:
  const std::string body_;
  const std::size_t piece_bytes_;
  const std::uint32_t status_;
  std::size_t at_ = 0;
};

}  // namespace kbase::tests
