// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

/// Shared code of the C++ peers: the line protocol described in tests/bench/search_peer.cpp.
namespace kbase::bench {

/// Splits a line at tabs into at most `most` parts; the last part keeps the remaining tabs.
inline std::vector<std::string> split_fields(const std::string& line, std::size_t most) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t tab; parts.size() + 1 < most && (tab = line.find('\t', begin)) != std::string::npos; begin = tab + 1)
    parts.push_back(line.substr(begin, tab - begin));
  parts.push_back(line.substr(begin));
  parts.resize(most);
  return parts;
}

inline std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream each(text);
  for (std::string word; each >> word;) words.push_back(word);
  return words;
}

struct Request {
  std::string operation, mode;
  std::size_t best;
  std::vector<std::string> words;

  bool counts() const { return operation == "count"; }
  bool makes_excerpts() const { return operation == "snip"; }
};

struct Answer {
  std::uint64_t total = 0;
  std::chrono::nanoseconds elapsed{};
  std::vector<std::uint64_t> hits;  ///< items by line number, from 0
};

class WallWatch {
 public:
  std::chrono::nanoseconds elapsed() const { return std::chrono::steady_clock::now() - start_; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Calls `visit` with title, tags and content of each item.
inline void each_item(const std::string& items, const std::function<void(const std::vector<std::string>&)>& visit) {
  std::ifstream lines(items);
  for (std::string line; std::getline(lines, line);) visit(split_fields(line, 3));
}

/// Runs a peer, which has `index(items, folder)` and, constructed with a folder, `answer(request)`. Errors are
/// exceptions of the peer's library.
template <class Peer> int run_peer(const std::vector<std::string>& arguments) try {
  const std::string command = arguments.empty() ? "" : arguments[0];
  if (command == "version") {
    std::cout << Peer::version() << '\n';
  } else if (command == "index" && arguments.size() == 3) {
    Peer::index(arguments[1], arguments[2]);
  } else if (command == "query" && arguments.size() == 2) {
    Peer peer(arguments[1]);
    for (std::string line; std::getline(std::cin, line);) {
      const auto parts = split_fields(line, 4);
      const Answer answer = peer.answer({parts[0], parts[1], std::stoul(parts[2]), words_of(parts[3])});
      std::cout << answer.total << '\t' << answer.elapsed.count() << '\t';
      for (std::size_t i = 0; i < answer.hits.size(); ++i) std::cout << (i == 0 ? "" : ",") << answer.hits[i];
      std::cout << std::endl;
    }
  } else {
    std::cerr << "usage: version | index ITEMS FOLDER | query FOLDER\n";
    return 2;
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}

}  // namespace kbase::bench
