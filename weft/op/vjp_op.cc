// Makes and keeps the derived backward ops.
#include "weft/op/vjp_op.h"

#include <bit>
#include <charconv>
#include <map>
#include <memory>
#include <mutex>

#include "weft/base/mutex.h"
#include "weft/op/builtin.h"
#include "weft/op/registry.h"

namespace weft {
namespace {

// Keeps the strings that the OpDef's views point to.
struct Derived {
  std::string name, doc;
  std::unique_ptr<OpDef> op;
};

Types vjp_types_of(int outputs, TypeSpan in) {
  Types out;
  for (int i = 0; i < outputs; ++i) out.push_back(in[0]);
  return out;
}

template <int Outputs>
Types infer_vjp(const void*, const InferCtx&, TypeSpan in) {
  return vjp_types_of(Outputs, in);
}
constexpr InferRule kInferVjp[] = {{infer_vjp<0>}, {infer_vjp<1>}, {infer_vjp<2>}, {infer_vjp<3>}};

std::unique_ptr<Derived> make_derived(const OpDef& of, uint32_t wanted) {
  auto out = std::make_unique<Derived>();
  out->name = text(entry_of(of).qualified_name(), ".vjp", wanted);
  out->doc = text("The cotangents of ", of.name, ", in one pass.");
  KernelRule kernel{.kind = KernelKind::kVjp};
  kernel.vjp_of = &of;
  kernel.vjp_wanted = wanted;
  out->op.reset(new OpDef{
      .name = out->name,
      .doc = out->doc,
      .inputs = {"g: any"},
      .outputs = {"out: any"},
      .infer = kInferVjp[std::popcount(wanted)],
      .grad = GradRule(GradKind::kComposed),
      .batch = batch::same_shape(),
      .kernel = kernel,
  });
  const OpEntry& base = entry_of(of);
  const uint32_t reads = partial_reads(of, wanted);
  const ArgSpec like = {"g", "any", base.inputs[0].dtypes, 0, false, false, {}};
  std::vector<ArgSpec> inputs(1 + static_cast<size_t>(std::popcount(reads)), like);
  adopt_entry(*out->op, inputs.data(), inputs.size());
  return out;
}

struct DerivedOps {
  Mutex mutex;
  std::map<std::pair<const OpDef*, uint32_t>, std::unique_ptr<Derived>> ops;
};
DerivedOps& derived_ops() {
  static auto* const all = new DerivedOps;
  return *all;
}

}  // namespace

const OpDef& vjp_op(const OpDef& of, uint32_t wanted) {
  DerivedOps& all = derived_ops();
  std::lock_guard lock(all.mutex);
  std::unique_ptr<Derived>& slot = all.ops[{&of, wanted}];
  if (slot == nullptr) slot = make_derived(of, wanted);
  return *slot->op;
}

const OpDef* vjp_op_named(std::string_view name) {
  const size_t dot = name.rfind(".vjp");
  if (dot == std::string_view::npos) return nullptr;
  const std::string_view digits = name.substr(dot + 4);
  uint32_t wanted = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), wanted);
  if (error != std::errc() || end != digits.data() + digits.size()) return nullptr;
  const OpEntry* const of = find_op(name.substr(0, dot));
  const bool has_it = of != nullptr && of->op != nullptr && wanted > 0 &&
                      of->op->grad.kind == GradKind::kPartials &&
                      wanted < 1u << of->op->grad.partials;
  return has_it ? &vjp_op(*of->op, wanted) : nullptr;
}

void for_each_vjp_op(FunctionRef<void(const OpDef&)> f) {
  DerivedOps& all = derived_ops();
  std::lock_guard lock(all.mutex);
  for (const auto& [key, derived] : all.ops) f(*derived->op);
}

Tensors composed_formula(const OpDef& op, TensorSpan in, const void* attrs, Where where) {
  if (op.grad.vjp) return op.grad.vjp(attrs, GradCtx{in, {}, {}, where}, {});
  const OpDef& of = *op.kernel.vjp_of;
  const uint32_t wanted = op.kernel.vjp_wanted, reads = partial_reads(of, wanted);
  Tensor values[GradRule::kMaxPartials + 1];
  size_t next = 1;
  for (size_t i = 0; i <= static_cast<size_t>(of.grad.partials); ++i) {
    if (reads >> i & 1) values[i] = in[next++];
  }
  Tensors out;
  for (size_t i = 0; i < static_cast<size_t>(of.grad.partials); ++i) {
    if (!(wanted >> i & 1)) continue;
    const Tensor partial = of.grad.partial_tensor[i](values);
    const Tensor factor = is_complex(in[0].dtype()) ? conj(partial, where) : partial;
    out.push_back(chained(of.grad, factor, in[0], where));
  }
  return out;
}

}  // namespace weft
