// unfold and fold: the windows of an image as columns (im2col), and their sum put back.
#include "weft/ops/shape/unfold.h"

#include "weft/op/apply.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/math/math.h"
#include "weft/ops/shape/index_at.h"

namespace weft {
namespace {

// One axis of the image: which of its padded elements each window reads.
struct Windows {
  int64_t size, kernel, dilation, padding, stride, count = 0;

  Windows(const InferCtx& cx, int64_t size, int64_t kernel, int64_t dilation, int64_t padding,
          int64_t stride)
      : size(size), kernel(kernel), dilation(dilation), padding(padding), stride(stride) {
    constexpr int64_t kMost = int64_t{1} << 31;
    const auto fits = [](int64_t value, int64_t least) { return least <= value && value < kMost; };
    cx.require(fits(kernel, 1) && fits(dilation, 1) && fits(padding, 0) && fits(stride, 1),
               "window", "kernel_size ", kernel, ", dilation ", dilation, ", padding ", padding,
               " and stride ", stride,
               " make no window; all but the padding, which may be 0, are at least 1");
    constexpr int64_t kMostSize = int64_t{1} << 62;
    cx.require(0 <= size && size <= kMostSize, "size", "an axis has no size ", size,
               "; sizes are from 0 to 2^62");
    const int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1;
    cx.require(room >= 0, "size", "an axis of size ", size, " with padding ", padding,
               " is smaller than a window of ", dilation * (kernel - 1) + 1, " elements");
    count = room / stride + 1;
  }
  int64_t padded() const { return size + 2 * padding; }
  // [kernel, count]: the padded element that element i of window w reads.
  Tensor indices() const {
    const Tensor inside = reshape(multiply(arange(kernel), dilation), {kernel, 1});
    return add(inside, multiply(arange(count), stride));
  }
};

// A number for both axes, or one for each.
int64_t for_axis(const InferCtx& cx, const Ints& numbers, size_t axis, const char* name) {
  cx.require(numbers.size() == 1 || numbers.size() == 2, "count", name, " is ", numbers,
             "; give one number, or one for rows and one for columns");
  return numbers[numbers.size() == 1 ? 0 : axis];
}

template <class A>
Windows windows_of(const InferCtx& cx, const A& at, int64_t size, size_t axis) {
  return Windows(cx, size, for_axis(cx, at.kernel_size, axis, "kernel_size"),
                 for_axis(cx, at.dilation, axis, "dilation"),
                 for_axis(cx, at.padding, axis, "padding"),
                 for_axis(cx, at.stride, axis, "stride"));
}

Tensors unfolded(const UnfoldAttrs& at, TensorSpan in) {
  const InferCtx cx{"unfold"};
  const Tensor& x = in[0];
  cx.require(x.rank() == 3 || x.rank() == 4, "rank", "x has shape ", x.shape(),
             "; it must be [channels, rows, columns] or [batch, channels, rows, columns]");
  const Windows rows = windows_of(cx, at, x.dim(-2).value(), 0);
  const Windows columns = windows_of(cx, at, x.dim(-1).value(), 1);
  Ints around(x.shape().size(), 0);
  around[around.size() - 2] = rows.padding;
  around[around.size() - 1] = columns.padding;
  const Tensor wide = rows.padding + columns.padding == 0
                          ? x
                          : pad(x, around, around, Tensor::scalar(x.dtype(), 0));
  const int64_t r = x.rank() - 2;
  // [.., channels, kernel rows, rows, kernel columns, columns]
  const Tensor of_rows = rows.indices();
  const Tensor read = take(take(wide, columns.indices(), r + 1), of_rows, r);
  Shape out(x.shape().subspan(0, x.shape().size() - 3));
  out.push_back(x.dim(-3) * Dim(rows.kernel) * Dim(columns.kernel));
  out.push_back(rows.count * columns.count);
  return {reshape(swapaxes(read, r + 1, r + 2), out)};
}

// The transpose: what a window read is added where it read it.
Tensors folded(const FoldAttrs& at, TensorSpan in) {
  const InferCtx cx{"fold"};
  const Tensor& x = in[0];
  cx.require(x.rank() == 2 || x.rank() == 3, "rank", "x has shape ", x.shape(),
             "; it must be [channels * window, windows] or [batch, channels * window, windows]");
  const Windows rows = windows_of(cx, at, for_axis(cx, at.output_size, 0, "output_size"), 0);
  const Windows columns = windows_of(cx, at, for_axis(cx, at.output_size, 1, "output_size"), 1);
  const Dim window = rows.kernel * columns.kernel, channels = floor_div(x.dim(-2), window);
  cx.require(decide_same(channels * window, x.dim(-2)) != Tri::kNo &&
                 decide_same(Dim(rows.count * columns.count), x.dim(-1)) != Tri::kNo,
             "shape", "x has shape ", x.shape(), "; with windows of ", rows.kernel, " by ",
             columns.kernel, " there must be a multiple of ", window, " rows and ",
             rows.count * columns.count, " columns");
  Shape apart(x.shape().subspan(0, x.shape().size() - 2));
  const auto r = static_cast<int64_t>(apart.size()) + 1;
  for (Dim dim :
       {channels, Dim(rows.kernel), Dim(columns.kernel), Dim(rows.count), Dim(columns.count)}) {
    apart.push_back(dim);
  }
  const Tensor read = swapaxes(reshape(x, apart), r + 1, r + 2);
  Shape tall(read.shape().subspan(0, static_cast<size_t>(r)));
  tall.push_back(rows.padded());
  tall.push_back(columns.kernel);
  tall.push_back(columns.count);
  const Tensors of_rows{rows.indices()};
  const Tensor by_rows = add_at(zeros(tall, x.dtype()), read, of_rows, {{r}, r}, Where{});
  Shape whole(tall.begin(), tall.begin() + r + 1);
  whole.push_back(columns.padded());
  const Tensors of_columns{columns.indices()};
  const Tensor sums =
      add_at(zeros(whole, x.dtype()), by_rows, of_columns, {{r + 1}, r + 1}, Where{});
  Index inner(static_cast<size_t>(r));
  for (const Windows& w : {rows, columns}) {
    inner.push_back({.kind = IndexItem::Kind::kRange,
                     .start = w.padding,
                     .stop = w.padding + w.size,
                     .step = 1});
  }
  return {slice(sums, inner)};
}

}  // namespace

constinit const CompositeDef kUnfold{
    .name = "unfold",
    .module = "nn",
    .doc =
        "The windows of an image as columns: `[.., channels, rows, columns]` becomes "
        "`[.., channels * window, windows]`, both in row-major order. Options are one number, or "
        "one for rows and one for columns.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<UnfoldAttrs>(),
    .laws = {Law{"rank", "x is an image or a batch of them"},
             Law{"window", "sizes and steps are at least 1"},
             Law{"count", "an option has one or two numbers"},
             Law{"size", "a window fits the padded image"}},
    .compose = rule<unfolded>(),
    .known_as = {Alias{"torch", "nn.functional.unfold"}, Alias{"tf", "image.extract_patches"},
                 Alias{"jax", "lax.conv_general_dilated_patches"}},
};

constinit const CompositeDef kFold{
    .name = "fold",
    .module = "nn",
    .doc =
        "Columns put back as the windows of an image and added where they overlap: the transpose "
        "of `unfold`.",
    .inputs = {"x: any"},
    .outputs = {"out: like x"},
    .attrs = attrs_type<FoldAttrs>(),
    .laws = {Law{"rank", "x holds columns, or batches of them"},
             Law{"shape", "x has the columns of that image"}},
    .compose = rule<folded>(),
    .known_as = {Alias{"torch", "nn.functional.fold"}},
};

namespace nn {

Tensor unfold(const Tensor& x, const UnfoldAttrs& at, Where where) {
  return compose(kUnfold, inputs(x), at, where);
}
Tensor fold(const Tensor& x, const FoldAttrs& at, Where where) {
  return compose(kFold, inputs(x), at, where);
}

}  // namespace nn
}  // namespace weft
