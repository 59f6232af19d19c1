// SPDX-License-Identifier: Apache-2.0
#include "domain/model/ids.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kbase::model {
namespace {

using namespace std::string_literals;

TEST(Ids, HaveOneTo256Bytes) {
  EXPECT_NE(id_defect(""), "");
  EXPECT_EQ(id_defect("a"), "");
  EXPECT_EQ(id_defect(std::string(256, 'a')), "");
  EXPECT_NE(id_defect(std::string(257, 'a')), "");
}

TEST(Ids, AreMeasuredInBytesNotCodePoints) {
  std::string id;
  for (int i = 0; i < 64; ++i) id += "😀";
  EXPECT_EQ(id_defect(id), "");
  EXPECT_NE(id_defect(id + "a"), "");
}

TEST(Ids, AreValidUtf8WithoutControlCharacters) {
  for (const std::string& id : {"\xC0\x80"s, "a\xFF"s, "a\0b"s, "a\nb"s, "\x7F"s, "a\u0085"s})
    EXPECT_NE(id_defect(id), "") << testing::PrintToString(id);
}

TEST(Ids, AreNotDotOrDotDot) {
  EXPECT_NE(id_defect("."), "");
  EXPECT_NE(id_defect(".."), "");
  EXPECT_EQ(id_defect("..."), "");
  EXPECT_EQ(id_defect(".a"), "");
}

TEST(Ids, MayHaveSlashesSpacesAndEveryScript) {
  for (const char* id : {"a/b", "/", " ", "a b", "%2F", "?q=1", "知识/库", "e\u0301", "😀", "\"'\\<>"})
    EXPECT_EQ(id_defect(id), "") << id;
}

}  // namespace
}  // namespace kbase::model
