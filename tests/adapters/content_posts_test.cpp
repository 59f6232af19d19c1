// SPDX-License-Identifier: Apache-2.0
#include "tests/adapters/content_sources.hpp"

namespace kbase::content {
namespace {

constexpr const char* kPosts = R"(<?xml version="1.0" encoding="utf-8"?>
<posts>
  <row Id="1" PostTypeId="1" AcceptedAnswerId="4" CreationDate="2020-01-02T03:04:05.678" Score="-3" ViewCount="12" Body="&lt;p&gt;Why?&lt;/p&gt;" OwnerDisplayName="Ada" Title=" Salt &amp; water " Tags="&lt;c++&gt;&lt;sea&gt;" LastActivityDate="2021-02-03T00:00:00" />
  <row Id="2" PostTypeId="2" ParentId="1" Score="9" Body="&lt;p&gt;Best.&lt;/p&gt;" />
  <row Id="3" PostTypeId="1" Title="Empty" Body="" Tags="|a|b|" />
  <row Id="4" PostTypeId="2" ParentId="1" Score="1" Body="&lt;p&gt;Accepted.&lt;/p&gt;" />
  <row Id="5" PostTypeId="2" ParentId="1" Score="10" Body="&lt;p&gt;Good.&lt;/p&gt;" />
  <row Id="6" PostTypeId="2" ParentId="77" Score="10" Body="of no question" />
  <row Id="7" PostTypeId="5" Body="the text of a tag" />
</posts>
)";

class Posts : public ContentFiles {};

TEST_F(Posts, BecomeAnItemForEachQuestion) {
  const Reading reading = read("site.example/Posts.xml", kPosts);
  ASSERT_EQ(reading.error, "");
  ASSERT_EQ(reading.records.size(), 2u);
  EXPECT_EQ(reading.records[0],
            "3: item id=1 title=Salt & water category=site.example content=<p>Why?</p>\n<h2>Accepted answer</h2>\n"
            "<p>Accepted.</p>\n<h2>Answer</h2>\n<p>Good.</p>\n<h2>Answer</h2>\n<p>Best.</p> tags=[c++|sea] related=[] "
            "author=Ada created=2020-01-02 updated=2021-02-03 views=12 further=\"score\":-3,\"answers\":3");
  EXPECT_TRUE(reading.records[1].starts_with("5: item id=3 title=Empty category=site.example content= tags=[a|b]"))
      << reading.records[1];
}

TEST_F(Posts, HaveAPrefix) {
  const Reading reading = read_source(write("site.example/Posts.xml", kPosts), {.prefix = "sea"});
  ASSERT_EQ(reading.records.size(), 2u);
  EXPECT_TRUE(reading.records[1].starts_with("5: item id=sea/3 title=Empty category=sea/site.example "));
}

TEST_F(Posts, ThatAreNoneAreRefused) {
  EXPECT_EQ(local(read("Posts.xml", "<html/>").error),
            "Posts.xml: is not a Posts.xml of Stack Exchange; expected the element <posts>");
  EXPECT_EQ(local(read("Posts.xml", "<posts>\n<row Id=\"1\"\n").error), "Posts.xml:3: is not XML");
  EXPECT_EQ(local(read("Posts.xml", "").error), "Posts.xml:1: is not XML");
}

TEST_F(Posts, RejectRowsWithoutAValidId) {
  const Reading reading = read("Posts.xml",
                               "<posts>\n<row PostTypeId=\"1\" Title=\"a\"/>\n"
                               "<row Id=\".\" PostTypeId=\"1\" Title=\"b\"/></posts>");
  EXPECT_EQ(reading.records,
            (std::vector<std::string>{"2: reject has no Id", "3: reject an id must be neither '.' nor '..'"}));
}

TEST_F(Posts, ReadNoOtherFile) {
  write("secret.txt", "secret");
  const Reading reading = read("Posts.xml",
                               "<!DOCTYPE posts [<!ENTITY other SYSTEM \"secret.txt\">]>\n<posts><row Id=\"1\" "
                               "PostTypeId=\"1\" Title=\"&other;\"/></posts>");
  for (const std::string& record : reading.records) EXPECT_EQ(record.find("secret"), std::string::npos) << record;
}

}  // namespace
}  // namespace kbase::content
