// Prints kernels as C: functions and their loops.
#include "weft/codegen/c_printer.h"

#include "weft/base/error.h"
#include "weft/codegen/c_shapes.h"
#include "weft/codegen/c_values.h"

namespace weft::codegen {

// "const float* const in0 = (const float*)((const char*)p[1] + r * strides[1]);"
std::string c_row_pointer(const std::string& name, DType dtype, bool output, size_t operand) {
  const std::string type = std::string(output ? "" : "const ") + c_memory_type(dtype) + "*";
  const std::string k = std::to_string(operand);
  return "    " + type + " const " + name + " = (" + type + ")((" + (output ? "" : "const ") +
         "char*)p[" + k + "] + r * strides[" + k + "]);\n";
}

std::string c_map_head(const KernelSpec& spec) {
  std::string code = "void " + spec.symbol("portable") +
                     "(void* const* p, const int64_t* strides, int64_t n, int64_t rows,\n"
                     "    uint64_t position) {\n  (void)position;\n"
                     "  for (int64_t r = 0; r < rows; ++r) {\n";
  const size_t outputs = spec.outputs.size();
  for (size_t k = 0; k < outputs; ++k) {
    code += c_row_pointer("out" + std::to_string(k), spec.outputs[k].dtype(), true, k);
  }
  for (size_t k = 0; k < spec.inputs.size(); ++k) {
    code += c_row_pointer("in" + std::to_string(k), spec.inputs[k].dtype, false, outputs + k);
  }
  return code;
}

void c_load_inputs(CValues& values, const KernelSpec& spec,
                   const std::vector<const ExprNode*>& nodes) {
  for (size_t k = 0; k < spec.inputs.size(); ++k) {
    values.load_input(nodes, static_cast<uint32_t>(k), spec.inputs[k].dtype,
                      "in" + std::to_string(k), spec.inputs[k].scalar ? "0" : "i");
  }
}

namespace {

std::string print_map(const KernelSpec& spec) {
  std::string code = c_map_head(spec);
  code += "    for (int64_t i = 0; i < n; ++i) {\n";
  const auto nodes = topological(spec.outputs);
  CValues values(code, "      ");
  c_load_inputs(values, spec, nodes);
  for (const ExprNode* node : nodes) {
    if (node->op == ExprOp::kPosition) {
      values.bind(node, "(position + (uint64_t)(r * n + i))");
    }
  }
  for (const Expr out : spec.outputs) {
    if (!is_complex(out.dtype())) values(out);
  }
  for (size_t k = 0; k < spec.outputs.size(); ++k) {
    values.store(spec.outputs[k], "out" + std::to_string(k), "i");
  }
  return code + "    }\n  }\n}\n\n";
}

}  // namespace

std::string print_c(std::span<const KernelSpec> specs) {
  std::string code = c_prelude() + c_tables(specs);
  for (const KernelSpec& spec : specs) {
    switch (spec.shape) {
      case LoopShape::kMap: code += print_map(spec); break;
      case LoopShape::kRow: code += print_row(spec); break;
      case LoopShape::kRowReduce:
      case LoopShape::kCombineRow: code += print_row_reduce(spec); break;
      case LoopShape::kColumnReduce: code += print_column_reduce(spec); break;
      case LoopShape::kScan: code += print_scan(spec); break;
    }
  }
  return code;
}

}  // namespace weft::codegen
