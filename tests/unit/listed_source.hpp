// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ports/driven/content_source.hpp"

namespace kbase::tests {

struct ItemLine {
  std::string id = {};
  std::string category = "shelf";
  std::string title = "Title";
  std::string content = {};
  std::string author = {};
  std::string extra = {};
  std::vector<std::string> tags = {};
  std::vector<std::string> related = {};
  std::optional<model::Day> created = {};
  std::optional<model::Day> updated = {};
  std::uint64_t views = 0;
};

struct CategoryLine {
  std::string id = {};
  std::string name = {};
  std::string description = {};
  std::string icon = {};
  std::vector<std::string> subcategories = {};
};

struct DeleteLine {
  std::string id = {};
};

struct ActivityLine {
  std::string item = {};
  std::vector<ports::DayViews> days = {};
};

struct SynonymsLine {
  std::string from = {};
  std::vector<std::string> words = {};
  std::string source = {};
};

struct BadLine {
  std::string reason = {};
  std::string text = {};
};

/// A source with the records that a test lists, one per line from line 1. A record is freed after its visit, so a
/// sanitizer detects readers that keep a view.
class ListedSource final : public ports::ContentSource {
 public:
  using Line = std::variant<ItemLine, CategoryLine, DeleteLine, ActivityLine, SynonymsLine, BadLine>;

  explicit ListedSource(std::string name, std::vector<Line> lines = {})
      : name_(std::move(name)), lines_(std::move(lines)) {}

  void add(Line line) { lines_.push_back(std::move(line)); }

  std::string_view name() const override { return name_; }
  std::optional<double> progress() const override { return std::nullopt; }

  Status read(ports::Call&, Visitor<ports::ContentRecord> visitor) override {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (before_line) before_line(i + 1);
      if (visit_line(i, visitor) == Visit::Stop) return {};
    }
    return end;
  }

  Status end;                                      ///< result of reading to the end
  std::function<void(std::size_t)> before_line{};  ///< called with the number of each line before its visit

 private:
  Visit visit_line(std::size_t index, Visitor<ports::ContentRecord> visitor) const {
    const auto line = std::make_unique<Line>(lines_[index]);
    std::vector<std::string_view> first, second;
    ports::ContentRecord record{{name_, index + 1}, {}};
    if (const auto* item = std::get_if<ItemLine>(line.get())) {
      first.assign(item->tags.begin(), item->tags.end());
      second.assign(item->related.begin(), item->related.end());
      ports::ItemRecord read;
      read.id = item->id;
      read.title = item->title;
      read.category = item->category;
      read.content = item->content;
      read.tags = first;
      read.related = second;
      read.metadata = {item->author, {}, {}, item->views, item->extra};
      read.created = item->created;
      read.updated = item->updated;
      record.record = read;
    } else if (const auto* category = std::get_if<CategoryLine>(line.get())) {
      first.assign(category->subcategories.begin(), category->subcategories.end());
      record.record = ports::CategoryRecord{category->id, category->name, category->description, category->icon, first};
    } else if (const auto* gone = std::get_if<DeleteLine>(line.get())) {
      record.record = ports::DeleteRecord{gone->id};
    } else if (const auto* activity = std::get_if<ActivityLine>(line.get())) {
      record.record = ports::ActivityRecord{activity->item, activity->days};
    } else if (const auto* synonyms = std::get_if<SynonymsLine>(line.get())) {
      first.assign(synonyms->words.begin(), synonyms->words.end());
      record.record = model::SynonymsView{synonyms->from, first, synonyms->source};
    } else if (const auto* bad = std::get_if<BadLine>(line.get())) {
      record.record = ports::Reject{bad->reason};
      record.text = bad->text;
    }
    return visitor(record);
  }

  std::string name_;
  std::vector<Line> lines_;
};

}  // namespace kbase::tests
