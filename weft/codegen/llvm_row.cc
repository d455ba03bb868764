// Row kernels: passes of maps and reductions over one row after another.
#include "weft/codegen/llvm_emit.h"
#include "weft/codegen/llvm_lanes.h"
#include "weft/codegen/llvm_reduce.h"
#include "weft/codegen/row_plan.h"

namespace weft::codegen {
namespace {

using llvm::Value;

class RowEmitter {
 public:
  RowEmitter(llvm::Module& module, const Machine& machine, const KernelSpec& spec)
      : spec_(spec), plan_(spec), f_(module, machine, spec.symbol(machine.name), "ppiii") {
    for (const RowPass& pass : plan_.passes) {
      for (const ExprNode* reduce : pass.reductions)
        reduce_specs_.push_back(reduce_spec_of(reduce));
    }
    size_t next = 0;
    for (const RowPass& pass : plan_.passes) {
      accumulators_.emplace_back();
      for (size_t k = 0; k < pass.reductions.size(); ++k) {
        accumulators_.back().emplace_back(f_, reduce_specs_[next++]);
      }
    }
  }

  void emit() {
    Builder& b = f_.b();
    const size_t operands = spec_.outputs.size() + spec_.inputs.size();
    std::vector<Value*> row;
    for (unsigned k = 0; k < operands; ++k) {
      row.push_back(f_.pointer_at(f_.arg(0), k));
      strides_.push_back(f_.i64_at(f_.arg(1), k));
    }
    row.push_back(f_.arg(4));
    if (plan_.scratch_bytes > 0)
      scratch_ = f_.pointer_at(f_.arg(0), static_cast<unsigned>(operands));
    f_.all_steps(f_.i64(0), f_.arg(3), 1, row, [&](Value*, std::vector<Value*>& now) {
      row_ = now;
      emit_row();
      for (size_t k = 0; k < operands; ++k) now[k] = f_.offset(now[k], strides_[k]);
      now[operands] = b.CreateAdd(now[operands], f_.arg(2));
    });
    f_.finish();
  }

 private:
  // Row values are computed once, outside the loops of the passes.
  void emit_row() {
    Values scalars(f_.b(), f_.machine(), 1);
    for (const ExprNode* node : topological(spec_.outputs)) {
      if (node->op == ExprOp::kRowLength) scalars.bind(node, f_.arg(2));
    }
    for (uint32_t k = 0; k < spec_.inputs.size(); ++k) {
      if (!spec_.inputs[k].scalar) continue;
      bind_input(scalars, k,
                 f_.load(row_[spec_.outputs.size() + k], spec_.inputs[k].dtype, {f_.i64(0), 1}));
    }
    for (size_t p = 0; p < plan_.passes.size(); ++p) emit_pass(p, scalars);
    for (size_t k = 0; k < spec_.outputs.size(); ++k) {
      const Expr out = spec_.outputs[k];
      if (is_row_value(out, spec_))
        f_.store(row_[k], out.dtype(), lane_value(scalars, out), {f_.i64(0), 1});
    }
  }

  void emit_pass(size_t p, Values& scalars) {
    const RowPass& pass = plan_.passes[p];
    if (pass.nodes.empty() && pass.reductions.empty() && pass.loaded.empty()) return;
    for (const ExprNode* node : pass.row_values) {
      if (!is_complex(node->dtype)) scalars(Expr(node));
    }
    const bool light = pass.nodes.size() <= kHeavyNodes;
    asks_ahead_ = p > 0 && (!light || (spec_.past_caches != 0 && pass.outputs && !asked_));
    asked_ = asked_ || asks_ahead_;
    if (!pass.reductions.empty()) {
      reduce_loop(f_, accumulators_[p], f_.arg(2), light && pass.reductions.size() <= 2,
                  [&](const Span& span) { return body(pass, span, scalars); });
      for (size_t k = 0; k < pass.reductions.size(); ++k) {
        scalars.bind(pass.reductions[k], accumulators_[p][k].finish()[0]);
      }
      return;
    }
    if (!pass.outputs || spec_.past_caches == 0) return map_loop(pass, scalars);
    Value* const aligned = lines_begin();
    past_caches_ = true;
    f_.when(aligned, [&] { map_loop(pass, scalars); });
    past_caches_ = false;
    f_.when(f_.b().CreateNot(aligned), [&] { map_loop(pass, scalars); });
  }

  // Whether lines of the cache begin where the row's results do that are stored past it.
  Value* lines_begin() {
    Builder& b = f_.b();
    Value* bits = f_.i64(0);
    for (size_t k = 0; k < spec_.outputs.size(); ++k) {
      if (spec_.past_caches >> k & 1) {
        bits = b.CreateOr(bits, b.CreatePtrToInt(row_[k], b.getInt64Ty()));
      }
    }
    return b.CreateICmpEQ(b.CreateAnd(bits, f_.i64(kLineBytes - 1)), f_.i64(0));
  }

  void map_loop(const RowPass& pass, Values& scalars) {
    Value* n = f_.arg(2);
    Value* done = f_.full_steps(f_.i64(0), n, kReduceLanes,
                                [&](Value* i) { body(pass, {i, kReduceLanes}, scalars); });
    f_.when(f_.b().CreateICmpSLT(done, n),
            [&] { body(pass, {done, kReduceLanes, f_.b().CreateSub(n, done)}, scalars); });
  }

  Value* place_of(const RowTemporary& t) {
    if (t.output >= 0) return row_[static_cast<size_t>(t.output)];
    Value* length = f_.b().CreateAdd(f_.arg(2), f_.i64(64));
    return f_.offset(scratch_, f_.b().CreateMul(length, f_.i64(t.scratch)));
  }

  bool is_read_first(uint32_t input) const {
    for (const ExprNode* node : plan_.passes[0].nodes) {
      if (node->op == ExprOp::kInput && node->index == input) return true;
    }
    return false;
  }

  // Asks for the same elements of the next row: a pass that computes much leaves memory idle, and
  // the first pass over the next row would wait for it.
  void ask_ahead(const Span& span) {
    Builder& b = f_.b();
    for (uint32_t k = 0; k < spec_.inputs.size(); ++k) {
      if (spec_.inputs[k].scalar || !is_read_first(k)) continue;
      const size_t operand = spec_.outputs.size() + k;
      const int64_t item = size_of(spec_.inputs[k].dtype);
      Value* next = f_.offset(row_[operand], strides_[operand]);
      Value* first = b.CreateMul(span.index, f_.i64(item));
      for (int64_t line = 0; line < span.lanes * item; line += 64) {
        f_.prefetch(next, b.CreateAdd(first, f_.i64(line)));
      }
    }
  }

  // Computes the pass for some elements; returns what each of its reductions takes in.
  std::vector<Registers> body(const RowPass& pass, const Span& span, Values& scalars) {
    if (asks_ahead_) ask_ahead(span);
    Values values(f_.b(), f_.machine(), span.lanes);
    bind_leaves(values, pass, span, scalars);
    std::vector<Registers> reduced;
    for (const ExprNode* reduce : pass.reductions)
      reduced.push_back({values(reduce_argument(reduce))});
    std::vector<LaneValue> results, kept;
    for (const Expr out : spec_.outputs) {
      const bool now = pass.outputs && !is_row_value(out, spec_);
      results.push_back(now ? lane_value(values, out) : LaneValue{});
    }
    for (const size_t t : pass.stored) kept.push_back({values(Expr(plan_.temporaries[t].node))});
    for (size_t k = 0; k < results.size(); ++k) {
      if (!results[k].real) continue;
      if (past_caches_ && !span.count && (spec_.past_caches >> k & 1) != 0) {
        f_.store_past_caches(row_[k], spec_.outputs[k].dtype(), results[k].real, span);
      } else {
        f_.store(row_[k], spec_.outputs[k].dtype(), results[k], span);
      }
    }
    for (size_t k = 0; k < pass.stored.size(); ++k) {
      const RowTemporary& t = plan_.temporaries[pass.stored[k]];
      f_.store_raw(place_of(t), t.node->dtype, kept[k].real, span);
    }
    return reduced;
  }

  static Expr reduce_argument(const ExprNode* reduce) { return Expr(reduce->args[0]); }

  void bind_leaves(Values& values, const RowPass& pass, const Span& span, Values& scalars) {
    Builder& b = f_.b();
    for (const ExprNode* node : pass.row_values) {
      if (!is_complex(node->dtype)) values.bind(node, values.splat(scalars(Expr(node))));
    }
    uint32_t read = 0;
    for (const ExprNode* node : pass.nodes) {
      if (node->op == ExprOp::kInput) read |= 1u << node->index;
      if (node->op != ExprOp::kPosition) continue;
      Value* first = b.CreateAdd(row_.back(), span.index);
      values.bind(node, b.CreateAdd(values.splat(first), values.iota(b.getInt64Ty())));
    }
    for (uint32_t k = 0; k < spec_.inputs.size(); ++k) {
      if (!(read >> k & 1)) continue;
      bind_input(values, k, f_.load(row_[spec_.outputs.size() + k], spec_.inputs[k].dtype, span));
    }
    for (const size_t t : pass.loaded) {
      const RowTemporary& temporary = plan_.temporaries[t];
      values.bind(temporary.node, f_.load(place_of(temporary), temporary.node->dtype, span).real);
    }
  }

  const KernelSpec& spec_;
  RowPlan plan_;
  KernelFunction f_;
  std::vector<ReduceSpec> reduce_specs_;
  std::vector<std::vector<Accumulators>> accumulators_;
  std::vector<Value*> row_;  // pointers of the row at hand, then its position
  std::vector<Value*> strides_;
  bool asks_ahead_ = false;   // the pass at hand
  bool asked_ = false;        // an earlier one, or this
  bool past_caches_ = false;  // where this pass stores results that are said to go there
  Value* scratch_ = nullptr;
};

}  // namespace

void emit_row(llvm::Module& module, const Machine& machine, const KernelSpec& spec) {
  RowEmitter(module, machine, spec).emit();
}

}  // namespace weft::codegen
