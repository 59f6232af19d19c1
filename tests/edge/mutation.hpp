// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace kbase::tests {

/// Generates nearly valid requests: from random parts, or from given bytes with a few changes of the kind that
/// parsers treat differently. The sequence depends only on the seed, on every machine.
class RequestMutator {
 public:
  /// `models` are bytes of connections to mutate.
  RequestMutator(std::vector<std::string> models, std::uint64_t seed) : models_(std::move(models)), random_(seed) {}

  /// Returns the bytes of the next connection.
  std::string next();

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  const std::string& any_of(const std::vector<std::string>& choices) { return choices[below(choices.size())]; }

  std::string assembled();
  std::string chunks(const std::string& body);
  void change(std::string& bytes);

  std::vector<std::string> models_;
  std::mt19937_64 random_;
};

}  // namespace kbase::tests
