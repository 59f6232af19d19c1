// SPDX-License-Identifier: Apache-2.0
// Comparison server for the HTTP edge benchmark: the minimal use of Pistache's own endpoint.
// Usage: hello_world THREADS. Listens on a free port of 127.0.0.1 and prints it.
#include <pistache/endpoint.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

class HelloHandler final : public Pistache::Http::Handler {
 public:
  HTTP_PROTOTYPE(HelloHandler)
  void onRequest(const Pistache::Http::Request&, Pistache::Http::ResponseWriter response) override {
    response.send(Pistache::Http::Code::Ok, "Hello, World!");
  }
};

}  // namespace

int main(int count, char** arguments) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);

  using Pistache::Tcp::Options;
  Pistache::Http::Endpoint endpoint(Pistache::Address(Pistache::Ipv4::loopback(), Pistache::Port(0)));
  endpoint.init(Pistache::Http::Endpoint::options()
                    .threads(count > 1 ? std::atoi(arguments[1]) : 1)
                    .flags(Pistache::Flags<Options>(Options::ReuseAddr) | Options::NoDelay));
  endpoint.setHandler(Pistache::Http::make_handler<HelloHandler>());
  endpoint.serveThreaded();
  std::printf("%u\n", static_cast<unsigned>(static_cast<std::uint16_t>(endpoint.getPort())));
  std::fflush(stdout);
  int signal = 0;
  sigwait(&stop, &signal);
  endpoint.shutdown();
  return 0;
}
