// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "adapters/spelling/dictionaries.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

using spelling::Dictionaries;

class SpellingDictionaries : public testing::Test {
 protected:
  void write(const std::string& file, const std::string& content) {
    std::ofstream(folder_.path() / file, std::ios::binary) << content;
  }

  void write_english() {
    write("en_US.aff", "SET UTF-8\nSFX S Y 1\nSFX S 0 s .\n");
    write("en_US.dic", "3\ngarden/S\nParis\ncaf\u00E9\n");
  }

  TemporaryFolder folder_;
};

TEST_F(SpellingDictionaries, HaveTheWordsOfTheirLanguageWithTheirForms) {
  write_english();
  Dictionaries dictionaries(folder_.path());
  for (const char* word : {"garden", "gardens", "Garden", "GARDEN", "caf\u00E9"})
    EXPECT_TRUE(dictionaries.has(word, "en")) << word;
  for (const char* word : {"gardne", "cafe", "", "\xFF\xFE"}) EXPECT_FALSE(dictionaries.has(word, "en")) << word;
  EXPECT_FALSE(dictionaries.has("garden", "de"));
}

TEST_F(SpellingDictionaries, HaveANameThatIsTypedWithoutItsCapital) {
  write_english();
  EXPECT_TRUE(Dictionaries(folder_.path()).has("paris", "en"));
}

TEST_F(SpellingDictionaries, AreReadInTheirEncoding) {
  write("de_DE.aff", "SET ISO8859-1\n");
  write("de_DE.dic",
        "2\nm\xFChle\n\xDC"
        "bung\n");
  Dictionaries dictionaries(folder_.path());
  EXPECT_TRUE(dictionaries.has("m\u00FChle", "de"));
  EXPECT_TRUE(dictionaries.has("\u00FCbung", "de"));
  EXPECT_FALSE(dictionaries.has("\u5317\u4EAC", "de")) << "no such character in that encoding";
}

TEST_F(SpellingDictionaries, OfOneLanguageAreAllAsked) {
  write_english();
  write("en_GB.aff", "SET UTF-8\n");
  write("en_GB.dic", "1\ncolour\n");
  write("fr.aff", "SET UTF-8\n");
  write("de_AT.aff", "SET UTF-8\n");  // without words
  write("fr.dic", "1\njardin\n");
  Dictionaries dictionaries(folder_.path());
  EXPECT_TRUE(dictionaries.has("colour", "en"));
  EXPECT_TRUE(dictionaries.has("garden", "en"));
  EXPECT_TRUE(dictionaries.has("jardin", "fr"));
  EXPECT_EQ(dictionaries.names(), "en_GB en_US fr");
}

TEST_F(SpellingDictionaries, AreEmptyWithoutAFolder) {
  EXPECT_EQ(Dictionaries("").names(), "");
  EXPECT_EQ(Dictionaries(folder_.path() / "missing").names(), "");
  EXPECT_FALSE(Dictionaries("").has("garden", "en"));
}

}  // namespace
}  // namespace kbase::tests
