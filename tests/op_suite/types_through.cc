// A level whose values are types.
#include "tests/op_suite/types_through.h"

#include "tests/op_suite/arrays.h"
#include "weft/op/apply.h"
#include "weft/op/levels.h"

namespace weft::suite {
namespace {

// A value as a composite sees it while only types are known: no memory to look into.
struct TypeNode : Tracer {
  Shape shape;
  TypeNode(uint32_t level, const Type& type);
};

const TracerType kTyped{"typed", [](Tracer* t) noexcept { delete static_cast<TypeNode*>(t); },
                        [](const Tracer*) -> const TensorNode* { return nullptr; },
                        [](const Tracer*) -> std::string { return "a type of the op suite"; }};

TypeNode::TypeNode(uint32_t at, const Type& type) : Tracer(&kTyped), shape(type.shape) {
  level = at;
  dtype = type.dtype;
  rank = static_cast<uint8_t>(type.rank());
  dims = shape.data();
}

class TypeLevel : public Level {
 public:
  TypeLevel() : Level(next_level_id(false)) {}
  Tensor wrap(const Type& type) const { return Tensor::adopt(new TypeNode(id, type)); }
  Tensors interpret(const OpDef& op, TensorSpan in, const void* attrs, Where) override {
    Types types;
    for (const Tensor& t : in) types.push_back(t.type());
    Tensors out;
    for (const Type& type : infer_types(op, types, attrs)) out.push_back(wrap(type));
    return out;
  }
};

}  // namespace

Types types_through(const OpEntry& entry, TypeSpan in, const void* attrs) {
  if (entry.op != nullptr) return infer_types(*entry.op, in, attrs);
  TypeLevel level;
  const LevelScope scope(level, /*takes_all=*/true);
  Tensors values;
  for (const Type& type : in) values.push_back(level.wrap(type));
  Types out;
  for (const Tensor& t : run(entry, values, attrs)) out.push_back(t.type());
  return out;
}

}  // namespace weft::suite
