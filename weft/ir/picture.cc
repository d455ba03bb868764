// Reading a picture off a graph: scopes from names, folding, functions inside.
#include "weft/ir/picture.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "weft/core/literal.h"

namespace weft::ir {
namespace {

constexpr size_t kMostBoxes = 60;      // of a picture that folds by itself
constexpr size_t kMostOpsInside = 60;  // of a function that is drawn with its caller
constexpr int kDeepestFunctions = 3;   // one inside of the other
constexpr int kAllOpen = 1000;

// "a/b/Add/x" is below "a/b" where "a/b/Add" is an op: constants are named after their op.
std::string scope_of(const Graph& graph, std::string_view name) {
  size_t slash = name.rfind('/');
  while (slash != std::string_view::npos) {
    name = name.substr(0, slash);
    if (!graph.has_name(name)) return std::string(name);
    slash = name.rfind('/');
  }
  return "";
}

// The first `depth` parts of "a/b/c".
std::string_view first_parts(std::string_view scope, int depth) {
  size_t end = 0;
  for (int i = 0; i < depth; ++i) {
    if (end >= scope.size()) return scope;
    end = scope.find('/', end + (i == 0 ? 0 : 1));
    if (end == std::string_view::npos) return scope;
  }
  return scope.substr(0, end);
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

// Is a node's name the one that its op gives it, PermuteDims of permute_dims?
bool says_nothing(std::string_view name, std::string_view op) {
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

// Numbers while they are few.
std::string constant_text(const Tensor& value) {
  if (value.numel() > 4) return weft::text(value.type());
  std::string out;
  append_literal(out, value);
  const size_t space = out.find("] ");
  out = out.substr(space + 2);
  if (value.rank() == 0 && out.size() > 2) out = out.substr(1, out.size() - 2);
  return out;
}

class Reader {
 public:
  explicit Reader(const DrawOptions& options) : options_(options) {}

  Picture read(const Function& function) {
    out_.scopes.push_back({function.name, 0, true});
    add_function(function, 0, 0);
    return std::move(out_);
  }

 private:
  using Places = std::vector<size_t>;  // boxes, by value or by node

  int depth_for(const Graph& graph) const {
    if (options_.depth >= 0) return options_.depth;
    if (graph.nodes().size() <= options_.few_ops) return kAllOpen;
    int depth = 1;
    while (depth < 8 && count_boxes(graph, depth + 1) <= kMostBoxes) ++depth;
    return count_boxes(graph, depth) > kMostBoxes ? 0 : depth;
  }
  static size_t count_boxes(const Graph& graph, int depth) {
    size_t open = 0;
    std::set<std::string> folded;
    for (const Node& node : graph.nodes()) {
      const std::string scope = scope_of(graph, node.name);
      const std::string_view shown = first_parts(scope, depth);
      // A scope that is cut off is one box.
      if (shown.size() == scope.size()) {
        ++open;
      } else {
        folded.insert(folded_name(scope, depth));
      }
    }
    return open + folded.size();
  }
  // The scope that is folded: one part more than what is open.
  static std::string folded_name(std::string_view scope, int depth) {
    return std::string(first_parts(scope, depth + 1));
  }

  size_t scope_for(const std::string& name, size_t function_scope) {
    if (name.empty()) return function_scope;
    const auto [it, is_new] = scopes_.try_emplace({function_scope, name}, 0);
    if (!is_new) return it->second;
    const size_t slash = name.rfind('/');
    const size_t parent =
        scope_for(slash == std::string::npos ? "" : name.substr(0, slash), function_scope);
    out_.scopes.push_back({std::string(last_part(name)), parent, false});
    return scopes_[{function_scope, name}] = out_.scopes.size() - 1;
  }

  size_t add_box(Picture::Kind kind, std::string title, std::string detail, size_t scope) {
    out_.boxes.push_back({kind, std::move(title), std::move(detail), scope});
    return out_.boxes.size() - 1;
  }

  void add_function(const Function& function, size_t scope, int nesting) {
    const Graph& graph = function.graph;
    const int depth = depth_for(graph);
    Places box_of(graph.nodes().size()), parameters;
    std::map<std::string, size_t> folded;
    std::map<size_t, size_t> ops_in;
    for (uint32_t i = 0; i < graph.parameters().size(); ++i) {
      parameters.push_back(add_box(Picture::Kind::kInput, std::string(graph.parameter_name(i)),
                                   weft::text(function.parameter_type(i)), scope));
    }
    for (NodeId id = 0; id < graph.nodes().size(); ++id) {
      const Node& node = graph.node(id);
      const std::string path = scope_of(graph, node.name);
      const std::string open(first_parts(path, depth));
      if (open.size() == path.size()) {
        box_of[id] = add_op(node, graph, scope_for(open, scope));
      } else {
        const std::string name = folded_name(path, depth);
        const auto [it, is_new] = folded.try_emplace(name, 0);
        if (is_new) {
          it->second = add_box(Picture::Kind::kFolded, std::string(last_part(name)), "",
                               scope_for(open, scope));
        }
        box_of[id] = it->second;
        ++ops_in[it->second];
      }
      add_edges(graph, node, box_of, parameters, box_of[id]);
      if (open.size() == path.size()) add_called(node, box_of[id], scope_for(open, scope), nesting);
    }
    for (const auto& [box, count] : ops_in) {
      out_.boxes[box].detail = weft::text(count, count == 1 ? " op" : " ops");
    }
    for (size_t k = 0; k < function.results.size(); ++k) {
      const size_t box =
          add_box(Picture::Kind::kResult,
                  function.results.size() == 1 ? "result" : weft::text("result ", k), "", scope);
      add_edge(graph, function.results[k], box_of, parameters, box);
    }
  }

  size_t add_op(const Node& node, const Graph& graph, size_t scope) {
    const size_t box = add_box_of(node, graph, scope);
    if (!node.device.empty()) {
      std::string& detail = out_.boxes[box].detail;
      detail += weft::text(detail.empty() ? "on " : " on ", node.device);
    }
    return box;
  }
  size_t add_box_of(const Node& node, const Graph& graph, size_t scope) {
    const std::string name(last_part(node.name));
    if (const Tensor* const value = constant_of(node)) {
      return add_box(Picture::Kind::kConstant, constant_text(*value), "", scope);
    }
    if (const Variable* const variable = variable_of(node)) {
      const bool is_read = node.op->effect == Effect::kReads;
      const std::string_view called = variable->name().empty() ? "variable" : variable->name();
      return add_box(Picture::Kind::kVariable, std::string(called),
                     is_read ? weft::text(Type{variable->dtype(), variable->shape()}) : "assign",
                     scope);
    }
    if (node.op->name == "placeholder") {
      return add_box(Picture::Kind::kInput, name, weft::text(graph.value(node.outputs[0]).type),
                     scope);
    }
    return add_box(Picture::Kind::kOp, std::string(node.op->name),
                   says_nothing(name, node.op->name) ? "" : name, scope);
  }

  void add_edge(const Graph& graph, ValueId id, const Places& box_of, const Places& parameters,
                size_t to) {
    const Value& value = graph.value(id);
    const size_t from = value.maker == kNone ? parameters[value.index] : box_of[value.maker];
    if (from == to) return;
    const Picture::Kind kind = out_.boxes[from].kind;
    const bool says_it =
        kind == Picture::Kind::kInput || kind == Picture::Kind::kConstant ||
        (kind == Picture::Kind::kVariable && !out_.boxes[from].detail.starts_with("assign"));
    const std::string label = options_.shapes && !says_it ? weft::text(value.type) : std::string();
    append_edge({from, to, label, Picture::Line::kValue});
  }

  void add_edges(const Graph& graph, const Node& node, const Places& box_of,
                 const Places& parameters, size_t to) {
    for (const ValueId input : node.inputs) {
      if (input != kNone) add_edge(graph, input, box_of, parameters, to);
    }
    for (const NodeIds* const order : {&node.after, &node.follows}) {
      for (const NodeId earlier : *order) {
        if (box_of[earlier] != to) {
          append_edge({box_of[earlier], to, "", Picture::Line::kOrder});
        }
      }
    }
  }

  // Between two boxes the same line is drawn once.
  void append_edge(Picture::Edge edge) {
    if (drawn_.insert({edge.from, edge.to, edge.label, edge.line}).second) {
      out_.edges.push_back(std::move(edge));
    }
  }

  void add_called(const Node& node, size_t box, size_t scope, int nesting) {
    for (const FieldInfo& field : node.op->attrs->fields) {
      const void* const at = field.in(node.attributes());
      if (field.type == FieldType::kFunction) {
        add_called(*static_cast<const FunctionAttr*>(at), field.name, box, scope, nesting);
      } else if (field.type == FieldType::kFunctions) {
        const auto& all = *static_cast<const FunctionsAttr*>(at);
        for (size_t i = 0; i < all.size(); ++i) {
          add_called(all[i], weft::text("branch ", i), box, scope, nesting);
        }
      }
    }
  }
  void add_called(const FunctionAttr& function, std::string_view role, size_t box, size_t scope,
                  int nesting) {
    if (function == nullptr) return;
    const bool is_small = function->graph.nodes().size() <= kMostOpsInside;
    if (!is_small || nesting >= kDeepestFunctions) {
      const size_t folded =
          add_box(Picture::Kind::kFolded, weft::text('@', function->name),
                  weft::text(role, ", ", function->graph.nodes().size(), " ops"), scope);
      return append_edge({box, folded, "", Picture::Line::kOrder});
    }
    out_.scopes.push_back({weft::text(role, " @", function->name), scope, true});
    const size_t inside = out_.scopes.size() - 1;
    out_.edges.push_back({box, inside, "", Picture::Line::kCall});
    add_function(*function, inside, nesting + 1);
  }

  const DrawOptions& options_;
  Picture out_;
  std::map<std::pair<size_t, std::string>, size_t> scopes_;
  std::set<std::tuple<size_t, size_t, std::string, Picture::Line>> drawn_;
};

}  // namespace

Picture picture_of(const Function& function, const DrawOptions& options) {
  return Reader(options).read(function);
}

}  // namespace weft::ir
