// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/language_model_proxy.hpp"

#include <limits>
#include <optional>
#include <utility>

#include "app/plugin_host/lent_rows.hpp"
#include "app/plugin_host/lent_text.hpp"

namespace kbase::plugin_host {
namespace {

/// Limit of a completion's text. The longest tokens have about 100 bytes, and no model returns so many.
constexpr std::uint64_t kMaxTextBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMaxModelBytes = 256;
/// Largest integer that a JSON number represents exactly (RFC 8259, section 6).
constexpr std::uint64_t kMaxTokens = (std::uint64_t{1} << 53) - 1;

/// Validates pieces and counts their bytes.
class PieceReader {
 public:
  using Row = std::string_view;

  Fault read(kb_view piece, std::string_view& row) {
    if (!is_sound(piece)) return kNoText;
    row = sdk::text_of(piece);
    if (row.empty()) return "lent an empty piece of text";
    if (!is_utf8(row)) return kNoUtf8;
    told_ += row.size();
    return told_ <= kMaxTextBytes ? nullptr : "lent more text than any completion has";
  }

 private:
  std::uint64_t told_ = 0;
};

/// Returns null if the completion is valid.
Fault fault_of(const kb_completion* completion) {
  if (completion == nullptr || !KB_HAS(completion, model)) return kNoStruct;
  const kb_view model = completion->model;
  if (!is_sound(model) || model.size == 0 || model.size > kMaxModelBytes) return "told a model that has no name";
  if (!is_utf8(sdk::text_of(model))) return kNoUtf8;
  if (completion->prompt_tokens > kMaxTokens || completion->completion_tokens > kMaxTokens)
    return "told of more tokens than there are";
  return nullptr;
}

/// The sinks of a completion: passes the text to the visitor and stores the end. See RowSink.
class CompletionSink {
 public:
  CompletionSink(CallFrame& frame, model::Visitor<std::string_view> visitor) noexcept
      : frame_(frame), visitor_(visitor) {
    frame.attach(*this, std::numeric_limits<std::uint64_t>::max());
  }

  static std::int32_t text(void* data, kb_view piece) noexcept {
    CompletionSink* const self = CallFrame::sink_of<CompletionSink>(data);
    if (self == nullptr) return CallFrame::kStop;
    if (self->end_) return self->frame_.report_violation("lent text after the end");
    return self->frame_.take_row(self->reader_, self->piece_, self->visitor_, piece);
  }

  static void completion(void* data, const kb_completion* completion) noexcept {
    CompletionSink* const self = CallFrame::sink_of<CompletionSink>(data);
    if (self == nullptr) return;
    try {
      self->keep(completion);
    } catch (...) {
      self->frame_.park();
    }
  }

  const std::optional<ports::Completion>& end() const noexcept { return end_; }

 private:
  void keep(const kb_completion* completion) {
    Fault fault = fault_of(completion);
    if (end_) fault = "told twice how the completion ended";
    if (fault != nullptr)
      frame_.report_violation(fault);
    else
      end_ = sdk::completion_of(*completion);
  }

  CallFrame& frame_;
  model::Visitor<std::string_view> visitor_;
  PieceReader reader_;
  std::string_view piece_;
  std::optional<ports::Completion> end_;
};

}  // namespace

LanguageModelProxy::LanguageModelProxy(std::unique_ptr<LanguageModelInstance> instance)
    : instance_(std::move(instance)), table_(instance_->table()), model_(instance_->object()) {}

model::Result<ports::Completion> LanguageModelProxy::complete(ports::Call& call, const ports::Prompt& prompt,
                                                              model::Visitor<std::string_view> text) {
  const kb_completion_request request = sdk::request_of(prompt);
  CallFrame frame = instance_->frame("language_model.complete", call);
  CompletionSink sink(frame, text);
  kb_status status = frame.run(table_.complete, model_, frame.call(), &request, CompletionSink::text,
                               CompletionSink::completion, &sink);
  if (status == KB_STOPPED && frame.stopped()) status = KB_CANCELLED;
  if (status == KB_OK && !sink.end()) frame.report_violation("said KB_OK and did not tell how the completion ended");
  if (auto done = frame.done(status); !done) return done.error();
  return *sink.end();
}

}  // namespace kbase::plugin_host
