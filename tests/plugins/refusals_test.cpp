// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "adapters/system/system_crypto.hpp"
#include "app/plugin_host/call_frame.hpp"
#include "app/plugin_host/file_trust.hpp"
#include "app/plugin_host/plugin.hpp"
#include "tests/support/outcome.hpp"
#include "tests/support/temporary_folder.hpp"

/// Invalid plugins: each is rejected with one sentence that names the remedy. The files of KBASE_BAD_PLUGINS are
/// built from the folder bad.
namespace kbase::plugin_host {
namespace {

namespace fs = std::filesystem;
using tests::succeeded;

const std::string kMinor = std::to_string(KB_ABI_MINOR);

fs::path built(const std::string& name) { return fs::path(KBASE_BAD_PLUGINS) / ("kbase-" + name + ".so"); }

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Returns the message of load_plugin() without the file name; empty if the plugin was loaded.
std::string load_error(const fs::path& path, const LoadOptions& options = {}) {
  const auto plugin = load_plugin(path, options);
  if (plugin) return {};
  EXPECT_EQ(plugin.error().code, ErrorCode::Unsupported);
  const std::string& sentence = plugin.error().message;
  const std::string start = "plugin " + path.string() + " ";
  EXPECT_TRUE(sentence.starts_with(start)) << sentence;
  return sentence.substr(start.size());
}

/// Folder in which a test damages copies of the valid plugin.
class InvalidPlugin : public testing::Test {
 protected:
  fs::path write(const std::string& bytes) {
    const fs::path path = folder_.path() / "kbase-spoiled.so";
    std::ofstream(path, std::ios::binary) << bytes;
    fs::permissions(path, fs::perms(0644));
    return path;
  }

  template <class T> fs::path write_section(std::size_t offset, T value) {
    std::string bytes = valid_;
    bytes.replace(offset, sizeof(T), reinterpret_cast<const char*>(&value), sizeof(T));
    return write(bytes);
  }

  tests::TemporaryFolder folder_;
  const std::string valid_ = contents(built("sound"));
};

TEST(ValidPlugin, IsLoadedWithItsTable) {
  const auto plugin = load_plugin(built("sound"), {});
  ASSERT_TRUE(succeeded(plugin));
  EXPECT_STREQ(plugin->descriptor().id, "org.example.nothing");
  EXPECT_EQ(plugin->path(), fs::canonical(built("sound")));
  EXPECT_EQ(plugin->label(), "org.example.nothing (" + plugin->path().string() + ")");
  const auto* cache = plugin->table<kb_cache_v1>(KB_PORT_CACHE);
  ASSERT_NE(cache, nullptr);
  EXPECT_EQ(cache->struct_size, sizeof(kb_cache_v1));
  EXPECT_EQ(plugin->table<kb_item_store_v1>(KB_PORT_ITEM_STORE), nullptr);
  EXPECT_EQ(plugin->table<kb_cache_v1>("kbase.teapot/1"), nullptr);
}

TEST(ValidPlugin, LeavesATraceWhenItsCodeRuns) {
  ::unsetenv("KBASE_TEST_PLUGIN_RAN");
  tests::TemporaryFolder folder;
  fs::copy_file(built("sound"), folder.path() / "kbase-copy.so");
  EXPECT_EQ(load_error(folder.path() / "kbase-copy.so"), "");
  EXPECT_NE(std::getenv("KBASE_TEST_PLUGIN_RAN"), nullptr);
}

// ---- rejected before any of its code runs

struct BadPlugin {
  const char* plugin;
  std::string words;
};

std::string name_of_case(const testing::TestParamInfo<BadPlugin>& tested) { return tested.param.plugin; }

class PluginRejectedBeforeLoading : public testing::TestWithParam<BadPlugin> {};

TEST_P(PluginRejectedBeforeLoading, RunsNoCode) {
  ::unsetenv("KBASE_TEST_PLUGIN_RAN");
  EXPECT_EQ(load_error(built(GetParam().plugin)), GetParam().words);
  EXPECT_EQ(std::getenv("KBASE_TEST_PLUGIN_RAN"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    BadPlugins, PluginRejectedBeforeLoading,
    testing::Values(
        BadPlugin{"other_major", "was built for plugin ABI 99." + kMinor + ", this server speaks 1." + kMinor +
                                     "; rebuild it with a 1.x SDK"},
        BadPlugin{"newer_minor", "needs plugin ABI 1." + std::to_string(KB_ABI_MINOR + 1) +
                                     " or newer, this server speaks 1." + kMinor +
                                     "; install a newer kbase, or a version of the "
                                     "plugin for this one"},
        BadPlugin{"no_note",
                  "has no .note.kbase; write KB_NOTE; in one of its source files, and build it with the kbase SDK"},
        BadPlugin{"executable_stack", "wants an executable stack; link it with -Wl,-z,noexecstack"}),
    name_of_case);

TEST_F(InvalidPlugin, OfAnotherMachineIsRejected) {
  const std::string own = machine_name(own_machine());
  EXPECT_EQ(load_error(write_section<std::uint16_t>(offsetof(Elf64_Ehdr, e_machine), EM_S390)),
            "was built for 64-bit s390x, this server for 64-bit " + own + "; install the build for this machine");
  EXPECT_EQ(load_error(write_section<std::uint8_t>(EI_CLASS, ELFCLASS32)),
            "was built for 32-bit " + own + ", this server for 64-bit " + own + "; install the build for this machine");
}

TEST_F(InvalidPlugin, ThatIsAProgramIsRejected) {
  EXPECT_EQ(load_error(write_section<std::uint16_t>(offsetof(Elf64_Ehdr, e_type), ET_EXEC)),
            "is not a shared object; link it with -shared");
}

TEST_F(InvalidPlugin, ThatIsAnotherKindOfFileIsRejected) {
  const std::string words = "is not an ELF file; name a shared object that was built as a kbase plugin";
  EXPECT_EQ(load_error(write("#!/bin/sh\n")), words);
  EXPECT_EQ(load_error(write("")), words);
}

TEST_F(InvalidPlugin, TruncatedAnywhereIsRejected) {
  for (std::size_t size = SELFMAG; size < valid_.size(); size += 1 + size / 16)
    EXPECT_EQ(load_error(write(valid_.substr(0, size))), "is cut short or damaged; copy or build it again") << size;
  EXPECT_EQ(load_error(write(valid_.substr(0, valid_.size() - 1))), "is cut short or damaged; copy or build it again");
}

TEST_F(InvalidPlugin, OfAnotherSha256IsRejected) {
  const system::OpensslDigest digest;
  const fs::path path = write(valid_);
  auto sum = digest.sha256(valid_);
  EXPECT_EQ(load_error(path, {ExpectedDigest{sum, digest}}), "");
  sum.fill(0x0f);
  const std::string words = load_error(path, {ExpectedDigest{sum, digest}});
  EXPECT_TRUE(words.starts_with("has the SHA-256 ")) << words;
  EXPECT_TRUE(
      words.ends_with(", the configuration wants 0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f; "
                      "install the file that is meant, or configure its sum"))
      << words;
}

// ---- rejected for its location

TEST_F(InvalidPlugin, ThatIsWorldWritableIsRejected) {
  const fs::path path = write(valid_);
  fs::permissions(path, fs::perms(0666));
  EXPECT_EQ(load_error(path), "is writable by everybody; take that away with chmod o-w " + path.string());
}

TEST_F(InvalidPlugin, InAWorldWritableFolderIsRejected) {
  const fs::path path = write(valid_);
  fs::permissions(folder_.path(), fs::perms(0777));
  EXPECT_EQ(load_error(path), "lies below " + folder_.path().string() +
                                  ", which is writable by everybody; take that away with chmod o-w " +
                                  folder_.path().string());
  ::chmod(folder_.path().c_str(), 01777);
  EXPECT_EQ(load_error(path), "") << "no user can move another user's file out of a sticky folder";
}

TEST_F(InvalidPlugin, BehindALinkToAnUntrustedPathIsRejected) {
  const fs::path path = write(valid_);
  fs::permissions(path, fs::perms(0666));
  const fs::path link = folder_.path() / "kbase-link.so";
  fs::create_symlink(path, link);
  EXPECT_EQ(load_error(link), "leads to " + path.string() +
                                  ", which is writable by everybody; take that away with chmod o-w " + path.string());
}

TEST_F(InvalidPlugin, ThatIsAFolderIsRejected) {
  EXPECT_EQ(load_error(folder_.path()), "is not a file; name the shared object itself");
}

TEST_F(InvalidPlugin, ThatIsMissingIsRejected) {
  EXPECT_EQ(load_error(folder_.path() / "kbase-none.so"),
            "cannot be read: No such file or directory; correct the path");
}

TEST(RelativePath, IsRejected) {
  EXPECT_EQ(load_error("plugins/kbase-x.so"), "is not an absolute path; write the whole path, from /");
}

// ---- rejected for its descriptor

class RejectedPlugin : public testing::TestWithParam<BadPlugin> {};

TEST_P(RejectedPlugin, NamesTheRemedy) { EXPECT_EQ(load_error(built(GetParam().plugin)), GetParam().words); }

INSTANTIATE_TEST_SUITE_P(
    BadPlugins, RejectedPlugin,
    testing::Values(
        BadPlugin{"undefined_symbol",
                  "cannot be linked: undefined symbol: kb_missing_function; install the libraries it needs, and link "
                  "it with -Wl,-z,defs"},
        BadPlugin{"no_entry", "does not export kb_plugin_entry; define it as <kbase/base.h> declares it"},
        BadPlugin{"no_descriptor", "gave no descriptor; return the address of a static kb_plugin from kb_plugin_entry"},
        BadPlugin{"short_descriptor",
                  "has a descriptor of 8 bytes, where one has 48; set kb_plugin.struct_size to sizeof(kb_plugin)"},
        BadPlugin{"lying_descriptor", "was built for plugin ABI 99." + kMinor + ", this server speaks 1." + kMinor +
                                          "; rebuild it with a 1.x SDK"},
        BadPlugin{"no_major", "has no abi_major in its descriptor; fill in kb_plugin.abi_major with KB_ABI_MAJOR"},
        BadPlugin{"no_licence", "has no license in its descriptor; fill in kb_plugin.license"},
        BadPlugin{"empty_licence", "has no license in its descriptor; fill in kb_plugin.license"},
        BadPlugin{"odd_licence",
                  "has the licence 'see the file COPYING', which is no SPDX expression; write kb_plugin.license like "
                  "Apache-2.0 or MIT OR GPL-2.0-only"},
        BadPlugin{"odd_id",
                  "calls itself 'nothing', which is not a reverse domain name; write kb_plugin.id like "
                  "org.example.jsonlines"},
        BadPlugin{"binary_version", "has a version that is not a line of UTF-8 text; correct kb_plugin.version"},
        BadPlugin{"no_vendor", "has no vendor in its descriptor; fill in kb_plugin.vendor"},
        BadPlugin{"no_get_port", "has no get_port in its descriptor; fill in kb_plugin.get_port"},
        BadPlugin{"no_ports", "offers no port that this server knows; return a table from kb_plugin.get_port"},
        BadPlugin{"empty_table",
                  "has a table of kbase.cache/1 of 0 bytes, where the smallest has 72; set struct_size to the sizeof "
                  "of the port's table"},
        BadPlugin{"missing_function", "has no 'erase' in its table of kbase.cache/1; fill in the function"},
        BadPlugin{"serial_inline",
                  "says in its table of kbase.cache/1 that calls are serial and may run inline too; set inline_calls "
                  "to 0, or leave out KB_TABLE_SERIAL"}),
    name_of_case);

// ---- crashes that cannot be prevented: the process ends, and its last line names the plugin

TEST(CrashingPlugin, IsNamedWhenTheProcessEnds) {
  const std::string path = fs::canonical(built("crashing"));
  EXPECT_DEATH(
      {
        install_crash_handler();
        (void)load_plugin(path, {});
      },
      "kbase: fatal: SIGSEGV in plugin being loaded \\(" + path + "\\)");
}

TEST(ThrowingPlugin, IsNamedWhenTheProcessEnds) {
  const std::string path = fs::canonical(built("throwing"));
  EXPECT_DEATH(
      {
        install_crash_handler();
        (void)load_plugin(path, {});
      },
      "kbase: fatal: SIGABRT in plugin being loaded \\(" + path + "\\)");
}

}  // namespace
}  // namespace kbase::plugin_host
