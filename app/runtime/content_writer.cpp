// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/content_writer.hpp"

#include <utility>
#include <variant>

#include "adapters/content/record_parser.hpp"
#include "app/runtime/import_notes.hpp"
#include "app/runtime/read_ahead_source.hpp"
#include "app/runtime/uploaded_content.hpp"
#include "domain/base/result.hpp"
#include "domain/usecases/page_ids.hpp"
#include "domain/usecases/transfer_content.hpp"

namespace kbase::runtime {
namespace {

constexpr std::chrono::seconds kRetryImport{10};

/// How many notes of one kind a report has: duplicates and ignored values.
constexpr std::size_t kMaxNotes = 20;

/// Collects what an import reports.
class Collector final : public ports::ImportObserver {
 public:
  Collector(const UploadedContent& content, std::vector<ports::Rejection>& rejections)
      : content_(content), rejections_(rejections) {}

  /// Returns the notes of the import, in the words of `kbase import`.
  std::vector<std::string> notes(const ports::ContentSource& source) const {
    std::vector<std::string> lines = notes_;
    if (further_notes_ != 0) lines.push_back(std::to_string(further_notes_) + " more of this kind are not listed");
    for (const auto& more : {unknown_.lines(), describe(source.notes())})
      for (const std::string& line : more) lines.push_back(content_.shown(line));
    return lines;
  }

  void on_progress(const ports::ContentSource&, std::uint64_t) override {}
  void on_reject(const ports::SourcePosition& position, std::string_view reason, std::string_view) override {
    if (rejections_.size() < ports::ImportResult::kMaxRejections)
      rejections_.push_back(
          {content_.shown(std::string(position.file)), position.line, content_.shown(std::string(reason))});
  }
  void on_duplicate(const ports::SourcePosition& position, std::string_view id) override {
    add_note(position, duplicate_note(id));
  }
  void on_unknown(const ports::ContentRecord& record) override {
    unknown_.count(record);
    for (const ports::IgnoredValue& value : record.ignored) add_note({record.position.file, value.line}, value.reason);
  }
  void on_nothing(const ports::ContentSource& source) override { add_note({source.name(), 0}, nothing_note(source)); }
  void on_batch(const ports::ImportReport&) override {}

 private:
  void add_note(const ports::SourcePosition& position, std::string_view text) {
    if (notes_.size() == kMaxNotes) {
      ++further_notes_;
      return;
    }
    notes_.push_back(content_.shown(usecases::text_of(position) + ": " + std::string(text)));
  }

  const UploadedContent& content_;
  std::vector<ports::Rejection>& rejections_;
  std::vector<std::string> notes_;
  std::uint64_t further_notes_ = 0;
  UnknownMemberCounts unknown_;
};

}  // namespace

ContentWriter::ContentWriter(const Dependencies& deps, std::string base_url, std::filesystem::path spool_folder)
    : deps_(deps),
      write_(deps.items, deps.activity, deps.markup, deps.clock),
      base_url_(std::move(base_url)),
      spool_folder_(std::move(spool_folder)) {}

Status ContentWriter::check_persistent() const {
  if (deps_.items.capabilities().persistent) return {};
  return Error{ErrorCode::Conflict,
               "The storage of this server keeps its content only in memory; it cannot be changed."};
}

Result<ports::WriteReport> ContentWriter::put_item(ports::Call& call, std::string_view id, std::string_view json,
                                                   ports::WriteCondition condition) {
  KBASE_TRY(check_persistent());
  content::RecordParser parser(content::RecordKind::Item);
  parser.set_id(id);
  const ports::ContentRecord record{{}, parser.parse(json)};
  if (const auto* const bad = std::get_if<ports::Reject>(&record.record))
    return invalid_argument(std::string(parser.defect_member()), std::string(bad->reason));
  if (!std::holds_alternative<ports::ItemRecord>(record.record))
    return invalid_argument("type", "type must be item, or be left out");
  return write_.put(call, record, base_url_, condition);
}

Result<ports::WriteReport> ContentWriter::remove_item(ports::Call& call, std::string_view id,
                                                      ports::WriteCondition condition) {
  KBASE_TRY(check_persistent());
  return write_.remove(call, id, condition);
}

/// Stores the body first: while a slow client sends it, others can change the content, but not start an import.
Result<ports::ImportResult> ContentWriter::import(ports::Call& call, FunctionRef<Result<std::string>()> next,
                                                  const ports::ImportRequest& request) {
  KBASE_TRY(check_persistent());
  const std::unique_lock lock(importing_, std::try_to_lock);
  if (!lock) return Error{ErrorCode::Conflict, "Another import is running; try again later.", {}, {}, kRetryImport};
  const auto content = KBASE_TRY(UploadedContent::receive(spool_folder_, next));
  PreparedMarkup markup(deps_.markup);
  const auto source = KBASE_TRY(content->open(request, markup, model::day_of(deps_.clock.now()), call));
  KBASE_TRY(usecases::choose_page_ids(call, deps_.items, *source, request.source, request.page_ids));
  ReadAheadSource ahead(*source, markup);
  ports::ContentSource* const sources[] = {&ahead};
  ports::ImportOptions options;
  options.source = request.source;
  options.one_batch = true;
  options.prune = request.prune;
  options.prune_limit_percent = request.prune_limit_percent;
  options.dry_run = request.dry_run;
  options.on_error = request.on_error;
  options.take_over = request.take_over;
  options.base_url = base_url_;
  ports::ImportResult result;
  Collector observer(*content, result.rejections);
  usecases::TransferContent transfer(deps_.items, deps_.activity, markup, deps_.clock);
  Status imported = transfer.import(call, sources, options, observer, result.report);
  result.notes = observer.notes(*source);
  if (imported) return result;
  Error error = std::move(imported).error();
  error.message = content->shown(std::move(error.message));
  if (error.code == ErrorCode::Conflict) error.retry_after = kRetryImport;  // another process imports
  return error;
}

}  // namespace kbase::runtime
