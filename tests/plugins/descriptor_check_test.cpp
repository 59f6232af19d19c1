// SPDX-License-Identifier: Apache-2.0
#include "app/plugin_host/descriptor_check.hpp"

#include <gtest/gtest.h>

#include <kbase/plugin.h>

#include <cstring>
#include <string>

#include "tests/support/outcome.hpp"

namespace kbase::plugin_host {
namespace {

std::string error_text(const Status& status) { return status ? "" : status.error().message; }

TEST(LicenceExpression, ConsistsOfLicenceNames) {
  for (const char* text : {"MIT", "Apache-2.0", "GPL-2.0+", "MIT OR Apache-2.0", "(MIT)", "LicenseRef-Ours",
                           "GPL-2.0-only WITH Classpath-exception-2.0", "(MIT OR BSD-3-Clause) AND Zlib",
                           "DocumentRef-spdx-tool-1.2:LicenseRef-MIT-Style-2"})
    EXPECT_TRUE(is_licence_expression(text)) << text;
}

TEST(LicenceExpression, IsNotProse) {
  for (const char* text : {"", " ", "Apache License 2.0", "MIT,", "MIT OR", "OR MIT", "MIT AND AND Zlib", "(MIT",
                           "MIT)", "()", "WITH", "MIT WITH", "GPL-2.0++", "+", "see COPYING", "MIT/Apache-2.0"})
    EXPECT_FALSE(is_licence_expression(text)) << text;
  EXPECT_FALSE(is_licence_expression(std::string(100'000, '(')));
}

TEST(ReverseDomain, HasAtLeastTwoParts) {
  for (const char* text : {"org.example", "org.example.jsonlines", "io.github.some_body.kb-store", "org.7zip.x"})
    EXPECT_TRUE(is_reverse_domain(text)) << text;
  for (const char* text :
       {"", "jsonlines", ".", "org.", ".org", "org..x", "Org.Example", "org.exa mple", "org.-x", "a/b.c"})
    EXPECT_FALSE(is_reverse_domain(text)) << text;
}

TEST(PluginAbi, CanBeOlderThanTheServer) {
  EXPECT_EQ(error_text(check_abi({1, 0, 0}, {1, 7})), "");
  EXPECT_EQ(error_text(check_abi({1, 7, 7}, {1, 7})), "");
}

TEST(PluginAbi, CanBeNewerThanTheServerIfThePluginNeedsNoMore) {
  EXPECT_EQ(error_text(check_abi({1, 9, 7}, {1, 7})), "");
  EXPECT_EQ(
      error_text(check_abi({1, 9, 8}, {1, 7})),
      "needs plugin ABI 1.8 or newer, this server speaks 1.7; install a newer kbase, or a version of the plugin for "
      "this one");
}

TEST(PluginAbi, OfAnotherMajorVersionIsRejected) {
  EXPECT_EQ(error_text(check_abi({2, 1, 0}, {1, 1})),
            "was built for plugin ABI 2.1, this server speaks 1.1; rebuild it with a 1.x SDK");
  EXPECT_EQ(error_text(check_abi({0, 1, 1}, {1, 1})),
            "was built for plugin ABI 0.1, this server speaks 1.1; rebuild it with a 1.x SDK");
}

/// Port table with every function set. No test calls them.
class FullTable {
 public:
  explicit FullTable(const KnownPort& port) : bytes_(port.smallest_size(), '\1') {
    set_size(port.smallest_size());
    set_flags(0);
  }
  void set_flags(std::uint32_t flags) {
    bytes_.replace(offsetof(TableStart, flags), sizeof(flags), reinterpret_cast<const char*>(&flags), sizeof(flags));
  }
  void set_size(std::size_t size) {
    const auto struct_size = static_cast<std::uint32_t>(size);
    bytes_.replace(0, sizeof(struct_size), reinterpret_cast<const char*>(&struct_size), sizeof(struct_size));
  }
  void remove_function(std::size_t number) {
    bytes_.replace(sizeof(TableStart) + number * sizeof(void*), sizeof(void*), sizeof(void*), '\0');
  }
  const void* data() const { return bytes_.data(); }

 private:
  std::string bytes_;
};

TEST(PortTable, OfEveryPortIsAcceptedIfComplete) {
  for (const KnownPort& port : known_ports())
    EXPECT_EQ(error_text(check_table(port, FullTable(port).data())), "") << port.id;
}

TEST(PortTable, OfEveryPortIsRejectedWithTheNameOfAMissingFunction) {
  for (const KnownPort& port : known_ports())
    for (std::size_t i = 0; i < port.mandatory; ++i) {
      FullTable table(port);
      table.remove_function(i);
      const std::string name = port.functions[i];
      const std::string wanted =
          name == "wait" ? ""
                         : "has no '" + name + "' in its table of " + std::string(port.id) + "; fill in the function";
      EXPECT_EQ(error_text(check_table(port, table.data())), wanted);
    }
}

TEST(PortTable, OfEveryPortIsRejectedIfTooShort) {
  for (const KnownPort& port : known_ports()) {
    FullTable table(port);
    table.set_size(port.smallest_size() - 1);
    EXPECT_TRUE(error_text(check_table(port, table.data())).starts_with("has a table of " + std::string(port.id)))
        << port.id;
    table.set_size(port.smallest_size() + 8);
    EXPECT_EQ(error_text(check_table(port, table.data())), "") << "a newer descriptor may be longer";
  }
}

TEST(PortTable, OfEveryPortIsRejectedWithUnknownFlags) {
  for (const KnownPort& port : known_ports()) {
    FullTable table(port);
    table.set_flags(2);
    EXPECT_TRUE(
        error_text(check_table(port, table.data())).starts_with("has flags in its table of " + std::string(port.id)));
  }
}

TEST(FlagNames, OmitFlagsOfANewerHeader) {
  const NamedBit known[] = {{1, "persist"}, {2, "stem"}, {4, "segment"}};
  EXPECT_EQ(names_of(1 | 4 | 1u << 31, known), (std::vector<std::string>{"persist", "segment"}));
}

}  // namespace
}  // namespace kbase::plugin_host
