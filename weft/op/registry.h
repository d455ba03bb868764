// The registry: every op by name, with its signature parsed.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "weft/op/op.h"

namespace weft {

// A set of dtypes, a bit each.
using DTypeSet = uint32_t;
constexpr DTypeSet bit(DType dtype) { return 1u << static_cast<unsigned>(dtype); }
constexpr bool contains(DTypeSet set, DType dtype) { return (set & bit(dtype)) != 0; }

// One input or output of a signature, parsed from "b: like a". The door fills an input that may be
// left out as "max?=inf: like x" with that number, where infinities stand for the ends of the
// dtype.
struct ArgSpec {
  std::string_view name;
  std::string_view class_name;  // "floating", or "like a"
  DTypeSet dtypes = 0;
  int group = -1;  // inputs of one group are promoted together
  bool optional = false;
  bool variadic = false;
  std::optional<double> otherwise;  // what the door fills in where it is left out
};

// An op or a composite, as callers see it.
struct OpEntry {
  const OpDef* op = nullptr;
  const CompositeDef* composite = nullptr;
  std::string_view name, module, doc;
  const AttrsType* attrs = nullptr;
  std::vector<ArgSpec> inputs, outputs;
  int min_inputs = 0;
  int max_inputs = 0;  // INT_MAX if variadic
  Laws laws;
  KnownAs known_as;

  // "nn.layer_norm", or the bare name at top level.
  std::string qualified_name() const;
};

// The ops of one folder: `ops/math/index.cc` has one line per op.
struct Family {
  std::string_view name;
  std::span<const OpDef* const> ops;
  std::span<const CompositeDef* const> composites;
};

// The families of the library itself, in the order of the docs (defined by ops/).
std::span<const Family* const> builtin_families();

// Adds a family of a user's library. Names must be new; ops stay registered for the life of the
// process.
void register_family(const Family& family);

// Makes ops known by name that only graphs have: find_op finds them, and they are no functions that
// people call.
void register_graph_ops(std::span<const OpDef* const> ops);

// All entries; the built-in ones come first. Entries stay where they are.
std::vector<const OpEntry*> registered_ops();
const OpEntry* find_op(std::string_view qualified_name);  // null if there is none
const OpEntry& entry_of(const OpDef& op);
// Gives a derived op (exp.vjp) an entry of its own without listing it.
void adopt_entry(const OpDef& op, const ArgSpec* inputs, size_t count);

// Which of (inputs..., output) the partials of the wanted inputs read.
uint32_t partial_reads(const OpDef& op, uint32_t wanted);

}  // namespace weft
