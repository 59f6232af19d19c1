// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace kbase::tests {

/// Makes requests that are nearly right: of random parts, or of given bytes with a few changes of the kind that parsers
/// disagree about. The same seed makes the same ones everywhere.
class RequestMutator {
 public:
  /// `models` are connections' bytes to start from.
  RequestMutator(std::vector<std::string> models, std::uint64_t seed) : models_(std::move(models)), random_(seed) {}

  /// The bytes of a connection.
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
