// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "adapters/word_vectors/truncated_svd.hpp"
#include "adapters/word_vectors/vector_trainer.hpp"
#include "adapters/word_vectors/word_vectors.hpp"

namespace kbase::tests {
namespace {

using word_vectors::Embedding;
using word_vectors::right_singular_vectors;
using word_vectors::SparseRows;
using word_vectors::VectorTrainer;
using word_vectors::WordCount;
using word_vectors::WordVectors;

/// The words of a text, separated by spaces. Views `text`.
std::vector<WordCount> words_of(const std::string& text) {
  std::map<std::string_view, std::uint32_t> counts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    ++counts[std::string_view(text).substr(begin, end - begin)];
    begin = end + 1;
  }
  std::vector<WordCount> words;
  for (const auto& [word, count] : counts) words.push_back({word, count});
  return words;
}

double similarity(const Embedding& a, const Embedding& b) {
  return std::inner_product(a.values.begin(), a.values.end(), b.values.begin(), 0.0);
}

SparseRows rows_of(const std::vector<std::vector<float>>& rows) {
  SparseRows matrix;
  for (const auto& row : rows) {
    std::vector<SparseRows::Entry> entries;
    for (std::uint32_t column = 0; column < row.size(); ++column)
      if (row[column] != 0) entries.push_back({column, row[column]});
    matrix.add(entries);
  }
  return matrix;
}

/// Vectors learned from texts about pets, and about ships.
class LearnedVectors : public testing::Test {
 protected:
  static VectorTrainer trainer(std::size_t most_words = 1000) {
    VectorTrainer trainer({2, most_words});
    for (const std::string text :
         {"kitten cat pet fur", "cat pet milk", "kitten milk pet", "dog pet fur", "puppy dog pet", "ship harbour sail",
          "boat harbour sail sea", "ship boat sea", "ship sea sail wind", "wind sail boat", "zebra"})
      trainer.add(words_of(text));
    return trainer;
  }

  Embedding embed(const std::string& text) const { return vectors_.embed(words_of(text)); }

  WordVectors vectors_ = trainer().train();
};

TEST_F(LearnedVectors, AreSimilarForWordsOfTheSameSubjectThatNeverOccurTogether) {
  EXPECT_GT(similarity(embed("kitten"), embed("puppy")), 0.5);
  EXPECT_GT(similarity(embed("cat fur"), embed("dog")), 0.5);
  EXPECT_LT(similarity(embed("kitten"), embed("boat")), 0.2);
}

TEST_F(LearnedVectors, HaveLength1) {
  const Embedding embedding = embed("cat cat cat harbour");
  EXPECT_EQ(embedding.values.size(), vectors_.dimension());
  EXPECT_NEAR(similarity(embedding, embedding), 1, 1e-5);
}

TEST_F(LearnedVectors, ReportTheShareOfTheKnownWordsByTheirWeight) {
  EXPECT_DOUBLE_EQ(embed("cat dog").coverage, 1);
  const double rare = embed("puppy unheard").coverage, frequent = embed("pet unheard").coverage;
  EXPECT_GT(rare, frequent);
  EXPECT_GT(frequent, 0);
  EXPECT_LT(rare, 0.5) << "an unknown word counts as rarer than every known one";
}

TEST_F(LearnedVectors, AreZeroForATextWithoutKnownWords) {
  for (const std::string text : {"", "unheard"}) {
    EXPECT_EQ(embed(text).values, std::vector<float>(vectors_.dimension(), 0)) << text;
    EXPECT_EQ(embed(text).coverage, 0) << text;
  }
}

TEST_F(LearnedVectors, AreEqualForEqualTexts) { EXPECT_EQ(trainer().train().serialize(), vectors_.serialize()); }

TEST_F(LearnedVectors, KeepTheWordsOfMostTexts) {
  const WordVectors few = trainer(3).train();
  EXPECT_EQ(few.words(), 3U);
  EXPECT_EQ(few.embed(words_of("pet sail")).coverage, 1);
  EXPECT_EQ(few.embed(words_of("zebra")).coverage, 0);
}

TEST_F(LearnedVectors, ExistForFewerTextsThanDimensions) {
  VectorTrainer trainer({100, 100});
  trainer.add(words_of("cat pet"));
  trainer.add(words_of("ship sea"));
  const WordVectors vectors = trainer.train();
  EXPECT_EQ(vectors.dimension(), 100U);
  EXPECT_NEAR(similarity(vectors.embed(words_of("cat")), vectors.embed(words_of("pet"))), 1, 1e-3);
  EXPECT_NEAR(similarity(vectors.embed(words_of("cat")), vectors.embed(words_of("sea"))), 0, 1e-3);
}

TEST_F(LearnedVectors, ExistForNoText) {
  const WordVectors vectors = VectorTrainer({4, 10}).train();
  EXPECT_EQ(vectors.words(), 0U);
  EXPECT_EQ(vectors.embed(words_of("cat")).values, std::vector<float>(4, 0));
}

TEST_F(LearnedVectors, SurviveSerialization) {
  const auto copy = WordVectors::parse(vectors_.serialize());
  ASSERT_TRUE(copy) << copy.error().detail;
  EXPECT_EQ(copy->serialize(), vectors_.serialize());
  const std::string text = "cat boat unheard";
  EXPECT_EQ(copy->embed(words_of(text)).values, embed(text).values);
  EXPECT_EQ(copy->embed(words_of(text)).coverage, embed(text).coverage);
}

TEST_F(LearnedVectors, AreRejectedIfAnyByteIsWrongOrMissing) {
  const std::string bytes = vectors_.serialize();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    EXPECT_FALSE(WordVectors::parse(damaged)) << at;
    EXPECT_FALSE(WordVectors::parse(std::string_view(bytes).substr(0, at))) << at;
  }
  EXPECT_FALSE(WordVectors::parse(bytes + "x"));
}

TEST(RightSingularVectors, AreTheAxesOfADiagonalMatrixByTheirSize) {
  const auto vectors = right_singular_vectors(rows_of({{0, 3, 0}, {5, 0, 0}, {0, 0, 1}}), 3, 2, 7);
  ASSERT_EQ(vectors.size(), 6U);
  EXPECT_NEAR(std::abs(vectors[0]), 1, 1e-5);  // the first column has the largest value
  EXPECT_NEAR(std::abs(vectors[3]), 1, 1e-5);
  for (const std::size_t zero : {1U, 2U, 4U, 5U}) EXPECT_NEAR(vectors[zero], 0, 1e-4) << zero;
}

TEST(RightSingularVectors, AreZeroBeyondTheRankOfTheMatrix) {
  const auto vectors = right_singular_vectors(rows_of({{1, 1, 0}, {2, 2, 0}}), 3, 2, 7);
  EXPECT_NEAR(std::abs(vectors[0]), std::sqrt(0.5), 1e-5);
  EXPECT_NEAR(vectors[0], vectors[2], 1e-5);
  for (const std::size_t zero : {1U, 3U, 4U, 5U}) EXPECT_NEAR(vectors[zero], 0, 1e-5) << zero;
}

TEST(RightSingularVectors, KeepMostOfAMatrixOfLowRank) {
  // 60 rows, mixtures of 4 rows of 40 numbers.
  std::vector<std::vector<float>> rows(60, std::vector<float>(40));
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t j = 0; j < 40; ++j)
      for (std::size_t k = 0; k < 4; ++k)
        rows[i][j] += static_cast<float>(std::sin(double(i * (k + 2))) * std::cos(double(j * (k + 3))));
  const auto vectors = right_singular_vectors(rows_of(rows), 40, 4, 7);
  for (const auto& row : rows) {
    std::vector<float> rest = row;
    for (std::size_t k = 0; k < 4; ++k) {
      float part = 0;
      for (std::size_t j = 0; j < 40; ++j) part += row[j] * vectors[j * 4 + k];
      for (std::size_t j = 0; j < 40; ++j) rest[j] -= part * vectors[j * 4 + k];
    }
    EXPECT_LT(std::inner_product(rest.begin(), rest.end(), rest.begin(), 0.0F), 1e-4);
  }
}

TEST(RightSingularVectors, AreZeroForAnEmptyMatrix) {
  EXPECT_EQ(right_singular_vectors(SparseRows(), 2, 3, 7), std::vector<float>(6, 0));
  EXPECT_EQ(right_singular_vectors(rows_of({{0, 0}}), 2, 3, 7), std::vector<float>(6, 0));
}

}  // namespace
}  // namespace kbase::tests
