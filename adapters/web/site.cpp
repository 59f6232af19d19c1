// SPDX-License-Identifier: Apache-2.0
#include "adapters/web/site.hpp"

#include "adapters/content/byte_stream.hpp"

namespace kbase::web {
namespace {

constexpr std::string_view kProduct = "kbase";
constexpr int kMaxRedirects = 5;

bool is_redirect(std::uint32_t status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// The cause of a failed request. The message alone says nothing of it.
std::string reason_of(const Error& error) { return error.detail.empty() ? error.message : error.detail; }

void judge_status(Fetched& fetched) {
  const std::uint32_t status = fetched.response.status;
  if (status == 200) return;
  if (status == 404 || status == 410)
    fetched.skipped = "answered with " + std::to_string(status);
  else
    fetched.defect =
        "answers " + std::to_string(status) + (status == 429 ? "; a lower --rate asks less often" : std::string());
}

}  // namespace

Status Site::read_robots(ports::Call& call) {
  Address address{origin_, "/robots.txt", {}};
  for (int i = 0; i <= kMaxRedirects; ++i) {
    const auto answered = fetcher_.get(call, address);
    if (!answered && answered.error().code == ErrorCode::Cancelled) return answered.error();
    if (!answered) return content::unreadable(address.text(), reason_of(answered.error()));
    const Response& response = *answered;
    if (response.status == 200) robots_ = Robots(response.body, kProduct);
    if (response.status >= 500)
      return content::unreadable(address.text(), "answers " + std::to_string(response.status) +
                                                     ", so it is not known what the site allows; try again later");
    if (!is_redirect(response.status)) break;
    const auto target = resolve(address, response.location);
    if (!target || target->origin != address.origin) break;
    address = *target;
  }
  fetcher_.slow_down_to(robots_.delay());
  asked_.insert(origin_ + "/robots.txt");
  return {};
}

Result<Fetched> Site::fetch(ports::Call& call, Address address) {
  Fetched fetched;
  for (int i = 0; i <= kMaxRedirects; ++i) {
    fetched.address = address;
    if (!robots_.allows(address.target())) {
      fetched.skipped = "disallowed by robots.txt";
      return fetched;
    }
    if (!asked_.insert(address.text()).second) {
      fetched.skipped = "read at another address";
      return fetched;
    }
    auto response = fetcher_.get(call, address);
    if (!response && response.error().code == ErrorCode::Cancelled) return response.error();
    if (!response) {
      fetched.defect = reason_of(response.error());
      return fetched;
    }
    fetched.response = *std::move(response);
    if (!is_redirect(fetched.response.status)) {
      judge_status(fetched);
      return fetched;
    }
    const auto target = resolve(address, fetched.response.location);
    if (!target || target->origin != origin_) {
      fetched.defect = "redirects to " + (target ? target->text() : "'" + fetched.response.location + "'") +
                       ", which is not on " + origin_ + "; it is not followed";
      return fetched;
    }
    address = *target;
  }
  fetched.defect = "redirects more than " + std::to_string(kMaxRedirects) + " times";
  return fetched;
}

}  // namespace kbase::web
