// What both directions of attention share: the tier, packed operands, and the scores of a strip.
#pragma once

#include <algorithm>

#include "weft/kernels/attention/attention.h"
#include "weft/kernels/attention/tier.h"
#include "weft/kernels/matmul/problem.h"
#include "weft/kernels/matmul/workspace.h"

namespace weft::kernels {

template <class T>
struct AttentionTools {
  const ProductKernels<T>* products;
  const StorageKernels* storage;
  const AttentionKernels<T>* softmax;
};
template <class T>
AttentionTools<T> attention_tools();  // of the current tier

// A matrix in panels of columns, as the micro-kernels read it, of `depth` steps.
template <class T>
struct Panels {
  const T* at;
  int64_t depth;
};

// C[rows, cols] = A B for `steps` steps of B from `first` on; A has strides.
template <class T>
struct StripProduct {
  int64_t rows, cols;
  const T* a;
  int64_t a_row, a_col = 1;
  Panels<T> b;
  int64_t first = 0, steps;
  T* c;
  int64_t c_row;
  unsigned flags = 0;
};

template <class T>
struct AttentionProblem {
  const AttentionArgs<T>& args;
  AttentionTools<T> tools;

  void multiply(const StripProduct<T>& p) const {
    const ProductKernels<T>& kernels = *tools.products;
    if (p.first == 0 && p.steps == p.b.depth) {
      return kernels.product({p.rows, p.cols, p.steps, p.a, p.a_row, p.a_col, false, p.b.at, 0,
                              true, p.c, p.c_row, p.flags});
    }
    for (int64_t j = 0; j < p.cols; j += kernels.max_cols) {
      const int64_t own = lesser(kernels.max_cols, p.cols - j);
      const T* const b = p.b.at + j * p.b.depth + p.first * round_up(own, kernels.lanes);
      kernels.product({p.rows, own, p.steps, p.a, p.a_row, p.a_col, false, b, 0, true, p.c + j,
                       p.c_row, p.flags});
    }
  }

  int64_t padded(int64_t cols) const { return round_up(cols, tools.products->max_cols); }

  // Rows of x [rows, cols] as the columns of B: for x k^T. One block, all keys.
  void pack_rows(T* to, const T* x, int64_t rows, int64_t cols) const {
    tools.storage->pack_b(Packing{to, x, rows, cols, cols, 1});
  }
  // x [rows, cols] as B, in blocks of `depth` rows, each of padded(cols) columns.
  void pack_columns(T* to, const T* x, int64_t rows, int64_t cols, int64_t depth) const {
    for (int64_t i = 0; i < rows; i += depth) {
      tools.storage->pack_b(
          Packing{to + i * padded(cols), x + i * cols, cols, lesser(depth, rows - i), 1, cols});
    }
  }

  // So many columns of `all` packed ones are to be computed if `wanted` are needed: whole panels.
  int64_t whole_panels(int64_t wanted, int64_t all) const { return lesser(padded(wanted), all); }

  // Where the mask of a query and a key lies.
  const T* mask_at(int64_t matrix, int64_t query, int64_t key) const {
    if (args.mask == nullptr) return nullptr;
    const int64_t group = matrix % args.groups, head = matrix / args.groups % args.heads,
                  batch = matrix / args.groups / args.heads;
    const int64_t* const s = args.mask_stride;
    return args.mask + batch * s[0] + head * s[1] + group * s[2] + query * s[3] + key;
  }
  // The first key that no query below `end` sees.
  int64_t keys_seen(int64_t end) const { return args.causal ? lesser(end, args.keys) : args.keys; }
  // Of products [rows, keys] of queries from `query` and keys from `key` on.
  Scores<T> scores(int64_t matrix, int64_t query, int64_t rows, int64_t key, int64_t keys,
                   T* products, int64_t row) const {
    return {rows,
            keys,
            products,
            row,
            args.scale,
            mask_at(matrix, query, key),
            args.mask_stride[3],
            args.causal && key + keys - 1 > query,
            query + 1 - key};
  }
};

}  // namespace weft::kernels
