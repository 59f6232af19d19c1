// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "plugins/sdk/entry.hpp"
#include "plugins/sdk/small_array.hpp"
#include "plugins/sdk/table.hpp"

namespace kbase::sdk {
namespace {

ports::CodeHost& of(kb_code_host* host) noexcept {
  return port_of<ports::CodeHost>(host);
}

// Convert optional values to C; each type has its own value for "not available".

kb_view given(const std::optional<std::string_view>& text) noexcept {
  if (!text) return {nullptr, 0};
  return {text->data() != nullptr ? text->data() : "", text->size()};
}

std::uint64_t given(const std::optional<std::uint64_t>& number) noexcept {
  return number.value_or(KB_UNKNOWN_NUMBER);
}

std::int32_t given(const std::optional<bool>& answer) noexcept {
  return answer ? static_cast<std::int32_t>(*answer) : -1;
}

std::optional<std::string> format(const std::optional<model::Instant>& instant) {
  if (!instant) return std::nullopt;
  return model::format_instant(*instant);
}

/// Passes the results of a look-up to a C sink.
class ToSink final : public ports::UserVisitor {
 public:
  explicit ToSink(const kb_code_host_sink& sink) noexcept : sink_(sink) {}

  model::Visit profile(const ports::UserProfile& profile) override {
    const std::optional<std::string> created = format(profile.created);
    auto row = sized<kb_profile>();
    row.username = view_of(profile.username);
    row.name = given(profile.name);
    row.bio = given(profile.bio);
    row.company = given(profile.company);
    row.location = given(profile.location);
    row.website = given(profile.website);
    row.avatar_url = given(profile.avatar_url);
    row.profile_url = given(profile.profile_url);
    row.created = given(created);
    row.followers = given(profile.followers);
    row.following = given(profile.following);
    row.public_repositories = given(profile.public_repositories);
    return lend(sink_.profile, &row);
  }

  model::Visit repository(const ports::Repository& repository) override {
    const std::optional<std::string> created = format(repository.created);
    const std::optional<std::string> updated = format(repository.updated);
    auto row = sized<kb_repository>();
    row.is_fork = given(repository.is_fork);
    row.is_archived = given(repository.is_archived);
    row.name = view_of(repository.name);
    row.full_name = view_of(repository.full_name);
    row.description = given(repository.description);
    row.url = given(repository.url);
    row.language = given(repository.language);
    row.created = given(created);
    row.updated = given(updated);
    if (repository.topics) lend_topics(*repository.topics, row);
    row.stars = given(repository.stars);
    row.forks = given(repository.forks);
    return lend(sink_.repository, &row);
  }

  model::Visit contributions(const ports::Contributions& contributions) override {
    auto row = sized<kb_contributions>();
    row.first_day = number_of(contributions.first);
    row.last_day = number_of(contributions.last);
    row.source = view_of(contributions.source);
    return lend(sink_.contributions, &row);
  }

  model::Visit contribution_day(model::Day day, std::uint64_t count) override {
    return lend(sink_.contribution_day, number_of(day), count);
  }

  model::Visit language(std::string_view name, double share) override {
    return lend(sink_.language, view_of(name), share);
  }

  bool stopped() const noexcept { return stopped_; }

 private:
  /// An empty list must have a non-null address, because null means that the service does not provide the list.
  void lend_topics(model::TextList topics, kb_repository& row) {
    const auto views = topics_.of(std::max<std::size_t>(topics.size(), 1));
    std::transform(topics.begin(), topics.end(), views.begin(), [](auto topic) { return view_of(topic); });
    row.topics = views.data();
    row.topic_count = topics.size();
  }

  template <class Member, class... Row>
  model::Visit lend(Member member, const Row&... row) {
    if (!stopped_) stopped_ = member(sink_.data, row...) != 0;
    return stopped_ ? model::Visit::Stop : model::Visit::Continue;
  }

  const kb_code_host_sink& sink_;
  SmallArray<kb_view, kFewTexts> topics_;
  bool stopped_ = false;
};

std::int32_t is_username(kb_code_host* host, kb_view username) noexcept {
  return of(host).is_username(text_of(username)) ? 1 : 0;
}

kb_status look_up(kb_code_host* host, kb_call* call, kb_view username, kb_view validator, const kb_code_host_sink* sink,
                  std::int32_t* unchanged) noexcept {
  return guarded(call, [&](ports::Call& inner) {
    ToSink visitor(*sink);
    const auto looked = of(host).look_up(inner, text_of(username), text_of(validator), visitor);
    if (visitor.stopped() && (looked || looked.error().code == model::ErrorCode::Cancelled)) return KB_STOPPED;
    if (!looked && looked.error().code == model::ErrorCode::NotFound) return KB_NOT_FOUND;
    if (!looked) return failed(call, looked.error());
    *unchanged = looked->outcome == ports::LookUp::Outcome::Unchanged ? 1 : 0;
    if (*unchanged == 0 && !looked->validator.empty()) sink->validator(sink->data, view_of(looked->validator));
    return KB_OK;
  });
}

}  // namespace

constinit const kb_code_host_v1 InC<ports::CodeHost>::kCalls = {
    .struct_size = sizeof(kb_code_host_v1),
    .inline_calls = 0,
    .flags = 0,
    .capabilities = 0,
    .config_schema = nullptr,
    .create = nullptr,
    .destroy = destroy,
    .health = health<ports::CodeHost>,
    .is_username = is_username,
    .look_up = look_up,
};

}  // namespace kbase::sdk
