// The registry: parses signatures, finds ops by name.
#include "weft/op/registry.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cmath>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "weft/base/error.h"
#include "weft/base/mutex.h"

namespace weft {
namespace {

constexpr DTypeSet kBoolean = bit(DType::kBool);
constexpr DTypeSet kInteger = bit(DType::kU8) | bit(DType::kI8) | bit(DType::kU16) |
                              bit(DType::kI16) | bit(DType::kU32) | bit(DType::kI32) |
                              bit(DType::kU64) | bit(DType::kI64);
constexpr DTypeSet kFloating =
    bit(DType::kF16) | bit(DType::kBF16) | bit(DType::kF32) | bit(DType::kF64);
constexpr DTypeSet kComplex = bit(DType::kC64) | bit(DType::kC128);

struct DTypeClass {
  std::string_view name;
  DTypeSet dtypes;
};
constexpr DTypeClass kClasses[] = {
    {"any", kBoolean | kInteger | kFloating | kComplex},
    {"boolean", kBoolean},
    {"integer", kInteger},
    {"bits", kBoolean | kInteger},
    {"real", kInteger | kFloating},
    {"ordered", kBoolean | kInteger | kFloating},
    {"floating", kFloating},
    {"complex", kComplex},
    {"inexact", kFloating | kComplex},
    {"numeric", kInteger | kFloating | kComplex},
    {"key", bit(DType::kU32)},
};

DTypeSet class_named(std::string_view name, std::string_view op) {
  for (const DTypeClass& c : kClasses) {
    if (c.name == name) return c.dtypes;
  }
  if (const auto dtype = parse_dtype(name)) return bit(*dtype);
  fail(Code::kInternal, op, "signature", "'", name, "' is no class of dtypes");
}

// The number after "=", which leaves the name.
std::optional<double> take_default(std::string_view& name, std::string_view op) {
  const size_t equals = name.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string_view value = name.substr(equals + 1);
  name = name.substr(0, equals);
  double number = 0;  // "inf" and "-inf" too
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size()) return number;
  fail(Code::kInternal, op, "signature", "'", value, "' is no number, so no default of an input");
}

// "b: like a" -> its parts; earlier arguments are known.
ArgSpec parse_arg(std::string_view text, std::vector<ArgSpec>& earlier, std::string_view op) {
  ArgSpec out;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    fail(Code::kInternal, op, "signature", "'", text, "' has no colon");
  std::string_view name = text.substr(0, colon);
  out.otherwise = take_default(name, op);
  out.optional = name.ends_with('?');
  if (out.optional) name.remove_suffix(1);
  out.variadic = name.ends_with("...");
  if (out.variadic) name.remove_suffix(3);
  out.name = name;
  out.class_name = text.substr(colon + 2);
  if (!out.class_name.starts_with("like ")) {
    out.dtypes = class_named(out.class_name, op);
    return out;
  }
  const std::string_view like = out.class_name.substr(5);
  for (size_t i = 0; i < earlier.size(); ++i) {
    if (earlier[i].name != like) continue;
    if (earlier[i].group < 0) earlier[i].group = static_cast<int>(i);
    out.group = earlier[i].group;
    out.dtypes = earlier[i].dtypes;
    return out;
  }
  fail(Code::kInternal, op, "signature", "'", text,
       "' is like an argument that does not come before it");
}

// "f, g, o: like i" is an argument each.
std::vector<ArgSpec> parse_args(std::string_view text, std::vector<ArgSpec>& earlier,
                                std::string_view op) {
  const ArgSpec all = parse_arg(text, earlier, op);
  std::vector<ArgSpec> out;
  for (size_t begin = 0, end = 0; end < all.name.size(); begin = end + 2) {
    end = std::min(all.name.find(", ", begin), all.name.size());
    out.push_back(all);
    out.back().name = all.name.substr(begin, end - begin);
  }
  return out;
}

template <class Def>
OpEntry make_entry(const Def& def) {
  OpEntry entry;
  entry.name = def.name;
  entry.module = def.module;
  entry.doc = def.doc;
  entry.attrs = def.attrs;
  entry.laws = def.laws;
  entry.known_as = def.known_as;
  for (std::string_view text : def.inputs) {
    for (const ArgSpec& arg : parse_args(text, entry.inputs, def.name)) entry.inputs.push_back(arg);
  }
  std::vector<ArgSpec> known = entry.inputs;
  for (std::string_view text : def.outputs) {
    for (const ArgSpec& arg : parse_args(text, known, def.name)) {
      entry.outputs.push_back(arg);
      known.push_back(arg);
    }
  }
  for (const ArgSpec& arg : entry.inputs) {
    entry.min_inputs += arg.optional ? 0 : 1;
    entry.max_inputs = arg.variadic ? INT_MAX : entry.max_inputs + 1;
  }
  // Variadic inputs are promoted together.
  if (!entry.inputs.empty() && entry.inputs.back().variadic && entry.inputs.back().group < 0) {
    entry.inputs.back().group = static_cast<int>(entry.inputs.size()) - 1;
  }
  return entry;
}

struct Registry {
  Mutex mutex;
  std::deque<OpEntry> entries, unlisted;  // deques: entries never move
  std::unordered_map<std::string, const OpEntry*> by_name;
  std::unordered_map<const OpDef*, const OpEntry*> by_op;

  void add_unlisted(std::span<const OpDef* const> ops) {
    for (const OpDef* op : ops) {
      OpEntry& entry = unlisted.emplace_back(make_entry(*op));
      entry.op = op;
      by_name[entry.qualified_name()] = &entry;
      by_op[op] = &entry;
    }
  }

  // All ops of the family or none: everything that can fail comes first.
  void add(const Family& family) {
    std::vector<OpEntry> made;
    for (const OpDef* op : family.ops) made.emplace_back(make_entry(*op)).op = op;
    for (const CompositeDef* composite : family.composites) {
      made.emplace_back(make_entry(*composite)).composite = composite;
    }
    check_names(made);
    for (OpEntry& entry : made) {
      entries.push_back(std::move(entry));
      by_name[entries.back().qualified_name()] = &entries.back();
      if (entries.back().op != nullptr) by_op[entries.back().op] = &entries.back();
    }
  }

 private:
  void check_names(std::span<const OpEntry> made) const {
    std::unordered_set<std::string> names;
    for (const OpEntry& entry : made) {
      const std::string name = entry.qualified_name();
      if (by_name.contains(name) || !names.insert(name).second) {
        fail(Code::kInvalid, "register", "name", "there is an op named ", name,
             " already; choose another name");
      }
    }
  }
};

Registry& registry() {
  static Registry* const instance = [] {
    Registry* const out = new Registry;
    for (const Family* family : builtin_families()) out->add(*family);
    return out;
  }();
  return *instance;
}

}  // namespace

std::string OpEntry::qualified_name() const {
  return module.empty() ? std::string(name) : text(module, '.', name);
}

void register_family(const Family& family) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  r.add(family);
}

void register_graph_ops(std::span<const OpDef* const> ops) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  r.add_unlisted(ops);
}

std::vector<const OpEntry*> registered_ops() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  std::vector<const OpEntry*> out;
  for (const OpEntry& entry : r.entries) out.push_back(&entry);
  return out;
}

const OpEntry* find_op(std::string_view qualified_name) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const auto it = r.by_name.find(std::string(qualified_name));
  return it == r.by_name.end() ? nullptr : it->second;
}

const OpEntry& entry_of(const OpDef& op) {
  if (const OpEntry* const entry = op.entry.load_acquire()) return *entry;
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const auto it = r.by_op.find(&op);
  if (it == r.by_op.end()) {
    fail(Code::kMissing, op.name, "registered",
         "the op is not registered; add its family with register_family");
  }
  op.entry.store_release(it->second);
  return *it->second;
}

void adopt_entry(const OpDef& op, const ArgSpec* inputs, size_t count) {
  OpEntry* const entry = new OpEntry(make_entry(op));  // derived ops live as long as the process
  entry->op = &op;
  entry->inputs.assign(inputs, inputs + count);
  entry->min_inputs = entry->max_inputs = static_cast<int>(count);
  op.entry.store_release(entry);
}

uint32_t partial_reads(const OpDef& op, uint32_t wanted) {
  const int count = op.grad.partials;
  Expr values[GradRule::kMaxPartials + 1] = {0.0, 0.0, 0.0, 0.0};
  for (int i = 0; i <= count; ++i) values[i] = Expr::input(static_cast<uint32_t>(i), DType::kF32);
  uint32_t out = 0;
  for (int i = 0; i < count; ++i) {
    if (wanted >> i & 1) out |= inputs_read(op.grad.partial_expr[static_cast<size_t>(i)](values));
  }
  return out;
}

}  // namespace weft
