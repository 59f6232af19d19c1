// SPDX-License-Identifier: Apache-2.0
// Requests at a steady rate, whatever the server does, over keep-alive connections. A request's time counts from the
// moment it was due, so a server that stalls is charged for everything that had to wait (no coordinated omission).
// Usage: steady_load HOST PORT RATE SECONDS PATHS_FILE [CONNECTIONS]
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Steady = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "steady_load: %s\n", text.c_str());
  std::exit(1);
}

struct Connection {
  int socket = -1;
  bool busy = false;
  Steady::time_point due;
  std::string received;
};

int connect_to(const sockaddr_in& server) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&server), sizeof server) != 0) fail("cannot connect");
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

/// The bytes of the whole response at the start of `text`; 0: it is not whole yet.
std::size_t response_size(std::string_view text) {
  const std::size_t head = text.find("\r\n\r\n");
  if (head == std::string_view::npos) return 0;
  constexpr std::string_view kName = "\r\nContent-Length: ";
  const std::size_t field = text.substr(0, head).find(kName);
  std::size_t length = 0;
  if (field != std::string_view::npos) {
    const char* start = text.data() + field + kName.size();
    std::from_chars(start, text.data() + head + 2, length);
  }
  return text.size() >= head + 4 + length ? head + 4 + length : 0;
}

class Load {
 public:
  Load(const sockaddr_in& server, std::string host, std::vector<std::string> paths, std::size_t connections)
      : host_(std::move(host)), paths_(std::move(paths)), connections_(connections) {
    for (Connection& connection : connections_) connection.socket = connect_to(server);
  }

  void run(double rate, double seconds) {
    const auto start = Steady::now();
    const auto count = static_cast<std::size_t>(rate * seconds);
    while (times_.size() < count) {
      const auto elapsed = std::chrono::duration<double>(Steady::now() - start).count();
      for (; due_ < count && static_cast<double>(due_) <= elapsed * rate; ++due_)
        waiting_.push_back(start + std::chrono::duration_cast<Steady::duration>(
                                       std::chrono::duration<double>(static_cast<double>(due_) / rate)));
      send_waiting();
      receive();
    }
  }

  void print() {
    std::sort(times_.begin(), times_.end());
    const auto at = [this](double part) {
      return times_[std::min(times_.size() - 1, static_cast<std::size_t>(part * static_cast<double>(times_.size())))];
    };
    std::printf("requests %zu  not 200: %zu  p50 %.3f ms  p95 %.3f ms  p99 %.3f ms  max %.3f ms\n", times_.size(),
                refused_, at(0.50), at(0.95), at(0.99), times_.back());
  }

 private:
  void send_waiting() {
    for (Connection& connection : connections_) {
      if (waiting_.empty()) return;
      if (connection.busy) continue;
      connection.busy = true;
      connection.due = waiting_.front();
      waiting_.pop_front();
      const std::string request =
          "GET " + paths_[next_path_++ % paths_.size()] + " HTTP/1.1\r\nHost: " + host_ + "\r\n\r\n";
      if (::send(connection.socket, request.data(), request.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(request.size()))
        fail("the server closed a connection");
    }
  }

  void receive() {
    std::vector<pollfd> polled;
    for (const Connection& connection : connections_)
      polled.push_back({connection.busy ? connection.socket : -1, POLLIN, 0});
    const timespec pause{0, 200'000};  // the next request may be due
    ::ppoll(polled.data(), polled.size(), &pause, nullptr);
    for (std::size_t i = 0; i < connections_.size(); ++i)
      if (polled[i].revents != 0) read_from(connections_[i]);
  }

  void read_from(Connection& connection) {
    char buffer[65536];
    const ssize_t size = ::recv(connection.socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (size <= 0) fail("the server closed a connection");
    connection.received.append(buffer, static_cast<std::size_t>(size));
    if (response_size(connection.received) == 0) return;
    if (!connection.received.starts_with("HTTP/1.1 200")) ++refused_;
    times_.push_back(std::chrono::duration<double, std::milli>(Steady::now() - connection.due).count());
    connection.received.clear();
    connection.busy = false;
  }

  const std::string host_;
  const std::vector<std::string> paths_;
  std::vector<Connection> connections_;
  std::deque<Steady::time_point> waiting_;
  std::vector<double> times_;
  std::size_t due_ = 0, next_path_ = 0, refused_ = 0;
};

std::vector<std::string> lines_of(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) lines.push_back(line);
  if (lines.empty()) fail(std::string("no paths in ") + path);
  return lines;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 6) fail("usage: steady_load HOST PORT RATE SECONDS PATHS_FILE [CONNECTIONS]");
  sockaddr_in server{};
  server.sin_family = AF_INET;
  server.sin_port = htons(static_cast<std::uint16_t>(std::atoi(arguments[2])));
  if (::inet_pton(AF_INET, arguments[1], &server.sin_addr) != 1) fail("HOST is an IPv4 address");
  Load load(server, std::string(arguments[1]) + ':' + arguments[2], lines_of(arguments[5]),
            count > 6 ? static_cast<std::size_t>(std::atoi(arguments[6])) : 16);
  load.run(std::atof(arguments[3]), std::atof(arguments[4]));
  load.print();
  return 0;
}
