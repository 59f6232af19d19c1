// SPDX-License-Identifier: Apache-2.0
#include "adapters/http/json_writer.hpp"
#include "adapters/http/representation.hpp"

namespace kbase::http {
namespace {

// Writers for optional members; a missing value becomes null.

void write(JsonWriter& json, std::string_view name, const std::optional<std::string_view>& text) {
  json.key(name);
  text ? json.text(*text) : json.null();
}

void write(JsonWriter& json, std::string_view name, const std::optional<std::uint64_t>& number) {
  json.key(name);
  number ? json.number(*number) : json.null();
}

void write(JsonWriter& json, std::string_view name, const std::optional<bool>& value) {
  json.key(name);
  value ? json.boolean(*value) : json.null();
}

void write(JsonWriter& json, std::string_view name, const std::optional<model::Instant>& instant) {
  json.key(name);
  instant ? json.text(model::format_instant(*instant)) : json.null();
}

void write(JsonWriter& json, std::string_view name, const std::optional<model::TextList>& texts) {
  json.key(name);
  if (!texts) {
    json.null();
    return;
  }
  json.begin_array();
  for (const std::string_view text : *texts) json.text(text);
  json.end_array();
}

class UserDocument final : public ports::UserWriter {
 public:
  Visit profile(const ports::UserProfile& profile) override {
    json_.begin_object().key("profile").begin_object();
    json_.key("username").text(profile.username);
    write(json_, "name", profile.name);
    write(json_, "bio", profile.bio);
    write(json_, "company", profile.company);
    write(json_, "location", profile.location);
    write(json_, "website", profile.website);
    write(json_, "avatar_url", profile.avatar_url);
    write(json_, "profile_url", profile.profile_url);
    write(json_, "followers", profile.followers);
    write(json_, "following", profile.following);
    write(json_, "public_repositories", profile.public_repositories);
    write(json_, "created", profile.created);
    json_.end_object().key("repositories").begin_array();
    return Visit::Continue;
  }

  Visit repository(const ports::Repository& repository) override {
    json_.begin_object().key("name").text(repository.name).key("full_name").text(repository.full_name);
    write(json_, "description", repository.description);
    write(json_, "url", repository.url);
    write(json_, "language", repository.language);
    write(json_, "topics", repository.topics);
    write(json_, "stars", repository.stars);
    write(json_, "forks", repository.forks);
    write(json_, "fork", repository.is_fork);
    write(json_, "archived", repository.is_archived);
    write(json_, "created", repository.created);
    write(json_, "updated", repository.updated);
    json_.end_object();
    return Visit::Continue;
  }

  Visit contributions(const ports::Contributions& contributions) override {
    JsonWriter period(period_);
    period.begin_object().key("from").text(model::format_day(contributions.first));
    period.key("to").text(model::format_day(contributions.last)).end_object();
    source_ = contributions.source;
    return Visit::Continue;
  }

  Visit contribution_day(model::Day day, std::uint64_t count) override {
    if (count > 0) daily_json_.key(model::format_day(day)).number(count);
    total_ += count;
    return Visit::Continue;
  }

  Visit language(std::string_view name, double share) override {
    languages_json_.key(name).fraction(share);
    return Visit::Continue;
  }

  std::string finish() override {
    json_.end_array().key("contributions");
    period_.empty() ? void(json_.null()) : write_contributions();
    json_.key("languages").begin_object().members(languages_).end_object().end_object();
    return std::move(text_);
  }

 private:
  void write_contributions() {
    json_.begin_object().key("total").number(total_).members("\"period\":" + period_);
    json_.key("daily").begin_object().members(daily_).end_object();
    json_.key("source").text(source_).end_object();
  }

  std::string text_, period_, daily_, source_, languages_;
  JsonWriter json_{text_}, daily_json_{daily_}, languages_json_{languages_};
  std::uint64_t total_ = 0;
};

}  // namespace

std::unique_ptr<ports::UserWriter> make_user_document() { return std::make_unique<UserDocument>(); }

}  // namespace kbase::http
