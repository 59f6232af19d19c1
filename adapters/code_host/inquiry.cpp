// SPDX-License-Identifier: Apache-2.0
#include "adapters/code_host/inquiry.hpp"

#include <algorithm>
#include <utility>

namespace kbase::code_host {
namespace {

constexpr std::size_t kMostBytes = 64U << 10U;  // limit of the port

/// Removes the first line from `text` and returns it.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

auto find(std::span<const Request> requests, std::string_view path) {
  return std::find_if(requests.begin(), requests.end(), [&](const Request& request) { return request.path == path; });
}

}  // namespace

std::vector<Inquiry::Tagged> Inquiry::parse(std::string_view validator, std::span<const Request> known) const {
  std::vector<Tagged> calls;
  if (take_line(validator) != model::format_day(today_)) return calls;
  while (!validator.empty()) {
    const std::string_view line = take_line(validator);
    const std::size_t space = line.find(' ');
    if (space == line.npos) return {};
    const std::string_view path = line.substr(space + 1);
    if (!is_path(path) || !(find(known, path) != known.end() || calls_.api().covers(path))) return {};
    calls.push_back({std::string(line.substr(0, space)), std::string(path)});
  }
  if (2 * calls.size() > calls_.left()) calls.clear();
  return calls;
}

model::Result<std::vector<Pending>> Inquiry::ask_again(const std::vector<Tagged>& before,
                                                       std::span<const Request> known) {
  std::vector<Pending> pending;
  for (const auto& [tag, path] : before) {
    const auto found = find(known, path);
    Request request = found != known.end() ? *found : Request{path, Asked::WithToken, {}};
    auto opened = calls_.open(std::move(request), is_entity_tag(tag) ? tag : std::string_view());
    if (!opened) return opened.error();
    pending.push_back(*std::move(opened));
  }
  return pending;
}

model::Result<bool> Inquiry::is_unchanged(std::string_view validator, std::span<const Request> known) {
  const std::vector<Tagged> before = parse(validator, known);
  if (before.empty()) return false;
  auto pending = ask_again(before, known);
  if (!pending) return pending.error();
  bool is_same = true;
  for (std::size_t i = 0; i < before.size(); ++i) {
    auto answer = (*pending)[i].read();
    if (!answer) return answer.error();
    if (answer->status == kNotModified) continue;
    is_same = is_same && answer->tag() == before[i].tag;
    answered_.emplace(before[i].path, *std::move(answer));
  }
  return is_same;
}

Inquiry::Ask Inquiry::ask(Request request) {
  const auto found = answered_.find(request.path);
  if (found != answered_.end()) return {*this, std::move(request), found->second};
  auto pending = calls_.open(request);
  return {*this, std::move(request), std::move(pending)};
}

Answer Inquiry::note(const Request& request, Answer answer) {
  read_.push_back({answer.tag(), request.path});
  return answer;
}

model::Result<Answer> Inquiry::Ask::read() {
  if (auto* const known = std::get_if<Answer>(&source_)) return inquiry_->note(request_, std::move(*known));
  auto& pending = *std::get_if<model::Result<Pending>>(&source_);
  if (!pending) return pending.error();
  auto answer = pending->read();
  if (!answer) return answer;
  return inquiry_->note(request_, *std::move(answer));
}

std::string Inquiry::validator() const {
  std::string text = model::format_day(today_);
  for (const Tagged& call : read_) text.append("\n").append(call.tag).append(" ").append(call.path);
  return text.size() <= kMostBytes ? text : std::string();
}

}  // namespace kbase::code_host
