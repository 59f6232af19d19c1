// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "app/plugin_host/open_ports.hpp"
#include "tests/plugins/fake_tables.hpp"
#include "tests/support/outcome.hpp"

namespace kbase::tests {
namespace {

using model::ErrorCode;
using model::Visit;

kb_completion ended(std::string_view model = "small", std::int32_t reason = KB_FINISH_STOP) {
  auto completion = sized<kb_completion>();
  completion.finish_reason = reason;
  completion.prompt_tokens = 3;
  completion.completion_tokens = 5;
  completion.model = lent(model);
  return completion;
}

class LanguageModelProxy : public testing::Test {
 protected:
  using Telling = std::function<kb_status(kb_text_sink, kb_completion_sink, void*)>;

  model::Result<ports::Completion> complete(Visit after_each = Visit::Continue) {
    text_.clear();
    return model_->complete(call_, prompt_, [&](std::string_view piece) {
      text_.append(piece).append("|");
      return after_each;
    });
  }

  model::Result<ports::Completion> after(Telling telling) {
    fake_.complete = std::move(telling);
    return complete();
  }

  HostWorld world_;
  FakeLanguageModel fake_;
  std::unique_ptr<ports::LanguageModel> model_ =
      plugin_host::open_port<ports::LanguageModel>(fake_.table, world_.host, "{}").value();
  ports::Call call_;
  ports::Prompt prompt_{"Why?", "small", 7, 0.5, true};
  std::string text_;
};

TEST_F(LanguageModelProxy, AsksAndTellsPiecesThenTheEnd) {
  fake_.complete = [](kb_text_sink text, kb_completion_sink completion, void* data) {
    text(data, lent("Be"));
    text(data, lent("cause."));
    const kb_completion told = ended("small-2", KB_FINISH_LENGTH);
    completion(data, &told);
    return KB_OK;
  };
  const auto seen = complete();
  ASSERT_TRUE(succeeded(seen));
  EXPECT_EQ(text_, "Be|cause.|");
  EXPECT_EQ(fake_.asked, "small: Why? (7, 0.5, stream)");
  EXPECT_EQ(seen->model, "small-2");
  EXPECT_EQ(seen->finish_reason, ports::FinishReason::Length);
  EXPECT_EQ(seen->prompt_tokens, 3u);
  EXPECT_EQ(seen->completion_tokens, 5u);
}

TEST_F(LanguageModelProxy, KeepsAbsentMembersAbsent) {
  prompt_.temperature = std::nullopt;
  prompt_.is_stream = false;
  ASSERT_TRUE(succeeded(complete()));
  EXPECT_EQ(fake_.asked, "small: Why? (7, none, plain)");
  EXPECT_EQ(text_, "") << "an empty completion has no piece";
}

TEST_F(LanguageModelProxy, ReadsReasonsItDoesNotKnowAsOther) {
  const auto seen = after([](kb_text_sink, kb_completion_sink completion, void* data) {
    const kb_completion told = ended("small", 77);
    completion(data, &told);
    return KB_OK;
  });
  EXPECT_EQ(seen.value().finish_reason, ports::FinishReason::Other);
}

TEST_F(LanguageModelProxy, IsCancelledByAVisitorThatStops) {
  fake_.complete = [](kb_text_sink text, kb_completion_sink, void* data) {
    EXPECT_NE(text(data, lent("one")), 0);
    EXPECT_NE(text(data, lent("two")), 0) << "a sink that stopped takes no more";
    return KB_STOPPED;
  };
  EXPECT_TRUE(failed(complete(Visit::Stop), ErrorCode::Cancelled));
  EXPECT_EQ(text_, "one|");
}

TEST_F(LanguageModelProxy, FailsAsThePluginDoesAfterSomeText) {
  EXPECT_TRUE(failed(after([](kb_text_sink text, kb_completion_sink, void* data) {
                       text(data, lent("half"));
                       return KB_BAD_UPSTREAM;
                     }),
                     ErrorCode::BadUpstream));
  EXPECT_EQ(text_, "half|");
}

TEST_F(LanguageModelProxy, RefusesTextThatIsNone) {
  const auto lends = [this](kb_view piece) {
    return after([=](kb_text_sink text, kb_completion_sink completion, void* data) {
      text(data, piece);
      const kb_completion told = ended();
      completion(data, &told);
      return KB_OK;
    });
  };
  EXPECT_TRUE(succeeded(lends(lent("é"))));
  EXPECT_TRUE(failed(lends(lent("\xC3")), ErrorCode::Internal)) << "half a character";
  EXPECT_TRUE(failed(lends({}), ErrorCode::Internal)) << "empty";
  EXPECT_TRUE(failed(lends(kNowhere), ErrorCode::Internal));
}

TEST_F(LanguageModelProxy, RefusesMoreTextThanACompletionHas) {
  const std::string megabyte(1 << 20, 'x');
  EXPECT_TRUE(failed(after([&](kb_text_sink text, kb_completion_sink, void* data) {
                       for (int i = 0; i < 65; ++i)
                         if (text(data, lent(megabyte)) != 0) break;
                       return KB_STOPPED;
                     }),
                     ErrorCode::Internal));
}

TEST_F(LanguageModelProxy, RefusesAnEndThatIsNone) {
  const auto ends = [this](const kb_completion* told, int times) {
    return after([=](kb_text_sink, kb_completion_sink completion, void* data) {
      for (int i = 0; i < times; ++i) completion(data, told);
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
  kb_completion countless = ended();
  countless.completion_tokens = UINT64_MAX;
  EXPECT_TRUE(failed(ends(&countless, 1), ErrorCode::Internal));
}

TEST_F(LanguageModelProxy, RefusesTextAfterTheEnd) {
  EXPECT_TRUE(failed(after([](kb_text_sink text, kb_completion_sink completion, void* data) {
                       const kb_completion told = ended();
                       completion(data, &told);
                       text(data, lent("more"));
                       return KB_OK;
                     }),
                     ErrorCode::Internal));
}

}  // namespace
}  // namespace kbase::tests
