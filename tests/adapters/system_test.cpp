// SPDX-License-Identifier: Apache-2.0
// Adapters to the operating system: the format of the log, and pseudonyms.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "adapters/system/stderr_log.hpp"
#include "adapters/system/system_crypto.hpp"
#include "plugins/conformance/fixtures.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kbase::tests {
namespace {

using Format = system::StderrLog::Format;
using ports::LogLevel;

std::string name_under(std::string_view secret, const model::ClientId& client_id) {
  const ports::Pseudonym name = system::HmacPseudonyms(secret).of(client_id);
  return {name.begin(), name.end()};
}

constexpr model::ClientId kClientId = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

TEST(HmacSha256, IsTheCodeOfRfc4231) {
  const auto code = system::HmacSha256("Jefe").sign("what do ya want for nothing?");  // test case 2
  EXPECT_EQ(code[0], 0x5b);
  EXPECT_EQ(code[1], 0xdc);
  EXPECT_EQ(code[30], 0x38);
  EXPECT_EQ(code[31], 0x43);
}

TEST(HmacPseudonyms, AreTheFirstDigitsOfHmacSha256) {
  // Values from Python's hmac module, for the secrets of RFC 4231's test cases 1 and 6 and for an empty secret.
  EXPECT_EQ(name_under(std::string(20, '\x0b'), kClientId), "9432c00b42095310");
  EXPECT_EQ(name_under(std::string(131, '\xaa'), kClientId), "5bf168e18e6e7cb2") << "longer than a block of the hash";
  EXPECT_EQ(name_under("", kClientId), "d926952ca8b7ec4a");
}

TEST(HmacPseudonyms, DifferBetweenClientsAndSecrets) {
  model::ClientId other = kClientId;
  other.back() ^= 1;
  EXPECT_NE(name_under("secret", kClientId), name_under("secret", other));
  EXPECT_NE(name_under("secret", kClientId), name_under("Secret", kClientId));
}

TEST(OpensslDigest, IsSha256) {
  const auto hash = system::OpensslDigest().sha256("abc");  // FIPS 180-4
  EXPECT_EQ(hash[0], 0xba);
  EXPECT_EQ(hash[1], 0x78);
  EXPECT_EQ(hash[31], 0xad);
}

/// Redirects standard error to a file during a test.
class StderrLog : public testing::Test {
 protected:
  StderrLog() : before_(::dup(STDERR_FILENO)) {
    const int file = ::open(path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  ~StderrLog() override {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }

  std::filesystem::path path() const { return folder_.path() / "log"; }

  std::string written() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TemporaryFolder folder_;
  conformance::ManualClock clock_;
  const int before_;
};

TEST_F(StderrLog, WritesNumbersAsNumbersAndTextAsText) {
  const ports::LogField fields[] = {{"status", std::uint64_t{200}}, {"route", "/item/{id}"}};
  system::StderrLog(clock_, LogLevel::Info, Format::Json).log(LogLevel::Info, "http.request", "Done.", fields);
  EXPECT_EQ(written(), R"({"time":"2026-03-14T12:00:00.000Z","level":"info","event":"http.request","message":"Done.",)"
                       R"("status":200,"route":"/item/{id}"})"
                       "\n");
}

TEST_F(StderrLog, WritesALineForPeople) {
  const ports::LogField fields[] = {{"status", std::uint64_t{200}}, {"route", "/item/{id}"}};
  clock_.advance(std::chrono::milliseconds(7));
  system::StderrLog(clock_, LogLevel::Info, Format::Text).log(LogLevel::Info, "http.request", "Done.", fields);
  EXPECT_EQ(written(), "2026-03-14T12:00:00.007Z info http.request: Done. status=200 route=/item/{id}\n");
}

TEST_F(StderrLog, IsJsonUnlessWrittenToATerminal) {
  system::StderrLog(clock_, LogLevel::Info, Format::Auto).log(LogLevel::Warning, "a.b", "Text.");
  EXPECT_EQ(written().front(), '{') << "a file is not a terminal";
}

TEST_F(StderrLog, EscapesTextThatCouldForgeALineOrAMember) {
  const ports::LogField fields[] = {{"cause", "a\"b\\c\nd\x1b[1m\x7F"}, {"bytes", "\xC0x\xED\xA0\x80 grüß"}};
  system::StderrLog(clock_, LogLevel::Info, Format::Json).log(LogLevel::Error, "x", "Text.", fields);
  const std::string line = written();
  EXPECT_NE(line.find(R"("cause":"a\"b\\c\nd\u001b[1m)"), std::string::npos) << line;
  EXPECT_NE(line.find("\"bytes\":\"\uFFFDx\uFFFD\uFFFD\uFFFD grüß\""), std::string::npos) << line;
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
}

TEST_F(StderrLog, EscapesTerminalControlCharacters) {
  const ports::LogField fields[] = {{"cause", "a\x1b[1m\nb"}};
  system::StderrLog(clock_, LogLevel::Info, Format::Text).log(LogLevel::Error, "x", "T.", fields);
  EXPECT_EQ(written(), "2026-03-14T12:00:00.000Z error x: T. cause=a [1m b\n");
}

TEST_F(StderrLog, DropsEventsBelowItsLevel) {
  system::StderrLog log(clock_, LogLevel::Warning, Format::Text);
  EXPECT_FALSE(log.is_enabled(LogLevel::Info));
  log.log(LogLevel::Info, "x", "T.");
  EXPECT_EQ(written(), "");
  log.set_level(LogLevel::Info);
  EXPECT_TRUE(log.is_enabled(LogLevel::Info));
}

TEST_F(StderrLog, WritesAllQueuedEventsBeforeItEnds) {
  {
    system::StderrLog log(clock_, LogLevel::Info, Format::Text);
    log.log(LogLevel::Info, "a", "First.");
    log.write_in_background();
    for (int i = 0; i < 1000; ++i) log.log(LogLevel::Info, "b", "Then.");
  }
  const std::string text = written();
  EXPECT_TRUE(text.starts_with("2026-03-14T12:00:00.000Z info a: First.\n2026-03-14T12:00:00.000Z info b: Then.\n"))
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1001);
}

TEST_F(StderrLog, AFlushReturnsOnceTheEventsAreWritten) {
  system::StderrLog log(clock_, LogLevel::Info, Format::Text);
  log.flush();
  log.write_in_background();
  log.flush();
  for (int i = 1; i <= 100; ++i) {
    log.log(LogLevel::Info, "a", "Text.");
    log.flush();
    const std::string text = written();
    ASSERT_EQ(std::count(text.begin(), text.end(), '\n'), i);
  }
}

/// A pipe that is full from the start.
class FullPipeLineWriter : public testing::Test {
 protected:
  FullPipeLineWriter() {
    EXPECT_EQ(::pipe2(ends_, O_NONBLOCK | O_CLOEXEC), 0);
    while (::write(ends_[1], "x", 1) == 1) {
    }
    ::fcntl(ends_[1], F_SETFL, 0);
  }
  ~FullPipeLineWriter() override {
    for (const int end : ends_) ::close(end);
  }

  std::string read_all() const {
    std::string text(1 << 20, '\0');
    const ssize_t got = ::read(ends_[0], text.data(), text.size());
    return text.substr(0, got > 0 ? static_cast<std::size_t>(got) : 0);
  }

  int ends_[2] = {};
};

TEST_F(FullPipeLineWriter, DropsAndCountsExcessLinesAndNeverBlocks) {
  system::LineWriter writer(ends_[1], 10);
  std::uint64_t dropped = 0;
  for (int i = 0; i < 100; ++i) dropped += writer.write("a line\n");  // the thread may hold one, the queue one
  EXPECT_TRUE(eventually(std::chrono::seconds(10), [&] {
    read_all();
    dropped += writer.write("a line\n");
    return dropped >= 98;
  }));
}

TEST_F(FullPipeLineWriter, GivesUpIfThePipeIsNeverRead) {
  system::LineWriter writer(ends_[1]);
  writer.write("a line\n");
}

}  // namespace
}  // namespace kbase::tests
