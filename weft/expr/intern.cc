// The process-wide, thread-safe table of expression nodes and lookup tables.
#include "weft/expr/intern.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "weft/base/error.h"
#include "weft/base/mutex.h"

namespace weft::expr_internal {
namespace {

struct NodeHash {
  size_t operator()(const ExprNode* n) const {
    uint64_t h = static_cast<uint64_t>(n->op) | static_cast<uint64_t>(n->dtype) << 8 |
                 static_cast<uint64_t>(n->weak) << 16 | static_cast<uint64_t>(n->fn) << 24 |
                 static_cast<uint64_t>(n->reduce) << 32 | static_cast<uint64_t>(n->table) << 40;
    const auto mix = [&h](uint64_t v) {
      h = (h ^ v) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
    };
    mix(n->index);
    mix(n->constant);
    for (const ExprNode* arg : n->args) mix(reinterpret_cast<uintptr_t>(arg));
    return static_cast<size_t>(h);
  }
};

struct NodeEqual {
  bool operator()(const ExprNode* a, const ExprNode* b) const {
    return a->op == b->op && a->dtype == b->dtype && a->weak == b->weak && a->fn == b->fn &&
           a->reduce == b->reduce && a->table == b->table && a->index == b->index &&
           a->constant == b->constant && std::ranges::equal(a->args, b->args);
  }
};

struct Interned {
  Mutex mutex;
  std::deque<ExprNode> nodes;  // a deque never moves its elements
  std::unordered_set<const ExprNode*, NodeHash, NodeEqual> index;
  std::deque<std::vector<uint64_t>> tables;
};

// Never destroyed: handles may outlive every static destructor.
Interned& interned() {
  static Interned* const instance = new Interned;
  return *instance;
}

}  // namespace

ExprNode blank(ExprOp op, DType dtype) {
  ExprNode node{};
  node.op = op;
  node.dtype = dtype;
  return node;
}

Expr intern(const ExprNode& node) {
  Interned& all = interned();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.index.find(&node); found != all.index.end()) return Expr(*found);
  all.nodes.push_back(node);
  all.nodes.back().id = static_cast<uint32_t>(all.nodes.size() - 1);
  all.index.insert(&all.nodes.back());
  return Expr(&all.nodes.back());
}

uint16_t intern_table(std::span<const uint64_t> entries) {
  Interned& all = interned();
  const std::lock_guard lock(all.mutex);
  for (size_t i = 0; i < all.tables.size(); ++i) {
    if (std::ranges::equal(all.tables[i], entries)) return static_cast<uint16_t>(i);
  }
  if (all.tables.size() > 0xffff) {
    fail(Code::kOverflow, "lookup", "tables", "there are 65536 tables already; share some of them");
  }
  all.tables.emplace_back(entries.begin(), entries.end());
  return static_cast<uint16_t>(all.tables.size() - 1);
}

}  // namespace weft::expr_internal

namespace weft {

std::span<const uint64_t> table_of(uint16_t table) {
  auto& all = expr_internal::interned();
  const std::lock_guard lock(all.mutex);
  WEFT_ASSERT(table < all.tables.size(), "table ", table, " of ", all.tables.size());
  return all.tables[table];
}

}  // namespace weft
