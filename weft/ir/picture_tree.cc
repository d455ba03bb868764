// Builds the tree of a drawing from a function: boxes, the chips inside them, and their scopes.
#include "weft/ir/picture_tree.h"

#include <algorithm>
#include <cctype>

#include "weft/base/thread_pool.h"
#include "weft/core/literal.h"

namespace weft::ir {
namespace {

constexpr int kDeepestFunctions = 4;  // one inside of the other

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

// "weight" of "weight_12": the number only makes the name unique in the graph.
std::string_view without_number(std::string_view name) {
  size_t end = name.size();
  while (end > 0 && isdigit(static_cast<unsigned char>(name[end - 1])) != 0) --end;
  return end > 1 && end < name.size() && name[end - 1] == '_' ? name.substr(0, end - 1) : name;
}

// Is a node's name the one that its op gives it, PermuteDims of permute_dims?
bool is_named_by_op(std::string_view name, std::string_view op) {
  size_t k = 0;
  for (const char c : op) {
    if (c == '_') continue;
    if (k == name.size() || tolower(static_cast<unsigned char>(name[k++])) != c) return false;
  }
  return k == name.size();
}

const Tensor* constant_of(const Node& node) {
  const FieldInfo* const field =
      node.op->name == "constant" ? node.op->attrs->find("value") : nullptr;
  return field == nullptr ? nullptr : static_cast<const Tensor*>(field->in(node.attributes()));
}

const Variable* variable_of(const Node& node) {
  if (node.op->effect != Effect::kReads && node.op->effect != Effect::kWrites) return nullptr;
  const FieldInfo* const field = node.op->attrs->find("variable");
  return field == nullptr ? nullptr : static_cast<const Variable*>(field->in(node.attributes()));
}

// The values of a constant with up to four elements, else its type.
std::string constant_text(const Tensor& value) {
  if (value.numel() > 4) return weft::text(value.type());
  std::string out;
  append_literal(out, value);
  const size_t space = out.find("] ");
  out = out.substr(space + 2);
  if (value.rank() == 0 && out.size() > 2) out = out.substr(1, out.size() - 2);
  return out;
}

std::string types_text(const std::vector<Type>& types) {
  if (types.empty()) return "";
  if (types.size() <= 2) {
    return types.size() == 1 ? weft::text(types[0]) : weft::text(types[0], ", ", types[1]);
  }
  return weft::text(types[0], " and ", types.size() - 1, " more");
}

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> out;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    out.emplace_back(path.substr(0, slash));
    path = slash == std::string_view::npos ? "" : path.substr(slash + 1);
  }
  return out;
}

int64_t elements(const Type& type) {
  int64_t out = 1;
  for (const Dim dim : type.shape) {
    if (!dim.is_known()) return 0;
    out *= dim.value();
  }
  return out;
}

}  // namespace

// Reads a function, and those that its ops call.
class PictureReader {
 public:
  PictureReader(PictureTree& tree, const DrawOptions& options, const std::vector<DimBinding>& hints)
      : tree_(tree), options_(options), hints_(hints) {}

  void read(const Function& function, size_t root, int nesting) {
    FunctionState state{function, root, nesting, drawn_scopes(function)};
    state.values.resize(function.graph.values().size());
    state.leaf_of.assign(function.graph.nodes().size(), PictureTree::kNoLeaf);
    state.order.resize(function.graph.nodes().size());
    add_parameters(state);
    for (NodeId id = 0; id < function.graph.nodes().size(); ++id) {
      poll_interrupt();
      add_node(state, id);
    }
    add_results(state);
  }
  void sort_children() {
    for (size_t i = 0; i < tree_.items_.size(); ++i) {
      poll_interrupt();
      sort_children(tree_.items_[i].children);
    }
  }

 private:
  // Where a value comes from: a leaf, or a chip inside the boxes that read it.
  struct Source {
    size_t leaf = PictureTree::kNoLeaf;
    bool is_chip = false;
    Picture::Chip chip;
    size_t parameter = SIZE_MAX;
    std::vector<NodeId> order = {};  // what must run before it is read
  };
  struct FunctionState {
    const Function& function;
    size_t root;
    int nesting;
    std::vector<std::string> scopes;
    std::vector<Source> values = {};
    std::vector<size_t> leaf_of = {};
    std::vector<std::vector<NodeId>> order = {};  // by node: boxes that must run before it
  };

  // The type with the traced sizes in place of expressions of symbols.
  Type shown(const Type& type) const {
    Type out = type;
    for (Dim& dim : out.shape) {
      std::vector<Dim> symbols;
      append_symbols(symbols, dim);
      const bool is_symbol = symbols.size() == 1 && symbols[0] == dim;
      if (options_.sizes || !is_symbol) dim = substituted(dim, hints_);
    }
    return out;
  }
  static void set_chip(Source& source, Picture::Chip::Kind kind, std::string text,
                       const std::vector<NodeId>& order) {
    source.is_chip = true;
    source.chip.kind = kind;
    source.chip.text = std::move(text);
    source.order = order;
  }
  size_t new_parameter(const Type& type) {
    tree_.parameter_sizes_.push_back(elements(type));
    return tree_.parameter_sizes_.size() - 1;
  }

  void add_parameters(FunctionState& state) {
    const Graph& graph = state.function.graph;
    std::vector<bool> is_used(graph.values().size(), state.nesting == 0);
    for (const Node& node : graph.nodes()) {
      for (const ValueId in : node.inputs) {
        if (in != kNone) is_used[in] = true;
      }
    }
    for (const ValueId result : state.function.results) is_used[result] = true;
    for (uint32_t i = 0; i < graph.parameters().size(); ++i) {
      const ValueId id = graph.parameters()[i];
      if (!is_used[id]) continue;
      const Type type = shown(state.function.parameter_type(i));
      const std::string name(graph.parameter_name(i));
      if (state.nesting == 0 && i >= options_.arguments) {
        set_chip(state.values[id], Picture::Chip::Kind::kParameter,
                 weft::text(last_part(without_number(name)), "  ", type), {});
        state.values[id].parameter = new_parameter(type);
        continue;
      }
      PictureTree::Item item;
      item.kind = Picture::Kind::kInput;
      item.name = name;
      item.lines = {weft::text(type)};
      item.types = {type};
      item.tip = weft::text("argument ", name, ": ", type);
      state.values[id].leaf = add_leaf(state, std::move(item), "", {});
    }
  }

  void add_node(FunctionState& state, NodeId id) {
    const Graph& graph = state.function.graph;
    const Node& node = graph.node(id);
    std::vector<NodeId>& order = state.order[id];
    for (const NodeIds* const before : {&node.after, &node.follows}) {
      for (const NodeId one : *before) {
        if (state.leaf_of[one] != PictureTree::kNoLeaf) order.push_back(one);
      }
    }
    if (const Tensor* const value = constant_of(node)) {
      set_chip(state.values[node.outputs[0]], Picture::Chip::Kind::kConstant, constant_text(*value),
               order);
      return;
    }
    const Variable* const variable = variable_of(node);
    const std::string called = variable == nullptr || variable->name().empty()
                                   ? "variable"
                                   : std::string(variable->name());
    if (variable != nullptr && node.op->effect == Effect::kReads && node.outputs.size() == 1) {
      const Type type{variable->dtype(), variable->shape()};
      const auto [it, is_new] = variables_.try_emplace(variable->id(), 0);
      if (is_new) it->second = new_parameter(type);
      set_chip(state.values[node.outputs[0]], Picture::Chip::Kind::kParameter,
               weft::text(last_part(called), "  ", type), order);
      state.values[node.outputs[0]].parameter = it->second;
      return;
    }
    if (is_written_copy(state, node)) {
      state.values[node.outputs[0]] = state.values[node.inputs[0]];
      state.leaf_of[id] = state.values[node.inputs[0]].leaf;
      return;
    }
    PictureTree::Item item;
    describe(graph, node, item);
    if (variable != nullptr) {
      item.kind = Picture::Kind::kVariable;
      item.name = std::string(node.op->name);
      item.chips.push_back({Picture::Chip::Kind::kWritten, called});
    }
    const std::vector<size_t> from = take_inputs(state, node.inputs, item, order);
    std::vector<size_t> all = from;
    for (const NodeId one : order) all.push_back(state.leaf_of[one]);
    const size_t leaf = add_leaf(state, std::move(item), state.scopes[id], all);
    state.leaf_of[id] = leaf;
    for (const ValueId out : node.outputs) state.values[out].leaf = leaf;
    connect(state, id, leaf);
    for (const NodeId one : order) {
      tree_.edges_.push_back({state.leaf_of[one], leaf, Picture::Line::kOrder, ""});
    }
    add_called(node, leaf, state.nesting);
  }

  // A stop_gradient between a value and the Variable that it is assigned to is not drawn.
  static bool is_written_copy(const FunctionState& state, const Node& node) {
    if (node.op->name != "stop_gradient") return false;
    return std::ranges::any_of(state.function.new_values, [&](const Function::NewValue& one) {
      return state.function.results[one.result] == node.outputs[0];
    });
  }

  void describe(const Graph& graph, const Node& node, PictureTree::Item& item) const {
    const std::string name(last_part(node.name));
    const bool is_input = node.op->name == "placeholder";
    item.kind = is_input ? Picture::Kind::kInput : Picture::Kind::kOp;
    item.name = is_input ? name : std::string(node.op->name);
    std::string reads;
    for (const ValueId in : node.inputs) {
      if (in != kNone) reads += weft::text(reads.empty() ? "" : ", ", shown(graph.value(in).type));
    }
    for (const ValueId out : node.outputs) item.types.push_back(shown(graph.value(out).type));
    if (!is_input && !is_named_by_op(without_number(name), node.op->name)) {
      item.lines.push_back(name);
    }
    if (!node.device.empty()) item.lines.push_back(weft::text("on ", node.device));
    if (!item.types.empty()) item.lines.push_back(types_text(item.types));
    const std::string attrs = print_attrs(*node.op->attrs, node.attributes());
    item.tip =
        weft::text(node.name, '\n', node.op->name, '(', reads, ')',
                   attrs.empty() || is_input ? "" : weft::text(" {", attrs.substr(0, 300), '}'));
    for (const Type& type : item.types) item.tip += weft::text("\n→ ", type);
    if (node.where.known()) item.tip += weft::text('\n', to_string(node.where));
    bool calls = false;
    for (const FieldInfo& field : node.op->attrs->fields) {
      calls |= field.type == FieldType::kFunction || field.type == FieldType::kFunctions;
    }
    item.likeness = weft::text(node.op->name, calls ? "" : attrs, types_text(item.types));
  }

  // Adds chips for the inputs that are drawn inside the box; returns the leaves of the others.
  std::vector<size_t> take_inputs(FunctionState& state, const ValueIds& inputs,
                                  PictureTree::Item& item, std::vector<NodeId>& order) {
    std::vector<size_t> from;
    read_.clear();
    for (const ValueId in : inputs) {
      if (in == kNone) continue;
      const Source& source = state.values[in];
      for (const NodeId one : source.order) order.push_back(one);
      if (source.is_chip) {
        item.likeness += weft::text("|", state.function.graph.value(in).type);
        const auto is_same = [&](const Picture::Chip& chip) {
          return chip.text == source.chip.text;
        };
        if (source.chip.kind != Picture::Chip::Kind::kParameter ||
            std::ranges::none_of(item.chips, is_same)) {
          item.chips.push_back(source.chip);
        }
        if (source.parameter != SIZE_MAX) item.parameters.insert(source.parameter);
      } else if (source.leaf != PictureTree::kNoLeaf) {
        from.push_back(source.leaf);
        read_.push_back({source.leaf, weft::text(shown(state.function.graph.value(in).type))});
      }
    }
    return from;
  }
  void connect(const FunctionState& state, NodeId id, size_t leaf) {
    const bool is_gradient = id != kNone && state.scopes[id].starts_with(kGradientScope);
    for (const auto& [from, type] : read_) {
      const bool is_saved =
          is_gradient && !is_in_gradients(from) && tree_.items_[from].kind != Picture::Kind::kInput;
      tree_.edges_.push_back(
          {from, leaf, is_saved ? Picture::Line::kSaved : Picture::Line::kValue, type});
    }
  }
  bool is_in_gradients(size_t leaf) const {
    return tree_.items_[tree_.items_[leaf].parent].path.starts_with(kGradientScope);
  }

  void add_results(FunctionState& state) {
    const Function& function = state.function;
    std::map<uint32_t, uint32_t> written;  // parameter, by result
    for (const Function::NewValue& one : function.new_values) written[one.result] = one.parameter;
    const size_t count = function.results.size() - written.size();
    size_t number = 0;
    for (uint32_t k = 0; k < function.results.size(); ++k) {
      const ValueId id = function.results[k];
      if (const auto found = written.find(k); found != written.end()) {
        const size_t leaf = state.values[id].leaf;
        if (leaf == PictureTree::kNoLeaf) continue;
        tree_.items_[leaf].chips.push_back(
            {Picture::Chip::Kind::kWritten,
             std::string(last_part(without_number(function.graph.parameter_name(found->second))))});
        continue;
      }
      PictureTree::Item item;
      item.kind = Picture::Kind::kResult;
      item.name = count == 1 ? "result" : weft::text("result ", number);
      ++number;
      item.types = {shown(function.graph.value(id).type)};
      item.lines = {weft::text(item.types[0])};
      item.tip = weft::text(item.name, ": ", item.types[0]);
      std::vector<NodeId> order;
      ValueIds one;
      one.push_back(id);
      const std::vector<size_t> from = take_inputs(state, one, item, order);
      const size_t leaf = add_leaf(state, std::move(item), "", from);
      connect(state, kNone, leaf);
    }
  }

  void add_called(const Node& node, size_t leaf, int nesting) {
    if (nesting >= kDeepestFunctions) return;
    for (const FieldInfo& field : node.op->attrs->fields) {
      const void* const at = field.in(node.attributes());
      if (field.type == FieldType::kFunction) {
        add_called(*static_cast<const FunctionAttr*>(at), std::string(field.name), leaf, nesting);
      } else if (field.type == FieldType::kFunctions) {
        const auto& all = *static_cast<const FunctionsAttr*>(at);
        for (size_t i = 0; i < all.size(); ++i) {
          add_called(all[i], weft::text("branch ", i), leaf, nesting);
        }
      }
    }
  }
  void add_called(const FunctionAttr& function, const std::string& role, size_t leaf, int nesting) {
    if (function == nullptr) return;
    PictureTree::Item item;
    item.is_scope = item.is_function = true;
    item.name = weft::text(role, " @", function->name);
    item.parent = leaf;
    const size_t inside = tree_.add(std::move(item));
    tree_.items_[leaf].children.push_back(inside);
    tree_.items_[leaf].calls_functions = true;
    read(*function, inside, nesting + 1);
  }

  // From below the root to the leaf.
  std::vector<size_t> way_to(size_t leaf, size_t root) const {
    std::vector<size_t> out;
    for (size_t i = leaf; i != root; i = tree_.items_[i].parent) out.push_back(i);
    std::ranges::reverse(out);
    return out;
  }
  bool leads_to(size_t from, size_t to) const {
    std::vector<size_t> open{from};
    std::set<size_t> seen{from};
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      if (at == to) return true;
      const auto found = next_.find(at);
      if (found == next_.end()) continue;
      for (const size_t next : found->second) {
        if (seen.insert(next).second) open.push_back(next);
      }
    }
    return false;
  }

  // The scopes of a path, made where they are missing. A scope that would depend on itself through
  // others, such as a module that is called twice, is drawn a second time.
  std::vector<size_t> scopes_for(size_t root, const std::vector<std::string>& parts,
                                 const std::vector<std::vector<size_t>>& ways) {
    for (;;) {
      std::vector<size_t> chain{root};
      for (const std::string& part : parts) {
        const auto found = current_.find({chain.back(), part});
        if (found == current_.end()) break;
        chain.push_back(found->second);
      }
      bool is_split = false;
      for (const std::vector<size_t>& way : ways) {
        size_t k = 0;
        while (k + 1 < chain.size() && way[k] == chain[k + 1]) ++k;
        if (k + 1 >= chain.size() || next_[way[k]].contains(chain[k + 1])) continue;
        if (leads_to(chain[k + 1], way[k])) {
          current_.erase({chain[k], parts[k]});
          is_split = true;
          break;
        }
      }
      if (is_split) continue;
      for (size_t k = chain.size() - 1; k < parts.size(); ++k) {
        PictureTree::Item scope;
        scope.is_scope = true;
        scope.name = parts[k];
        scope.kind = Picture::Kind::kScope;
        const PictureTree::Item& around = tree_.items_[chain.back()];
        scope.path = around.path.empty() ? parts[k] : weft::text(around.path, '/', parts[k]);
        scope.parent = chain.back();
        scope.call = ++calls_[{chain.back(), parts[k]}];
        const size_t added = tree_.add(std::move(scope));
        tree_.items_[chain.back()].children.push_back(added);
        current_[{chain.back(), parts[k]}] = added;
        chain.push_back(added);
      }
      return chain;
    }
  }

  size_t add_leaf(FunctionState& state, PictureTree::Item item, const std::string& path,
                  const std::vector<size_t>& inputs) {
    std::vector<std::vector<size_t>> ways;
    for (const size_t input : inputs) ways.push_back(way_to(input, state.root));
    std::vector<size_t> chain = scopes_for(state.root, parts_of(path), ways);
    item.parent = chain.back();
    const size_t leaf = tree_.add(std::move(item));
    tree_.items_[chain.back()].children.push_back(leaf);
    chain.push_back(leaf);
    for (const std::vector<size_t>& way : ways) {
      size_t k = 0;
      while (k < way.size() && way[k] == chain[k + 1]) ++k;
      if (k < way.size()) next_[way[k]].insert(chain[k + 1]);
    }
    return leaf;
  }

  // In topological order; of independent children, the earlier first.
  void sort_children(std::vector<size_t>& children) const {
    std::map<size_t, size_t> missing;
    for (const size_t child : children) missing.emplace(child, 0);
    const auto for_each_next = [&](size_t child, auto f) {
      const auto found = next_.find(child);
      if (found == next_.end()) return;
      for (const size_t next : found->second) {
        if (missing.contains(next)) f(next);
      }
    };
    for (const size_t child : children) {
      for_each_next(child, [&](size_t next) { ++missing[next]; });
    }
    std::set<size_t> ready;
    for (const auto& [child, count] : missing) {
      if (count == 0) ready.insert(child);
    }
    std::vector<size_t> out;
    while (!ready.empty()) {
      const size_t child = *ready.begin();
      ready.erase(ready.begin());
      out.push_back(child);
      for_each_next(child, [&](size_t next) {
        if (--missing[next] == 0) ready.insert(next);
      });
    }
    children = std::move(out);
  }

  PictureTree& tree_;
  const DrawOptions& options_;
  const std::vector<DimBinding>& hints_;
  std::map<const void*, size_t> variables_;  // parameter numbers
  std::map<std::pair<size_t, std::string>, size_t> current_, calls_;
  std::map<size_t, std::set<size_t>> next_;           // from item to item of one scope
  std::vector<std::pair<size_t, std::string>> read_;  // of the node at hand: leaves and types
};

PictureTree::PictureTree(const Function& function, const DrawOptions& options) {
  Item whole;
  whole.is_scope = true;
  whole.name = options.title.empty() ? function.name : options.title;
  add(std::move(whole));
  PictureReader reader(*this, options, function.hints);
  reader.read(function, 0, 0);
  reader.sort_children();
  if (options.repeats) fold_repeats();
  join_single_scopes();
}

size_t PictureTree::add(Item item) {
  items_.push_back(std::move(item));
  return items_.size() - 1;
}

std::vector<size_t> PictureTree::leaves_of(size_t item) const {
  if (!items_[item].is_scope) return {item};
  std::vector<size_t> out;
  for (const size_t child : items_[item].children) {
    const std::vector<size_t> inside = leaves_of(child);
    out.insert(out.end(), inside.begin(), inside.end());
  }
  return out;
}

size_t PictureTree::count_ops(size_t item) const {
  if (!items_[item].is_scope) return 1;
  size_t out = 0;
  for (const size_t child : items_[item].children) out += count_ops(child);
  return out * items_[item].repeats;
}

void PictureTree::join_single_scopes() {
  for (size_t i = 1; i < items_.size(); ++i) {
    Item& around = items_[i];
    while (around.is_scope && !around.is_function && around.children.size() == 1) {
      Item& only = items_[around.children[0]];
      if (!only.is_scope || only.is_function || around.repeats > 1) break;
      if (only.repeats == 1) around.name += weft::text('.', only.name);
      around.path = only.path;
      around.repeats = only.repeats;
      const std::vector<size_t> children = std::exchange(only.children, {});
      for (const size_t child : children) items_[child].parent = i;
      around.children = children;
    }
  }
}

}  // namespace weft::ir
