// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/view_flusher.hpp"

#include <iterator>
#include <utility>

namespace kbase::runtime {
namespace {

template <class Increments>
std::vector<ports::ViewIncrement> views_of(const Increments& increments) {
  std::vector<ports::ViewIncrement> views;
  for (const auto& increment : increments) views.push_back({increment.item, increment.day, increment.views});
  return views;
}

}  // namespace

model::Status ViewFlusher::recover() {
  const auto segments = journal_.leftovers();
  if (!segments) return segments.error();
  ports::Call call;
  for (const ViewJournal::Segment& segment : *segments)
    if (auto added = add(call, segment); !added) return added;
  return read_totals(call);
}

void ViewFlusher::write_journal() {
  auto taken = parts_.views.take_new();
  unwritten_.insert(unwritten_.end(), std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end()));
  const std::lock_guard lock(journal_mutex_);
  if (const auto written = journal_.append(views_of(unwritten_)); !written)
    return writing_.begins(parts_.log, written.error(), "views wait in memory");
  unwritten_.clear();
  writing_.in_trouble = false;
}

void ViewFlusher::flush() {
  if (!sealed_) {
    ViewJournal::Segment segment;
    const std::lock_guard lock(journal_mutex_);
    const auto sealed = journal_.seal(segment);
    if (!sealed) return flushing_.begins(parts_.log, sealed.error(), "views wait in the journal");
    if (*sealed) sealed_ = std::move(segment);
  }
  ports::Call call;
  call.deadline = parts_.clock.steady() + kPatience;
  if (sealed_) {
    if (const auto added = add(call, *sealed_); !added)
      return flushing_.begins(parts_.log, added.error(), "views wait in the journal");
    sealed_.reset();
  }
  if (const auto read = read_totals(call); !read)
    return flushing_.begins(parts_.log, read.error(), "views of other servers are not known");
  flushing_.in_trouble = false;
}

model::Status ViewFlusher::add(ports::Call& call, const ViewJournal::Segment& segment) {
  const auto increments = views_of(segment.increments);
  if (auto added = parts_.activity.add(call, segment.journal, segment.sequence, increments); !added) return added;
  parts_.views.mark_stored(increments);
  ViewJournal::discard(segment);
  return {};
}

model::Status ViewFlusher::read_totals(ports::Call& call) {
  const auto revision = parts_.activity.totals(call, known_revision_, [this](const ports::ItemViews& row) {
    parts_.views.set_stored(row.item, row.views);
    return model::Visit::Continue;
  });
  if (!revision) return revision.error();
  known_revision_ = *revision;
  parts_.views.set_revision(*revision);
  return {};
}

void ViewFlusher::Trouble::begins(ports::EventLog& log, const model::Error& error, std::string_view doing) {
  if (std::exchange(in_trouble, true)) return;
  const std::string& cause = error.detail.empty() ? error.message : error.detail;
  const ports::LogField fields[] = {{"cause", cause}};
  log.log(ports::LogLevel::Warning, "views.waiting", doing, fields);
}

}  // namespace kbase::runtime
