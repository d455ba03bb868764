// Checks laws by shape inference, with the sizes of the traced call substituted for symbols.
#include "weft/op/check_laws.h"

#include <algorithm>

#include "weft/op/attrs_visit.h"

namespace weft {
namespace {

// Thrown when inference needs the value of a symbol that has none: the law cannot be checked yet.
struct NeedsSize {};

// For symbols without a size in the traced call: assumes equality, and records no assumptions.
class AnySize : public DimOracle {
 public:
  int64_t value_of(Dim) override { throw NeedsSize{}; }
  Tri is_same(Dim, Dim) override { return Tri::kYes; }
  std::optional<int64_t> hint(Dim) override { return {}; }
  Tri is_less(Dim, Dim) override { return Tri::kUnknown; }
};

Dim as_called(Dim dim) {
  const std::optional<int64_t> size = dim.is_known() ? std::nullopt : hinted_value(dim);
  return size ? Dim(*size) : dim;
}

// User code may catch the error of an op. Then the rest of the trace holds only for the sizes that
// caused the error, and must assume them. Inference on symbols asks for these sizes; if it does
// not, all sizes are assumed.
void assume_what_failed(const OpDef& op, const void* attrs, TypeSpan types) {
  try {
    op.infer(attrs, InferCtx{op.name}, types);
  } catch (const Error&) {
    return;
  }
  for (const Type& type : types) {
    for (const Dim dim : type.shape) decided_value(dim);
  }
}

void check_symbolic(const OpDef& op, const void* attrs, TypeSpan types) {
  Types called(types.begin(), types.end());
  for (Type& type : called) {
    for (Dim& dim : type.shape) dim = as_called(dim);
  }
  AnyAttrs sizes(op.attrs, attrs);
  for (const FieldInfo& field : op.attrs->fields) {
    if (field.type != FieldType::kShape) continue;
    for (Dim& dim : *static_cast<Shape*>(field.in(sizes.data()))) dim = as_called(dim);
  }
  try {
    AnySize any;
    const DimOracleIs oracle(&any);
    op.infer(sizes.data(), InferCtx{op.name}, called);
  } catch (const NeedsSize&) {
    return;
  } catch (...) {
    assume_what_failed(op, attrs, types);
    throw;
  }
}

}  // namespace

bool has_symbols(TypeSpan types) {
  return std::any_of(types.begin(), types.end(), [](const Type& type) {
    return std::any_of(type.shape.begin(), type.shape.end(),
                       [](Dim dim) { return !dim.is_known(); });
  });
}

void check_laws(const OpDef& op, const void* attrs, TypeSpan types) {
  if (has_symbols(types) || has_symbols(*op.attrs, attrs)) [[unlikely]] {
    check_symbolic(op, attrs, types);
  } else {
    op.infer(attrs, InferCtx{op.name}, types);
  }
}

}  // namespace weft
