// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "adapters/word_vectors/sparse_rows.hpp"

namespace kbase::word_vectors {

/// Returns the right singular vectors of the `rank` largest singular values of a matrix with `columns` columns:
/// `rank` numbers for each column, the numbers of a column together, largest singular value first. If the rank of the
/// matrix is lower, the remaining numbers are 0. An approximation by random projection (Halko, Martinsson, Tropp,
/// "Finding structure with randomness", SIAM Review 53, 2011, algorithm 4.4). Equal arguments yield equal results.
///
/// Takes time in proportion to `rank` times the entries, plus the square of `rank` times the rows and columns, and
/// memory for about `rank` numbers for each row and column.
std::vector<float> right_singular_vectors(const SparseRows& matrix, std::size_t columns, std::size_t rank,
                                          std::uint32_t seed);

}  // namespace kbase::word_vectors
