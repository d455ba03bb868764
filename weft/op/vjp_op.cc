// Makes and keeps the derived backward ops.
#include "weft/op/vjp_op.h"

#include <bit>
#include <map>
#include <memory>
#include <mutex>

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

std::unique_ptr<Derived> derive(const OpDef& of, uint32_t wanted) {
  auto out = std::make_unique<Derived>();
  out->name = text(of.name, ".vjp", wanted);
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
      .batch = batch::broadcasting(),
      .kernel = kernel,
  });
  const OpEntry& base = entry_of(of);
  const uint32_t reads = partial_reads(of, wanted);
  const ArgSpec like = {"g", "any", base.inputs[0].dtypes, 0, false, false, {}};
  std::vector<ArgSpec> inputs(1 + static_cast<size_t>(std::popcount(reads)), like);
  adopt_entry(*out->op, inputs.data(), inputs.size());
  return out;
}

}  // namespace

const OpDef& vjp_op(const OpDef& of, uint32_t wanted) {
  static std::mutex mutex;
  static auto* const derived =
      new std::map<std::pair<const OpDef*, uint32_t>, std::unique_ptr<Derived>>;
  std::lock_guard lock(mutex);
  std::unique_ptr<Derived>& slot = (*derived)[{&of, wanted}];
  if (slot == nullptr) slot = derive(of, wanted);
  return *slot->op;
}

}  // namespace weft
