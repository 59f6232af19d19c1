// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "adapters/opensearch/server.hpp"

namespace kbase::opensearch {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kActionBytes = 80;
constexpr std::size_t kMaxDocuments = 20'000;  // per request: the response has some values per document (see parse)
constexpr int kMaxAttempts = 8;
constexpr milliseconds kMinPause{50};
constexpr milliseconds kMaxPause{5000};
constexpr std::uint64_t kFirstError = 300;

bool is_busy_status(std::uint64_t status) { return status == 429 || status == 503; }

using Sizes = std::array<std::uint64_t, 2>;  // sizes of id and document

/// Opens an unnamed file. If the file system does not support that (O_TMPFILE), creates a file and unlinks it at once.
int open_unnamed_file(const std::filesystem::path& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return file;
  std::string name = folder / "batch-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

Error spool_error(const std::filesystem::path& folder, std::string_view operation, int code) {
  return {ErrorCode::Unavailable, "Cannot store the batch of the search index.",
          std::string(operation) + " " + folder.string() + ": " + std::generic_category().message(code) +
              "; set search.config.spool to a folder with enough free space for the texts of a batch"};
}

}  // namespace

BulkWriter::BulkWriter(const Server& server, const std::string& alias, std::size_t max_bytes)
    : server_(server),
      path_("/" + alias +
            "/_bulk?require_alias=true&filter_path=error,status,items.*.status,items.*.error.type,"
            "items.*.error.reason"),
      max_bytes_(max_bytes) {}

Status BulkWriter::add(ports::Call& call, const BulkDocument& lines, std::uint64_t version) {
  const std::size_t bytes = lines.id.size() + lines.document.size() + kActionBytes;
  const bool is_full = next_.size() + bytes > max_bytes_ || documents_ == kMaxDocuments;
  if (!next_.empty() && is_full) KBASE_TRY(send(call));
  next_ += R"({"index":{"_id":)" + lines.id + R"(,"version_type":"external_gte","version":)" + std::to_string(version) +
           "}}\n" + lines.document + "\n";
  ++documents_;
  return {};
}

Status BulkWriter::send(ports::Call& call) {
  KBASE_TRY(wait(call));
  if (next_.empty()) return {};
  sent_ = std::exchange(next_, {});
  documents_ = 0;
  begin(call);
  return {};
}

void BulkWriter::begin(ports::Call& call) {
  pending_ =
      server_.begin(call, {.path = path_, .body = sent_, .type = Request::Body::JsonLines, .is_repeatable = true});
}

Status BulkWriter::wait(ports::Call& call) {
  milliseconds length = kMinPause;
  for (int attempt = 1; pending_ != nullptr; ++attempt) {
    const auto response = pending_->wait();
    pending_.reset();
    if (!response) return response.error();
    bool is_busy = false;
    const auto checked = check_items(*response, is_busy);
    if (checked) break;
    if (!is_busy || attempt == kMaxAttempts) return checked;
    KBASE_TRY(server_.pause(call, length));
    length = std::min(length * 2, kMaxPause);
    begin(call);
  }
  sent_.clear();
  return {};
}

/// Returns the first failure that a retry cannot fix, else a temporary one. `is_busy`: the failure is temporary.
Status BulkWriter::check_items(const Json& response, bool& is_busy) const {
  const Json& items = member(response, "items");
  if (!items.is_array()) return invalid_response("the response to a bulk request has no items");
  Status checked;
  for (const Json& item : items) {
    const Json& outcome = member(item, "index");
    const auto status = number(outcome, "status");
    if (!status) return invalid_response("the response to a bulk request has an invalid item");
    if (*status < kFirstError) continue;
    if (!checked && is_busy_status(*status)) continue;
    const Json& error = member(outcome, "error");
    is_busy = is_busy_status(*status);
    checked = translate_error(
        {static_cast<std::uint32_t>(*status), std::string(text(error, "type")), std::string(text(error, "reason")), {}},
        "a document of POST " + path_.substr(0, path_.find('?')));
    // The alias was removed together with the index.
    if (checked.error().code == ErrorCode::NotFound) checked = conflict_error(checked.error().detail);
    if (!is_busy) break;
  }
  return checked;
}

Result<Spool> Spool::open(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return spool_error(folder, "cannot create the folder", failed.value());
  const int number = open_unnamed_file(folder);
  if (number < 0) return spool_error(folder, "cannot create a file in", errno);
  std::FILE* const file = ::fdopen(number, "w+");
  if (file == nullptr) {
    const int code = errno;
    ::close(number);
    return spool_error(folder, "cannot open a file in", code);
  }
  return Spool(file, folder);
}

Status Spool::add(const BulkDocument& lines) {
  const Sizes sizes{lines.id.size(), lines.document.size()};
  const bool is_written =
      std::fwrite(sizes.data(), sizeof sizes, 1, file_.get()) == 1 &&
      std::fwrite(lines.id.data(), 1, lines.id.size(), file_.get()) == lines.id.size() &&
      std::fwrite(lines.document.data(), 1, lines.document.size(), file_.get()) == lines.document.size();
  return is_written ? Status() : io_error("cannot write in");
}

Status Spool::read(FunctionRef<Status(const BulkDocument&)> visitor) {
  if (std::fflush(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0) return io_error("cannot write in");
  Sizes sizes{};
  BulkDocument lines;
  while (std::fread(sizes.data(), sizeof sizes, 1, file_.get()) == 1) {
    lines.id.resize(sizes[0]);
    lines.document.resize(sizes[1]);
    if (std::fread(lines.id.data(), 1, lines.id.size(), file_.get()) != lines.id.size() ||
        std::fread(lines.document.data(), 1, lines.document.size(), file_.get()) != lines.document.size())
      return io_error("cannot read in");
    KBASE_TRY(visitor(lines));
  }
  return std::ferror(file_.get()) == 0 ? Status() : io_error("cannot read in");
}

Error Spool::io_error(std::string_view operation) const { return spool_error(folder_, operation, errno); }

}  // namespace kbase::opensearch
