// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/request.hpp"

namespace kbase::http {
namespace {

constexpr std::size_t kKeptBytes = 2048;
constexpr std::size_t kKeptFields = 64;

void reset(std::string& text) {
  text.clear();
  if (text.capacity() > kKeptBytes) text.shrink_to_fit();
}

}  // namespace

void Request::clear() {
  reset(head_);
  reset(body_);
  fields_.clear();
  if (fields_.capacity() > kKeptFields) fields_.shrink_to_fit();
  method_ = target_ = {};
  minor_version_ = 1;
  keep_alive_ = true;
}

}  // namespace kbase::http
