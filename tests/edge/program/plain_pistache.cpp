// SPDX-License-Identifier: Apache-2.0
// Comparison server for the attack tests: unmodified Pistache, used as its manual shows. It has the paths of kbase that
// the tests request and returns each request's X-Request-Id in its response. Usage: plain_pistache MODE
//   later   another thread answers /search
//   held    like later, and the peer is kept until then
//   timed   like later, with a time limit on the response
//   stream  like later, as a stream
//   sealed  the router is read-only: a request that writes to it, which all threads read without a lock, crashes
//   throw   /item/b throws an object that is not a std::exception
//   tls     over TLS, with a self-signed certificate
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <pistache/endpoint.h>
#include <pistache/peer.h>
#include <pistache/router.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>

namespace {

using Pistache::Http::Code;
using Pistache::Http::ResponseWriter;
using Pistache::Rest::Request;
using Pistache::Rest::Route;

/// Pool of four threads.
class Workers {
 public:
  void submit(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
    added_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      added_.wait(lock, [this] { return !work_.empty(); });
      const std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
    }
  }

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<std::function<void()>> work_;
  std::thread threads_[4]{std::thread([this] { run(); }), std::thread([this] { run(); }),
                          std::thread([this] { run(); }), std::thread([this] { run(); })};
};

std::string id_of(const Request& request) {
  const auto id = request.headers().tryGetRaw("X-Request-Id");
  return id ? id->value() : "";
}

/// Router in memory pages that can be made read-only.
class RouterPages {
 public:
  RouterPages()
      : pages_(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
        router_(new (pages_) Pistache::Rest::Router) {}

  Pistache::Rest::Router* router() const { return router_; }
  void seal() { ::mprotect(pages_, kBytes, PROT_READ); }

 private:
  static constexpr std::size_t kBytes = 4096;
  static_assert(sizeof(Pistache::Rest::Router) <= kBytes);

  void* pages_;
  Pistache::Rest::Router* router_;
};

class Server {
 public:
  explicit Server(std::string mode) : mode_(std::move(mode)) {
    Pistache::Rest::Router& router = *pages_.router();
    using Pistache::Rest::Routes::bind;
    Pistache::Rest::Routes::Get(router, "/api/v1/item/:id", bind(&Server::item, this));
    Pistache::Rest::Routes::Get(router, "/api/v1/search", bind(&Server::search, this));
    Pistache::Rest::Routes::Post(router, "/api/v1/external/llm", bind(&Server::echo, this));
  }

  std::shared_ptr<Pistache::Http::Handler> handler() {
    const auto keep = [](Pistache::Rest::Router*) {};
    return Pistache::Rest::Router::handler({pages_.router(), keep});
  }

  void started() {
    if (mode_ == "sealed") pages_.seal();
  }

 private:
  Route::Result item(const Request& request, ResponseWriter writer) {
    const auto id = request.param(":id").as<std::string>();
    if (mode_ == "throw" && id == "b") throw 42;
    writer.send(Code::Ok, id == "big" ? std::string(64 << 20, 'x') : R"({"id":")" + id + "\"} " + id_of(request));
    return Route::Result::Ok;
  }

  Route::Result echo(const Request& request, ResponseWriter writer) {
    writer.send(Code::Ok, request.body());
    return Route::Result::Ok;
  }

  Route::Result search(const Request& request, ResponseWriter response) {
    using std::chrono::milliseconds;
    auto writer = std::make_shared<ResponseWriter>(std::move(response));
    if (mode_ == "timed") writer->timeoutAfter(std::chrono::seconds(60));
    const std::shared_ptr<Pistache::Tcp::Peer> peer = mode_ == "held" ? writer->getPeer() : nullptr;
    workers_.submit([this, writer, peer, id = id_of(request)] {
      if (peer) ::poll(nullptr, 0, 20);  // work that needs some time
      if (mode_ != "stream") {
        writer->send(Code::Ok, id);
        return;
      }
      auto stream = writer->stream(Code::Ok);
      for (int i = 0; i < 20; ++i) stream << id.c_str() << Pistache::Http::flush;
      stream << Pistache::Http::ends;
    });
    return Route::Result::Ok;
  }

  const std::string mode_;
  RouterPages pages_;
  Workers workers_;
};

/// Returns a new key and a self-signed certificate for it, as one PEM text.
std::string make_certificate() {
  EVP_PKEY* key = EVP_RSA_gen(2048);
  X509* certificate = X509_new();
  X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_sign(certificate, key, EVP_sha256());
  std::string path = "/tmp/kbase-test-XXXXXX";
  FILE* file = ::fdopen(::mkstemp(path.data()), "w");
  PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
  PEM_write_X509(file, certificate);
  std::fclose(file);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return path;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mode = count > 1 ? arguments[1] : "later";
  Server server(mode);
  Pistache::Http::Endpoint endpoint(Pistache::Address("127.0.0.1", Pistache::Port(0)));
  endpoint.init(Pistache::Http::Endpoint::options()
                    .threads(1)
                    .flags(Pistache::Tcp::Options::ReuseAddr)
                    .maxRequestSize(16 << 20)
                    .maxResponseSize(128 << 20));
  endpoint.setHandler(server.handler());
  if (mode == "tls") {
    const std::string certificate = make_certificate();
    endpoint.useSSL(certificate, certificate);
    ::unlink(certificate.c_str());
  }
  endpoint.serveThreaded();
  server.started();
  std::cout << "listening on http://127.0.0.1:" << endpoint.getPort() << "/api/v1" << std::endl;
  for (;;) ::pause();
}
