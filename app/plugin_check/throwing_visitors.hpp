// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/conformance/fixtures.hpp"
#include "plugins/conformance/language_model_fixture.hpp"
#include "plugins/conformance/suite.hpp"

/// Checks of the plugin boundary that no contract suite contains: a server's visitor throws. The proxy stops the plugin
/// and rethrows; the plugin must work as before.
namespace kbase::plugin_check {

void a_visitor_that_throws_does_no_harm(conformance::ItemStoreFixture& fixture, conformance::Report& report);
void a_visitor_that_throws_does_no_harm(conformance::ActivityStoreFixture& fixture, conformance::Report& report);
void a_visitor_that_throws_does_no_harm(conformance::ApiKeyStoreFixture& fixture, conformance::Report& report);
void a_visitor_that_throws_does_no_harm(conformance::SearchIndexFixture& fixture, conformance::Report& report);
void a_visitor_that_throws_does_no_harm(conformance::CacheFixture& fixture, conformance::Report& report);
void a_visitor_that_throws_does_no_harm(conformance::LanguageModelFixture& fixture, conformance::Report& report);

}  // namespace kbase::plugin_check
