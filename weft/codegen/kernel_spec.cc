// KernelSpec: names, expansion of Calls, and the order of nodes.
#include "weft/codegen/kernel_spec.h"

#include <algorithm>
#include <cstdio>
#include <unordered_set>

namespace weft::codegen {

std::string KernelSpec::symbol(std::string_view tier) const {
  std::string name = "weft_k_" + std::string(tier) + "_";
  for (const char c : key) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (c == '>')
      name += "_to_";
    else
      name += plain ? c : '_';
  }
  return name;
}

KernelSpec lowered(KernelSpec spec) {
  const auto expand = [](std::vector<Expr>& exprs) {
    for (Expr& e : exprs) e = expand_calls(e);
  };
  expand(spec.outputs);
  expand(spec.reduce.map);
  expand(spec.reduce.combine);
  expand(spec.reduce.identity);
  return spec;
}

std::vector<const ExprNode*> topological(const std::vector<Expr>& roots) {
  std::vector<const ExprNode*> order, open;
  std::unordered_set<const ExprNode*> seen;
  for (const Expr root : roots) open.push_back(root.node());
  while (!open.empty()) {
    const ExprNode* node = open.back();
    open.pop_back();
    if (!seen.insert(node).second) continue;
    order.push_back(node);
    for (int i = 0; i < node->arity; ++i) open.push_back(node->args[i]);
  }
  // Arguments are created before their users.
  std::sort(order.begin(), order.end(),
            [](const ExprNode* a, const ExprNode* b) { return a->id < b->id; });
  return order;
}

std::string table_name(uint16_t table) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const uint64_t entry : table_of(table)) {
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (entry >> 8 * byte & 255)) * 0x100000001b3u;
  }
  char name[40];
  std::snprintf(name, sizeof(name), "weft_table_%016llx", static_cast<unsigned long long>(hash));
  return name;
}

}  // namespace weft::codegen
