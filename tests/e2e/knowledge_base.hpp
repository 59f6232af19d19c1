// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/back_ends.hpp"
#include "tests/e2e/client.hpp"
#include "tests/e2e/corpus.hpp"
#include "tests/support/server_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {

enum class Quota {
  Lifted,  ///< no public limits, for tests of something else
  Builtin,
};

/// A folder with a configuration and a store, and the program's subcommands upon it.
class KnowledgeBase {
 public:
  /// Writes the configuration file. A memory store loads `content` at each start; none for an empty base.
  explicit KnowledgeBase(BackEnds back_ends, std::filesystem::path content = {}, Quota quota = Quota::Lifted);

  /// With what the base has in servers that bases share.
  ~KnowledgeBase();
  KnowledgeBase(const KnowledgeBase&) = delete;
  KnowledgeBase& operator=(const KnowledgeBase&) = delete;

  const std::filesystem::path& folder() const { return folder_.path(); }

  /// Writes a file into the folder and gives its path.
  std::filesystem::path write(const std::string& name, std::string_view text) const;

  /// The words of a subcommand with this base's configuration, the program first.
  std::vector<std::string> command(std::vector<std::string> arguments) const;

  /// Runs a subcommand that touches the store, with this base's configuration.
  Outcome run(std::vector<std::string> arguments, std::string_view input = {}) const;

  /// Starts a subcommand and leaves it to itself; what it says goes to the log.
  ChildProcess start(std::vector<std::string> arguments) const;

  /// Runs `import` and fails the test where it does not exit with 0.
  void import(const std::filesystem::path& source, std::vector<std::string> options = {}) const;

  /// The whole content, as `export` writes it.
  std::string exported() const;

  /// A new key's id and text.
  struct Key {
    std::string id;
    std::string text;
  };
  Key create_key(const std::string& plan, std::vector<std::string> options = {}) const;

  /// Starts serving, with further arguments and variables.
  ServerProcess serve(std::vector<std::string> arguments = {}, std::vector<std::string> environment = {}) const;

  /// What the servers logged so far.
  std::string log() const;

 private:
  TemporaryFolder folder_;
  const BackEnds back_ends_;
  std::filesystem::path configuration_;
};

/// A base that serves `content`, with its index complete.
class ServedBase {
 public:
  explicit ServedBase(BackEnds back_ends, const std::filesystem::path& content = fixture_corpus_file(),
                      Quota quota = Quota::Lifted, std::vector<std::string> arguments = {});

  KnowledgeBase& base() { return base_; }
  ServerProcess& server() { return *server_; }
  const ServerProcess& server() const { return *server_; }
  Client client(std::string key = {}) const { return Client(server_->base_url(), std::move(key)); }

  /// Ends the server gently and starts another one. Fails the test where the first one does not exit with 0.
  void restart();

 private:
  void start();

  KnowledgeBase base_;
  std::vector<std::string> arguments_;
  std::unique_ptr<ServerProcess> server_;
};

/// Tests that only read: those of one suite share a server for each set of back ends.
class ReadingTest : public testing::TestWithParam<BackEnds> {
 protected:
  static void TearDownTestSuite() { served().clear(); }

  ReadingTest() : web(shared().client()) {}

  ServedBase& shared() const {
    std::unique_ptr<ServedBase>& base = served()[GetParam()];
    if (!base) base = std::make_unique<ServedBase>(GetParam());
    return *base;
  }

  Client web;

 private:
  static std::map<BackEnds, std::unique_ptr<ServedBase>>& served() {
    static std::map<BackEnds, std::unique_ptr<ServedBase>> bases;
    return bases;
  }
};

/// Tests that change something, each with servers of its own.
class ChangingTest : public testing::TestWithParam<BackEnds> {};

/// Where the program is: KBASE_TEST_PROGRAM, or the one built beside the tests.
std::string program();

/// The program itself, for subcommands without a store.
Outcome run_kbase(std::vector<std::string> arguments, std::vector<std::string> environment = {});

/// A command as a line of a shell.
std::string in_shell(const std::vector<std::string>& command);

/// How long a test waits at most for what the manual promises within a second: twice, for a busy machine.
inline constexpr std::chrono::milliseconds kWithinASecond{2000};
/// The same for what may lag by five seconds.
inline constexpr std::chrono::milliseconds kWithinFiveSeconds{8000};
/// And for the order by popularity of an index that declares popularity_lag.
inline constexpr std::chrono::milliseconds kWithinThirtySeconds{40000};

}  // namespace kbase::tests
