// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/rest_code_host.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "adapters/code_host/failure.hpp"

namespace kbase::code_host {
namespace {

/// Concurrent requests for languages of one look-up. With 16 concurrent look-ups, the maximum of the server, the 80
/// requests do not exceed the default limits of the HTTP client: 16 in progress and 64 in its queue.
constexpr std::size_t kAtOnce = 5;

/// Rate limits reset at least every hour. If a service asks for a longer wait by mistake, it gets requests again after
/// this time.
constexpr std::chrono::seconds kLongestLeftAlone{3600};

/// A repository whose languages were requested.
struct UnderWay {
  ports::Repository* repository;
  Pending pending;
};

}  // namespace

model::Result<ports::LookUp> RestCodeHost::look_up(ports::Call& call, std::string_view username,
                                                   std::string_view validator, ports::UserVisitor& visitor) {
  const Time now = api_.clock.steady();
  if (const Time until = left_alone_until_; now < until)
    return unavailable("the service's rate limit was used up before; it is left alone",
                       std::chrono::ceil<std::chrono::milliseconds>(until - now));
  Calls calls(api_, call);
  auto told = look_up(calls, username, validator, visitor);
  if (const auto wait = calls.asked_to_wait()) leave_alone(*wait);
  return told;
}

/// Keeps the latest time, because concurrent look-ups can get different waits.
void RestCodeHost::leave_alone(std::chrono::seconds wait) {
  const Time until = api_.clock.steady() + std::min(wait, kLongestLeftAlone);
  Time before = left_alone_until_;
  while (until > before && !left_alone_until_.compare_exchange_weak(before, until)) {
  }
}

model::Result<ports::LookUp> RestCodeHost::look_up(Calls& calls, std::string_view username, std::string_view validator,
                                                   ports::UserVisitor& visitor) const {
  Inquiry inquiry(calls, model::day_of(api_.clock.now()));
  const std::vector<Request> requests = first_requests(username);
  const auto unchanged = inquiry.is_unchanged(validator, requests);
  if (!unchanged) return unchanged.error();
  if (*unchanged) return ports::LookUp{ports::LookUp::Outcome::Unchanged, {}};

  std::vector<Inquiry::Ask> first;
  for (const Request& request : requests) first.push_back(inquiry.ask(request));
  Findings findings;
  if (const auto gathered = gather(inquiry, std::move(first), username, findings); !gathered) return gathered.error();
  if (!findings.fit()) return bad_answer("the texts of the user and the repositories are too long");
  findings.tell(visitor);
  return ports::LookUp{ports::LookUp::Outcome::Told, inquiry.validator()};
}

model::Status RestCodeHost::health(ports::Call& call) {
  Calls calls(api_, call);
  const auto answer = calls.get({health_path()});
  if (!answer) return answer.error();
  return {};
}

model::Status RestCodeHost::read_pages(Inquiry& inquiry, Inquiry::Ask page, const char* list, Findings& findings,
                                       model::FunctionRef<void(const Json&)> add) const {
  while (true) {
    const auto answer = page.read();
    if (!answer) return answer.error();
    if (const auto ok = expect_ok(*answer, page.request()); !ok) return ok.error();
    auto document = objects_of(*answer, list);
    if (!document) return document.error();
    for (const Json& object : findings.keep(*std::move(document))) add(object);
    const std::string_view next = answer->next_page();
    if (next.empty() || !api_.covers(next) || findings.repositories.size() >= max_repositories_ ||
        inquiry.calls().left() == 0)
      break;
    page = inquiry.ask({std::string(next)});
  }
  findings.sort_repositories(max_repositories_);
  return {};
}

model::Result<Json> read_user(Inquiry::Ask& ask) {
  const auto answer = ask.read();
  if (!answer) return answer.error();
  if (answer->status == kNotFound) return no_such_user();
  if (const auto ok = expect_ok(*answer, ask.request()); !ok) return ok.error();
  return object_of(*answer);
}

model::Result<Optional> read_optional(Inquiry::Ask& ask) {
  const auto answer = ask.read();
  if (!answer) return answer.error();
  Optional optional;
  if (answer->status == kOk) optional.document = document_of(*answer);
  optional.has_more = !answer->next_page().empty();
  return optional;
}

model::Status read_languages(Calls& calls, Findings& findings,
                             model::FunctionRef<std::string(const ports::Repository&)> path_of,
                             model::FunctionRef<void(ports::Repository&, const Json&)> add) {
  std::deque<UnderWay> asked;
  auto next = findings.repositories.begin();
  const auto open_more = [&]() -> model::Status {
    for (; next != findings.repositories.end() && asked.size() < kAtOnce && calls.left() > 0; ++next) {
      std::string path = path_of(*next);
      if (path.empty()) continue;
      auto pending = calls.open({std::move(path)});
      if (!pending) return pending.error();
      asked.push_back({&*next, *std::move(pending)});
    }
    return {};
  };
  while (true) {
    if (const auto opened = open_more(); !opened) return opened.error();
    if (asked.empty()) return {};
    const auto answer = asked.front().pending.read();
    if (!answer) return answer.error();
    // A repository that was deleted meanwhile or is not readable has no languages.
    if (answer->status == kOk) {
      const auto languages = object_of(*answer);
      if (!languages) return languages.error();
      add(*asked.front().repository, *languages);
    }
    asked.pop_front();
  }
}

bool is_made_of(std::string_view name, std::size_t longest, std::string_view signs) noexcept {
  const auto is_allowed = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || signs.find(c) != signs.npos;
  };
  return !name.empty() && name.size() <= longest && std::all_of(name.begin(), name.end(), is_allowed);
}

bool is_full_name(std::string_view name) {
  constexpr std::size_t kLongest = 1024;
  const std::string segments = "/" + std::string(name) + "/";
  const bool climbs = segments.find("/./") != segments.npos || segments.find("/../") != segments.npos;
  return !climbs && is_made_of(name, kLongest, "/._-");
}

}  // namespace kbase::code_host
