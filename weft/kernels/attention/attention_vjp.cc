// attention backwards: block by block of keys and queries, with weights computed again.
#include "weft/base/thread_pool.h"
#include "weft/kernels/attention/problem.h"

namespace weft::kernels {
namespace {

constexpr int64_t kScoreRow = kKeyBlockBack + kScoreLanes;

// The work of one head at a time, on one thread.
template <class T>
struct Backward {
  AttentionProblem<T> problem;
  AttentionCotangents<T> to;
  // Of the head: keys and values as columns, keys as rows, of a group: queries and cotangents.
  T *keys, *values, *key_rows, *queries, *cotangents;
  T *weights, *dscores;  // [kQueryBlockBack, kScoreRow]

  // A block of keys and queries.
  struct Block {
    int64_t matrix, key, keys, first, count;
    bool is_first;  // of the queries that the keys are seen by
  };

  // Weights and cotangents of scores for rows of the block from `i` on, and what they add to dq.
  void strip(const Block& b, int64_t i, int64_t rows) const {
    const AttentionArgs<T>& a = problem.args;
    const int64_t query = b.first + i, row = b.matrix * a.queries + query;
    const int64_t seen = lesser(b.keys, problem.keys_seen(query + rows) - b.key);
    T* const p = weights + i * kScoreRow;
    T* const s = dscores + i * kScoreRow;
    const int64_t cols = problem.whole_panels(seen, b.keys);
    problem.multiply({.rows = rows,
                      .cols = cols,
                      .a = a.q + row * a.features,
                      .a_row = a.features,
                      .b = {keys + b.key * a.features, a.features},
                      .steps = a.features,
                      .c = p,
                      .c_row = kScoreRow});
    problem.multiply({.rows = rows,
                      .cols = cols,
                      .a = to.g + row * a.values,
                      .a_row = a.values,
                      .b = {values + b.key * a.values, a.values},
                      .steps = a.values,
                      .c = s,
                      .c_row = kScoreRow});
    problem.tools.softmax->again(
        {problem.scores(b.matrix, query, rows, b.key, seen, p, kScoreRow), s, to.stats + 2 * row});
    problem.multiply({.rows = rows,
                      .cols = a.features,
                      .a = s,
                      .a_row = kScoreRow,
                      .b = {key_rows + b.key * problem.padded(a.features), b.keys},
                      .steps = seen,
                      .c = to.dq + row * a.features,
                      .c_row = a.features,
                      .flags = kFinal | (b.key > 0 ? kAddToC : 0u)});
    for (int64_t r = i; r < i + rows && seen < b.keys; ++r) {
      std::fill(weights + r * kScoreRow + seen, weights + r * kScoreRow + b.keys, T(0));
      std::fill(dscores + r * kScoreRow + seen, dscores + r * kScoreRow + b.keys, T(0));
    }
  }

  // to[keys, cols] += w^T x for the block's queries from `skipped` on.
  void add_to_keys(const Block& b, int64_t skipped, const T* w, const T* x, int64_t cols,
                   T* sums) const {
    const int64_t head = b.matrix / problem.args.groups;
    problem.multiply({.rows = b.keys,
                      .cols = cols,
                      .a = w + skipped * kScoreRow,
                      .a_row = 1,
                      .a_col = kScoreRow,
                      .b = {x + b.first * problem.padded(cols), b.count},
                      .first = skipped,
                      .steps = b.count - skipped,
                      .c = sums + (head * problem.args.keys + b.key) * cols,
                      .c_row = cols,
                      .flags = kFinal | (b.is_first ? 0u : kAddToC)});
  }

  void block(const Block& b) const {
    // Strips before the first key see nothing of it.
    const int64_t hidden = problem.args.causal ? greater(0, b.key - b.first) : 0;
    const int64_t skipped = hidden / kStripRows * kStripRows;
    for (int64_t i = skipped; i < b.count; i += kStripRows) {
      strip(b, i, lesser(kStripRows, b.count - i));
    }
    add_to_keys(b, skipped, dscores, queries, problem.args.features, to.dk);
    add_to_keys(b, skipped, weights, cotangents, problem.args.values, to.dv);
  }

  // The queries of one group, for all keys.
  void group(int64_t matrix) const {
    const AttentionArgs<T>& a = problem.args;
    problem.pack_columns(queries, a.q + matrix * a.queries * a.features, a.queries, a.features,
                         kQueryBlockBack);
    problem.pack_columns(cotangents, to.g + matrix * a.queries * a.values, a.queries, a.values,
                         kQueryBlockBack);
    for (int64_t key = 0; key < a.keys; key += kKeyBlockBack) {
      const int64_t count = lesser(kKeyBlockBack, a.keys - key);
      bool is_first = matrix % a.groups == 0;
      for (int64_t first = 0; first < a.queries; first += kQueryBlockBack) {
        const int64_t rows = lesser(kQueryBlockBack, a.queries - first);
        if (problem.keys_seen(first + rows) <= key) continue;
        block({matrix, key, count, first, rows, is_first});
        is_first = false;
      }
      if (is_first) clear(matrix / a.groups, key, count);
    }
  }

  // Keys that no query sees.
  void clear(int64_t head, int64_t key, int64_t count) const {
    const AttentionArgs<T>& a = problem.args;
    const int64_t row = head * a.keys + key;
    std::fill_n(to.dk + row * a.features, count * a.features, T(0));
    std::fill_n(to.dv + row * a.values, count * a.values, T(0));
  }

  void head(int64_t index) const {
    const AttentionArgs<T>& a = problem.args;
    const T* const k = a.k + index * a.keys * a.features;
    problem.pack_rows(keys, k, a.keys, a.features);
    problem.pack_rows(values, a.v + index * a.keys * a.values, a.keys, a.values);
    problem.pack_columns(key_rows, k, a.keys, a.features, kKeyBlockBack);
    for (int64_t group_index = 0; group_index < a.groups; ++group_index) {
      group(index * a.groups + group_index);
    }
  }
};

}  // namespace

template <class T>
void attention_vjp(const AttentionArgs<T>& a, const AttentionCotangents<T>& to) {
  const AttentionProblem<T> problem{a, attention_tools<T>()};
  const int64_t slack = problem.tools.products->lanes;
  const int64_t sizes[] = {problem.padded(a.keys) * a.features + slack,
                           problem.padded(a.keys) * a.values + slack,
                           a.keys * problem.padded(a.features) + slack,
                           a.queries * problem.padded(a.features) + slack,
                           a.queries * problem.padded(a.values) + slack,
                           kQueryBlockBack * kScoreRow,
                           kQueryBlockBack * kScoreRow};
  int64_t total = 0;
  for (const int64_t size : sizes) total += round_up(size, kScoreLanes);
  parallel_for(a.batch * a.heads, [&](int64_t head) {
    const Workspace room(total * static_cast<int64_t>(sizeof(T)));
    T* at[std::size(sizes)];
    T* next = room.as<T>();
    for (size_t i = 0; i < std::size(sizes); ++i) {
      at[i] = next;
      next += round_up(sizes[i], kScoreLanes);
    }
    Backward<T>{problem, to, at[0], at[1], at[2], at[3], at[4], at[5], at[6]}.head(head);
  });
}
template void attention_vjp(const AttentionArgs<float>&, const AttentionCotangents<float>&);
template void attention_vjp(const AttentionArgs<double>&, const AttentionCotangents<double>&);

}  // namespace weft::kernels
