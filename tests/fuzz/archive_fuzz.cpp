// SPDX-License-Identifier: Apache-2.0
// Any bytes are an archive or are rejected with a reason. Nothing is written outside the folder, and nothing is left.
#include <unistd.h>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "adapters/content/archive.hpp"

namespace {

namespace fs = std::filesystem;

/// A folder with the archive and a folder to unpack it into, removed at the end of the process.
class Place {
 public:
  Place() : folder_(fs::temp_directory_path() / ("kbase-archive-fuzz-" + std::to_string(::getpid()))) {
    fs::create_directories(parent());
  }
  ~Place() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  fs::path parent() const { return folder_ / "unpacked"; }
  std::string archive() const { return (folder_ / "docs.tar").string(); }
  auto entries(const fs::path& folder) const {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  }

  /// Whether there is nothing besides the archive and the folder that it is unpacked into.
  bool is_clean() const { return entries(folder_) == 2; }
  bool is_empty() const { return entries(parent()) == 0; }
  bool has_one() const { return entries(parent()) == 1; }

 private:
  const fs::path folder_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kbase;
  static const Place place;
  std::ofstream(place.archive(), std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  {
    const auto unpacked = content::UnpackedArchive::unpack(place.archive(), place.parent(), {});
    if (!unpacked && unpacked.error().message.empty()) std::abort();
    if (unpacked && !place.has_one()) std::abort();
    if (!place.is_clean()) std::abort();
  }
  if (!place.is_empty()) std::abort();
  return 0;
}
