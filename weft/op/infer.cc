// Inference: axes, broadcasting and the rules most ops share.
#include "weft/op/infer.h"

#include <algorithm>

namespace weft {
namespace {

// The sizes of the call that is traced: who reads an error knows those, and not the symbols.
Shape as_called(ShapeView shape) {
  Shape out;
  for (const Dim dim : shape) {
    const std::optional<int64_t> size = hinted_value(dim);
    out.push_back(size ? Dim(*size) : dim);
  }
  return out;
}

}  // namespace

int64_t InferCtx::axis(int64_t axis, ShapeView shape) const {
  const int64_t rank = rank_of(shape);
  const int64_t out = normalized(axis, rank);
  if (rank == 0) {
    require_index(false, "axis", "axis ", axis,
                  " is out of range: the input has rank 0 and no axes");
  }
  require_index(0 <= out && out < rank, "axis", "axis ", axis, " is out of range for shape ", shape,
                "; axes go from ", -rank, " to ", rank - 1);
  return out;
}

Ints InferCtx::axes(const Ints& axes, ShapeView shape) const {
  Ints out;
  for (int64_t one : axes) out.push_back(axis(one, shape));
  std::sort(out.begin(), out.end());
  const auto twice = std::adjacent_find(out.begin(), out.end());
  require(twice == out.end(), "axis_twice", "axes ", axes, " name an axis of shape ", shape,
          " twice; name each axis once");
  return out;
}

Shape InferCtx::broadcast(ShapeView a, ShapeView b) const {
  const size_t rank = std::max(a.size(), b.size());
  Shape out(rank, 1);
  for (size_t i = 1; i <= rank; ++i) {
    const Dim x = i <= a.size() ? a[a.size() - i] : Dim(1);
    const Dim y = i <= b.size() ? b[b.size() - i] : Dim(1);
    Dim& to = out[rank - i];
    if (x == y || y == Dim(1)) {
      to = x;
    } else if (x == Dim(1)) {
      to = y;
    } else if (decide_same(x, y) != Tri::kNo) {
      // A trace decides and notes it; else sizes that may turn out equal are taken to be so.
      to = x.is_known() ? x : y;
    } else {
      const bool is_one =
          decide_same(x, 1) == Tri::kYes;  // a size like n - 1 may be 1 in this trace
      if (!is_one && decide_same(y, 1) != Tri::kYes) {
        require(false, "broadcast", "shapes ", as_called(a), " and ", as_called(b),
                " do not broadcast: axis ", -static_cast<int64_t>(i), " has size ",
                as_called({&x, 1})[0], " and ", as_called({&y, 1})[0],
                "; sizes must be equal or 1");
      }
      to = is_one ? y : x;
    }
  }
  return out;
}

void InferCtx::same_size(Dim a, Dim b, std::string_view law, std::string_view what) const {
  require(same(a, b) != Tri::kNo, law, what, " must be equal, but are ", a, " and ", b);
}

namespace infer {

Types broadcast_types(const void*, const InferCtx& cx, TypeSpan in) {
  Type out = in[0];
  for (size_t i = 1; i < in.size(); ++i) out.shape = cx.broadcast(out.shape, in[i].shape);
  // The last input has the dtype of the result; a condition (where) comes first.
  out.dtype = in.back().dtype;
  return {out};
}

Types broadcast_bool_types(const void* attrs, const InferCtx& cx, TypeSpan in) {
  Types out = broadcast_types(attrs, cx, in);
  out[0].dtype = DType::kBool;
  return out;
}

Types same_types(const void*, const InferCtx&, TypeSpan in) { return {in[0]}; }

Types bool_types(const void*, const InferCtx&, TypeSpan in) {
  return {{DType::kBool, in[0].shape}};
}

}  // namespace infer
}  // namespace weft
