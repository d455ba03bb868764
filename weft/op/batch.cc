// Running batching rules: aligning ranks, shifting axes, looping where a rule says so.
#include "weft/op/batch.h"

#include <algorithm>

#include "weft/base/thread_pool.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"
#include "weft/op/check_laws.h"
#include "weft/op/per_example.h"

namespace weft {
namespace {

// Gives a batched input axes of size 1 behind the batch axis until it has `rank` axes of its own.
Tensor with_rank(const Tensor& x, int64_t rank, Where where) {
  if (x.rank() - 1 >= rank) return x;
  Shape shape{x.shape()[0]};
  for (int64_t i = x.rank() - 1; i < rank; ++i) shape.push_back(1);
  for (Dim dim : x.shape().subspan(1)) shape.push_back(dim);
  return reshape(x, shape, where);
}

Tensors broadcasting(const OpDef& op, const void* attrs, const BatchCtx& cx) {
  int64_t rank = 0;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    rank = std::max(rank, cx.inputs[i].rank() - (cx.batched[i] ? 1 : 0));
  }
  Tensors in;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    in.push_back(cx.batched[i] ? with_rank(cx.inputs[i], rank, cx.where) : cx.inputs[i]);
  }
  return apply_all(op, in, attrs, cx.where);
}

Tensors with_batch_axes(const BatchCtx& cx) {
  Tensors in;
  for (size_t i = 0; i < cx.inputs.size(); ++i) in.push_back(cx.with_batch_axis(i));
  return in;
}

void shift(int64_t& axis, int64_t rank) { axis = normalized(axis, rank) + 1; }

Tensors shift_axis(const OpDef& op, const void* attrs, const BatchCtx& cx) {
  AnyAttrs shifted(op.attrs, attrs);
  const int64_t rank = cx.inputs[0].rank() - (cx.batched[0] ? 1 : 0);
  const FieldInfo* const field = op.attrs->find(op.batch.text);
  WEFT_ASSERT(field != nullptr, op.name, " has no field ", op.batch.text);
  switch (field->type) {
    case FieldType::kInt: shift(shifted.get<int64_t>(field->name), rank); break;
    case FieldType::kInts:
      for (int64_t& axis : shifted.get<Ints>(field->name)) shift(axis, rank);
      break;
    case FieldType::kOptionalInts: {
      std::optional<Ints>& axes = shifted.get<std::optional<Ints>>(field->name);
      if (!axes) {
        axes.emplace();
        for (int64_t i = 0; i < rank; ++i) axes->push_back(i);
      }
      for (int64_t& axis : *axes) shift(axis, rank);
      break;
    }
    default: WEFT_ASSERT(false, op.name, ": field ", field->name, " is no axis");
  }
  return apply_all(op, with_batch_axes(cx), shifted.data(), cx.where);
}

}  // namespace

Tensors inputs_of_example(const BatchCtx& cx, int64_t example) {
  Tensors in;
  for (size_t i = 0; i < cx.inputs.size(); ++i) {
    in.push_back(cx.batched[i] ? select_row(cx.inputs[i], example, cx.where) : cx.inputs[i]);
  }
  return in;
}

Tensors per_example(const BatchCtx& cx, FunctionRef<Tensors(TensorSpan)> run, std::string_view who,
                    std::string_view reason) {
  const int64_t size = cx.size.value();
  if (size == 0) {
    fail(Code::kInvalid, who, "batch", "runs example by example (", reason,
         "), so a batch of 0 examples has no shape");
  }
  std::vector<Tensors> results;
  for (int64_t row = 0; row < size; ++row) {
    poll_interrupt();
    results.push_back(run(inputs_of_example(cx, row)));
  }
  Tensors out;
  for (size_t k = 0; k < results[0].size(); ++k) {
    std::vector<Tensor> rows;
    for (const Tensors& one : results) rows.push_back(one[k]);
    out.push_back(stack(rows, 0, cx.where));
  }
  return out;
}

Tensor BatchCtx::with_batch_axis(size_t input) const {
  if (batched[input]) return inputs[input];
  Shape shape{size};
  for (Dim dim : inputs[input].shape()) shape.push_back(dim);
  return broadcast_to(inputs[input], shape, where);
}

Types example_types(const BatchCtx& cx, size_t first) {
  Types out;
  for (size_t i = first; i < cx.inputs.size(); ++i) {
    out.push_back(cx.inputs[i].defined() ? cx.inputs[i].type() : Type());
    if (!cx.batched[i]) continue;
    WEFT_ASSERT(out.back().rank() > 0, "input ", i, " has no batch axis");
    out.back().shape.erase(0);
  }
  return out;
}

namespace {

Tensors run_rule(const OpDef& op, const void* attrs, const BatchCtx& cx) {
  switch (op.batch.kind) {
    case BatchKind::kBroadcasting: return broadcasting(op, attrs, cx);
    case BatchKind::kSameShape: return apply_all(op, with_batch_axes(cx), attrs, cx.where);
    case BatchKind::kShiftAxis: return shift_axis(op, attrs, cx);
    case BatchKind::kRule: return op.batch.fn(attrs, cx);
    case BatchKind::kPerExample: {
      const auto run = [&](TensorSpan in) { return apply_all(op, in, attrs, cx.where); };
      return per_example(cx, run, op.name, op.batch.text);
    }
  }
  __builtin_unreachable();
}

}  // namespace

// Checks the op's laws on the types of one example before its batching rule runs, so the error is
// that of an unbatched call, and rules may rely on the laws. Elementwise ops, which are many and
// small, skip this: running them on the batch checks the same laws. Only if that fails are the laws
// checked on one example, for the shapes in the message.
Tensors call_batch(const OpDef& op, const void* attrs, const BatchCtx& cx) {
  const bool is_elementwise =
      (op.kernel.kind == KernelKind::kElementwise || op.kernel.kind == KernelKind::kVjp) &&
      (op.batch.kind == BatchKind::kBroadcasting || op.batch.kind == BatchKind::kSameShape);
  if (!is_elementwise) {
    check_laws(op, attrs, example_types(cx));
    return run_rule(op, attrs, cx);
  }
  try {
    return run_rule(op, attrs, cx);
  } catch (const Error&) {
    check_laws(op, attrs, example_types(cx));
    throw;
  }
}

}  // namespace weft
