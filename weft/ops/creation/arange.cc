// arange: numbers in equal steps.
#include <algorithm>
#include <cmath>

#include "weft/base/error.h"
#include "weft/core/scalar.h"
#include "weft/op/apply.h"
#include "weft/op/staged_size.h"
#include "weft/ops/creation/creation.h"

namespace weft {
namespace {

// In float64 with one rounding, then in the dtype: the i-th element has no error that grows with i.
Expr float_meaning(const Expr* in, DType dtype) {
  const Expr i = cast(Expr::position(), DType::kF64);
  return cast(fma(i, in[1], in[0]), compute_of(dtype));
}

Expr int_meaning(const Expr* in, DType dtype) {
  return cast(in[0] + cast(Expr::position(), DType::kI64) * in[1], dtype);
}

struct ArangeAttrs {
  std::optional<DType> dtype;
  static constexpr auto fields = fields_of(
      field("dtype", &ArangeAttrs::dtype,
            "the dtype of the elements; int64 or float32, as start, stop and step, if left out"));
};

constexpr uint64_t kMostElements = uint64_t{1} << 62;

// ceil((stop - start) / step), exactly for integers.
int64_t int_count(const InferCtx& cx, int64_t start, int64_t stop, int64_t step) {
  cx.require(step != 0, "step", "the step is 0; it must not be");
  if (start == stop || (stop > start) != (step > 0)) return 0;
  // Distances of int64 fit uint64; the differences wrap to the right value.
  const auto low = static_cast<uint64_t>(step > 0 ? start : stop);
  const auto high = static_cast<uint64_t>(step > 0 ? stop : start);
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : -static_cast<uint64_t>(step);
  const uint64_t count = (high - low - 1) / stride + 1;
  cx.require(count < kMostElements, "count", "from ", start, " to ", stop, " in steps of ", step,
             " are too many elements");
  return static_cast<int64_t>(count);
}

int64_t float_count(const InferCtx& cx, double start, double stop, double step) {
  cx.require(step != 0, "step", "the step is 0; it must not be");
  const double count = std::ceil((stop - start) / step);
  cx.require(std::abs(count) < static_cast<double>(kMostElements), "count", "from ", start, " to ",
             stop, " in steps of ", step, " is no finite number of elements");
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

void require_fit(const InferCtx& cx, int64_t element, DType dtype, int64_t count) {
  alignas(8) char stored[8];
  if (count == 0 || store_scalar(Tensor(element), dtype, stored)) return;
  fail(Code::kOverflow, cx.op, "fits", "from start to stop there is ", element, ", but ", dtype,
       " holds ", range_of(dtype), "; use a dtype that holds it");
}

DType checked_dtype(const InferCtx& cx, const ArangeAttrs& at, bool integers) {
  const DType dtype = at.dtype.value_or(integers ? DType::kI64 : DType::kF32);
  cx.require_type(dtype != DType::kBool && !is_complex(dtype), "dtype", "dtype is ", dtype,
                  "; it must be integer or floating");
  return dtype;
}

// Where sizes of a graph are among them, so that only a run can count: as many as it finds.
Tensor sized_arange(const InferCtx& cx, std::span<const Tensor, 3> values, const Dim (&sizes)[3],
                    DType dtype) {
  cx.require(sizes[2].is_known() && sizes[2].value() != 0, "step", "the step is ", sizes[2],
             "; it must be a number other than 0");
  if (is_integer(dtype) && size_of(dtype) < 4) {
    fail(Code::kInvalid, cx.op, "concrete", "stop is ", sizes[1], ", which only a run knows, and ",
         dtype, " may not hold it; use int32 or int64");
  }
  const bool is_up = sizes[2].value() > 0;
  const Dim way = is_up ? sizes[1] - sizes[0] : sizes[0] - sizes[1];
  const Dim step = is_up ? sizes[2] : Dim(0) - sizes[2];
  const FillAttrs fill{{max(Dim(0), ceil_div(way, step))}, dtype};
  const DType exact = is_integer(dtype) ? DType::kI64 : DType::kF64;
  const Tensor by = cast(values[2], exact);
  return apply(is_integer(dtype) ? kArangeInt : kArangeFloat, inputs(cast(values[0], exact), by),
               fill, Where::here());
}

std::optional<Tensor> counted_by_sizes(const InferCtx& cx, const ArangeAttrs& at,
                                       std::span<const Tensor, 3> values) {
  if (std::ranges::all_of(values, [](const Tensor& t) { return t.is_concrete(); })) return {};
  Dim sizes[3];
  for (size_t i = 0; i < 3; ++i) {
    const std::optional<Dim> size = size_in(values[i]);
    if (!size) return {};
    sizes[i] = *size;
  }
  return sized_arange(cx, values, sizes, checked_dtype(cx, at, true));
}

// start, stop and step as they were given: arange(stop), arange(start, stop), ...
Tensors compose_arange(const ArangeAttrs& at, TensorSpan in) {
  const InferCtx cx{"arange"};
  constexpr std::string_view kNames[] = {"start", "stop", "step"};
  const Tensor zero = Tensor::scalar(DType::kI64, 0), one = Tensor::scalar(DType::kI64, 1);
  const bool has_stop = in.size() > 1 && in[1].defined(), has_step = in.size() > 2;
  const Tensor values[] = {has_stop ? in[0] : zero, has_stop ? in[1] : in[0],
                           has_step ? in[2] : one};
  if (const std::optional<Tensor> counted = counted_by_sizes(cx, at, values)) return {*counted};
  bool integers = true;
  double floats[3];
  for (size_t i = 0; i < 3; ++i) {
    floats[i] = scalar_value(cx.op, kNames[i], values[i]);
    integers = integers && kind_of(values[i].dtype()) <= Kind::kInteger;
  }
  const DType dtype = checked_dtype(cx, at, integers);
  const int64_t count =
      integers ? int_count(cx, values[0].item_int(), values[1].item_int(), values[2].item_int())
               : float_count(cx, floats[0], floats[1], floats[2]);
  const FillAttrs fill{{count}, integers && is_integer(dtype) ? dtype : DType::kF64};
  if (is_integer(fill.dtype)) {
    const int64_t first = values[0].item_int();
    require_fit(cx, first, dtype, count);
    // The last element is before stop, so it fits; the way there may wrap.
    const uint64_t way =
        static_cast<uint64_t>(count - 1) * static_cast<uint64_t>(values[2].item_int());
    const auto last = static_cast<int64_t>(static_cast<uint64_t>(first) + way);
    if (count > 1) require_fit(cx, last, dtype, count);
    const Tensor by = cast(values[2], DType::kI64);
    return {apply(kArangeInt, inputs(cast(values[0], DType::kI64), by), fill, Where::here())};
  }
  const Tensor start = Tensor::scalar(DType::kF64, floats[0]);
  const Tensor step = Tensor::scalar(DType::kF64, floats[2]);
  const FillAttrs direct{{count}, is_floating(dtype) ? dtype : DType::kF64};
  return {cast(apply(kArangeFloat, inputs(start, step), direct, Where::here()), dtype)};
}

}  // namespace

double scalar_value(std::string_view op, std::string_view name, const Tensor& given) {
  const Tensor x = number_of_call(given).value_or(given);
  if (x.rank() != 0) {
    fail(Code::kInvalid, op, "scalar", name, " has shape ", x.shape(), "; it must have rank 0");
  }
  if (!x.is_concrete()) {
    fail(Code::kInvalid, op, "concrete", name,
         " is only known when the graph runs, or differs between the examples of a vmap, but "
         "decides "
         "a shape; pass a number");
  }
  if (is_complex(x.dtype())) {
    fail(Code::kType, op, "dtype", name, " has dtype ", x.dtype(), "; it must be real");
  }
  return x.item();
}

constinit const OpDef kArangeFloat{
    .name = "arange.float",
    .doc = "`start + i * step`, rounded to `dtype` once: what `arange` of floats is made of.",
    .inputs = {"start: float64", "step: float64"},
    .outputs = {"out: floating"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}},
    .infer = rule<fill_infer>(),
    .grad = derive::not_differentiable("start and step are constants of the shape"),
    .batch = batch::rule<each_filled<kArangeFloat>>(),
    .kernel = kernel::fill(2, float_meaning),
};

constinit const OpDef kArangeInt{
    .name = "arange.int",
    .doc = "`start + i * step`, wrapping around: what `arange` of integers is made of.",
    .inputs = {"start: int64", "step: int64"},
    .outputs = {"out: integer"},
    .attrs = attrs_type<FillAttrs>(),
    .laws = {Law{"negative", "sizes are at least 0"}},
    .infer = rule<fill_infer>(),
    .grad = derive::not_differentiable("integers have no gradient"),
    .batch = batch::rule<each_filled<kArangeInt>>(),
    .kernel = kernel::fill(2, int_meaning),
};

constinit const CompositeDef kArange{
    .name = "arange",
    .doc =
        "The numbers `start, start + step, ...` before `stop`; `arange(stop)` counts from 0. "
        "Elements of floats are computed in float64 and rounded once.",
    .inputs = {"start: real", "stop?: real", "step?: real"},
    .outputs = {"out: real"},
    .attrs = attrs_type<ArangeAttrs>(),
    .laws = {Law{"scalar", "start, stop and step have rank 0"}, Law{"step", "the step is not 0"},
             Law{"count", "the elements can be counted"},
             Law{"dtype", "the dtype is integer or floating"},
             Law{"fits", "an integer dtype holds every element"}},
    .compose = rule<compose_arange>(),
    .known_as = {Alias{"numpy", "arange"}, Alias{"torch", "arange"}, Alias{"jax", "numpy.arange"},
                 Alias{"tf", "range"}},
};

Tensor positions(Dim n, DType dtype, Where where) {
  const Tensor zero = Tensor::scalar(DType::kI64, 0), one = Tensor::scalar(DType::kI64, 1);
  return apply(kArangeInt, inputs(zero, one), FillAttrs{{n}, dtype}, where);
}
Tensor arange(const Tensor& stop, Where where) {
  return compose(kArange, inputs(stop), ArangeAttrs{}, where);
}
Tensor arange(const Tensor& start, const Tensor& stop, const Tensor& step,
              std::optional<DType> dtype, Where where) {
  return compose(kArange, inputs(start, stop, step), ArangeAttrs{dtype}, where);
}

}  // namespace weft
