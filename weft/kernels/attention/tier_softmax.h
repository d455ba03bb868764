// Scores to weights, row by row, in an order that is the same for every width of vectors.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/attention/tier_exp.h"

template <class T>
inline constexpr int kParts = static_cast<int>(kScoreLanes) / kLanes<T>;  // vectors of a group

template <class T, int by, size_t... I>
inline Vector<T> rotated(Vector<T> x, std::index_sequence<I...>) {
  return __builtin_shufflevector(x, x, ((static_cast<int>(I) + by) % kLanes<T>)...);
}

// The lanes of a vector combined, halves first.
template <class T, int by, class Combine>
inline T folded(Vector<T> x, const Combine& combine) {
  if constexpr (by == 0) {
    return x[0];
  } else {
    const Vector<T> other = rotated<T, by>(x, std::make_index_sequence<size_t(kLanes<T>)>{});
    return folded<T, by / 2>(combine(x, other), combine);
  }
}

// The lanes of a group combined, halves first: i with i + 8, then i + 4, i + 2, i + 1.
template <class T, class Combine>
inline T folded(Vector<T> (&parts)[kParts<T>], const Combine& combine) {
#pragma GCC unroll 8
  for (int half = kParts<T> / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < half; ++i) parts[i] = combine(parts[i], parts[i + half]);
  }
  return folded<T, kLanes<T> / 2>(parts[0], combine);
}

// log2(e): scores are counted in powers of two.
template <class T>
inline constexpr T kBits = T(0x1.71547652b82fep+0);

// A row of scores that are computed, up to the scale, and its end filled up to whole groups.
template <class T>
struct ScoreRow {
  T* at;
  int64_t groups;
  T scale;  // score = at[j] * scale, in powers of two; more than 0
};

// What a row does not see becomes -inf, if the scale is not in its way.
template <class T>
inline ScoreRow<T> score_row(const Scores<T>& s, int64_t i) {
  T* const at = s.products + i * s.row;
  T scale = s.scale;
  int64_t seen = s.keys;
  if (s.causal) {
    const int64_t own = s.seen + i;
    seen = own < 0 ? 0 : own < seen ? own : seen;
  }
  if (s.mask != nullptr) {
    const T* const mask = s.mask + i * s.mask_row;
    for (int64_t j = 0; j < seen; ++j) at[j] = at[j] * scale + mask[j];
    scale = 1;
  } else if (!(scale > 0)) {
    for (int64_t j = 0; j < seen; ++j) at[j] *= scale;
    scale = 1;
  }
  const int64_t groups = (s.keys + kScoreLanes - 1) / kScoreLanes;
  for (int64_t j = seen; j < groups * kScoreLanes; ++j) at[j] = static_cast<T>(-__builtin_inf());
  return {at, groups, scale * kBits<T>};
}

template <class T>
inline T greatest_score(const ScoreRow<T>& row) {
  constexpr int L = kLanes<T>;
  Vector<T> parts[kParts<T>];
#pragma GCC unroll 8
  for (int v = 0; v < kParts<T>; ++v) parts[v] = broadcast(static_cast<T>(-__builtin_inf()));
#pragma GCC unroll 4
  for (int64_t group = 0; group < row.groups; ++group) {
    const T* const at = row.at + group * kScoreLanes;
#pragma GCC unroll 8
    for (int v = 0; v < kParts<T>; ++v) parts[v] = greater(load(at + v * L), parts[v]);
  }
  // The scale is more than 0, so it keeps the order.
  return row.scale * folded<T>(parts, [](Vector<T> a, Vector<T> b) { return greater(a, b); });
}

// Scores to 2^(score - from); returns their sum.
template <class T>
inline T weigh(const ScoreRow<T>& row, T from) {
  constexpr int L = kLanes<T>;
  const Vector<T> scale = broadcast(row.scale), origin = broadcast(-from);
  Vector<T> parts[kParts<T>] = {};
  for (int64_t group = 0; group < row.groups; ++group) {
    T* const at = row.at + group * kScoreLanes;
    Vector<T> x[kParts<T>];
#pragma GCC unroll 8
    for (int v = 0; v < kParts<T>; ++v) x[v] = step<T>(load(at + v * L), scale, origin);
    powers_of_two<T>(x);
#pragma GCC unroll 8
    for (int v = 0; v < kParts<T>; ++v) {
      store(at + v * L, x[v]);
      parts[v] += x[v];
    }
  }
  return folded<T>(parts, [](Vector<T> a, Vector<T> b) { return a + b; });
}

// What exponents are counted from: 0 where there is nothing to attend to.
template <class T>
inline T origin_of(T greatest) {
  return greatest == static_cast<T>(-__builtin_inf()) ? T(0) : greatest;
}

// What was weighed from `before` is to be multiplied by: 2^(before - greatest).
template <class T>
inline void shrink_rows(const T* before, const T* greatest, T* shrink, int64_t rows) {
  const Vector<T> nothing = broadcast(static_cast<T>(-__builtin_inf()));
  for (int64_t i = 0; i < rows; i += kLanes<T>) {
    const Vector<T> old = load(before + i), now = load(greatest + i);
    const Vector<T> from = now == nothing ? Vector<T>{} : now;
    Vector<T> power[] = {old == now ? Vector<T>{} : old - from};
    powers_of_two<T>(power);
    store(shrink + i, power[0]);
  }
}

// Phase by phase over all rows: what a row needs to know of itself is waited for once.
template <class T>
void softmax_step(const SoftmaxStep<T>& p) {
  ScoreRow<T> rows[kStepRows];
  T before[kStepRows] = {}, greatest[kStepRows] = {}, shrink[kStepRows];
  for (int64_t i = 0; i < p.scores.rows; ++i) {
    rows[i] = score_row(p.scores, i);
    before[i] = p.greatest[i];
    const T own = greatest_score(rows[i]);
    greatest[i] = own > before[i] ? own : before[i];
  }
  shrink_rows(before, greatest, shrink, p.scores.rows);
  for (int64_t i = 0; i < p.scores.rows; ++i) {
    p.greatest[i] = greatest[i];
    p.shrink[i] = shrink[i];
    p.total[i] = p.total[i] * shrink[i] + weigh(rows[i], origin_of(greatest[i]));
  }
}

template <class T>
void softmax_again(const SoftmaxAgain<T>& p) {
  constexpr int L = kLanes<T>;
  const Vector<T> most = broadcast(PowerConstants<T>::greatest), factor = broadcast(p.scores.scale);
  for (int64_t i = 0; i < p.scores.rows; ++i) {
    const ScoreRow<T> row = score_row(p.scores, i);
    const Vector<T> scale = broadcast(row.scale);
    const Vector<T> origin = broadcast(-(origin_of(p.stats[2 * i]) * kBits<T>));
    const Vector<T> delta = broadcast(p.stats[2 * i + 1]);
    for (int64_t group = 0; group < row.groups; ++group) {
      T* const at = row.at + group * kScoreLanes;
      T* const g = p.g + i * p.scores.row + group * kScoreLanes;
      Vector<T> x[kParts<T>];
#pragma GCC unroll 8
      for (int v = 0; v < kParts<T>; ++v) {
        x[v] = lesser(most, step<T>(load(at + v * L), scale, origin));
      }
      powers_of_two<T>(x);
#pragma GCC unroll 8
      for (int v = 0; v < kParts<T>; ++v) {
        store(at + v * L, x[v]);
        store(g + v * L, x[v] * factor * (load(g + v * L) - delta));
      }
    }
  }
}

template <class T>
void scale_rows(const RowScaling<T>& p) {
  constexpr int L = kLanes<T>;
  for (int64_t i = 0; i < p.rows; ++i) {
    T* const row = p.x + i * p.cols;
    const Vector<T> by = broadcast(p.by[i]);
    int64_t j = 0;
    for (; j + L <= p.cols; j += L) store(row + j, canonical<T>(load(row + j) * by));
    const Mask<T> rest(static_cast<int>(p.cols - j));
    if (j < p.cols) rest.store(row + j, canonical<T>(rest.load(row + j) * by));
  }
}

template <class T>
inline constexpr AttentionKernels<T> kAttentionKernels{softmax_step<T>, softmax_again<T>,
                                                       scale_rows<T>};

extern const AttentionTier kAttentionTier;
constinit const AttentionTier kAttentionTier{kAttentionKernels<float>, kAttentionKernels<double>};
