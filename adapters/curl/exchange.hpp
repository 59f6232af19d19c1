// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/curl/gzip_reader.hpp"
#include "adapters/curl/transfer.hpp"
#include "adapters/curl/transfer_loop.hpp"
#include "ports/driven/http_client.hpp"

namespace kbase::curl {

/// The reader's side of one exchange. Decompresses the body on the reader's thread, only as far as it is read.
class Exchange final : public ports::HttpExchange {
 public:
  /// Starts the exchange.
  Exchange(TransferLoop& loop, std::shared_ptr<Transfer> transfer);
  ~Exchange() override;

  model::Result<ports::HttpHead> head() override;
  model::Result<std::size_t> read(std::span<char> buffer) override;

 private:
  model::Status learn_head();
  model::Result<std::size_t> unpack(std::span<char> buffer);
  model::Result<std::size_t> fetch(std::span<char> buffer);

  TransferLoop& loop_;
  const std::shared_ptr<Transfer> transfer_;

  std::optional<ports::HttpHead> head_;
  std::vector<ports::HttpField> fields_;

  // Used only if the response is compressed.
  std::optional<GzipReader> gzip_;
  std::string packed_;       // bytes before decompression
  std::string_view unread_;  // unread part of packed_

  std::uint64_t read_bytes_ = 0;
  std::optional<model::Error> failure_;
};

}  // namespace kbase::curl
