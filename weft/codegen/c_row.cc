// Row kernels as C: the same passes as the vector tiers.
#include "weft/codegen/c_reduce.h"
#include "weft/codegen/c_shapes.h"
#include "weft/codegen/row_plan.h"

namespace weft::codegen {
namespace {

class RowPrinter {
 public:
  explicit RowPrinter(const KernelSpec& spec)
      : spec_(spec), plan_(spec), symbol_(spec.symbol("portable")) {}

  std::string print() {
    std::string functions;
    for (size_t p = 0; p < plan_.passes.size(); ++p) {
      for (size_t k = 0; k < plan_.passes[p].reductions.size(); ++k) {
        functions +=
            c_combine_function(combine_name(p, k), reduce_spec_of(plan_.passes[p].reductions[k]));
      }
    }
    code_ = c_map_head(spec_);
    CValues scalars(code_, "    ");
    for (const ExprNode* node : topological(spec_.outputs)) {
      if (node->op == ExprOp::kRowLength) scalars.bind(node, "n");
    }
    for (size_t k = 0; k < spec_.inputs.size(); ++k) {
      if (!spec_.inputs[k].scalar) continue;
      scalars.load_input(topological(spec_.outputs), static_cast<uint32_t>(k),
                         spec_.inputs[k].dtype, "in" + std::to_string(k), "0");
    }
    for (size_t t = 0; t < plan_.temporaries.size(); ++t) declare_temporary(t);
    for (size_t p = 0; p < plan_.passes.size(); ++p) print_pass(p, scalars);
    for (size_t k = 0; k < spec_.outputs.size(); ++k) {
      if (is_row_value(spec_.outputs[k], spec_))
        scalars.store(spec_.outputs[k], "out" + std::to_string(k), "0");
    }
    return functions + code_ + "  }\n}\n\n";
  }

 private:
  std::string combine_name(size_t pass, size_t k) const {
    return symbol_ + "_" + std::to_string(pass) + "_" + std::to_string(k);
  }
  static std::string result_name(size_t pass, size_t k) {
    return "r" + std::to_string(pass) + "_" + std::to_string(k);
  }

  void declare_temporary(size_t t) {
    const RowTemporary& temporary = plan_.temporaries[t];
    const std::string type = std::string(c_memory_type(temporary.node->dtype)) + "*";
    const std::string name = "m" + std::to_string(t);
    if (temporary.output >= 0) {
      code_ +=
          "    " + type + " const " + name + " = out" + std::to_string(temporary.output) + ";\n";
      return;
    }
    const std::string operand = std::to_string(spec_.outputs.size() + spec_.inputs.size());
    code_ += "    " + type + " const " + name + " = (" + type + ")((char*)p[" + operand +
             "] + (n + 64) * " + std::to_string(temporary.scratch) + ");\n";
  }

  void print_pass(size_t p, CValues& scalars) {
    const RowPass& pass = plan_.passes[p];
    if (pass.nodes.empty() && pass.reductions.empty() && pass.loaded.empty()) return;
    for (const ExprNode* node : pass.row_values) {
      if (!is_complex(node->dtype)) scalars(Expr(node));
    }
    for (size_t k = 0; k < pass.reductions.size(); ++k) {
      code_ +=
          std::string("    ") + c_type(pass.reductions[k]->dtype) + " " + result_name(p, k) + ";\n";
    }
    code_ += "    {\n";
    for (size_t k = 0; k < pass.reductions.size(); ++k) code_ += accumulator(p, k);
    code_ += "    for (int64_t i = 0; i < n; ++i) {\n";
    print_body(p, scalars);
    code_ += "    }\n";
    for (size_t k = 0; k < pass.reductions.size(); ++k) code_ += finished(p, k);
    code_ += "    }\n";
    for (size_t k = 0; k < pass.reductions.size(); ++k) {
      scalars.bind(pass.reductions[k], result_name(p, k));
    }
  }

  // The arrays of c_arrays are called s0; each reduction of a pass has its own name for it.
  std::string accumulator(size_t p, size_t k) const {
    const ReduceSpec spec = reduce_spec_of(plan_.passes[p].reductions[k]);
    const std::string name = "acc" + std::to_string(k);
    std::string code =
        std::string("    ") + c_type(spec.identity[0].dtype()) + " " + name + "[64];\n";
    CValues values(code, "    ");
    const std::string identity = values(spec.identity[0]);
    return code + "    for (int q = 0; q < 64; ++q) " + name + "[q] = " + identity + ";\n";
  }
  std::string finished(size_t p, size_t k) const {
    const ReduceSpec spec = reduce_spec_of(plan_.passes[p].reductions[k]);
    const std::string type = c_type(spec.identity[0].dtype());
    return "    { " + type + "* s0 = acc" + std::to_string(k) + ";\n" +
           c_tree(combine_name(p, k), spec, "    ") + "    " + result_name(p, k) + " = s0[0]; }\n";
  }

  void print_body(size_t p, const CValues& scalars) {
    const RowPass& pass = plan_.passes[p];
    CValues values(code_, "      ", "e");
    for (const ExprNode* node : pass.row_values) {
      if (!is_complex(node->dtype)) values.bind(node, scalars.name_of(node));
    }
    c_load_inputs(values, spec_, pass.nodes);
    for (const ExprNode* node : pass.nodes) {
      if (node->op == ExprOp::kPosition) values.bind(node, "(position + (uint64_t)(r * n + i))");
    }
    for (const size_t t : pass.loaded) {
      values.load_local(plan_.temporaries[t].node, "m" + std::to_string(t) + "[i]");
    }
    for (size_t k = 0; k < pass.reductions.size(); ++k) {
      const std::string value = values(Expr(pass.reductions[k]->args[0]));
      code_ += "      " + combine_name(p, k) + "(&acc" + std::to_string(k) + "[i & 63], " + value +
               ");\n";
    }
    std::vector<std::string> kept;
    for (const size_t t : pass.stored) kept.push_back(values(Expr(plan_.temporaries[t].node)));
    for (size_t k = 0; k < pass.stored.size(); ++k) {
      code_ += "      m" + std::to_string(pass.stored[k]) + "[i] = " + kept[k] + ";\n";
    }
    if (!pass.outputs) return;
    for (const Expr out :
         spec_.outputs) {  // all values before any store: outputs may lie on inputs
      if (!is_row_value(out, spec_) && !is_complex(out.dtype())) values(out);
    }
    for (size_t k = 0; k < spec_.outputs.size(); ++k) {
      if (!is_row_value(spec_.outputs[k], spec_))
        values.store(spec_.outputs[k], "out" + std::to_string(k), "i");
    }
  }

  const KernelSpec& spec_;
  RowPlan plan_;
  std::string symbol_;
  std::string code_;
};

}  // namespace

std::string print_row(const KernelSpec& spec) { return RowPrinter(spec).print(); }

}  // namespace weft::codegen
