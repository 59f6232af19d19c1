// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scripted_http_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace kbase::tests {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

/// Removes a complete request from the front of `input`; nullopt: the request is incomplete.
std::optional<ReceivedRequest> request_of(std::string& input) {
  const std::size_t end = input.find("\r\n\r\n");
  if (end == std::string::npos) return std::nullopt;
  ReceivedRequest request;
  request.head = input.substr(0, end + 2);
  const std::string length = request.field("content-length");
  const std::size_t body = length.empty() ? 0 : std::stoul(length);
  if (input.size() < end + 4 + body) return std::nullopt;
  request.body = input.substr(end + 4, body);
  input.erase(0, end + 4 + body);
  const std::size_t space = request.head.find(' ');
  request.method = request.head.substr(0, space);
  request.target = request.head.substr(space + 1, request.head.find(' ', space + 1) - space - 1);
  return request;
}

}  // namespace

std::string ReceivedRequest::field(std::string_view name) const {
  const std::string start = "\r\n" + std::string(name) + ":";
  const std::size_t found = lower(head).find(start);
  if (found == std::string::npos) return {};
  std::size_t from = found + start.size();
  while (head[from] == ' ') ++from;
  return head.substr(from, head.find("\r\n", from) - from);
}

void Peer::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = tls_ != nullptr ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                                         : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Peer::answer(std::string_view status_and_fields, std::string_view body) {
  std::string message = "HTTP/1.1 ";
  message.append(status_and_fields).append("\r\nContent-Length: ").append(std::to_string(body.size()));
  send(message.append("\r\n\r\n").append(body));
}

std::string Peer::receive() {
  std::string bytes(16384, '\0');
  const ssize_t count = tls_ != nullptr ? SSL_read(tls_, bytes.data(), static_cast<int>(bytes.size()))
                                        : ::recv(socket_, bytes.data(), bytes.size(), 0);
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}

void Peer::wait_until_left() {
  while (!receive().empty()) {
  }
  close();
}

ScriptedHttpServer::ScriptedHttpServer(Script script) : ScriptedHttpServer(std::move(script), nullptr) {}

ScriptedHttpServer::ScriptedHttpServer(Script script, const TlsIdentity& identity)
    : ScriptedHttpServer(std::move(script), identity.context()) {}

ScriptedHttpServer::ScriptedHttpServer(Script script, SSL_CTX* tls)
    : script_(std::move(script)), tls_(tls), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, any, size) != 0 || ::listen(listener_, 128) != 0 || ::getsockname(listener_, any, &size) != 0)
    throw std::runtime_error("no port for a scripted server");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

ScriptedHttpServer::~ScriptedHttpServer() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
    for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
  }
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  ::close(listener_);
}

std::string ScriptedHttpServer::url(std::string_view path) const {
  const std::string start = tls_ != nullptr ? "https://localhost:" : "http://127.0.0.1:";
  return start + std::to_string(port_) + std::string(path);
}

std::vector<ReceivedRequest> ScriptedHttpServer::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

std::vector<ReceivedRequest> ScriptedHttpServer::wait_for(std::size_t requests) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return received_.size() >= requests; });
  return received_;
}

void ScriptedHttpServer::wait_until_idle() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return under_way_ == 0; });
}

void ScriptedHttpServer::accept_all() {
  sigset_t broken_pipe;  // OpenSSL may write to closed connections
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  for (int socket = 0; (socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    const int at_once = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    const std::size_t number = ++connections_;
    {
      const std::lock_guard lock(mutex_);
      open_.push_back(socket);
      if (stops_) ::shutdown(socket, SHUT_RDWR);
    }
    conversations_.emplace_back([this, socket, number] { serve(socket, number); });
  }
  for (std::thread& conversation : conversations_) conversation.join();
}

void ScriptedHttpServer::serve(int socket, std::size_t number) {
  std::unique_ptr<SSL, void (*)(SSL*)> tls(tls_ != nullptr ? SSL_new(tls_) : nullptr, SSL_free);
  if (tls != nullptr) SSL_set_fd(tls.get(), socket);
  Peer peer(socket, tls.get());
  if (tls == nullptr || SSL_accept(tls.get()) == 1) converse(peer, number);

  const std::lock_guard lock(mutex_);
  open_.remove(socket);
  const linger at_once{1, 0};
  if (peer.end() == Peer::End::Reset) ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(socket);
}

void ScriptedHttpServer::converse(Peer& peer, std::size_t number) {
  std::string input;
  while (peer.end() == Peer::End::None) {
    auto request = request_of(input);
    if (!request) {
      const std::string more = peer.receive();
      if (more.empty()) return;
      input += more;
      continue;
    }
    request->connection = number;
    {
      const std::lock_guard lock(mutex_);
      received_.push_back(*request);
      ++under_way_;
    }
    changed_.notify_all();
    script_(*request, peer);
    {
      const std::lock_guard lock(mutex_);
      --under_way_;
    }
    changed_.notify_all();
  }
}

}  // namespace kbase::tests
