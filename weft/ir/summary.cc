// Counting a function, and the table of what was counted.
#include "weft/ir/summary.h"

#include <algorithm>
#include <map>
#include <set>

#include "weft/core/byte_count.h"

namespace weft::ir {
namespace {

class Counter {
 public:
  void count(const Function& function, bool is_inside) {
    if (!seen_.insert(&function).second) return;
    out_.function_count += is_inside ? 1 : 0;
    for (const Node& node : function.graph.nodes()) count_node(function.graph, node, is_inside);
  }
  Summary finish() {
    for (const auto& [op, count] : ops_) out_.ops.push_back({op, count});
    std::sort(out_.ops.begin(), out_.ops.end(), [](const auto& a, const auto& b) {
      return a.count != b.count ? a.count > b.count : a.op < b.op;
    });
    return std::move(out_);
  }
  Summary& out() { return out_; }

 private:
  void count_node(const Graph& graph, const Node& node, bool is_inside) {
    ++out_.op_count;
    ++ops_[node.op->module.empty() ? std::string(node.op->name)
                                   : text(node.op->module, '.', node.op->name)];
    if (node.op->name == "placeholder" && !is_inside) {
      out_.inputs.push_back({node.name, graph.value(node.outputs[0]).type});
    }
    for (const FieldInfo& field : node.op->attrs->fields) {
      const void* const at = field.in(node.attributes());
      switch (field.type) {
        case FieldType::kTensor: count_constant(*static_cast<const Tensor*>(at)); break;
        case FieldType::kVariable: count_variable(*static_cast<const Variable*>(at)); break;
        case FieldType::kFunction: called(*static_cast<const FunctionAttr*>(at)); break;
        case FieldType::kFunctions:
          for (const FunctionAttr& one : *static_cast<const FunctionsAttr*>(at)) called(one);
          break;
        default: break;
      }
    }
  }
  void called(const FunctionAttr& function) {
    if (function != nullptr) count(*function, true);
  }
  void count_constant(const Tensor& value) {
    if (!value.defined() || !value.is_concrete()) return;
    ++out_.constants;
    out_.constant_bytes = sum_of_bytes(out_.constant_bytes, byte_count(value));
  }
  void count_variable(const Variable& variable) {
    if (!variable.defined() || !variables_.insert(variable.id()).second) return;
    const Type type{variable.dtype(), variable.shape()};
    const int64_t elements = num_elements(type.shape).value();
    const int64_t bytes = elements * size_of(type.dtype);
    const std::string_view name = variable.name().empty() ? "variable" : variable.name();
    out_.variables.push_back({std::string(name), type, elements, bytes, variable.trainable()});
    out_.parameters += elements;
    out_.trainable += variable.trainable() ? elements : 0;
    out_.parameter_bytes += bytes;
  }

  Summary out_;
  std::map<std::string, int64_t> ops_;
  std::set<const Function*> seen_;
  std::set<const void*> variables_;
};

// 1234567 as 1,234,567.
std::string grouped(int64_t n) {
  std::string out = text(n);
  for (auto i = static_cast<int64_t>(out.size()) - 3; i > 0; i -= 3) {
    out.insert(static_cast<size_t>(i), ",");
  }
  return out;
}

std::string bytes_text(int64_t bytes) {
  constexpr std::string_view kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  const double rounded = static_cast<double>(static_cast<int64_t>(value * 10 + 0.5)) / 10;
  return unit == 0 ? text(bytes, " B") : text(rounded, ' ', kUnits[unit]);
}

// Columns as wide as their widest entry; the last ones of numbers to the right.
class Table {
 public:
  void row(std::vector<std::string> cells) {
    if (widths_.size() < cells.size()) widths_.resize(cells.size());
    for (size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], cells[i].size());
    rows_.push_back(std::move(cells));
  }
  void append_to(std::string& out, size_t first_number) const {
    for (const auto& cells : rows_) {
      std::string line = " ";
      for (size_t i = 0; i < cells.size(); ++i) {
        const std::string blanks(widths_[i] - cells[i].size(), ' ');
        line += text(' ', i >= first_number ? blanks : "", cells[i],
                     i >= first_number ? "" : blanks, ' ');
      }
      out += text(line.substr(0, line.find_last_not_of(' ') + 1), '\n');
    }
  }

 private:
  std::vector<size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

void append_values(std::string& out, std::string_view title,
                   const std::vector<Summary::Value>& values) {
  if (values.empty()) return;
  out += text(title, '\n');
  Table table;
  for (const Summary::Value& value : values) table.row({value.name, text(value.type)});
  table.append_to(out, 2);
}

}  // namespace

Summary summarize(const Function& function) {
  Counter counter;
  counter.out().name = function.name;
  for (uint32_t i = 0; i < function.parameter_count(); ++i) {
    counter.out().inputs.push_back(
        {std::string(function.graph.parameter_name(i)), function.parameter_type(i)});
  }
  counter.count(function, false);
  for (size_t k = 0; k < function.results.size(); ++k) {
    counter.out().outputs.push_back(
        {function.graph.name_of(function.results[k]), function.result_type(k)});
  }
  return counter.finish();
}

std::string to_string(const Summary& s) {
  std::string out = text("function @", s.name, ": ", grouped(s.op_count), " ops");
  if (s.function_count > 0) out += text(", in ", s.function_count + 1, " functions");
  out += '\n';
  append_values(out, "inputs", s.inputs);
  append_values(out, "outputs", s.outputs);
  if (!s.variables.empty()) {
    out += "Variables\n";
    Table table;
    for (const Summary::Place& place : s.variables) {
      table.row({place.name, text(place.type), place.trainable ? "" : "constant",
                 grouped(place.elements), bytes_text(place.bytes)});
    }
    table.append_to(out, 3);
  }
  out += "ops\n";
  Table table;
  for (const Summary::Count& count : s.ops) table.row({count.op, grouped(count.count)});
  table.append_to(out, 1);
  out += text("parameters: ", grouped(s.parameters), " (", grouped(s.trainable), " trainable), ",
              bytes_text(s.parameter_bytes), '\n', "constants: ", grouped(s.constants), ", ",
              bytes_text(s.constant_bytes), '\n');
  return out;
}

std::string summary(const Function& function) { return to_string(summarize(function)); }

}  // namespace weft::ir
