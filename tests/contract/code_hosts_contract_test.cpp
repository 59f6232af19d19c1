// SPDX-License-Identifier: Apache-2.0
// Runs the contract suite of the code_host port on kbase's own adapters. tests/plugins runs it through their plugins.
#include "adapters/gitea/gitea_code_host.hpp"
#include "adapters/github/github_code_host.hpp"
#include "adapters/gitlab/gitlab_code_host.hpp"
#include "plugins/conformance/suites.hpp"
#include "tests/support/contract.hpp"

namespace kbase::tests {
namespace {

template <class Host> class HostFixture final : public conformance::CodeHostFixture {
 public:
  ports::CodeHost& port() override { return *host_; }
  bool reopen() override { return false; }

 private:
  std::unique_ptr<Host> host_ = Host::open(&upstream, clock, {"https://code.example", "s3cret"}).value();
};

template <class Host> bool register_host(const char* name) {
  return register_contract<conformance::CodeHostFixture>(name, conformance::code_host_suite(),
                                                         [] { return std::make_unique<HostFixture<Host>>(); });
}

[[maybe_unused]] const bool kRegistered = register_host<gitea::GiteaCodeHost>("GiteaCodeHost") &&
                                          register_host<github::GithubCodeHost>("GithubCodeHost") &&
                                          register_host<gitlab::GitlabCodeHost>("GitlabCodeHost");

}  // namespace
}  // namespace kbase::tests
