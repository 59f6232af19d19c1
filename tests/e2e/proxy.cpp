// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/proxy.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tests/support/eventually.hpp"
#include "tests/support/text_file.hpp"

namespace kbase::tests {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "kb.example.org";  // as in the samples

struct Sample {
  const char* program;
  const char* file;  ///< in config/proxy
};

Sample sample_of(ProxyKind kind) {
  switch (kind) {
    case ProxyKind::Nginx: return {"nginx", "nginx.conf"};
    case ProxyKind::Haproxy: return {"haproxy", "haproxy.cfg"};
    case ProxyKind::Caddy: break;
  }
  return {"caddy", "Caddyfile"};
}

/// Returns the path of an installed program, /usr/sbin included; empty if it is not installed.
std::string program_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(std::string(path != nullptr ? path : "") + ":/usr/sbin:/usr/local/sbin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access((folder + '/' + name).c_str(), X_OK) == 0) return folder + '/' + name;
  return {};
}

struct Edit {
  std::string from;  ///< occurs once in the sample
  std::string to;
};

/// Edits that a user of the sample must make, and edits that let it run without privileges.
std::vector<Edit> edits_of(ProxyKind kind, const fs::path& folder, std::uint16_t port, std::uint16_t upstream_port) {
  const std::string listens = "127.0.0.1:" + std::to_string(port);
  const std::string upstream = "127.0.0.1:" + std::to_string(upstream_port);
  const std::string certificate = (folder / "certificate.pem").string();
  const std::string key = (folder / "key.pem").string();
  std::string temporary;
  switch (kind) {
    case ProxyKind::Nginx:
      for (const char* use : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
        temporary += std::string("\n  ") + use + "_temp_path " + (folder / use).string() + ";";
      return {{"\nhttp {", "\nhttp {" + temporary},
              {"user www-data;", ""},
              {"listen 443 ", "listen " + listens + ' '},
              {"listen [::]:443 ssl http2;", ""},
              {"/etc/ssl/certs/kb.example.org.pem", certificate},
              {"/etc/ssl/private/kb.example.org.key", key},
              {"server 127.0.0.1:8080;", "server " + upstream + ';'}};
    case ProxyKind::Haproxy:
      return {{"  chroot /var/lib/haproxy\n  user haproxy\n  group haproxy\n", ""},
              {"bind :443,[::]:443 v6only", "bind " + listens},
              {"/etc/haproxy/kb.example.org.pem", (folder / "both.pem").string()},
              {"server kbase1 127.0.0.1:8080", "server kbase1 " + upstream}};
    case ProxyKind::Caddy: break;
  }
  return {{"auto_https disable_redirects", "auto_https off\n\tadmin off\n\tdefault_bind 127.0.0.1"},
          {"\nkb.example.org {", "\nkb.example.org:" + std::to_string(port) + " {"},
          {"/etc/ssl/certs/kb.example.org.pem", certificate},
          {"/etc/ssl/private/kb.example.org.key", key},
          {"reverse_proxy 127.0.0.1:8080", "reverse_proxy " + upstream}};
}

std::string edited(std::string text, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    const std::size_t place = text.find(edit.from);
    if (place == std::string::npos || text.find(edit.from, place + 1) != std::string::npos)
      throw std::runtime_error("the sample does not have once: " + edit.from);
    text.replace(place, edit.from.size(), edit.to);
  }
  return text;
}

/// Runs it in the foreground as a single process, so that killing it leaves no process behind.
std::vector<std::string> command_of(ProxyKind kind, const fs::path& folder, const std::string& configuration) {
  const std::string program = program_path(sample_of(kind).program);
  switch (kind) {
    case ProxyKind::Nginx:
      return {program,  "-p",          folder.string(),
              "-c",     configuration, "-e",
              "stderr", "-g",          "daemon off; master_process off; pid " + (folder / "pid").string() + ';'};
    case ProxyKind::Haproxy: return {program, "-db", "-f", configuration};
    case ProxyKind::Caddy: break;
  }
  return {program, "run", "--adapter", "caddyfile", "--config", configuration};
}

/// Writes a self-signed certificate, its key, and a file with both.
void make_certificate(const fs::path& folder) {
  const fs::path certificate = folder / "certificate.pem";
  const fs::path key = folder / "key.pem";
  const Outcome made = run_program(
      {.command = {program_path("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                   "-nodes", "-days", "2", "-subj", std::string("/CN=") + kName, "-addext",
                   std::string("subjectAltName=DNS:") + kName, "-keyout", key.string(), "-out", certificate.string()},
       .environment = {},
       .error_log = {}});
  if (made.exit_code != 0) throw std::runtime_error("openssl made no certificate: " + made.errors);
  std::ofstream(folder / "both.pem", std::ios::binary) << text_of(certificate) << text_of(key);
}

}  // namespace

void PrintTo(ProxyKind kind, std::ostream* out) { *out << sample_of(kind).program; }

std::string proxy_name(const testing::TestParamInfo<ProxyKind>& info) {
  const std::string program = sample_of(info.param).program;
  return static_cast<char>(program.front() & ~0x20) + program.substr(1);
}

std::string missing_program(ProxyKind kind) {
  for (const char* program : {sample_of(kind).program, "openssl"})
    if (program_path(program).empty()) return program;
  return {};
}

Proxy::Proxy(ProxyKind kind, std::uint16_t upstream_port) : port_(free_port()) {
  const fs::path& folder = folder_.path();
  const Sample sample = sample_of(kind);
  const fs::path configuration = folder / sample.file;
  make_certificate(folder);
  std::ofstream(configuration, std::ios::binary)
      << edited(text_of(fs::path(KBASE_PROXY_SAMPLES) / sample.file), edits_of(kind, folder, port_, upstream_port));
  process_.reset(
      new ChildProcess({.command = command_of(kind, folder, configuration.string()),
                        .environment = {"XDG_DATA_HOME=" + folder.string(), "XDG_CONFIG_HOME=" + folder.string()},
                        .error_log = folder / "log"}));
  const auto has_ended = [&] { return process_->wait(std::chrono::milliseconds(0)).has_value(); };
  eventually(std::chrono::seconds(10), [&] { return answers() || has_ended(); });
  if (!answers()) throw std::runtime_error("the proxy does not answer: " + text_of(folder / "log"));
}

bool Proxy::answers() const {
  try {
    return client().get("/health").status != 0;
  } catch (const std::runtime_error&) {
    return false;
  }
}

Client Proxy::client(const std::string& from) const {
  const std::string place = std::string(kName) + ':' + std::to_string(port_);
  return Client("https://" + place + "/api/v1", {.certificate = (folder_.path() / "certificate.pem").string(),
                                                 .name_and_place = place + ":127.0.0.1",
                                                 .from = from});
}

}  // namespace kbase::tests
