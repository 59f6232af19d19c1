// SPDX-License-Identifier: Apache-2.0
#include "plugins/conformance/suites.hpp"

#include <atomic>
#include <thread>

#include "domain/base/text.hpp"

namespace kbase::conformance {
namespace {
using ports::Call;
using ports::Completion;
using ports::FinishReason;
using Behavior = ServiceScript::Behavior;

/// The result of one prompt.
struct Seen {
  Result<Completion> completion;
  std::string text;
  std::size_t pieces = 0;
  bool is_valid_utf8 = true;  ///< each piece is valid UTF-8 and not empty
};

Seen complete(ports::LanguageModel& model, Call& call, bool is_stream, Visit after_each = Visit::Continue) {
  ports::Prompt prompt;
  prompt.text = "Why? \xE2\x82\xAC";
  prompt.model = kAskedModel;
  prompt.max_tokens = 16;
  prompt.is_stream = is_stream;
  Seen seen{Completion{}, {}, 0, true};
  seen.completion = model.complete(call, prompt, [&](std::string_view piece) {
    seen.is_valid_utf8 = seen.is_valid_utf8 && !piece.empty() && utf8::is_valid(piece);
    seen.text += piece;
    ++seen.pieces;
    return after_each;
  });
  return seen;
}

Seen complete(LanguageModelFixture& fixture, bool is_stream) {
  Call call;
  return complete(fixture.port(), call, is_stream);
}

/// A check that needs a service which can answer.
template <void (*check)(LanguageModelFixture&, Report&)> void answered(LanguageModelFixture& fixture, Report& report) {
  if (!fixture.can_answer()) return report.skip("the plugin asks nothing of an API that the checks can answer in");
  check(fixture, report);
}

void returns_the_whole_text(LanguageModelFixture& fixture, Report& report) {
  for (const bool is_stream : {false, true}) {
    fixture.play({});
    const Seen seen = complete(fixture, is_stream);
    report.ok(seen.completion, "a prompt is completed");
    report.equal(seen.text, "Because.", "the pieces together are the completion's text");
    report.expect(seen.is_valid_utf8, "a piece is whole UTF-8 and not empty");
  }
}

void streams_in_pieces(LanguageModelFixture& fixture, Report& report) {
  fixture.play({.pieces = {"one ", "two ", "three ", "four"}});
  report.expect(complete(fixture, true).pieces > 1, "a stream is passed on in pieces as they arrive");
}

void pieces_are_whole_characters(LanguageModelFixture& fixture, Report& report) {
  const std::string text = "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \"quoted\" \\ \n line";
  for (const bool is_stream : {false, true}) {
    fixture.play({.pieces = {"caf\xC3\xA9 ", "\xE2\x82\xAC \xF0\x9F\x98\x80 ", "\"quoted\" \\ \n line"}});
    const Seen seen = complete(fixture, is_stream);
    report.ok(seen.completion, "text of any language is passed on");
    report.equal(seen.text, text, "text arrives as the service wrote it");
    report.expect(seen.is_valid_utf8, "a piece is whole UTF-8 and not empty");
  }
}

void an_empty_completion_has_no_pieces(LanguageModelFixture& fixture, Report& report) {
  for (const bool is_stream : {false, true}) {
    fixture.play({.pieces = {}});
    const Seen seen = complete(fixture, is_stream);
    report.ok(seen.completion, "an empty completion is one");
    report.equal(seen.pieces, std::size_t{0}, "an empty completion has no pieces");
  }
}

void reports_the_finish_reason(LanguageModelFixture& fixture, Report& report) {
  for (const FinishReason reason : {FinishReason::Stop, FinishReason::Length}) {
    for (const bool is_stream : {false, true}) {
      fixture.play({.finish_reason = reason, .prompt_tokens = 11, .completion_tokens = 7});
      const Seen seen = complete(fixture, is_stream);
      if (!report.ok(seen.completion, "a prompt is completed")) continue;
      report.expect(seen.completion->finish_reason == reason, "the reason is that which the service gave");
      report.equal(seen.completion->prompt_tokens, std::uint64_t{11}, "the prompt's tokens are as the service counted");
      report.equal(seen.completion->completion_tokens, std::uint64_t{7}, "so are the completion's");
      report.expect(!seen.completion->model.empty(), "the model that answered is named");
    }
  }
}

/// Expects a failure both with and without streaming, and that the prompt is sent only once.
void expect_failure(LanguageModelFixture& fixture, Report& report, Behavior behavior, ErrorCode code,
                    std::string_view rule) {
  for (const bool is_stream : {false, true}) {
    fixture.play({.behavior = behavior});
    const std::size_t before = fixture.prompts();
    report.fails(complete(fixture, is_stream).completion, code, rule);
    report.equal(fixture.prompts() - before, std::size_t{1}, "a prompt is never sent twice");
  }
}

void an_unknown_model_is_an_invalid_argument(LanguageModelFixture& fixture, Report& report) {
  expect_failure(fixture, report, Behavior::UnknownModel, ErrorCode::InvalidArgument,
                 "a model that the service does not know is InvalidArgument");
  const Seen seen = complete(fixture, false);
  if (!seen.completion) report.equal(seen.completion.error().parameter, "model", "its parameter is `model`");
}

void a_rejected_key_is_a_failure_of_the_service(LanguageModelFixture& fixture, Report& report) {
  expect_failure(fixture, report, Behavior::InvalidKey, ErrorCode::BadUpstream,
                 "a service that refuses our key is BadUpstream: the caller's own is good");
}

void a_rate_limit_reports_when_to_retry(LanguageModelFixture& fixture, Report& report) {
  expect_failure(fixture, report, Behavior::RateLimited, ErrorCode::Unavailable,
                 "a service that has enough of us is Unavailable");
  const Seen seen = complete(fixture, false);
  if (!seen.completion)
    report.equal(seen.completion.error().retry_after.count(), std::int64_t{7000}, "retry_after is what it said");
}

void an_invalid_response_is_a_bad_upstream(LanguageModelFixture& fixture, Report& report) {
  expect_failure(fixture, report, Behavior::InvalidResponse, ErrorCode::BadUpstream, "nonsense is BadUpstream");
}

void a_truncated_stream_fails(LanguageModelFixture& fixture, Report& report) {
  fixture.play({.behavior = Behavior::Truncated});
  const Seen seen = complete(fixture, true);
  report.expect(!seen.completion, "a completion without an end is not a result");
  report.equal(seen.text, "Because.", "what arrived before was passed on");
}

void stops_when_the_visitor_stops(LanguageModelFixture& fixture, Report& report) {
  fixture.play({.pieces = {"one ", "two ", "three ", "four"}});
  Call call;
  const Seen seen = complete(fixture.port(), call, true, Visit::Stop);
  report.fails(seen.completion, ErrorCode::Cancelled, "a visitor that asks for no more cancels");
  report.equal(seen.pieces, std::size_t{1}, "it gets no further piece");
}

void a_deadline_ends_the_wait(LanguageModelFixture& fixture, Report& report) {
  for (const bool is_stream : {false, true}) {
    fixture.play({.behavior = Behavior::Silent});
    Call call;
    call.deadline = fixture.clock.steady();
    report.fails(complete(fixture.port(), call, is_stream).completion, ErrorCode::Deadline,
                 "a call whose time is over fails with Deadline");
  }
}

void a_cancelled_completion_ends(LanguageModelFixture& fixture, Report& report) {
  for (const bool is_stream : {false, true}) {
    fixture.play({.behavior = Behavior::Silent});
    const std::size_t before = fixture.prompts();
    std::atomic<bool> left = false;
    std::thread leaver([&] {
      while (!left && fixture.prompts() == before) std::this_thread::yield();
      left = true;
    });
    Call call;
    call.cancel = &left;
    report.fails(complete(fixture.port(), call, is_stream).completion, ErrorCode::Cancelled,
                 "a cancelled call fails with Cancelled");
    left = true;
    leaver.join();
  }
}

void serves_concurrent_calls(LanguageModelFixture& fixture, Report& report) {
  constexpr int kThreads = 8;
  fixture.play({});
  std::atomic<int> whole{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, is_stream = i % 2 == 0] {
      const Seen seen = complete(fixture, is_stream);
      if (seen.completion && seen.text == "Because.") ++whole;
    });
  for (std::thread& thread : threads) thread.join();
  report.equal(whole.load(), kThreads, "any number of threads may ask at a time");
}

void health_reflects_the_service(LanguageModelFixture& fixture, Report& report) {
  fixture.play({});
  const std::size_t before = fixture.prompts();
  Call call;
  report.ok(fixture.port().health(call), "a model whose service works is healthy");
  report.equal(fixture.prompts(), before, "to ask for health costs no tokens");
}

}  // namespace

Suite<LanguageModelFixture> language_model_suite() {
  return {
      {"ReturnsTheWholeText", "complete", answered<returns_the_whole_text>},
      {"StreamsInPieces", "kb_completion_request.is_stream", answered<streams_in_pieces>},
      {"PiecesAreWholeCharacters", "kb_text_sink", answered<pieces_are_whole_characters>},
      {"AnEmptyCompletionHasNoPieces", "kb_text_sink", answered<an_empty_completion_has_no_pieces>},
      {"ReportsTheFinishReason", "kb_completion", answered<reports_the_finish_reason>},
      {"AnUnknownModelIsAnInvalidArgument", "complete", answered<an_unknown_model_is_an_invalid_argument>},
      {"ARejectedKeyIsAFailureOfTheService", "complete", a_rejected_key_is_a_failure_of_the_service},
      {"ARateLimitReportsWhenToRetry", "complete", a_rate_limit_reports_when_to_retry},
      {"AnInvalidResponseIsABadUpstream", "complete", an_invalid_response_is_a_bad_upstream},
      {"ATruncatedStreamFails", "complete", answered<a_truncated_stream_fails>},
      {"StopsWhenTheVisitorStops", "kb_text_sink", answered<stops_when_the_visitor_stops>},
      {"ADeadlineEndsTheWait", "complete", a_deadline_ends_the_wait},
      {"ACancelledCompletionEnds", "complete", a_cancelled_completion_ends},
      {"ServesConcurrentCalls", "", answered<serves_concurrent_calls>},
      {"HealthReflectsTheService", "health", health_reflects_the_service},
  };
}

}  // namespace kbase::conformance
