// SPDX-License-Identifier: Apache-2.0
// Lists in header fields: a quote from the client never hides the elements after it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adapters/http/client_address.hpp"
#include "adapters/http/request_parser.hpp"
#include "adapters/http/syntax.hpp"
#include "tests/edge/raw_case.hpp"

namespace kbase::tests {
namespace {

using Elements = std::vector<std::string>;

Elements elements_of(std::string_view list) {
  Elements elements;
  while (!list.empty()) elements.emplace_back(http::next_element(list));
  return elements;
}

TEST(ListElements, AreSplitAtCommasOutsideQuotedStrings) {
  EXPECT_EQ(elements_of("a, b ,,c"), (Elements{"a", "b", "", "c"}));
  EXPECT_EQ(elements_of(R"(a="x,y", b)"), (Elements{R"(a="x,y")", "b"}));
  EXPECT_EQ(elements_of(R"(a="x\",y", b)"), (Elements{R"(a="x\",y")", "b"}));
}

TEST(ListElements, AreNotHiddenByAnUnclosedQuote) {
  EXPECT_EQ(elements_of(R"(", b)"), (Elements{"\"", "b"}));
  EXPECT_EQ(elements_of(R"(a="x, b, c)"), (Elements{R"(a="x)", "b", "c"}));
  EXPECT_EQ(elements_of(R"(a="x\", b)"), (Elements{R"(a="x\")", "b"}));
}

TEST(ListElements, CostTimeLinearInTheirBytes) {
  std::string quotes;
  for (int i = 0; i < 500'000; ++i) quotes += R"(\")";
  EXPECT_EQ(elements_of('"' + quotes).size(), 1U);
}

TEST(ForwardedAddress, IsTheOneOfTheProxyWhateverTheClientSent) {
  const auto trusted = http::NetworkSet::parse({"10.0.0.0/8"});
  const http::Peer proxy(*http::NetworkAddress::parse("10.0.0.1"));
  for (const char* prefix : {"\"", "\\", "\"192.0.2.9", "x", "192.0.2.9"}) {
    http::RequestParser parser{http::MessageLimits{}};
    parser.feed(get("X-Forwarded-For: " + std::string(prefix) + ", 203.0.113.9\r\n"));
    ASSERT_EQ(parser.state(), http::RequestParser::State::Complete);
    EXPECT_EQ(http::find_client(proxy, parser.request(), *trusted).value().canonical, "203.0.113.9") << prefix;
  }
}

}  // namespace
}  // namespace kbase::tests
