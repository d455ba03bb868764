// The places of native kernels, in the library itself: extensions see the same ones.
#include "weft/core/native.h"

#include "weft/core/blend.h"

namespace weft {

void fail_unbound(const char* name) {
  fail(Code::kInternal, name, "",
       "the native kernel is not bound; call kernels::bind_native() at start-up");
}

namespace native {

constinit decltype(copy) copy("copy");
constinit decltype(fill) fill("fill");
constinit decltype(take) take("take");
constinit decltype(gather) gather("gather");
constinit decltype(scatter_add) scatter_add("scatter_add");
constinit decltype(take_add) take_add("take_add");
constinit decltype(blend) blend("blend");
constinit decltype(matmul) matmul("matmul");
constinit decltype(conv) conv("conv");
constinit decltype(conv_dw) conv_dw("conv.dw");
constinit decltype(attention) attention("attention");
constinit decltype(attention_vjp) attention_vjp("attention.vjp");
constinit decltype(recurrence) recurrence("recurrence");
constinit decltype(sort_rows) sort_rows("sort_rows");
constinit decltype(argsort_rows) argsort_rows("argsort_rows");
constinit decltype(top_rows) top_rows("top_rows");
constinit decltype(running_extremum) running_extremum("running_extremum");
constinit decltype(search_rows) search_rows("search_rows");
constinit decltype(segment) segment("segment");
constinit decltype(sum_differences) sum_differences("sum_differences");
constinit decltype(weigh_differences) weigh_differences("weigh_differences");
constinit decltype(cholesky) cholesky("cholesky");
constinit decltype(solve_triangular) solve_triangular("solve_triangular");
constinit decltype(lu) lu("lu");
constinit decltype(solve) solve("solve");
constinit decltype(inv) inv("inv");
constinit decltype(qr) qr("qr");
constinit decltype(eigh) eigh("eigh");
constinit decltype(svd) svd("svd");
constinit decltype(index_at) index_at("index_at");
constinit decltype(update_at) update_at("update_at");
constinit decltype(chain_at) chain_at("chain_at");
constinit decltype(nonzero) nonzero("nonzero");
constinit decltype(fft) fft("fft");
constinit decltype(window_max) window_max("window_max");
constinit decltype(window_mean) window_mean("window_mean");
constinit decltype(window_spread) window_spread("window_spread");

}  // namespace native
}  // namespace weft
