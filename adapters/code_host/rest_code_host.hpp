// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/code_host/findings.hpp"
#include "adapters/code_host/inquiry.hpp"
#include "ports/driven/code_host.hpp"

namespace kbase::code_host {

/// What code hosts with a REST API have in common: a look-up that asks first whether anything changed, and lists that
/// come in pages. A derived class knows its service's paths and members. Of a look-up it keeps only that the service
/// wants to be left alone for a time: until then the others fail as that one did, without a call.
class RestCodeHost : public ports::CodeHost {
 public:
  RestCodeHost(Api api, std::size_t max_repositories) : api_(std::move(api)), max_repositories_(max_repositories) {}

  model::Result<ports::LookUp> look_up(ports::Call& call, std::string_view username, std::string_view validator,
                                       ports::UserVisitor& visitor) final;

  /// Well is a service that answers, whatever it thinks of the question, and takes our token.
  model::Status health(ports::Call& call) final;

 protected:
  /// What a look-up begins with, all at once: the profile, the first page of repositories, contributions.
  virtual std::vector<Request> first_requests(std::string_view username) const = 0;

  /// Finds out everything. `first` are the requests above, under way.
  virtual model::Status gather(Inquiry& inquiry, std::vector<Inquiry::Ask> first, std::string_view username,
                               Findings& findings) const = 0;

  /// A path that costs the service little.
  virtual std::string health_path() const = 0;

  /// Reads this page of objects and those that follow, as far as repositories are wanted and calls are left, and sorts
  /// what came of it. `list`: the member that has them, null where the page is the array itself. `add` is given each
  /// object, which `findings` keeps.
  model::Status read_pages(Inquiry& inquiry, Inquiry::Ask page, const char* list, Findings& findings,
                           model::FunctionRef<void(const Json&)> add) const;

  const Api& api() const noexcept { return api_; }

 private:
  using Time = ports::Call::SteadyTime;

  model::Result<ports::LookUp> look_up(Calls& calls, std::string_view username, std::string_view validator,
                                       ports::UserVisitor& visitor) const;

  void leave_alone(std::chrono::seconds wait);

  const Api api_;
  const std::size_t max_repositories_;
  std::atomic<Time> left_alone_until_{Time::min()};
};

/// Opens a `Host` whose every call has `fields`. InvalidArgument as Api::make. What is lent outlives the host.
template <class Host>
model::Result<std::unique_ptr<Host>> open_host(ports::HttpClient* http, const ports::Clock& clock,
                                               const Options& options, std::vector<Field> fields) {
  auto api = Api::make(http, clock, options, std::move(fields));
  if (!api) return api.error();
  return std::make_unique<Host>(*std::move(api), options.max_repositories);
}

/// An answer that a look-up can't do without, as an object. NotFound: the service says 404.
model::Result<Json> read_user(Inquiry::Ask& ask);

/// What a service may keep to itself: null where it does not answer with 200 and JSON.
struct Optional {
  Json document;
  bool has_more = false;  ///< it is the first of several pages
};
model::Result<Optional> read_optional(Inquiry::Ask& ask);

/// Asks for the languages of repositories, the first ones first, some at a time, as far as the calls reach. `path_of`
/// gives an empty path for one that has none; `add` is given each object that is answered.
model::Status read_languages(Calls& calls, Findings& findings,
                             model::FunctionRef<std::string(const ports::Repository&)> path_of,
                             model::FunctionRef<void(ports::Repository&, const Json&)> add);

/// Whether a name is 1 to `longest` letters and digits of ASCII and `signs`, so that it can stand in a URL as it is.
bool is_made_of(std::string_view name, std::size_t longest, std::string_view signs) noexcept;

/// Whether a repository's name with its owner can.
bool is_full_name(std::string_view name);

}  // namespace kbase::code_host
