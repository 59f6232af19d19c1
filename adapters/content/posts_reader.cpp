// SPDX-License-Identifier: Apache-2.0
#include "adapters/content/posts_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "adapters/content/dates.hpp"
#include "adapters/content/record_parser.hpp"
#include "adapters/content/xml_reader.hpp"
#include "domain/base/text.hpp"
#include "domain/model/ids.hpp"

namespace kbase::content {
namespace {

struct Answer {
  std::string id, body;
  std::int64_t score = 0;
};

struct Question {
  std::string id, title, body, tags, author, accepted;
  std::optional<model::Day> created, updated;
  std::int64_t score = 0;
  std::uint64_t views = 0, line = 0;
  std::vector<Answer> answers;
};

/// Passes the bytes of a stream to libxml2.
struct Input {
  ByteStream& stream;
  std::string_view chunk = {};
  std::optional<Error> error = {};

  static int read(void* context, char* buffer, int size) {
    auto& input = *static_cast<Input*>(context);
    if (input.chunk.empty()) {
      const auto next = input.stream.next();
      if (!next) input.error = next.error();
      if (!next) return -1;
      input.chunk = *next;
    }
    const std::size_t taken = std::min(input.chunk.size(), static_cast<std::size_t>(size));
    std::memcpy(buffer, input.chunk.data(), taken);
    input.chunk.remove_prefix(taken);
    return static_cast<int>(taken);
  }
};

template <class Number> Number number_of(const std::string& text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

class Posts {
 public:
  Posts(ByteStream& stream, std::string_view file) : input_{stream}, file_(file) {}

  /// Reads the file to its end.
  Status read(const ports::Call& call) {
    silence_xml_errors();
    reader_.reset(xmlReaderForIO(Input::read, nullptr, &input_, nullptr, nullptr, kXmlOptions));
    if (!reader_) return unreadable(file_, "cannot be read as XML");
    bool is_posts = false;
    int outcome = 1;
    while ((outcome = xmlTextReaderRead(reader_.get())) == 1) {
      if (call.cancelled()) return reading_cancelled(file_);
      if (xmlTextReaderNodeType(reader_.get()) != XML_READER_TYPE_ELEMENT) continue;
      const std::string_view name = element_name(reader_);
      if (!is_posts && name != "posts") break;
      is_posts = true;
      if (name == "row") add_row();
    }
    if (input_.error) return *input_.error;
    if (outcome < 0) return unreadable(file_, "is not XML", parser_line(reader_));
    if (!is_posts) return unreadable(file_, "is not a Posts.xml of Stack Exchange; expected the element <posts>");
    attach_answers();
    return {};
  }

  const std::vector<Question>& questions() const { return questions_; }

 private:
  std::string attribute(const char* name) const {
    xmlChar* const value = xmlTextReaderGetAttribute(reader_.get(), reinterpret_cast<const xmlChar*>(name));
    if (value == nullptr) return {};
    std::string text = reinterpret_cast<const char*>(value);
    xmlFree(value);
    return text;
  }

  void add_row() {
    const std::string kind = attribute("PostTypeId");
    if (kind == "1") {
      Question question;
      question.id = attribute("Id");
      question.title = attribute("Title");
      question.body = attribute("Body");
      question.tags = attribute("Tags");
      question.author = attribute("OwnerDisplayName");
      question.accepted = attribute("AcceptedAnswerId");
      question.created = parse_any_date(attribute("CreationDate"));
      question.updated = parse_any_date(attribute("LastActivityDate"));
      question.score = number_of<std::int64_t>(attribute("Score"));
      question.views = number_of<std::uint64_t>(attribute("ViewCount"));
      question.line = static_cast<std::uint64_t>(xmlGetLineNo(xmlTextReaderCurrentNode(reader_.get())));
      questions_.push_back(std::move(question));
    } else if (kind == "2") {
      answers_.emplace_back(attribute("ParentId"),
                            Answer{attribute("Id"), attribute("Body"), number_of<std::int64_t>(attribute("Score"))});
    }
  }

  void attach_answers() {
    std::unordered_map<std::string_view, Question*> by_id;
    for (Question& question : questions_) by_id.emplace(question.id, &question);
    for (auto& [parent, answer] : answers_)
      if (const auto found = by_id.find(parent); found != by_id.end())
        found->second->answers.push_back(std::move(answer));
    answers_.clear();
    for (Question& question : questions_)
      std::stable_sort(question.answers.begin(), question.answers.end(), [&](const Answer& a, const Answer& b) {
        const bool first = a.id == question.accepted, second = b.id == question.accepted;
        return first != second ? first : a.score > b.score;
      });
  }

  Input input_;
  const std::string_view file_;
  XmlReader reader_;
  std::vector<Question> questions_;
  std::vector<std::pair<std::string, Answer>> answers_;
};

std::string content_of(const Question& question) {
  std::string content = question.body;
  for (const Answer& answer : question.answers) {
    content.append(answer.id == question.accepted ? "\n<h2>Accepted answer</h2>\n" : "\n<h2>Answer</h2>\n");
    content.append(answer.body);
  }
  return content;
}

/// Splits "<c++><linux>" or "|c++|linux|".
std::vector<std::string_view> tags_of(std::string_view text) {
  std::vector<std::string_view> tags;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("<>|"), text.size());
    if (end != 0) tags.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return tags;
}

}  // namespace

Result<Visit> read_posts(ByteStream& stream, std::string_view file, const std::string& prefix,
                         const std::string& category, const ports::Call& call, Visitor<ports::ContentRecord> visitor) {
  Posts posts(stream, file);
  KBASE_TRY(posts.read(call));
  for (const Question& question : posts.questions()) {
    if (call.cancelled()) return reading_cancelled(file);
    const std::string id = prefix + question.id, content = content_of(question);
    const std::string extra =
        "\"score\":" + std::to_string(question.score) + ",\"answers\":" + std::to_string(question.answers.size());
    const std::vector<std::string_view> tags = tags_of(question.tags);
    ports::ItemRecord item;
    item.id = id;
    item.title = utf8::trimmed(question.title);
    item.category = category;
    item.content = content;
    item.format = name_of(model::Format::Html);
    item.tags = tags;
    item.metadata.author = question.author;
    item.metadata.extra = extra;
    item.metadata.views = question.views;
    item.created = question.created;
    item.updated = question.updated;
    ports::ContentRecord record{{file, question.line}, item};
    const std::string_view defect = question.id.empty() ? "has no Id" : model::id_defect(id);
    if (!defect.empty()) record.record = ports::Reject{defect};
    if (visitor(record) == Visit::Stop) return Visit::Stop;
  }
  return Visit::Continue;
}

}  // namespace kbase::content
