// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/language_model_fixture.hpp"
#include "plugins/conformance/suite.hpp"

/// What no contract suite asks, because it is the boundary's own: a server's visitor may throw. The proxy stops the
/// plugin and throws on; the plugin must be as good as before.
namespace kbase::plugin_check {

void a_visitor_that_throws_does_no_harm(conformance::ItemStoreFixture& fixture, conformance::Report& report);
void a_visitor_that_throws_does_no_harm(conformance::ActivityStoreFixture& fixture, conformance::Report& report);
void a_visitor_that_throws_does_no_harm(conformance::ApiKeyStoreFixture& fixture, conformance::Report& report);
void a_visitor_that_throws_does_no_harm(conformance::SearchIndexFixture& fixture, conformance::Report& report);
void a_visitor_that_throws_does_no_harm(conformance::CacheFixture& fixture, conformance::Report& report);
void a_visitor_that_throws_does_no_harm(conformance::LanguageModelFixture& fixture, conformance::Report& report);

}  // namespace kbase::plugin_check
