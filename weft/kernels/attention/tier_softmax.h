// Scores to weights, row by row, in an order that is the same for every width of vectors.
//
// Included only by tier_*.cc, inside the tier's own namespace (see matmul/tier_vector.h).
#include "weft/kernels/attention/tier_exp.h"

template <class T>
inline constexpr int kParts = static_cast<int>(kScoreLanes) / kLanes<T>;  // vectors of a group

template <class T>
inline Vector<T> greater_of(Vector<T> a, Vector<T> b) {
  return a > b ? a : b;
}

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

// A row of scores that are computed, up to the scale, and its end filled up to whole groups.
template <class T>
struct ScoreRow {
  T* at;
  int64_t groups;
  T scale;  // score = at[j] * scale
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
  return {at, groups, scale};
}

template <class T>
inline T greatest_score(const ScoreRow<T>& row) {
  constexpr int L = kLanes<T>;
  const Vector<T> scale = broadcast(row.scale);
  Vector<T> parts[kParts<T>];
#pragma GCC unroll 8
  for (int v = 0; v < kParts<T>; ++v) parts[v] = broadcast(static_cast<T>(-__builtin_inf()));
  for (int64_t group = 0; group < row.groups; ++group) {
    const T* const at = row.at + group * kScoreLanes;
#pragma GCC unroll 8
    for (int v = 0; v < kParts<T>; ++v) {
      parts[v] = greater_of<T>(load(at + v * L) * scale, parts[v]);
    }
  }
  return folded<T>(parts, [](Vector<T> a, Vector<T> b) { return greater_of<T>(a, b); });
}

// Scores to exp(score - from); returns their sum.
template <class T>
inline T weigh(const ScoreRow<T>& row, T from) {
  constexpr int L = kLanes<T>;
  const Vector<T> scale = broadcast(row.scale), origin = broadcast(-from);
  Vector<T> parts[kParts<T>] = {};
  for (int64_t group = 0; group < row.groups; ++group) {
    T* const at = row.at + group * kScoreLanes;
#pragma GCC unroll 8
    for (int v = 0; v < kParts<T>; ++v) {
      const Vector<T> weight = exp_of<T>(step<T>(load(at + v * L), scale, origin));
      store(at + v * L, weight);
      parts[v] += weight;
    }
  }
  return folded<T>(parts, [](Vector<T> a, Vector<T> b) { return a + b; });
}

// What exponents are counted from: 0 where there is nothing to attend to.
template <class T>
inline T origin_of(T greatest) {
  return greatest == static_cast<T>(-__builtin_inf()) ? T(0) : greatest;
}

template <class T>
void softmax_step(const SoftmaxStep<T>& p) {
  for (int64_t i = 0; i < p.scores.rows; ++i) {
    const ScoreRow<T> row = score_row(p.scores, i);
    const T before = p.greatest[i], own = greatest_score(row);
    const T greatest = own > before ? own : before;
    const T from = origin_of(greatest);
    p.shrink[i] = greatest == before ? T(1) : exp_of<T>(broadcast(before - from))[0];
    p.greatest[i] = greatest;
    p.total[i] = p.total[i] * p.shrink[i] + weigh(row, from);
  }
}

template <class T>
void softmax_again(const SoftmaxAgain<T>& p) {
  constexpr int L = kLanes<T>;
  const Vector<T> most = broadcast(ExpConstants<T>::greatest), factor = broadcast(p.scores.scale);
  for (int64_t i = 0; i < p.scores.rows; ++i) {
    const ScoreRow<T> row = score_row(p.scores, i);
    T* const g = p.g + i * p.scores.row;
    const Vector<T> scale = broadcast(row.scale), origin = broadcast(-origin_of(p.stats[2 * i]));
    const Vector<T> delta = broadcast(p.stats[2 * i + 1]);
    for (int64_t j = 0; j < row.groups * kScoreLanes; j += L) {
      const Vector<T> x = step<T>(load(row.at + j), scale, origin);
      const Vector<T> weight = exp_of<T>(x > most ? most : x);
      store(row.at + j, weight);
      store(g + j, weight * factor * (load(g + j) - delta));
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
