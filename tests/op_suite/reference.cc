// References from the meaning of an op: elementwise, casts, reductions, rows and scans, by the
// interpreter.
#include "tests/op_suite/reference.h"

#include <algorithm>
#include <cmath>

#include "weft/op/apply.h"

namespace weft::suite {
namespace {

// The type an op infers, as an empty array.
Arrays empty_outputs(const OpDef& op, const Arrays& in, const AnyAttrs& attrs) {
  Types types;
  for (const Array& a : in) types.push_back({a.dtype, Shape(a.shape.begin(), a.shape.end())});
  Arrays out;
  for (const Type& type : infer_types(op, types, attrs.data())) {
    Array array{type.dtype, {}, {}};
    for (Dim dim : type.shape) array.shape.push_back(dim.value());
    array.values.resize(static_cast<size_t>(count(array.shape)));
    out.push_back(std::move(array));
  }
  return out;
}

// The element of `x` that lands at `index` of the broadcast result.
const ScalarValue& broadcast_at(const Array& x, const std::vector<int64_t>& index) {
  int64_t position = 0;
  const size_t skipped = index.size() - x.shape.size();
  for (size_t k = 0; k < x.shape.size(); ++k) {
    position = position * x.shape[k] + (x.shape[k] == 1 ? 0 : index[k + skipped]);
  }
  return x.values[static_cast<size_t>(position)];
}

ScalarValue interpret_at(Expr root, std::vector<ScalarValue> values, uint64_t position = 0) {
  InterpretInputs inputs;
  inputs.values = values;
  inputs.position = position;
  return interpret(root, inputs);
}

// Inputs arrive in the dtype arithmetic runs in; the result is rounded to the dtype it is stored
// in.
Expr input_expr(size_t i, DType dtype) {
  return Expr::input(static_cast<uint32_t>(i), compute_of(dtype));
}

ScalarValue stored(const ScalarValue& value, DType dtype) {
  if (!is_floating(dtype)) return value;
  return value_of(dtype, static_cast<double>(value.re));
}

Expr meaning_of(const KernelRule& kernel, const Arrays& in) {
  switch (kernel.arity) {
    case 1: return kernel.unary(input_expr(0, in[0].dtype));
    case 2: return kernel.binary(input_expr(0, in[0].dtype), input_expr(1, in[1].dtype));
    default:
      return kernel.ternary(input_expr(0, in[0].dtype), input_expr(1, in[1].dtype),
                            input_expr(2, in[2].dtype));
  }
}

Arrays elementwise(Expr root, const Arrays& in, Arrays out) {
  for (size_t i = 0; i < out[0].values.size(); ++i) {
    const std::vector<int64_t> index = unravel(static_cast<int64_t>(i), out[0].shape);
    std::vector<ScalarValue> values;
    for (const Array& x : in) values.push_back(broadcast_at(x, index));
    out[0].values[i] = stored(interpret_at(root, values), out[0].dtype);
  }
  return out;
}

std::vector<int64_t> axes_of(const AnyAttrs& attrs, int64_t rank) {
  const FieldInfo* const field = attrs.type().find("axis");
  std::vector<int64_t> out;
  const auto add = [&](int64_t axis) { out.push_back(normalized(axis, rank)); };
  if (field != nullptr && field->type == FieldType::kInt)
    add(*static_cast<const int64_t*>(field->in(attrs.data())));
  if (field != nullptr && field->type == FieldType::kOptionalInt) {
    const auto& axis = *static_cast<const std::optional<int64_t>*>(field->in(attrs.data()));
    if (axis) add(*axis);
  }
  if (field != nullptr && field->type == FieldType::kOptionalInts) {
    const auto& axes = *static_cast<const std::optional<Ints>*>(field->in(attrs.data()));
    if (axes) {
      for (int64_t axis : *axes) add(axis);
      if (axes->empty()) return out;
    }
  }
  if (out.empty()) {
    for (int64_t i = 0; i < rank; ++i) out.push_back(i);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Groups the positions of x by the index left when `axes` are taken out; each group in row-major
// order.
std::vector<std::vector<size_t>> groups_of(const Array& x, const std::vector<int64_t>& axes) {
  std::vector<int64_t> kept_shape = x.shape;
  for (int64_t axis : axes) kept_shape[static_cast<size_t>(axis)] = 1;
  std::vector<std::vector<size_t>> out(static_cast<size_t>(count(kept_shape)));
  for (size_t i = 0; i < x.values.size(); ++i) {
    std::vector<int64_t> index = unravel(static_cast<int64_t>(i), x.shape);
    for (int64_t axis : axes) index[static_cast<size_t>(axis)] = 0;
    out[static_cast<size_t>(ravel(index, kept_shape))].push_back(i);
  }
  return out;
}

// Combines one after the other: another order than the kernels', so tolerances apply.
Arrays reduction(const Reduction& r, const Arrays& in, const AnyAttrs& attrs, Arrays out) {
  const Array& x = in[0];
  const DType compute = compute_of(x.dtype);
  Expr mapped[2] = {0.0, 0.0}, combined[2] = {0.0, 0.0};
  r.map(Expr::input(0, compute), cast(Expr::position(), DType::kI64), mapped);
  Expr a[2] = {0.0, 0.0}, b[2] = {0.0, 0.0};
  for (int k = 0; k < r.states; ++k) {
    a[k] = Expr::input(static_cast<uint32_t>(k), mapped[k].dtype());
    b[k] = Expr::input(static_cast<uint32_t>(r.states + k), mapped[k].dtype());
  }
  r.combine(a, b, combined);
  const auto groups = groups_of(x, axes_of(attrs, static_cast<int64_t>(x.shape.size())));
  for (size_t g = 0; g < groups.size(); ++g) {
    std::vector<ScalarValue> state;
    for (size_t j = 0; j < groups[g].size(); ++j) {
      std::vector<ScalarValue> next;
      for (int k = 0; k < r.states; ++k)
        next.push_back(interpret_at(mapped[k], {x.values[groups[g][j]]}, j));
      if (j == 0) {
        state = next;
        continue;
      }
      std::vector<ScalarValue> both = state;
      both.insert(both.end(), next.begin(), next.end());
      for (int k = 0; k < r.states; ++k)
        state[static_cast<size_t>(k)] = interpret_at(combined[k], both);
    }
    out[0].values[g] = groups[g].empty()
                           ? value_of(out[0].dtype, r.empty)
                           : stored(state[static_cast<size_t>(r.result)], out[0].dtype);
  }
  return out;
}

// Where an output that is summed over rows takes up an element: axes of size 1 are summed over.
size_t total_index(std::vector<int64_t> index, const std::vector<int64_t>& shape) {
  for (size_t d = 0; d < index.size(); ++d) index[d] = shape[d] == 1 ? 0 : index[d];
  return static_cast<size_t>(ravel(index, shape));
}

// Inputs of lower rank (weights) are read along the row for every row.
Arrays rows(const KernelRule& kernel, const Arrays& in, const AnyAttrs& attrs, Arrays out) {
  std::vector<Expr> exprs, results(static_cast<size_t>(kernel.row_outputs), Expr(0.0));
  for (size_t i = 0; i < in.size(); ++i) exprs.push_back(input_expr(i, in[i].dtype));
  kernel.row(exprs.data(), results.data());
  const std::vector<int64_t> axes =
      attrs.type().find("axis") != nullptr
          ? axes_of(attrs, static_cast<int64_t>(in[0].shape.size()))
          : std::vector<int64_t>{static_cast<int64_t>(in[0].shape.size()) - 1};
  const std::vector<std::vector<size_t>> groups = groups_of(in[0], axes);
  for (size_t g = 0; g < groups.size(); ++g) {
    const std::vector<size_t>& group = groups[g];
    std::vector<std::vector<ScalarValue>> values(in.size());
    for (size_t i = 0; i < in.size(); ++i) {
      for (size_t position : group) {
        const auto index = unravel(static_cast<int64_t>(position), in[0].shape);
        values[i].push_back(broadcast_at(in[i], index));
      }
    }
    std::vector<std::span<const ScalarValue>> spans(values.begin(), values.end());
    InterpretInputs inputs;
    inputs.rows = spans;
    for (size_t k = 0; k < results.size(); ++k) {
      std::vector<ScalarValue> row(group.size());
      interpret_row(results[k], inputs, row);
      if (kernel.row_totals >> k & 1) {
        for (size_t j = 0; j < group.size(); ++j) {
          const auto index = unravel(static_cast<int64_t>(group[j]), in[0].shape);
          out[k].values[total_index(index, out[k].shape)].re += row[j].re;
        }
        continue;
      }
      if (out[k].shape != in[0].shape) {  // one value for the whole row
        if (!row.empty()) out[k].values[g] = stored(row[0], out[k].dtype);
        continue;
      }
      for (size_t j = 0; j < group.size(); ++j) {
        out[k].values[group[j]] = stored(row[j], out[k].dtype);
      }
    }
  }
  return out;
}

// Scalars, then lists of equally many tensors: each by itself.
Arrays update(const KernelRule& kernel, const Arrays& in, Arrays out) {
  const size_t scalars = kernel.row_scalars;
  const auto outputs = static_cast<size_t>(kernel.row_outputs);
  const size_t lists = static_cast<size_t>(kernel.arity) - scalars;
  const size_t tensors = (in.size() - scalars) / lists;
  std::vector<Expr> exprs, results(outputs, Expr(0.0));
  for (size_t i = 0; i < scalars + lists; ++i) exprs.push_back(input_expr(i, in[0].dtype));
  kernel.row(exprs.data(), results.data());
  for (size_t i = 0; i < tensors; ++i) {
    for (size_t j = 0; j < in[scalars + i].values.size(); ++j) {
      std::vector<ScalarValue> values;
      for (size_t k = 0; k < scalars; ++k) values.push_back(in[k].values[0]);
      for (size_t k = 0; k < lists; ++k) values.push_back(in[scalars + k * tensors + i].values[j]);
      for (size_t k = 0; k < outputs; ++k) {
        Array& result = out[k * tensors + i];
        result.values[j] = stored(interpret_at(results[k], values), result.dtype);
      }
    }
  }
  return out;
}

}  // namespace

std::optional<Arrays> reference_of(const OpTest& test, const OpEntry& entry, const Arrays& in,
                                   AnyAttrs& attrs) {
  if (test.reference_fn != nullptr) return test.reference_fn(Attrs(&attrs), in);
  if (entry.op == nullptr) return {};
  const KernelRule& kernel = entry.op->kernel;
  switch (kernel.kind) {
    case KernelKind::kElementwise:
      return elementwise(meaning_of(kernel, in), in, empty_outputs(*entry.op, in, attrs));
    case KernelKind::kCast: {
      Arrays out = empty_outputs(*entry.op, in, attrs);
      const Expr x = input_expr(0, in[0].dtype);
      const bool drops = !is_complex(out[0].dtype) && out[0].dtype != DType::kBool;
      return elementwise(cast(drops ? real(x) : x, compute_of(out[0].dtype)), in, out);
    }
    case KernelKind::kReduction:
      return reduction(kernel.reduction, in, attrs, empty_outputs(*entry.op, in, attrs));
    case KernelKind::kUpdate: return update(kernel, in, empty_outputs(*entry.op, in, attrs));
    case KernelKind::kRow: return rows(kernel, in, attrs, empty_outputs(*entry.op, in, attrs));
    default: return {};
  }
}

}  // namespace weft::suite
