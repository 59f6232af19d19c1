// SPDX-License-Identifier: Apache-2.0
#include "app/runtime/uploaded_content.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "adapters/content/byte_stream.hpp"
#include "adapters/content/folder_source.hpp"
#include "adapters/content/member_map.hpp"
#include "adapters/content/record_parser.hpp"
#include "domain/base/result.hpp"
#include "domain/base/text.hpp"

namespace kbase::runtime {
namespace {

/// Name of the body in messages.
constexpr std::string_view kBody = "body";

Error failure(std::string message) {
  return {ErrorCode::Unavailable, std::move(message), std::generic_category().message(errno)};
}

/// The JSON Lines of a body.
class LineSource final : public ports::ContentSource {
 public:
  LineSource(std::string owner, content::MemberMap map) : owner_(std::move(owner)), map_(std::move(map)) {
    meter_.limit_unpacked(content::kMaxUnpackedBytes);
  }

  /// Takes ownership of the descriptor.
  Status open(int descriptor) {
    stream_ = KBASE_TRY(content::ByteStream::from_descriptor(descriptor, std::string(kBody), meter_));
    return {};
  }

  std::string_view name() const override { return kBody; }
  std::string_view owner() const override { return owner_; }
  std::optional<double> progress() const override { return meter_.fraction(); }
  Status read(ports::Call& call, Visitor<ports::ContentRecord> visitor) override {
    KBASE_TRY(content::read_json_lines(*stream_, kBody, content::RecordKind::Item, map_, call, visitor));
    return {};
  }

 private:
  const std::string owner_;
  const content::MemberMap map_;
  content::Meter meter_;
  std::unique_ptr<content::ByteStream> stream_;
};

/// A folder that is removed with the object.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& parent) : path_((parent / "upload-XXXXXX").string()) {
    is_made_ = ::mkdtemp(path_.data()) != nullptr;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (is_made_) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  bool is_made() const { return is_made_; }
  std::filesystem::path path() const { return path_; }

 private:
  std::string path_;
  bool is_made_ = false;
};

/// The source as the name of a file, because a folder of pages names its topmost category after it.
std::string file_stem(std::string source) {
  constexpr std::size_t kMaxBytes = 100;
  if (source.size() > kMaxBytes) source.resize(kMaxBytes);
  std::replace_if(
      source.begin(), source.end(), [](char c) { return !ascii::is_alphanumeric(c) && c != '-'; }, '-');
  return source;
}

}  // namespace

Result<std::unique_ptr<UploadedContent>> UploadedContent::receive(const std::filesystem::path& folder,
                                                                  FunctionRef<Result<std::string>()> next) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) return failure("The body cannot be stored.");
  std::unique_ptr<UploadedContent> content(new UploadedContent(folder, descriptor));
  for (;;) {
    const auto piece = KBASE_TRY(next());
    if (piece.empty()) return content;
    KBASE_TRY(content->write(piece));
  }
}

UploadedContent::~UploadedContent() { ::close(descriptor_); }

Status UploadedContent::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("There is no space for the body.");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::unique_ptr<ports::ContentSource>> UploadedContent::open(const ports::ImportRequest& request,
                                                                    const ports::Markup& markup, model::Day today,
                                                                    const ports::Call& call) {
  return request.is_archive ? open_archive(request, markup, today, call) : open_lines(request);
}

Result<std::unique_ptr<ports::ContentSource>> UploadedContent::open_lines(const ports::ImportRequest& request) {
  auto map = KBASE_TRY(content::MemberMap::parse(request.map));
  const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0 || ::lseek(copy, 0, SEEK_SET) != 0) return failure("The body cannot be read.");
  auto source = std::make_unique<LineSource>(request.source, std::move(map));
  KBASE_TRY(source->open(copy));
  return {std::move(source)};
}

/// Gives the archive a name until it is unpacked, because its reader opens it by name.
Result<std::unique_ptr<ports::ContentSource>> UploadedContent::open_archive(const ports::ImportRequest& request,
                                                                            const ports::Markup& markup,
                                                                            model::Day today, const ports::Call& call) {
  const TemporaryFolder named(folder_);
  archive_ = (named.path() / (file_stem(request.source) + ".tar")).string();
  const std::string unnamed = "/proc/self/fd/" + std::to_string(descriptor_);  // open(2), O_TMPFILE
  if (!named.is_made() || ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, archive_.c_str(), AT_SYMLINK_FOLLOW) != 0)
    return failure("The body cannot be stored.");
  content::SourceOptions options;
  options.prefix = request.prefix;
  options.runs_programs = false;
  options.unpack_folder = folder_;
  options.max_unpacked_bytes = content::kMaxUnpackedBytes;
  auto source = content::open_pages(archive_, options, markup, today, call);
  if (source) return source;
  Error error = std::move(source).error();
  if (error.code == ErrorCode::Unavailable)
    return Error{error.code, "There is no space for the files of the archive.", std::move(error.message)};
  error.message = shown(std::move(error.message));
  return error;
}

std::string UploadedContent::shown(std::string message) const {
  if (archive_.empty()) return message;
  for (std::size_t at = 0; (at = message.find(archive_, at)) != std::string::npos; at += kBody.size())
    message.replace(at, archive_.size(), kBody);
  return message;
}

}  // namespace kbase::runtime
