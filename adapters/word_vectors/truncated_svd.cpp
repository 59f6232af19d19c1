// SPDX-License-Identifier: Apache-2.0
#include "adapters/word_vectors/truncated_svd.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

namespace kbase::word_vectors {

namespace {

using Index = Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kOversampling = 10;  // columns of the projection beyond the rank, as the paper recommends
constexpr int kPowerIterations = 2;
/// Singular values below this share of the largest one are rounding errors of float sums.
constexpr float kSmallestShare = 1e-4F;

Index signed_index(std::size_t value) { return static_cast<Index>(value); }

/// Returns `matrix` times `right`.
Matrix product(const SparseRows& matrix, const Matrix& right) {
  Matrix result = Matrix::Zero(signed_index(matrix.rows()), right.cols());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    auto sum = result.row(signed_index(i));
    for (const auto& [column, value] : matrix.row(i)) sum += value * right.row(static_cast<Index>(column));
  }
  return result;
}

/// Returns the transposed `matrix` times `right`.
Matrix transposed_product(const SparseRows& matrix, std::size_t columns, const Matrix& right) {
  Matrix result = Matrix::Zero(signed_index(columns), right.cols());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const auto factor = right.row(signed_index(i));
    for (const auto& [column, value] : matrix.row(i)) result.row(static_cast<Index>(column)) += value * factor;
  }
  return result;
}

/// Singular values of a matrix with few columns, largest first, and the columns that span the same space.
struct Factors {
  Matrix basis;  ///< orthonormal columns: the left singular vectors
  Eigen::VectorXf values;
};

/// Decomposes by the eigenvectors of the products of the columns, which are few. Columns that depend on others are left
/// out.
Factors left_factors(const Matrix& matrix) {
  if (matrix.cols() == 0) return {matrix, {}};
  const Eigen::MatrixXf gram = matrix.transpose() * matrix;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXf> solver(gram);
  const Eigen::VectorXf squares = solver.eigenvalues().reverse();
  const float smallest = squares(0) * kSmallestShare * kSmallestShare;
  Index rank = 0;
  while (rank < squares.size() && squares(rank) > smallest) ++rank;
  Factors factors;
  factors.values = squares.head(rank).cwiseSqrt();
  const Eigen::MatrixXf directions = solver.eigenvectors().rowwise().reverse().leftCols(rank);
  factors.basis = matrix * (directions * factors.values.cwiseInverse().asDiagonal());
  return factors;
}

/// Returns independent numbers, evenly distributed from -1 to 1, equal on all machines. Signs alone would not do: those
/// of two columns often cancel each other out.
Matrix random_numbers(std::size_t rows, std::size_t columns, std::uint32_t seed) {
  constexpr int kFractionBits = 23;
  std::mt19937 random(seed);
  Matrix result(signed_index(rows), signed_index(columns));
  for (Index i = 0; i < result.size(); ++i)
    result.data()[i] = std::ldexp(static_cast<float>(random() >> (31 - kFractionBits)), -kFractionBits) - 1;
  return result;
}

}  // namespace

std::vector<float> right_singular_vectors(const SparseRows& matrix, std::size_t columns, std::size_t rank,
                                          std::uint32_t seed) {
  const std::size_t width = std::min({rank + kOversampling, matrix.rows(), columns});
  std::vector<float> result(columns * rank, 0);
  if (width == 0) return result;
  Matrix projection = left_factors(product(matrix, random_numbers(columns, width, seed))).basis;
  for (int i = 0; i < kPowerIterations; ++i)
    projection = left_factors(product(matrix, transposed_product(matrix, columns, projection))).basis;
  const Matrix vectors = left_factors(transposed_product(matrix, columns, projection)).basis;
  const Index kept = std::min(vectors.cols(), signed_index(rank));
  Eigen::Map<Matrix>(result.data(), signed_index(columns), signed_index(rank)).leftCols(kept) = vectors.leftCols(kept);
  return result;
}

}  // namespace kbase::word_vectors
