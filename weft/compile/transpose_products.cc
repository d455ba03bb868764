// transpose_products: the transpose of a product is the product of the transposes, which are views.
//
//   %m = matmul(%a, %b)                   ->   %t = permute_dims(%b) {axes=[1, 0]}
//   %y = permute_dims(%m) {axes=[1, 0]}        %u = permute_dims(%a) {axes=[1, 0]}
//                                              %y = matmul(%t, %u)
//
// Gradients of weights that a layer keeps transposed come out in the layout of the weight: an
// update reads them as they are. Each element sums the same products in the same order.
#include "weft/compile/passes.h"
#include "weft/compile/rewrite.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/shape/shape_ops.h"

namespace weft::compile {
namespace {

bool is_transpose(const ir::Node& node) {
  if (node.op != &kPermuteDims || !node.after.empty()) return false;
  AnyAttrs attrs(*node.attrs);
  const Ints& axes = attrs.get<Ints>("axes");
  return axes.size() == 2 && normalized(axes[0], 2) == 1 && normalized(axes[1], 2) == 0;
}

// The node whose product is transposed here, and read nowhere else.
const ir::Node* product_before(const Rewrite& out, const ir::Node& node,
                               const std::vector<uint32_t>& uses) {
  if (!is_transpose(node) || uses[node.inputs[0]] != 1) return nullptr;
  const ir::Node* const maker = out.maker_of(out.at(node.inputs[0]));
  if (maker == nullptr || maker->op != &kMatmul || !maker->after.empty()) return nullptr;
  for (const ir::ValueId input : maker->inputs) {
    const Type& type = out.graph().value(input).type;
    // Complex products add in an order.
    if (type.rank() != 2 || is_complex(type.dtype)) return nullptr;
  }
  return maker;
}

}  // namespace

FunctionPtr transpose_products(const ir::Function& function) {
  const std::vector<uint32_t> uses = uses_of(function);
  Rewrite out(function);
  for (ir::NodeId id = 0; id < function.graph.nodes().size(); ++id) {
    const ir::Node& node = function.graph.node(id);
    const ir::Node* const found = product_before(out, node, uses);
    if (found == nullptr) {
      out.copy(id);
      continue;
    }
    const ir::Node product = *found;  // adding nodes moves it
    ir::ValueIds in;
    for (const ir::ValueId factor : {product.inputs[1], product.inputs[0]}) {
      const Type& type = out.graph().value(factor).type;
      const Type turned{type.dtype, Shape{type.shape[1], type.shape[0]}};
      in.push_back(out.add(id, kPermuteDims, {factor}, node.attrs, turned));
    }
    out.put(id, kMatmul, in, product.attrs);
  }
  return out.finish();
}

}  // namespace weft::compile
