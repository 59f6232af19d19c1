// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "adapters/pages/accent.hpp"
#include "adapters/pages/addresses.hpp"
#include "adapters/pages/content_links.hpp"

namespace kbase::pages {
namespace {

TEST(PageAddresses, KeepTheSlashesOfIdsAndEncodeAllElse) {
  EXPECT_EQ(item_address("guide/set up"), "/item/guide/set%20up");
  EXPECT_EQ(item_address("a/../b"), "/item/a/%2E%2E/b");
  EXPECT_EQ(item_address("a?b#c", "d e"), "/item/a%3Fb%23c#d%20e");
  EXPECT_EQ(category_address("planets"), "/category/planets");
  EXPECT_EQ(category_address("planets", 2), "/category/planets?page=2");
}

TEST(PageAddresses, OfSearchesHaveOnlyWhatIsChosen) {
  Question question;
  question.q = "two words";
  EXPECT_EQ(search_address(question), "/search?q=two%20words");
  question.categories = {"a", "b"};
  question.tags = {"c&d"};
  question.sort = model::Sort::Date;
  question.page = 3;
  EXPECT_EQ(search_address(question), "/search?q=two%20words&category=a&category=b&tag=c%26d&sort=date&page=3");
  EXPECT_EQ(search_address(tag_question("say \"hi\"")), "/search?q=%22say%20%20hi%20%22&tag=say%20%22hi%22");
}

class ContentLinksOf : public testing::Test {
 protected:
  std::string find(std::string_view id, std::string_view target) const {
    model::ItemView item;
    item.id = id;
    item.related = related_;
    return ContentLinks(item).find(target);
  }

  const std::vector<std::string_view> related_ = {"guide/Setup", "guide", "faq"};
};

TEST_F(ContentLinksOf, APageLeadToTheItemsThatTheImportFound) {
  EXPECT_EQ(find("guide/start", "setup.md"), "/item/guide/Setup");
  EXPECT_EQ(find("guide/start", "./setup.md#options"), "/item/guide/Setup#options");
  EXPECT_EQ(find("guide/start", "../faq.html"), "/item/faq");
  EXPECT_EQ(find("guide/start", "index.md"), "/item/guide");
  EXPECT_EQ(find("guide", "setup/"), "/item/guide/Setup");
  EXPECT_EQ(find("guide/start", "/faq"), "/item/faq");
}

TEST_F(ContentLinksOf, APageLeadNowhereElse) {
  EXPECT_EQ(find("guide/start", "other.md"), "");
  EXPECT_EQ(find("guide/start", "../../faq.md"), "/item/faq") << "from the root, as many sites are built";
  EXPECT_EQ(find("guide/start", "?x=1"), "");
  EXPECT_EQ(find("guide/start", ""), "");
}

TEST(Accent, IsKeptWhereTextsInItCanBeRead) {
  EXPECT_EQ(accent_style("#0b6457").substr(0, 34), ":root{--accent:light-dark(#0b6457,");
  EXPECT_NE(accent_style("#74cdb9").find(",#74cdb9);--on-accent"), std::string::npos);
}

TEST(Accent, IsMadeDarkerOrLighterWhereTheyCannot) {
  EXPECT_EQ(accent_style("#ffffff"),
            ":root{--accent:light-dark(#666666,#ffffff);--on-accent:light-dark(#ffffff,#000000);"
            "--tint:light-dark(#efeeea,#393a39);}");
  EXPECT_EQ(accent_style("#000000"),
            ":root{--accent:light-dark(#000000,#999999);--on-accent:light-dark(#ffffff,#000000);"
            "--tint:light-dark(#e7e6e2,#2a2b2a);}");
}

}  // namespace
}  // namespace kbase::pages
