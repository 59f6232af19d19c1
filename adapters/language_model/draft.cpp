// SPDX-License-Identifier: Apache-2.0
#include "adapters/language_model/draft.hpp"

#include <algorithm>

#include "adapters/language_model/complaint.hpp"
#include "domain/model/utf8.hpp"

namespace kbase::language_model {
namespace {

constexpr std::size_t kLongestModelName = 256;

/// The tokenizers of the large services use about 4 bytes per token for English and about 3 for most other text. 3
/// gives the higher estimate, so that usage is not counted too low.
constexpr std::uint64_t kBytesOfAToken = 3;

std::uint64_t estimated_tokens(std::uint64_t bytes) {
  return (bytes + kBytesOfAToken - 1) / kBytesOfAToken;
}

model::Error nobody_reads_on() {
  return {model::ErrorCode::Cancelled, "Nobody waits for the answer any more.", "the reader left", {}, {}};
}

}  // namespace

model::Status Draft::say(std::string_view text) {
  if (pieces_.tell(text) == model::Visit::Stop) return nobody_reads_on();
  return {};
}

void Draft::name_model(std::string_view name) {
  if (name.empty() || name.size() > kLongestModelName) return;
  if (model::utf8::is_valid(name) && !model::utf8::has_control(name)) model_ = name;
}

model::Result<ports::Completion> Draft::finish() {
  if (!is_whole()) return nonsense("its answer ended before the model stopped");
  if (pieces_.finish() == model::Visit::Stop) return nobody_reads_on();
  const std::uint64_t most = prompt_.max_tokens;
  return ports::Completion{
      model_.empty() ? std::string(prompt_.model) : model_, *finish_reason_,
      prompt_tokens_ > 0 ? prompt_tokens_ : estimated_tokens(prompt_.text.size()),
      completion_tokens_ > 0 ? completion_tokens_ : std::min(most, estimated_tokens(pieces_.bytes()))};
}

}  // namespace kbase::language_model
