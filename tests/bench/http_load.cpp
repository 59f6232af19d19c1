// SPDX-License-Identifier: Apache-2.0
// HTTP load generator over keep-alive connections, either as fast as responses arrive or at a fixed rate. At a fixed
// rate, the latency of a request counts from the moment it was due, so a server that stalls is charged for every
// delayed request (no coordinated omission).
// Usage: http_load PORT PATHS_FILE [NAME=VALUE...]. Prints its measurements as one line of JSON.
//   connections  number of connections (32)
//   seconds      measured time (5), after
//   warm_up      seconds that are not measured (0.5)
//   rate         requests per second over all connections; 0: as fast as responses arrive (0)
//   slow         additional connections, each of which sends one byte per second of an endless header (0)
#include <arpa/inet.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/client_connection.hpp"

namespace {

using kbase::bench::ClientConnection;
using Steady = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "http_load: %s\n", text.c_str());
  std::exit(1);
}

struct Options {
  double connections = 32;
  double seconds = 5;
  double warm_up = 0.5;
  double rate = 0;
  double slow = 0;
};

Options parse_options(std::span<char*> arguments) {
  Options options;
  const std::map<std::string_view, double*> known = {{"connections", &options.connections},
                                                     {"seconds", &options.seconds},
                                                     {"warm_up", &options.warm_up},
                                                     {"rate", &options.rate},
                                                     {"slow", &options.slow}};
  for (const std::string_view argument : arguments) {
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const auto option = known.find(argument.substr(0, equals));
    if (option == known.end() || equals == argument.size()) fail("unknown option " + std::string(argument));
    *option->second = std::atof(argument.data() + equals + 1);
  }
  return options;
}

/// Response times of one status, in milliseconds.
class Times {
 public:
  void add(Steady::duration time) { times_.push_back(std::chrono::duration<double, std::milli>(time).count()); }
  std::size_t count() const { return times_.size(); }

  std::string json() {
    std::sort(times_.begin(), times_.end());
    char text[240];
    std::snprintf(text, sizeof text,
                  R"({"count":%zu,"mean_ms":%.4f,"p50_ms":%.4f,"p95_ms":%.4f,"p99_ms":%.4f,"max_ms":%.4f})",
                  times_.size(), mean(), at(0.50), at(0.95), at(0.99), at(1));
    return text;
  }

 private:
  double mean() const {
    return std::accumulate(times_.begin(), times_.end(), 0.0) /
           static_cast<double>(std::max<std::size_t>(1, times_.size()));
  }
  double at(double part) const {
    if (times_.empty()) return 0;
    return times_[std::min(times_.size() - 1, static_cast<std::size_t>(part * static_cast<double>(times_.size())))];
  }
  std::vector<double> times_;
};

class Load {
 public:
  Load(const sockaddr_in& server, std::vector<std::string> requests, const Options& options)
      : options_(options), requests_(std::move(requests)), poller_(::epoll_create1(EPOLL_CLOEXEC)) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(options.connections); ++i) {
      connections_.emplace_back(server);
      free_.push_back(i);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = i;
      ::epoll_ctl(poller_, EPOLL_CTL_ADD, connections_.back().socket(), &event);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(options.slow); ++i) {
      slow_.emplace_back(server);
      slow_.back().trickle("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
    }
  }
  ~Load() { ::close(poller_); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  void run() {
    start_ = Steady::now();
    counted_from_ = start_ + std::chrono::duration_cast<Steady::duration>(Seconds(options_.warm_up));
    const auto end = counted_from_ + std::chrono::duration_cast<Steady::duration>(Seconds(options_.seconds));
    for (auto now = start_; now < end; now = Steady::now()) {
      send_due(now);
      trickle(now);
      receive();
    }
  }

  void print() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const double cpu = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                       static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    std::printf(R"({"busy":%.2f,"unsent":%zu,"responses":{)", cpu / Seconds(Steady::now() - start_).count(),
                waiting_.size());
    const char* separator = "";
    for (auto& [status, times] : times_) {
      std::printf("%s\"%u\":%s", separator, status, times.json().c_str());
      separator = ",";
    }
    std::printf("}}\n");
  }

 private:
  void send_due(Steady::time_point now) {
    if (options_.rate > 0) {
      for (; Seconds(now - start_).count() * options_.rate >= static_cast<double>(due_); ++due_)
        waiting_.push_back(
            start_ + std::chrono::duration_cast<Steady::duration>(Seconds(static_cast<double>(due_) / options_.rate)));
      for (; !waiting_.empty() && !free_.empty(); waiting_.pop_front()) send_next(waiting_.front());
    } else {
      while (!free_.empty()) send_next(now);
    }
  }

  void send_next(Steady::time_point due) {
    ClientConnection& connection = connections_[free_.front()];
    free_.pop_front();
    if (!connection.send(requests_[next_++ % requests_.size()], due)) fail("the server closed a connection");
  }

  /// Sends one byte per slow connection and second, spread over the second.
  void trickle(Steady::time_point now) {
    if (slow_.empty()) return;
    const auto due = static_cast<std::size_t>(Seconds(now - start_).count() * static_cast<double>(slow_.size()));
    for (; trickled_ < due; ++trickled_) slow_[trickled_ % slow_.size()].trickle("x");
  }

  void receive() {
    std::array<epoll_event, 256> events;
    const bool may_wait = options_.rate == 0 && slow_.empty();
    const timespec pause{0, may_wait ? 100'000'000 : 200'000};  // the next request may be due
    const int count = ::epoll_pwait2(poller_, events.data(), static_cast<int>(events.size()), &pause, nullptr);
    for (int i = 0; i < count; ++i) {
      const auto index = static_cast<std::size_t>(events[static_cast<std::size_t>(i)].data.u64);
      ClientConnection& connection = connections_[index];
      const auto outcome = connection.receive();
      if (outcome == ClientConnection::Outcome::Closed) fail("the server closed a connection");
      if (outcome == ClientConnection::Outcome::More) continue;
      free_.push_back(index);
      const auto now = Steady::now();
      if (connection.due() >= counted_from_) times_[connection.status()].add(now - connection.due());
    }
  }

  const Options options_;
  const std::vector<std::string> requests_;
  const int poller_;
  std::vector<ClientConnection> connections_, slow_;
  std::deque<std::size_t> free_;
  std::deque<Steady::time_point> waiting_;
  std::map<unsigned, Times> times_;
  std::size_t next_ = 0, due_ = 0, trickled_ = 0;
  Steady::time_point start_, counted_from_;
};

std::vector<std::string> read_requests(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> requests;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) requests.push_back("GET " + line + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  if (requests.empty()) fail(std::string("no paths in ") + path);
  return requests;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) fail("usage: http_load PORT PATHS_FILE [NAME=VALUE...]");
  sockaddr_in server{};
  server.sin_family = AF_INET;
  server.sin_port = htons(static_cast<std::uint16_t>(std::atoi(arguments[1])));
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const std::span<char*> all(arguments, static_cast<std::size_t>(count));
  Load load(server, read_requests(arguments[2]), parse_options(all.subspan(3)));
  load.run();
  load.print();
  return 0;
}
