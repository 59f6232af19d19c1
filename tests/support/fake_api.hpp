// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/language_model_fixture.hpp"

namespace kbase::tests {

using conformance::fake_anthropic;
using conformance::fake_apis;
using conformance::fake_ollama;
using conformance::fake_openai;
using conformance::FakeApi;
using conformance::FakeCompletion;
using conformance::joined;
using conformance::kFakeKey;
using conformance::kFakeModel;
using conformance::Parts;
using conformance::stream_head;

}  // namespace kbase::tests
