// Binds the ids of core/native.h; matmul's tensors are described to its driver here.
#include "weft/kernels/bind.h"

#include "weft/core/kept_copy.h"
#include "weft/core/native.h"
#include "weft/kernels/attention/bind.h"
#include "weft/kernels/blend.h"
#include "weft/kernels/conv/bind.h"
#include "weft/kernels/copy.h"
#include "weft/kernels/distance.h"
#include "weft/kernels/fft/fft.h"
#include "weft/kernels/index.h"
#include "weft/kernels/lapack/lapack.h"
#include "weft/kernels/matmul/matmul.h"
#include "weft/kernels/nonzero.h"
#include "weft/kernels/places.h"
#include "weft/kernels/pool/pool.h"
#include "weft/kernels/recurrent/recurrence.h"
#include "weft/kernels/segment.h"
#include "weft/kernels/sort.h"

namespace weft::kernels {
namespace {

void copy_tensor(const Tensor& out, const Tensor& in) { copy(operand_of(out), operand_of(in)); }

void fill_tensor(const Tensor& out, const void* value) { fill(operand_of(out), value); }

// The stride of `operand` along out's batch axis d (of out_rank axes in all); 0 where broadcast.
int64_t batch_stride(const Operand& operand, int d, int out_rank) {
  const int own = d - (out_rank - operand.rank);
  return own < 0 || operand.dims[own] == Dim(1) ? 0 : operand.strides[own];
}

void matmul_tensor(const Tensor& out, const Tensor& lhs, const Tensor& rhs) {
  const Operand a = operand_of(lhs), b = operand_of(rhs), c = operand_of(out);
  WEFT_ASSERT(a.rank >= 2 && b.rank >= 2 && c.rank >= 2, "matmul of ranks ", a.rank, " ", b.rank);
  BatchDim batch[kMaxRank];
  const int batch_rank = c.rank - 2;
  for (int d = 0; d < batch_rank; ++d) {
    batch[d] = {c.dims[d].value(), batch_stride(a, d, c.rank), batch_stride(b, d, c.rank),
                c.strides[d]};
  }
  const MatmulArgs args{.dtype = out.dtype(),
                        .m = c.dims[c.rank - 2].value(),
                        .n = c.dims[c.rank - 1].value(),
                        .k = a.dims[a.rank - 1].value(),
                        .a = a.data,
                        .a_row = a.strides[a.rank - 2],
                        .a_col = a.strides[a.rank - 1],
                        .b = b.data,
                        .b_row = b.strides[b.rank - 2],
                        .b_col = b.strides[b.rank - 1],
                        .c = c.data,
                        .c_row = c.strides[c.rank - 2],
                        .batch = batch,
                        .batch_rank = batch_rank,
                        .b_keeper = b.strides[b.rank - 2] == 1 ? keeper_of(rhs) : nullptr};
  WEFT_ASSERT(args.n <= 1 || c.strides[c.rank - 1] == 1, "matmul into strided columns");
  matmul(args);
}

}  // namespace

void bind_native() {
  native::copy.bind(copy_tensor);
  native::fill.bind(fill_tensor);
  native::take.bind(take);
  native::gather.bind(gather);
  native::scatter_add.bind(scatter_add);
  native::take_add.bind(take_add);
  native::blend.bind(blend);
  native::index_at.bind(index_at);
  native::update_at.bind(update_at);
  native::chain_at.bind(chain_at);
  native::nonzero.bind(nonzero);
  native::matmul.bind(matmul_tensor);
  native::conv.bind(conv_tensor);
  native::conv_dw.bind(conv_dw_tensor);
  native::attention.bind(attention_tensor);
  native::attention_vjp.bind(attention_vjp_tensor);
  native::recurrence.bind(recurrence);
  native::cholesky.bind(lapack::cholesky);
  native::solve_triangular.bind(lapack::solve_triangular);
  native::lu.bind(lapack::lu);
  native::solve.bind(lapack::solve);
  native::inv.bind(lapack::inv);
  native::qr.bind(lapack::qr);
  native::eigh.bind(lapack::eigh);
  native::svd.bind(lapack::svd);
  native::fft.bind(fft::transform_axis);
  native::sort_rows.bind(sort_rows);
  native::argsort_rows.bind(argsort_rows);
  native::top_rows.bind(top_rows);
  native::running_extremum.bind(running_extremum);
  native::segment.bind(segment);
  native::sum_differences.bind(sum_differences);
  native::weigh_differences.bind(weigh_differences);
  native::search_rows.bind(search_rows);
  native::window_max.bind(window_max);
  native::window_mean.bind(window_mean);
  native::window_spread.bind(window_spread);
}

}  // namespace weft::kernels
