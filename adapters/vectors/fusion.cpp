// SPDX-License-Identifier: Apache-2.0
#include "adapters/vectors/fusion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "adapters/vectors/length.hpp"

namespace kbase::vectors {

namespace {

// Chosen on six judged collections; results change little around these values.
constexpr double kFirstWeight = 0.1;             // of the meaning, before the feedback
constexpr double kMostWeight = 0.7;              // of the meaning, after it
constexpr double kWeightOfUndecidedWords = 1.2;  // times how close the next scores are to the best one
constexpr std::size_t kDecidingScores = 10;
constexpr std::size_t kFeedbackMatches = 5;
constexpr float kFeedbackWeight = 2.5F;

/// The section of a match that is closest to the query, and how close: the cosine.
struct Closest {
  double similarity = 0;
  std::span<const std::int8_t> section{};  ///< empty: the match has no vector
  float length = 0;                        ///< of `section`
};

Closest closest_section(std::span<const std::int8_t> vectors, std::span<const float> query) {
  Closest best{-std::numeric_limits<double>::infinity(), {}, 0};
  for (; vectors.size() >= query.size(); vectors = vectors.subspan(query.size())) {
    float product = 0, squares = 0;
    for (std::size_t i = 0; i < query.size(); ++i) {
      const auto value = static_cast<float>(vectors[i]);
      product += value * query[i];
      squares += value * value;
    }
    const float length = std::sqrt(squares);
    const double similarity = length > 0 ? product / length : 0;
    if (similarity > best.similarity) best = {similarity, vectors.first(query.size()), length};
  }
  return best;
}

std::vector<Closest> closest_sections(std::span<const WordMatch> matches, std::span<const float> query) {
  std::vector<Closest> closest;
  closest.reserve(matches.size());
  for (const WordMatch& match : matches) closest.push_back(closest_section(match.vectors, query));
  return closest;
}

/// Converts values to their position between the smallest and the largest one.
class Scale {
 public:
  void add(double value) {
    smallest_ = std::min(smallest_, value);
    largest_ = std::max(largest_, value);
  }
  double position(double value) const {
    return largest_ > smallest_ ? (value - smallest_) / (largest_ - smallest_) : 1;
  }

 private:
  double smallest_ = std::numeric_limits<double>::infinity(), largest_ = -std::numeric_limits<double>::infinity();
};

/// Returns the indexes of the matches by the sum of both arms. A match without a vector has its relevance by words
/// in both.
std::vector<std::size_t> combined_order(std::span<const WordMatch> matches, std::span<const Closest> closest,
                                        double weight) {
  Scale meaning;
  for (const Closest& each : closest)
    if (!each.section.empty()) meaning.add(each.similarity);
  std::vector<double> scores(matches.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const double by_words = matches[i].relevance;
    const double by_meaning = closest[i].section.empty() ? by_words : meaning.position(closest[i].similarity);
    scores[i] = (1 - weight) * by_words + weight * by_meaning;
  }
  std::vector<std::size_t> order(matches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  return order;
}

/// Returns the query's vector plus the mean of the best matches' vectors, in which the nth match counts 1/n.
std::vector<float> moved_towards(std::span<const std::size_t> order, std::span<const Closest> closest,
                                 std::vector<float> query) {
  std::vector<float> mean(query.size(), 0);
  std::size_t rank = 0;
  for (const std::size_t match : order) {
    const auto& [similarity, section, length] = closest[match];
    if (section.empty() || length == 0) continue;
    const float factor = 1 / (static_cast<float>(++rank) * length);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += factor * static_cast<float>(section[i]);
    if (rank == kFeedbackMatches) break;
  }
  scale_to_length_1(mean);
  for (std::size_t i = 0; i < query.size(); ++i) query[i] += kFeedbackWeight * mean[i];
  scale_to_length_1(query);
  return query;
}

/// Returns the mean relevance of the matches behind the best one: how little the words decide between them.
double undecidedness(std::span<const WordMatch> matches) {
  double sum = 0;
  for (std::size_t i = 1; i < std::min(matches.size(), kDecidingScores); ++i) sum += matches[i].relevance;
  return sum / static_cast<double>(kDecidingScores - 1);
}

}  // namespace

FusedOrder fuse(std::span<const WordMatch> matches, const QueryVector& query) {
  const double trust = query.coverage * query.coverage;
  const auto closest = closest_sections(matches, query.values);
  const auto first_order = combined_order(matches, closest, kFirstWeight * trust);
  FusedOrder fused;
  fused.query = moved_towards(first_order, closest, query.values);
  const double weight = std::min(kMostWeight, kWeightOfUndecidedWords * undecidedness(matches)) * trust;
  fused.order = combined_order(matches, closest_sections(matches, fused.query), weight);
  return fused;
}

}  // namespace kbase::vectors
