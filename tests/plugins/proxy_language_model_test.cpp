// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "app/plugin_host/host_table.hpp"
#include "tests/plugins/fake_tables.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

kb_completion ended(std::string_view model = "small", std::int32_t reason = KB_FINISH_STOP) {
  auto completion = sized<kb_completion>();
  completion.finish_reason = reason;
  completion.prompt_tokens = 3;
  completion.completion_tokens = 5;
  completion.model = to_view(model);
  return completion;
}

class LanguageModelProxy : public testing::Test {
 protected:
  using Telling = std::function<kb_status(kb_text_sink, kb_completion_sink, void*)>;

  Result<ports::Completion> complete(Visit after_each = Visit::Continue) {
    text_.clear();
    return model_->complete(call_, prompt_, [&](std::string_view piece) {
      text_.append(piece).append("|");
      return after_each;
    });
  }

  Result<ports::Completion> after(Telling telling) {
    fake_.complete = std::move(telling);
    return complete();
  }

  HostFixture fixture_;
  FakeLanguageModel fake_;
  std::unique_ptr<ports::LanguageModel> model_ =
      plugin_host::open_port<ports::LanguageModel>(fake_.table, fixture_.host, "{}").value();
  ports::Call call_;
  ports::Prompt prompt_{"Why?", "small", 7, 0.5, true};
  std::string text_;
};

TEST_F(LanguageModelProxy, ReturnsPiecesThenTheEnd) {
  fake_.complete = [](kb_text_sink text, kb_completion_sink completion, void* data) {
    text(data, to_view("Be"));
    text(data, to_view("cause."));
    const kb_completion end = ended("small-2", KB_FINISH_LENGTH);
    completion(data, &end);
    return KB_OK;
  };
  const auto seen = complete();
  ASSERT_TRUE(succeeded(seen));
  EXPECT_EQ(text_, "Be|cause.|");
  EXPECT_EQ(fake_.arguments, "small: Why? (7, 0.5, stream)");
  EXPECT_EQ(seen->model, "small-2");
  EXPECT_EQ(seen->finish_reason, ports::FinishReason::Length);
  EXPECT_EQ(seen->prompt_tokens, 3u);
  EXPECT_EQ(seen->completion_tokens, 5u);
}

TEST_F(LanguageModelProxy, KeepsAbsentMembersAbsent) {
  prompt_.temperature = std::nullopt;
  prompt_.is_stream = false;
  ASSERT_TRUE(succeeded(complete()));
  EXPECT_EQ(fake_.arguments, "small: Why? (7, none, plain)");
  EXPECT_EQ(text_, "") << "an empty completion has no piece";
}

TEST_F(LanguageModelProxy, MapsUnknownReasonsToOther) {
  const auto seen = after([](kb_text_sink, kb_completion_sink completion, void* data) {
    const kb_completion end = ended("small", 77);
    completion(data, &end);
    return KB_OK;
  });
  EXPECT_EQ(seen.value().finish_reason, ports::FinishReason::Other);
}

TEST_F(LanguageModelProxy, IsCancelledWhenTheVisitorStops) {
  fake_.complete = [](kb_text_sink text, kb_completion_sink, void* data) {
    EXPECT_NE(text(data, to_view("one")), 0);
    EXPECT_NE(text(data, to_view("two")), 0) << "a stopped sink accepts no more";
    return KB_STOPPED;
  };
  EXPECT_TRUE(failed(complete(Visit::Stop), ErrorCode::Cancelled));
  EXPECT_EQ(text_, "one|");
}

TEST_F(LanguageModelProxy, ReturnsTheFailureOfThePluginAfterSomeText) {
  EXPECT_TRUE(failed(after([](kb_text_sink text, kb_completion_sink, void* data) {
                       text(data, to_view("half"));
                       return KB_BAD_UPSTREAM;
                     }),
                     ErrorCode::BadUpstream));
  EXPECT_EQ(text_, "half|");
}

TEST_F(LanguageModelProxy, RejectsInvalidText) {
  const auto complete_with = [this](kb_view piece) {
    return after([=](kb_text_sink text, kb_completion_sink completion, void* data) {
      text(data, piece);
      const kb_completion end = ended();
      completion(data, &end);
      return KB_OK;
    });
  };
  EXPECT_TRUE(succeeded(complete_with(to_view("é"))));
  EXPECT_TRUE(failed(complete_with(to_view("\xC3")), ErrorCode::Internal)) << "half a character";
  EXPECT_TRUE(failed(complete_with({}), ErrorCode::Internal)) << "empty";
  EXPECT_TRUE(failed(complete_with(kInvalidView), ErrorCode::Internal));
}

TEST_F(LanguageModelProxy, RejectsMoreTextThanTheMaximum) {
  const std::string megabyte(1 << 20, 'x');
  EXPECT_TRUE(failed(after([&](kb_text_sink text, kb_completion_sink, void* data) {
                       for (int i = 0; i < 65; ++i)
                         if (text(data, to_view(megabyte)) != 0) break;
                       return KB_STOPPED;
                     }),
                     ErrorCode::Internal));
}

TEST_F(LanguageModelProxy, RejectsAnInvalidEnd) {
  const auto ends = [this](const kb_completion* end, int times) {
    return after([=](kb_text_sink, kb_completion_sink completion, void* data) {
      for (int i = 0; i < times; ++i) completion(data, end);
      return KB_OK;
    });
  };
  const kb_completion sound = ended();
  EXPECT_TRUE(succeeded(ends(&sound, 1)));
  EXPECT_TRUE(failed(ends(&sound, 0), ErrorCode::Internal)) << "KB_OK without an end";
  EXPECT_TRUE(failed(ends(&sound, 2), ErrorCode::Internal));
  EXPECT_TRUE(failed(ends(nullptr, 1), ErrorCode::Internal));
  const kb_completion nameless = ended("");
  EXPECT_TRUE(failed(ends(&nameless, 1), ErrorCode::Internal));
  kb_completion too_many_tokens = ended();
  too_many_tokens.completion_tokens = UINT64_MAX;
  EXPECT_TRUE(failed(ends(&too_many_tokens, 1), ErrorCode::Internal));
}

TEST_F(LanguageModelProxy, RejectsTextAfterTheEnd) {
  EXPECT_TRUE(failed(after([](kb_text_sink text, kb_completion_sink completion, void* data) {
                       const kb_completion end = ended();
                       completion(data, &end);
                       text(data, to_view("more"));
                       return KB_OK;
                     }),
                     ErrorCode::Internal));
}

}  // namespace
}  // namespace kbase::tests
