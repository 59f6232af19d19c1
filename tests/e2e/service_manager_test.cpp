// SPDX-License-Identifier: Apache-2.0
// Notifications of `kbase serve` to the service manager that started it (sd_notify(3)).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>

#include "tests/e2e/expectations.hpp"
#include "tests/e2e/half_request.hpp"
#include "tests/e2e/knowledge_base.hpp"
#include "tests/support/eventually.hpp"

namespace kbase::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::chrono::seconds kTimeout{10};
constexpr const char* kWatchdog = "WATCHDOG=1";
constexpr const char* kReloading = "RELOADING=1\nSTATUS=reloading the configuration";
constexpr const char* kStopping = "STOPPING=1\nSTATUS=finishing active requests";

/// Service manager's end of the notify socket.
class NotifySocket {
 public:
  explicit NotifySocket(const std::filesystem::path& folder)
      : path_(folder / "notify"), socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.string().copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0) << path_;
    const int on = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  }
  ~NotifySocket() { ::close(socket_); }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  std::string variable() const { return "NOTIFY_SOCKET=" + path_.string(); }

  /// Returns the next message, or nullopt if none arrives within `timeout`.
  std::optional<std::string> receive(std::chrono::milliseconds timeout = kTimeout) {
    pollfd descriptor{socket_, POLLIN, 0};
    if (::poll(&descriptor, 1, static_cast<int>(timeout.count())) <= 0) return std::nullopt;
    std::array<char, 4096> bytes{};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> sender{};
    iovec text{bytes.data(), bytes.size()};
    msghdr message{nullptr, 0, &text, 1, sender.data(), sender.size(), 0};
    const ssize_t count = ::recvmsg(socket_, &message, 0);
    if (const cmsghdr* const part = CMSG_FIRSTHDR(&message); part != nullptr && part->cmsg_type == SCM_CREDENTIALS) {
      ucred credentials{};
      std::memcpy(&credentials, CMSG_DATA(part), sizeof credentials);
      sender_ = credentials.pid;
    }
    return std::string(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }

  /// Process that sent the last message.
  pid_t sender() const { return sender_; }

  /// Whether a period of `silence` without messages occurs within the timeout.
  bool becomes_silent(std::chrono::milliseconds silence) {
    return eventually(kTimeout, [&] { return !receive(silence); });
  }

 private:
  const std::filesystem::path path_;
  const int socket_;
  pid_t sender_ = 0;
};

/// Stops one thread of a process while the object exists; the other threads run. Construct and destroy it in one
/// thread.
class FrozenThread {
 public:
  explicit FrozenThread(pid_t thread) : thread_(thread) {
    if (::ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0 ||
        ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) != 0)
      return;
    is_frozen_ = ::waitpid(thread, nullptr, __WALL) == thread;
  }
  ~FrozenThread() { ::ptrace(PTRACE_DETACH, thread_, nullptr, nullptr); }
  FrozenThread(const FrozenThread&) = delete;
  FrozenThread& operator=(const FrozenThread&) = delete;

  bool is_frozen() const { return is_frozen_; }

 private:
  const pid_t thread_;
  bool is_frozen_ = false;
};

/// Returns the threads of the process that have this name.
std::vector<pid_t> threads_named(pid_t process, const std::string& expected_name) {
  std::vector<pid_t> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    std::string name;
    std::getline(std::ifstream(entry.path() / "comm"), name);
    if (name == expected_name) threads.push_back(std::stoi(entry.path().filename()));
  }
  return threads;
}

class ServiceManager : public testing::Test {
 protected:
  ServerProcess serve(std::vector<std::string> environment = {}, std::vector<std::string> arguments = {}) const {
    environment.push_back(socket_.variable());
    return base_.serve(std::move(arguments), std::move(environment));
  }
  static std::string ready(const ServerProcess& server) { return "READY=1\nSTATUS=listening on " + server.base_url(); }

  KnowledgeBase base_{Storage::Sqlite, fixture_corpus_file()};
  NotifySocket socket_{base_.folder()};
};

TEST_F(ServiceManager, IsNotifiedWhenAServerIsReadyAndWhenItEnds) {
  ServerProcess server = serve();
  EXPECT_EQ(socket_.receive(), ready(server));
  EXPECT_EQ(Client(server.base_url()).get("/health").status, 200);
  EXPECT_EQ(server.stop(), 0);
  EXPECT_EQ(socket_.receive(), kStopping);
  EXPECT_EQ(socket_.receive(std::chrono::milliseconds(0)), std::nullopt) << "no more messages are expected";
}

TEST_F(ServiceManager, IsNotNotifiedByAServerThatFailsToStart) {
  const ServerProcess first = base_.serve();
  EXPECT_THROW(serve(), std::runtime_error) << "the data folder is locked";
  EXPECT_EQ(socket_.receive(std::chrono::milliseconds(0)), std::nullopt);
}

TEST_F(ServiceManager, IsNotifiedOfAReload) {
  const ServerProcess server = serve();
  EXPECT_EQ(socket_.receive(), ready(server));
  server.send_signal(SIGHUP);
  EXPECT_EQ(socket_.receive(), kReloading);
  EXPECT_EQ(socket_.receive(), ready(server));
}

TEST_F(ServiceManager, IsNotifiedWhyAReloadFailedUntilOneSucceeds) {
  const ServerProcess server = serve();
  EXPECT_EQ(socket_.receive(), ready(server));
  const auto kept = base_.folder() / "kept.yaml";
  std::filesystem::copy(base_.folder() / "kbase.yaml", kept);
  base_.write("kbase.yaml", R"(server: { "prot\nSTATUS=fine": 0 })");
  server.send_signal(SIGHUP);
  EXPECT_EQ(socket_.receive(), kReloading);
  EXPECT_THAT(socket_.receive().value_or(""),
              AllOf(StartsWith(ready(server) + "; "), HasSubstr("server.prot STATUS=fine")));
  std::filesystem::rename(kept, base_.folder() / "kbase.yaml");
  server.send_signal(SIGHUP);
  EXPECT_EQ(socket_.receive(), kReloading);
  EXPECT_EQ(socket_.receive(), ready(server));
}

TEST_F(ServiceManager, IsNotifiedThatAServerStopsBeforeItDrains) {
  ServerProcess server = serve();
  EXPECT_EQ(socket_.receive(), ready(server));
  HalfRequest half(server.base_url());
  server.send_signal(SIGTERM);
  EXPECT_EQ(socket_.receive(), kStopping);
  EXPECT_EQ(server.wait(std::chrono::milliseconds(0)), std::nullopt);
  half.finish();
  EXPECT_EQ(server.wait(std::chrono::seconds(15)), 0) << base_.log();
}

TEST_F(ServiceManager, ReceivesWatchdogMessagesOfALiveServer) {
  const ServerProcess server = serve({"WATCHDOG_USEC=400000"});
  EXPECT_EQ(socket_.receive(), ready(server));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(socket_.receive(), kWatchdog);
}

TEST_F(ServiceManager, ReceivesNoWatchdogMessageIfOneReactorHangs) {
  const ServerProcess server = serve({"WATCHDOG_USEC=1000000"}, {"--set", "server.threads=2"});
  EXPECT_EQ(socket_.receive(), ready(server));
  EXPECT_EQ(socket_.receive(), kWatchdog);
  std::vector<pid_t> reactors;  // a reactor sets its thread name shortly after it starts
  ASSERT_TRUE(eventually(std::chrono::seconds(5), [&] {
    reactors = threads_named(socket_.sender(), "kbase-http");
    return reactors.size() >= 2;
  }));
  {
    const FrozenThread reactor(reactors.back());
    if (!reactor.is_frozen()) GTEST_SKIP() << "this machine does not permit tracing a child process";
    EXPECT_TRUE(socket_.becomes_silent(std::chrono::seconds(1)));
    EXPECT_EQ(base_.run({"config", "check"}).exit_code, 0) << "the machine itself must not hang";
    EXPECT_EQ(socket_.receive(std::chrono::milliseconds(0)), std::nullopt);
  }
  EXPECT_EQ(socket_.receive(), kWatchdog) << "it is running again";
}

}  // namespace
}  // namespace kbase::tests
