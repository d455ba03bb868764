// Printing functions, with all that they refer to in front.
#include "weft/ir/print.h"

#include <unordered_map>
#include <unordered_set>

#include "weft/base/text_cursor.h"

namespace weft::ir {
namespace {

// Gives Variables and functions names of their own within one text, and prints each before its use.
class Printer : public AttrPrinter {
 public:
  Printer(const TextOptions& options, const Lists& lists) : options_(options), lists_(lists) {}

  std::string document(const Function& function) {
    main_ = &function;
    this->function(function);
    for (const Variable& one : lists_.variables) variable(one);
    const int version = lists_.collections.empty() ? 1 : kTextVersion;
    return text("weft ", version, "\n\n", variables_, variables_.empty() ? "" : "\n", functions_);
  }

  std::string variable(const Variable& variable) override {
    const auto [it, is_new] = names_.try_emplace(variable.id());
    if (is_new) {
      it->second = unique(variable.name().empty() ? "variable" : variable.name(), variable_names_);
      append_text_all(variables_, "variable ", it->second, ": ",
                      Type{variable.dtype(), variable.shape()},
                      variable.trainable() ? "" : " constant", "\n");
    }
    return it->second;
  }

  std::string function(const Function& function) override {
    const auto [it, is_new] = names_.try_emplace(&function);
    if (is_new) {
      const std::string body = lines_of(function);  // what it calls is printed first
      const std::string name = unique(function.name, function_names_);
      names_[&function] = name;
      append_text_all(functions_, functions_.empty() ? "" : "\n", "function ", name, body);
      return name;
    }
    return it->second;
  }

 private:
  template <class... T>
  static void append_text_all(std::string& out, const T&... pieces) {
    out += text(pieces...);
  }

  using Names = std::unordered_set<std::string>;
  static std::string unique(std::string_view wish, Names& taken) {
    std::string name(wish);
    for (int i = 1; !taken.insert(name).second; ++i) name = text(wish, '_', i);
    return named('@', name);
  }

  static std::string named(char sign, std::string_view name) {
    std::string out;
    append_name(out, sign, name);
    return out;
  }
  // "%x", or "%split:1" of an op with several outputs.
  static std::string name_of(const Graph& graph, ValueId id) {
    if (id == kNone) return "none";
    const Value& value = graph.value(id);
    if (value.maker == kNone) return named('%', graph.parameter_name(value.index));
    const Node& maker = graph.node(value.maker);
    std::string out = named('%', maker.name);
    return maker.outputs.size() == 1 ? out : text(out, ':', value.index);
  }

  std::string line_of(Where where) const {
    if (!options_.lines || !where.known()) return "";
    std::string out = " at ";
    append_quoted(out, weft::to_string(where));
    return out;
  }

  std::string lines_of(const Function& function) {
    const Graph& graph = function.graph;
    std::string out = "(";
    for (uint32_t i = 0; i < graph.parameters().size(); ++i) {
      const ValueId id = graph.parameters()[i];
      append_text_all(out, i == 0 ? "" : ", ", name_of(graph, id), ": ", graph.value(id).type,
                      line_of(graph.parameter_line(i)));
    }
    out += ") -> (";
    for (size_t k = 0; k < function.results.size(); ++k) {
      append_text_all(out, k == 0 ? "" : ", ", function.result_type(k));
    }
    out += ") {\n";
    for (const Assumption& assumption : function.assumptions) {
      append_text_all(out, "  assume ", to_string(assumption), line_of(assumption.where), '\n');
    }
    for (const Node& node : graph.nodes()) append_node(out, graph, node);
    if (&function == main_) append_lists(out, graph);
    out += "  return";
    for (size_t k = 0; k < function.results.size(); ++k) {
      append_text_all(out, k == 0 ? " " : ", ", name_of(graph, function.results[k]));
    }
    return out + "\n}\n";
  }

  void append_lists(std::string& out, const Graph& graph) {
    for (const auto& [name, items] : lists_.collections) {
      out += "  collect ";
      append_quoted(out, name);
      for (size_t k = 0; k < items.size(); ++k) {
        append_text_all(out, k == 0 ? " " : ", ", listed(graph, items[k]));
      }
      out += '\n';
    }
  }
  std::string listed(const Graph& graph, const Listed& item) {
    if (item.value != kNone) return name_of(graph, item.value);
    return item.node == kNone ? variable(item.variable)
                              : text("op ", named('%', graph.node(item.node).name));
  }

  void append_node(std::string& out, const Graph& graph, const Node& node) {
    append_text_all(out, "  ", named('%', node.name), " = ", node.op->module,
                    node.op->module.empty() ? "" : ".", node.op->name, '(');
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      append_text_all(out, i == 0 ? "" : ", ", name_of(graph, node.inputs[i]));
    }
    out += ')';
    const std::string attrs = print_attrs(*node.op->attrs, node.attributes(), this);
    if (!attrs.empty()) append_text_all(out, " {", attrs, '}');
    out += " :";
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      append_text_all(out, k == 0 ? " " : ", ", graph.value(node.outputs[k]).type);
    }
    if (node.outputs.empty()) out += " ()";
    for (size_t k = 0; k < node.after.size(); ++k) {
      append_text_all(out, k == 0 ? " after " : ", ", named('%', graph.node(node.after[k]).name));
    }
    for (size_t k = 0; k < node.follows.size(); ++k) {
      append_text_all(out, k == 0 ? " follows " : ", ",
                      named('%', graph.node(node.follows[k]).name));
    }
    if (!node.device.empty()) {
      out += " on ";
      append_quoted(out, node.device);
    }
    append_text_all(out, line_of(node.where), '\n');
  }

  const TextOptions options_;
  const Lists& lists_;
  const Function* main_ = nullptr;  // that the document is about
  std::string variables_, functions_;
  std::unordered_map<const void*, std::string> names_;
  Names variable_names_,
      function_names_;  // a Variable keeps its name whatever functions are called
};

}  // namespace

std::string to_text(const Function& function, const TextOptions& options, const Lists& lists) {
  return Printer(options, lists).document(function);
}

}  // namespace weft::ir
