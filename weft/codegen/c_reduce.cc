// Reductions and scans as C, in the canonical order.
#include "weft/codegen/c_reduce.h"
#include "weft/base/error.h"
#include "weft/codegen/c_shapes.h"

namespace weft::codegen {

// The locals that hold a state: "s0", and "s0i" for the imaginary part.
std::vector<CRegister> c_registers(const ReduceSpec& spec) {
  std::vector<CRegister> out;
  for (size_t k = 0; k < spec.states(); ++k) {
    const DType dtype = spec.identity[k].dtype();
    const std::string name = "s" + std::to_string(k);
    out.push_back({name, real_of(dtype)});
    if (is_complex(dtype)) out.push_back({name + "i", real_of(dtype)});
  }
  return out;
}

namespace {

// Binds the parts of input `index` to C expressions.
void bind_state(CValues& values, const std::vector<const ExprNode*>& nodes, uint32_t index,
                const std::string& real, const std::string& imag) {
  for (const ExprNode* node : nodes) {
    if (node->op == ExprOp::kInput && node->index == index) values.bind(node, real);
    if (node->arity == 0 || node->args[0]->op != ExprOp::kInput || node->args[0]->index != index)
      continue;
    if (node->op == ExprOp::kReal) values.bind(node, real);
    if (node->op == ExprOp::kImag) values.bind(node, imag);
  }
}

std::vector<Expr> parts_of(const std::vector<Expr>& exprs) {
  std::vector<Expr> out;
  for (const Expr e : exprs) {
    if (is_complex(e.dtype())) {
      out.push_back(e.arg(0));
      out.push_back(e.arg(1));
    } else {
      out.push_back(e);
    }
  }
  return out;
}

}  // namespace

// static void NAME_combine(T* a0, ..., T b0, ...): a = combine(a, b).
std::string c_combine_function(const std::string& name, const ReduceSpec& spec) {
  const std::vector<CRegister> registers = c_registers(spec);
  std::string code = "static inline void " + name + "(";
  for (const CRegister& r : registers)
    code += std::string(c_type(r.dtype)) + "* a_" + r.name + ", ";
  for (size_t k = 0; k < registers.size(); ++k) {
    code += std::string(c_type(registers[k].dtype)) + " b_" + registers[k].name;
    code += k + 1 < registers.size() ? ", " : ") {\n";
  }
  CValues values(code, "  ");
  const auto nodes = topological(spec.combine);
  for (uint32_t k = 0; k < spec.states(); ++k) {
    const std::string name_k = "s" + std::to_string(k);
    bind_state(values, nodes, k, "(*a_" + name_k + ")", "(*a_" + name_k + "i)");
    bind_state(values, nodes, k + static_cast<uint32_t>(spec.states()), "b_" + name_k,
               "b_" + name_k + "i");
  }
  std::vector<std::string> results;
  for (const Expr e : parts_of(spec.combine)) results.push_back(values(e));
  // An argument may be a result of another: all are read before any is written.
  for (size_t k = 0; k < registers.size(); ++k) {
    code += "  const " + std::string(c_type(registers[k].dtype)) + " r" + std::to_string(k) +
            " = " + results[k] + ";\n";
  }
  for (size_t k = 0; k < registers.size(); ++k) {
    code += "  *a_" + registers[k].name + " = r" + std::to_string(k) + ";\n";
  }
  return code + "}\n\n";
}

std::string c_combine_call(const std::string& name, const ReduceSpec& spec, const std::string& a,
                           const std::string& b) {
  std::string code = name + "(";
  const auto registers = c_registers(spec);
  for (const CRegister& r : registers) code += "&" + r.name + a + ", ";
  for (size_t k = 0; k < registers.size(); ++k) {
    code += registers[k].name + b + (k + 1 < registers.size() ? ", " : ");\n");
  }
  return code;
}

std::string c_identity(const ReduceSpec& spec, const std::string& indent, const std::string& at) {
  std::string code;
  CValues values(code, indent);
  const auto registers = c_registers(spec);
  const auto parts = parts_of(spec.identity);
  for (size_t k = 0; k < registers.size(); ++k) {
    const std::string value = values(parts[k]);
    code += indent + registers[k].name + at + " = " + value + ";\n";
  }
  return code;
}

// (a0 + a1) + (a2 + a3), then halves: over arrays of 64; the result is element 0.
std::string c_tree(const std::string& name, const ReduceSpec& spec, const std::string& indent) {
  std::string code;
  const auto level = [&](int first, int distance, int count) {
    const std::string q = "[q + " + std::to_string(first) + "]";
    const std::string other = "[q + " + std::to_string(first + distance) + "]";
    code += indent + "for (int q = 0; q < " + std::to_string(count) + "; ++q) " +
            c_combine_call(name, spec, q, other);
  };
  level(0, 16, 16);
  level(32, 16, 16);
  level(0, 32, 16);
  for (const int half : {8, 4, 2, 1}) level(0, half, half);
  return code;
}

std::string c_arrays(const ReduceSpec& spec, const std::string& indent) {
  std::string code;
  for (const CRegister& r : c_registers(spec)) {
    code += indent + c_type(r.dtype) + " " + r.name + "[64];\n";
  }
  code += indent + "for (int q = 0; q < 64; ++q) {\n" + c_identity(spec, indent + "  ", "[q]") +
          indent + "}\n";
  return code;
}

namespace {

std::string canonical(DType dtype, const std::string& value) {
  if (!stores_nan(dtype)) return value;
  return "weft_canonical_" + std::string(short_name_of(dtype)) + "(" + value + ")";
}

// Stores the state in element 0 of the arrays (or in plain locals) at index `to` of states[k].
std::string store_states(const ReduceSpec& spec, const std::string& at, const std::string& to,
                         const std::string& indent) {
  std::string code;
  for (size_t k = 0; k < spec.states(); ++k) {
    const DType dtype = spec.identity[k].dtype();
    const std::string name = "s" + std::to_string(k);
    const std::string place =
        std::string("((") + c_memory_type(dtype) + "*)states[" + std::to_string(k) + "])";
    if (is_complex(dtype)) {
      code +=
          indent + place + "[2 * (" + to + ")] = " + canonical(real_of(dtype), name + at) + ";\n";
      code += indent + place + "[2 * (" + to +
              ") + 1] = " + canonical(real_of(dtype), name + "i" + at) + ";\n";
    } else {
      code += indent + place + "[" + to + "] = " + canonical(dtype, name + at) + ";\n";
    }
  }
  return code;
}

// Declares x_<register>: the mapped element.
std::string mapped(const KernelSpec& spec, const std::string& index, const std::string& position,
                   const std::string& indent) {
  std::string code;
  CValues values(code, indent);
  const auto nodes = topological(spec.reduce.map);
  values.load_input(nodes, 0, spec.inputs[0].dtype, "x", index);
  for (const ExprNode* node : nodes) {
    if (node->op == ExprOp::kPosition) values.bind(node, position);
  }
  const auto registers = c_registers(spec.reduce);
  const auto parts = parts_of(spec.reduce.map);
  for (size_t k = 0; k < registers.size(); ++k) {
    const std::string value = values(parts[k]);
    code += indent + "const " + c_type(registers[k].dtype) + " x_" + registers[k].name + " = " +
            value + ";\n";
  }
  return code;
}

std::string combine_mapped(const std::string& name, const ReduceSpec& spec, const std::string& a) {
  std::string code = name + "(";
  const auto registers = c_registers(spec);
  for (const CRegister& r : registers) code += "&" + r.name + a + ", ";
  for (size_t k = 0; k < registers.size(); ++k) {
    code += "x_" + registers[k].name + (k + 1 < registers.size() ? ", " : ");\n");
  }
  return code;
}

std::string loaded_states(const ReduceSpec& spec) {
  std::string code;
  for (size_t k = 0; k < spec.states(); ++k) {
    const DType dtype = spec.identity[k].dtype();
    const std::string from =
        std::string("((const ") + c_memory_type(dtype) + "*)in[" + std::to_string(k) + "])";
    const std::string at = "(r * row_stride + j)";
    const std::string name = "x_s" + std::to_string(k);
    const std::string type = std::string("      const ") + c_type(real_of(dtype)) + " ";
    if (is_complex(dtype)) {
      code += type + name + " = " + from + "[2 * " + at + "];\n";
      code += type + name + "i = " + from + "[2 * " + at + " + 1];\n";
    } else {
      code += type + name + " = " + from + "[" + at + "];\n";
    }
  }
  return code;
}

// C code that loads a scan's total from totals[row] into locals, or stores it there.
std::string move_total(const ReduceSpec& spec, bool stores) {
  const DType dtype = spec.identity[0].dtype();
  const std::string place = std::string("((") + c_memory_type(dtype) + "*)totals)";
  const auto move = [&](const std::string& at, const std::string& name) {
    return "  " + (stores ? at + " = " + canonical(real_of(dtype), name) : name + " = " + at) +
           ";\n";
  };
  if (!is_complex(dtype)) return move(place + "[row]", "s0");
  const std::string real = move(place + "[2 * row]", "s0");
  return real + move(place + "[2 * row + 1]", "s0i");
}

}  // namespace

std::string print_row_reduce(const KernelSpec& spec) {
  const std::string symbol = spec.symbol("portable"), combine = symbol + "_combine";
  const bool states = spec.shape == LoopShape::kCombineRow;
  std::string code = c_combine_function(combine, spec.reduce);
  code += "void " + symbol + "(void* const* states, " +
          (states ? "void* const* in" : "const void* in") +
          ", int64_t row_stride, int64_t n,\n    int64_t rows" +
          (states ? "" : ", uint64_t index") + ") {\n  for (int64_t r = 0; r < rows; ++r) {\n" +
          c_arrays(spec.reduce, "    ");
  if (!states) {
    const std::string type = std::string("const ") + c_memory_type(spec.inputs[0].dtype) + "*";
    code += "    " + type + " x = (" + type + ")((const char*)in + r * row_stride);\n";
  }
  code += "    for (int64_t j = 0; j < n; ++j) {\n";
  code +=
      states ? loaded_states(spec.reduce) : mapped(spec, "j", "(index + (uint64_t)j)", "      ");
  code += "      " + combine_mapped(combine, spec.reduce, "[j & 63]") + "    }\n";
  code += c_tree(combine, spec.reduce, "    ") + store_states(spec.reduce, "[0]", "r", "    ");
  return code + "  }\n}\n\n";
}

// Columns one after another: slow, and the same order.
std::string print_column_reduce(const KernelSpec& spec) {
  const std::string symbol = spec.symbol("portable"), combine = symbol + "_combine";
  const std::string type = std::string("const ") + c_memory_type(spec.inputs[0].dtype) + "*";
  std::string code = c_combine_function(combine, spec.reduce);
  code += "void " + symbol +
          "(void* const* states, const void* in, int64_t row_stride, int64_t n,\n"
          "    int64_t columns, uint64_t index, void* scratch) {\n  (void)scratch;\n"
          "  for (int64_t c = 0; c < columns; ++c) {\n" +
          c_arrays(spec.reduce, "    ");
  code += "    for (int64_t j = 0; j < n; ++j) {\n      " + type + " x = (" + type +
          ")((const char*)in + j * row_stride);\n";
  code += mapped(spec, "c", "(index + (uint64_t)j)", "      ");
  code += "      " + combine_mapped(combine, spec.reduce, "[j & 63]") + "    }\n";
  code += c_tree(combine, spec.reduce, "    ") + store_states(spec.reduce, "[0]", "c", "    ");
  return code + "  }\n}\n\n";
}

std::string print_scan(const KernelSpec& spec) {
  const std::string symbol = spec.symbol("portable"), combine = symbol + "_combine";
  const auto registers = c_registers(spec.reduce);
  std::string code = c_combine_function(combine, spec.reduce);
  code += "void " + symbol +
          "(void* out, const void* in, int64_t n, int64_t rows, int64_t out_stride, "
          "int64_t in_stride,\n    void* totals) {\n  for (int64_t row = 0; row < rows; ++row) {\n";
  code += std::string("  const ") + c_memory_type(spec.inputs[0].dtype) +
          "* x = (const void*)((const char*)in + row * in_stride);\n";
  code += std::string("  ") + c_memory_type(spec.outputs[0].dtype()) +
          "* to = (void*)((char*)out + row * out_stride);\n";
  for (const CRegister& r : registers)
    code += std::string("  ") + c_type(r.dtype) + " " + r.name + ";\n";
  code += move_total(spec.reduce, /*stores=*/false);
  code += "  for (int64_t j = 0; j < n; ++j) {\n" + mapped(spec, "j", "(uint64_t)j", "    ");
  code += "    " + combine_mapped(combine, spec.reduce, "") + "    {\n";
  CValues values(code, "      ");
  bind_state(values, topological(spec.outputs), 0, "s0", "s0i");
  values.store(spec.outputs[0], "to", "j");
  code += "    }\n  }\n" + move_total(spec.reduce, /*stores=*/true) + "  }\n";
  return code + "}\n\n";
}

}  // namespace weft::codegen
