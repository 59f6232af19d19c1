// SPDX-License-Identifier: Apache-2.0
#include "adapters/opensearch/spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace kbase::opensearch {
namespace {

using Sizes = std::array<std::uint64_t, 2>;  // sizes of id and document

/// Opens an unnamed file. If the file system does not support that (O_TMPFILE), creates a file and unlinks it at once.
int open_nameless(const std::filesystem::path& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return file;
  std::string name = folder / "batch-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

model::Error unavailable(const std::filesystem::path& folder, std::string_view doing, int code) {
  return {model::ErrorCode::Unavailable,
          "The search index's batch can't be kept.",
          std::string(doing) + " " + folder.string() + ": " + std::generic_category().message(code) +
              "; set search.config.spool to a folder with room for the texts of a batch",
          {},
          {}};
}

}  // namespace

model::Result<Spool> Spool::open(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return unavailable(folder, "cannot make", failed.value());
  const int number = open_nameless(folder);
  if (number < 0) return unavailable(folder, "cannot make a file in", errno);
  std::FILE* const file = ::fdopen(number, "w+");
  if (file == nullptr) {
    const int code = errno;
    ::close(number);
    return unavailable(folder, "cannot open a file in", code);
  }
  return Spool(file, folder);
}

model::Status Spool::add(const Lines& lines) {
  const Sizes sizes{lines.id.size(), lines.document.size()};
  const bool is_written =
      std::fwrite(sizes.data(), sizeof sizes, 1, file_.get()) == 1 &&
      std::fwrite(lines.id.data(), 1, lines.id.size(), file_.get()) == lines.id.size() &&
      std::fwrite(lines.document.data(), 1, lines.document.size(), file_.get()) == lines.document.size();
  return is_written ? model::Status() : failed("cannot write in");
}

model::Status Spool::read(model::FunctionRef<model::Status(const Lines&)> visitor) {
  if (std::fflush(file_.get()) != 0 || std::fseek(file_.get(), 0, SEEK_SET) != 0) return failed("cannot write in");
  Sizes sizes{};
  Lines lines;
  while (std::fread(sizes.data(), sizeof sizes, 1, file_.get()) == 1) {
    lines.id.resize(sizes[0]);
    lines.document.resize(sizes[1]);
    if (std::fread(lines.id.data(), 1, lines.id.size(), file_.get()) != lines.id.size() ||
        std::fread(lines.document.data(), 1, lines.document.size(), file_.get()) != lines.document.size())
      return failed("cannot read in");
    if (const auto visited = visitor(lines); !visited) return visited;
  }
  return std::ferror(file_.get()) == 0 ? model::Status() : failed("cannot read in");
}

model::Error Spool::failed(std::string_view doing) const {
  return unavailable(folder_, doing, errno);
}

}  // namespace kbase::opensearch
