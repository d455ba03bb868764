// The kernels an op needs: elementwise, casts, fills, rows, reductions, scans, updates and backward
// kernels.
#include "weft/codegen/op_kernels.h"

#include <bit>

#include "weft/base/error.h"
#include "weft/codegen/row_plan.h"
#include "weft/op/kernel_key.h"
#include "weft/op/scan_order.h"

namespace weft::codegen {
namespace {

// Input `index` as the meaning sees it: 16-bit floats compute in f32.
Expr argument(uint32_t index, DType dtype) {
  return cast(Expr::input(index, dtype), compute_of(dtype));
}

std::vector<DType> dtypes_in(DTypeSet set) {
  std::vector<DType> out;
  for (int d = 0; d < kNumDTypes; ++d) {
    if (contains(set, static_cast<DType>(d))) out.push_back(static_cast<DType>(d));
  }
  return out;
}

// Every combination of dtypes the inputs can have together.
std::vector<std::vector<DType>> signatures(const OpEntry& op, size_t arity) {
  std::vector<std::vector<DType>> out{{}};
  for (size_t i = 0; i < arity; ++i) {
    const ArgSpec& arg = op.inputs[i];
    const bool follows = arg.group >= 0 && arg.group < static_cast<int>(i);
    std::vector<std::vector<DType>> longer;
    for (const std::vector<DType>& before : out) {
      const std::vector<DType> choices =
          follows ? std::vector{before[static_cast<size_t>(arg.group)]} : dtypes_in(arg.dtypes);
      for (const DType dtype : choices) {
        longer.push_back(before);
        longer.back().push_back(dtype);
      }
    }
    out = std::move(longer);
  }
  return out;
}

// The dtype output k is stored in: what the signature says, else what inference says.
DType output_dtype(const OpEntry& op, size_t k, const std::vector<DType>& inputs, Expr result) {
  const ArgSpec& arg = op.outputs[k];
  if (arg.group >= 0 && arg.group < static_cast<int>(inputs.size())) {
    return inputs[static_cast<size_t>(arg.group)];
  }
  if (std::popcount(arg.dtypes) == 1) return dtypes_in(arg.dtypes)[0];
  try {
    Types types;
    for (const DType dtype : inputs) types.push_back({dtype, {}});
    const AnyAttrs attrs(op.attrs);
    return op.op->infer(attrs.data(), InferCtx{op.name}, types)[k].dtype;
  } catch (const Error&) {
    return result.dtype();
  }
}

Expr meaning_of(const KernelRule& rule, const std::vector<DType>& dtypes) {
  switch (rule.arity) {
    case 1: return rule.unary(argument(0, dtypes[0]));
    case 2: return rule.binary(argument(0, dtypes[0]), argument(1, dtypes[1]));
    default:
      return rule.ternary(argument(0, dtypes[0]), argument(1, dtypes[1]), argument(2, dtypes[2]));
  }
}

std::vector<Operand> operands(const std::vector<DType>& dtypes, std::string_view variant) {
  std::vector<Operand> out;
  for (size_t i = 0; i < dtypes.size(); ++i) out.push_back({dtypes[i], variant[i] == 's'});
  return out;
}

constexpr std::string_view kUnary[] = {"c"};
constexpr std::string_view kBinary[] = {"cc", "cs", "sc"};
constexpr std::string_view kTernary[] = {"ccc", "ccs", "csc", "css"};

std::span<const std::string_view> variants(int arity) {
  if (arity == 1) return kUnary;
  if (arity == 2) return kBinary;
  return kTernary;
}

void add_elementwise(const OpEntry& op, std::vector<KernelSpec>& out) {
  const KernelRule& rule = op.op->kernel;
  for (const std::vector<DType>& dtypes : signatures(op, static_cast<size_t>(rule.arity))) {
    const Expr result = meaning_of(rule, dtypes);
    const Expr stored = cast(result, output_dtype(op, 0, dtypes, result));
    for (const std::string_view variant : variants(rule.arity)) {
      out.push_back({.key = kernel_key(op, dtypes, variant),
                     .shape = LoopShape::kMap,
                     .inputs = operands(dtypes, variant),
                     .outputs = {stored},
                     .reduce = {}});
    }
  }
}

// Complex to real drops the imaginary part; to bool is != 0.
Expr converted(Expr x, DType to) {
  if (is_complex(x.dtype()) && !is_complex(to) && to != DType::kBool) return cast(real(x), to);
  return cast(x, to);
}

void add_casts(const OpEntry& op, std::vector<KernelSpec>& out) {
  for (const DType from : dtypes_in(op.inputs[0].dtypes)) {
    for (const DType to : dtypes_in(op.outputs[0].dtypes)) {
      if (from == to) continue;
      out.push_back({.key = cast_key(op, from, to, "c"),
                     .shape = LoopShape::kMap,
                     .inputs = {{from}},
                     .outputs = {converted(argument(0, from), to)},
                     .reduce = {}});
    }
  }
}

// The key's dtype is that of the output; inputs that may have several dtypes have it too.
void add_fills(const OpEntry& op, std::vector<KernelSpec>& out) {
  const KernelRule& rule = op.op->kernel;
  for (const DType dtype : dtypes_in(op.outputs[0].dtypes)) {
    KernelSpec spec{.key = {}, .shape = LoopShape::kMap, .inputs = {}, .outputs = {}, .reduce = {}};
    std::vector<Expr> in;
    for (uint32_t i = 0; i < static_cast<uint32_t>(rule.arity); ++i) {
      const DTypeSet set = op.inputs[i].dtypes;
      spec.inputs.push_back({std::popcount(set) == 1 ? dtypes_in(set)[0] : dtype, true});
      in.push_back(argument(i, spec.inputs.back().dtype));
    }
    spec.key = text(op.qualified_name(), '/', short_name_of(dtype), '/',
                    std::string(static_cast<size_t>(rule.arity), 's'));
    spec.outputs = {cast(rule.fill(in.data(), dtype), dtype)};
    out.push_back(std::move(spec));
  }
}

// A second kernel for results that are too large for the caches: f32 alone, to keep the library
// small. Totals stay where they are.
void add_past_caches(const OpEntry& op, const KernelSpec& row, const std::vector<DType>& dtypes,
                     std::vector<KernelSpec>& out) {
  KernelSpec spec = row;
  spec.key = kernel_key(op, dtypes, "row_past");
  for (size_t k = 0; k < spec.outputs.size(); ++k) {
    const Expr result = spec.outputs[k];
    const bool kept = (op.op->kernel.row_totals >> k & 1) != 0 || is_row_value(result, spec);
    if (result.dtype() == DType::kF32 && !kept) spec.past_caches |= 1u << k;
  }
  if (spec.past_caches != 0) out.push_back(std::move(spec));
}

// A row kernel's operands are all contiguous; outputs are stored in the dtype the signature says.
// An output that is summed over the rows reads what it was: one more input each, in the dtype it is
// computed in, and the driver gives all rows of a block the same memory for both.
void add_rows(const OpEntry& op, std::vector<KernelSpec>& out) {
  const KernelRule& rule = op.op->kernel;
  for (const std::vector<DType>& dtypes : signatures(op, static_cast<size_t>(rule.arity))) {
    KernelSpec spec{.key = kernel_key(op, dtypes, "row"),
                    .shape = LoopShape::kRow,
                    .inputs = {},
                    .outputs = std::vector<Expr>(static_cast<size_t>(rule.row_outputs), Expr(0.0)),
                    .reduce = {}};
    std::vector<Expr> in;
    for (uint32_t i = 0; i < dtypes.size(); ++i) {
      spec.inputs.push_back({dtypes[i], (rule.row_scalars >> i & 1) != 0});
      in.push_back(argument(i, dtypes[i]));
    }
    rule.row(in.data(), spec.outputs.data());
    for (size_t k = 0; k < spec.outputs.size(); ++k) {
      if (rule.row_totals >> k & 1) {
        const auto next = static_cast<uint32_t>(spec.inputs.size());
        const DType dtype = spec.outputs[k].dtype();
        spec.inputs.push_back({dtype});
        spec.outputs[k] = Expr::input(next, dtype) + spec.outputs[k];
        continue;
      }
      const size_t named = std::min(k, op.outputs.size() - 1);
      spec.outputs[k] = cast(spec.outputs[k], output_dtype(op, named, dtypes, spec.outputs[k]));
    }
    add_past_caches(op, spec, dtypes, out);
    out.push_back(std::move(spec));
  }
}

// All operands of an update have one dtype, and lie alike.
void add_updates(const OpEntry& op, std::vector<KernelSpec>& out) {
  const KernelRule& rule = op.op->kernel;
  for (const DType dtype : dtypes_in(op.inputs[0].dtypes)) {
    KernelSpec spec{.key = kernel_key(op, {&dtype, 1}, "update"),
                    .shape = LoopShape::kMap,
                    .inputs = {},
                    .outputs = std::vector<Expr>(static_cast<size_t>(rule.row_outputs), Expr(0.0)),
                    .reduce = {}};
    std::vector<Expr> in;
    for (uint32_t i = 0; i < static_cast<uint32_t>(rule.arity); ++i) {
      spec.inputs.push_back({dtype, i < rule.row_scalars});
      in.push_back(argument(i, dtype));
    }
    rule.row(in.data(), spec.outputs.data());
    for (Expr& result : spec.outputs) result = cast(result, dtype);
    out.push_back(std::move(spec));
  }
}

ReduceSpec reduce_spec(const Reduction& rule, DType dtype) {
  Expr state[Reduction::kMaxStates] = {0.0, 0.0};
  Expr a[Reduction::kMaxStates] = {0.0, 0.0}, b[Reduction::kMaxStates] = {0.0, 0.0};
  const auto count = static_cast<size_t>(rule.states);
  const DType compute = compute_of(dtype);
  ReduceSpec spec;
  rule.identity(compute, state);
  for (size_t k = 0; k < count; ++k) {
    spec.identity.push_back(state[k]);
    a[k] = Expr::input(static_cast<uint32_t>(k), state[k].dtype());
    b[k] = Expr::input(static_cast<uint32_t>(count + k), state[k].dtype());
  }
  rule.map(argument(0, dtype), cast(Expr::position(), DType::kI64), state);
  spec.map.assign(state, state + count);
  rule.combine(a, b, state);
  spec.combine.assign(state, state + count);
  for (size_t k = 0; k < count; ++k) {
    const DType kept = spec.identity[k].dtype();
    spec.map[k] = cast(spec.map[k], kept);
    spec.combine[k] = cast(spec.combine[k], kept);
  }
  return spec;
}

void add_reductions(const OpEntry& op, std::vector<KernelSpec>& out) {
  for (const std::vector<DType>& dtypes : signatures(op, 1)) {
    const ReduceSpec spec = reduce_spec(op.op->kernel.reduction, dtypes[0]);
    const auto add = [&](std::string_view variant, LoopShape shape) {
      out.push_back({.key = kernel_key(op, dtypes, variant),
                     .shape = shape,
                     .inputs = {{dtypes[0]}},
                     .outputs = {},
                     .reduce = spec});
    };
    add("row", LoopShape::kRowReduce);
    add("column", LoopShape::kColumnReduce);
    add("combine", LoopShape::kCombineRow);
  }
}

// A map over contiguous operands.
KernelSpec map_spec(std::string key, std::vector<Operand> inputs, std::vector<Expr> outputs) {
  return {.key = std::move(key),
          .shape = LoopShape::kMap,
          .inputs = std::move(inputs),
          .outputs = std::move(outputs),
          .reduce = {}};
}

// Totals have the dtype scan_total_of(output), and are rounded to the output's when stored. "scan"
// stores results, "totals" stores the totals; "step" is one step of a row of neighbouring scans. A
// scan in blocks has further maps: "offset" combines a block's offset with its totals,
// "offset_step" is "step" followed by "offset", and "carry" computes the next block's offset.
void add_scans(const OpEntry& op, std::vector<KernelSpec>& out) {
  const KernelRule& rule = op.op->kernel;
  for (const std::vector<DType>& dtypes : signatures(op, 1)) {
    const DType stored = output_dtype(op, 0, dtypes, argument(0, dtypes[0]));
    const DType total = scan_total_of(stored);
    const Expr a = Expr::input(0, total), b = Expr::input(1, total);
    const auto key = [&](std::string_view variant) { return kernel_key(op, dtypes, variant); };
    const auto element = [&](uint32_t input) { return cast(argument(input, dtypes[0]), total); };
    const auto add_scan = [&](std::string_view variant, Expr result) {
      out.push_back(
          {.key = key(variant),
           .shape = LoopShape::kScan,
           .inputs = {{dtypes[0]}},
           .outputs = {result},
           .reduce = {{element(0)}, {rule.combine(a, b)}, {Expr::constant(total, rule.identity)}}});
    };
    add_scan("scan", cast(a, stored));
    const Expr next = rule.combine(a, element(1));
    out.push_back(map_spec(key("step"), {{total}, {dtypes[0]}}, {cast(next, stored), next}));
    if (!scans_in_blocks(rule)) continue;
    if (total != stored) add_scan("totals", a);
    out.push_back(
        map_spec(key("offset"), {{total, true}, {total}}, {cast(rule.combine(a, b), stored)}));
    out.push_back(map_spec(key("carry"), {{total}, {total}}, {rule.combine(a, b)}));
    const Expr with_offset = rule.combine(Expr::input(2, total), next);
    out.push_back(map_spec(key("offset_step"), {{total}, {dtypes[0]}, {total}},
                           {cast(with_offset, stored), next}));
  }
}

// What `chained` computes: 0 where the cotangent is, or where a partial that selects is.
Expr pulled_back(const GradRule& rule, const Expr& g, const Expr& partial) {
  const Expr product = g * (is_complex(g.dtype()) ? conj(partial) : partial);
  const Expr& decides = rule.selects ? partial : g;
  return where(decides == Expr::constant(decides.dtype(), 0), Expr::constant(product.dtype(), 0),
               product);
}

// Backward kernels: cotangent i = g * conj(partial i).
void add_vjp(const OpEntry& op, DType dtype, uint32_t wanted, std::vector<KernelSpec>& out) {
  const GradRule& rule = op.op->grad;
  const uint32_t reads = partial_reads(*op.op, wanted);
  KernelSpec spec{.key = vjp_key(op, dtype, wanted),
                  .shape = LoopShape::kMap,
                  .inputs = {{dtype}},
                  .outputs = {},
                  .reduce = {}};
  std::vector<Expr> values;
  uint32_t next = 1;
  for (int i = 0; i <= rule.partials; ++i) {
    const bool read = reads >> i & 1;
    values.push_back(argument(read ? next++ : 0, dtype));
    if (read) spec.inputs.push_back({dtype});
  }
  const Expr g = argument(0, dtype);
  for (int i = 0; i < rule.partials; ++i) {
    if (!(wanted >> i & 1)) continue;
    const Expr partial = rule.partial_expr[static_cast<size_t>(i)](values.data());
    spec.outputs.push_back(cast(pulled_back(rule, g, partial), dtype));
  }
  out.push_back(std::move(spec));
}

void add_backward(const OpEntry& op, std::vector<KernelSpec>& out) {
  if (op.op->grad.kind != GradKind::kPartials || op.op->kernel.kind != KernelKind::kElementwise)
    return;
  uint32_t differentiable = 0;
  for (int i = 0; i < op.op->grad.partials; ++i) {
    if (no_gradient_reason(*op.op, static_cast<size_t>(i)).empty()) differentiable |= 1u << i;
  }
  for (const DType dtype : dtypes_in(op.inputs[0].dtypes)) {
    if (!is_floating(dtype) && !is_complex(dtype)) continue;
    for (uint32_t wanted = 1; wanted <= differentiable; ++wanted) {
      if ((wanted & ~differentiable) == 0) add_vjp(op, dtype, wanted, out);
    }
  }
}

}  // namespace

std::vector<KernelSpec> kernels_of(const OpEntry& op) {
  std::vector<KernelSpec> out;
  if (op.op == nullptr) return out;
  switch (op.op->kernel.kind) {
    case KernelKind::kElementwise: add_elementwise(op, out); break;
    case KernelKind::kCast: add_casts(op, out); break;
    case KernelKind::kFill: add_fills(op, out); break;
    case KernelKind::kRow: add_rows(op, out); break;
    case KernelKind::kReduction: add_reductions(op, out); break;
    case KernelKind::kScan: add_scans(op, out); break;
    case KernelKind::kUpdate: add_updates(op, out); break;
    default: break;
  }
  add_backward(op, out);
  return out;
}

}  // namespace weft::codegen
