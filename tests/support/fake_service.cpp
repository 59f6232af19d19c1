// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_service.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kbase::tests {
namespace {

std::string with_url(std::string text, const std::string& url) {
  constexpr std::string_view kMark = "{url}";
  for (std::size_t at = 0; (at = text.find(kMark, at)) != text.npos; at += url.size())
    text.replace(at, kMark.size(), url);
  return text;
}

/// Strips "W/": If-None-Match compares weakly (RFC 9110, section 8.8.3.2).
std::string_view opaque(std::string_view tag) {
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  return tag;
}

bool has_tag(const Canned& canned, std::string_view tag) {
  return std::any_of(canned.fields.begin(), canned.fields.end(), [&](std::string_view field) {
    return field.starts_with("ETag: ") && opaque(field.substr(6)) == opaque(tag);
  });
}

}  // namespace

void FakeService::answer(const std::string& target, Canned canned) {
  const std::lock_guard lock(mutex_);
  answers_[target] = std::move(canned);
}

void FakeService::hold(std::string part, std::size_t requests) {
  const std::lock_guard lock(mutex_);
  held_part_ = std::move(part);
  held_until_ = requests;
}

std::vector<ReceivedRequest> FakeService::received(const std::string& part) const {
  std::vector<ReceivedRequest> matching;
  const std::vector<ReceivedRequest> all = server_.received();
  std::copy_if(all.begin(), all.end(), std::back_inserter(matching),
               [&](const ReceivedRequest& request) { return request.target.find(part) != std::string::npos; });
  return matching;
}

Canned FakeService::canned_for(const std::string& target) {
  std::unique_lock lock(mutex_);
  if (held_until_ > 0 && target.find(held_part_) != std::string::npos) {
    ++held_;
    came_.notify_all();
    came_.wait(lock, [this] { return held_ >= held_until_; });
  }
  const auto found = answers_.find(target);
  return found != answers_.end() ? found->second : Canned{404, {}, R"({"message": "Not Found"})"};
}

void FakeService::serve(const ReceivedRequest& request, Peer& peer) {
  const Canned canned = canned_for(request.target);
  const std::string tag = request.field("if-none-match");
  if (!tag.empty() && has_tag(canned, tag)) return peer.send("HTTP/1.1 304 Not Modified\r\nETag: " + tag + "\r\n\r\n");
  std::string head = std::to_string(canned.status) + " As canned";
  for (const std::string& field : canned.fields) head.append("\r\n").append(with_url(field, url()));
  peer.answer(head, canned.body);
}

}  // namespace kbase::tests
