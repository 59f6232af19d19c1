// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/decision_log.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace kbase::faults {
namespace {

void require(bool succeeded, const char* what) {
  if (succeeded) return;
  std::perror(what);
  std::exit(1);
}

}  // namespace

DecisionLog::DecisionLog(const std::filesystem::path& path, std::size_t count) : count_(count) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  require(file >= 0 && ::ftruncate(file, static_cast<off_t>(count * sizeof(DecisionRecord))) == 0, path.c_str());
  map(file, PROT_READ | PROT_WRITE);
}

DecisionLog::DecisionLog(const std::filesystem::path& path)
    : count_(std::filesystem::file_size(path) / sizeof(DecisionRecord)) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(file >= 0, path.c_str());
  map(file, PROT_READ);
}

DecisionLog::~DecisionLog() { ::munmap(records_, count_ * sizeof(DecisionRecord)); }

void DecisionLog::map(int file, int protection) {
  void* const address = ::mmap(nullptr, count_ * sizeof(DecisionRecord), protection, MAP_SHARED, file, 0);
  require(address != MAP_FAILED, "mmap");
  ::close(file);
  records_ = static_cast<DecisionRecord*>(address);
}

}  // namespace kbase::faults
