#include "bridle/second/cholesky.hpp"

#include <cmath>

#include "bridle/core/dispatch.hpp"

namespace bridle::second {
namespace {

constexpr Index tile = lanes;

// Where the rows of block I begin: blocks before it hold 1 + 2 + ... + I tiles.
Index begin_of(Index block) { return block * (block + 1) / 2 * tile * tile; }

// The eight entries of a column of a tile, in two packs of four: gcc keeps wider ones in memory where the
// machine has no registers of that size.
struct TileColumn {
  HalfPack top, bottom;
};
[[gnu::always_inline]] inline void load(TileColumn& into, const double* from) {
  bridle::load(into.top, from);
  bridle::load(into.bottom, from + tile / 2);
}
[[gnu::always_inline]] inline void store(double* to, const TileColumn& from) {
  bridle::store(to, from.top);
  bridle::store(to + tile / 2, from.bottom);
}
[[gnu::always_inline]] inline void subtract(TileColumn& from, const TileColumn& column, double factor) {
  from.top -= column.top * factor;
  from.bottom -= column.bottom * factor;
}

// out (a tile, columns of eight) -= (rows of a) (rows of b)' over `count` columns
[[gnu::always_inline]] inline void subtract_product(const double* a, const double* b, Index count,
                                                    double* out) {
  for (Index half = 0; half < tile; half += 4) {
    TileColumn one, two, three, four, left;
    load(one, out + (half + 0) * tile);
    load(two, out + (half + 1) * tile);
    load(three, out + (half + 2) * tile);
    load(four, out + (half + 3) * tile);
    const double* right = b + half;
    for (Index k = 0; k < count; ++k, right += tile) {
      load(left, a + k * tile);
      subtract(one, left, right[0]);
      subtract(two, left, right[1]);
      subtract(three, left, right[2]);
      subtract(four, left, right[3]);
    }
    store(out + (half + 0) * tile, one);
    store(out + (half + 1) * tile, two);
    store(out + (half + 2) * tile, three);
    store(out + (half + 3) * tile, four);
  }
}

// Left-looking, tile by tile along the rows: all that is read lies one after the other in memory.
BRIDLE_DISPATCH bool factorise_tiles(double* factor, Index blocks, const double* least_pivots) {
  for (Index i = 0; i < blocks; ++i) {
    double* const row = factor + i * (i + 1) / 2 * tile * tile;
    for (Index j = 0; j <= i; ++j) {
      const double* const other = factor + j * (j + 1) / 2 * tile * tile;
      double* const here = row + j * tile * tile;
      subtract_product(row, other, j * tile, here);
      const double* const diagonal = other + j * tile * tile;
      for (Index c = 0; c < tile; ++c) {  // here <- here L_jj^-T, or the tile's own factor
        if (i == j) {
          const double pivot = here[c * tile + c];
          if (!(pivot > least_pivots[i * tile + c])) return false;
          const double root = std::sqrt(pivot);
          for (Index r = 0; r < tile; ++r) here[c * tile + r] = r < c ? 0 : here[c * tile + r] / root;
        } else {
          for (Index r = 0; r < tile; ++r) here[c * tile + r] /= diagonal[c * tile + c];
        }
        for (Index later = c + 1; later < tile; ++later)
          for (Index r = 0; r < tile; ++r)
            here[later * tile + r] -= here[c * tile + r] * diagonal[c * tile + later];
      }
    }
  }
  return true;
}

BRIDLE_DISPATCH void solve_tiles(const double* factor, Index blocks, double* x) {
  TileColumn part, column;
  for (Index i = 0; i < blocks; ++i) {
    const double* const row = factor + i * (i + 1) / 2 * tile * tile;
    load(part, x + i * tile);
    for (Index k = 0; k < i * tile; ++k) {
      load(column, row + k * tile);
      subtract(part, column, x[k]);
    }
    store(x + i * tile, part);
    const double* const diagonal = row + i * tile * tile;
    double* const own = x + i * tile;
    for (Index c = 0; c < tile; ++c) {
      own[c] /= diagonal[c * tile + c];
      for (Index r = c + 1; r < tile; ++r) own[r] -= own[c] * diagonal[c * tile + r];
    }
  }
  for (Index i = blocks - 1; i >= 0; --i) {
    const double* const row = factor + i * (i + 1) / 2 * tile * tile;
    const double* const diagonal = row + i * tile * tile;
    double* const own = x + i * tile;
    for (Index c = tile - 1; c >= 0; --c) {
      for (Index r = c + 1; r < tile; ++r) own[c] -= own[r] * diagonal[c * tile + r];
      own[c] /= diagonal[c * tile + c];
    }
    load(part, own);
    for (Index k = 0; k < i * tile; ++k) {
      load(column, row + k * tile);
      const HalfPack products = column.top * part.top + column.bottom * part.bottom;
      x[k] -= sum_of(products);
    }
  }
}

}  // namespace

bool Cholesky::factorise(const Matrix& matrix, double least) {
  size_ = matrix.rows();
  blocks_ = (size_ + tile - 1) / tile;
  factor_.resize(static_cast<std::size_t>(begin_of(blocks_)));
  Vector pivots = Vector::Zero(blocks_ * tile);
  for (Index i = 0; i < size_; ++i) pivots[i] = least * matrix(i, i);
  for (Index block = 0; block < blocks_; ++block) {
    double* out = factor_.data() + begin_of(block);
    const Index first = block * tile, here = std::min(tile, size_ - first);
    for (Index k = 0; k < first + tile; ++k, out += tile)
      for (Index r = 0; r < tile; ++r) {
        const Index i = first + r;
        out[r] = r < here && k < size_ ? (k <= i ? matrix(i, k) : matrix(k, i)) : (i == k ? 1.0 : 0.0);
      }
  }
  return factorise_tiles(factor_.data(), blocks_, pivots.data());
}

void Cholesky::solve(VectorRef x) const {
  Vector padded = Vector::Zero(blocks_ * tile);
  padded.head(size_) = x;
  solve_tiles(factor_.data(), blocks_, padded.data());
  x = padded.head(size_);
}

}  // namespace bridle::second
