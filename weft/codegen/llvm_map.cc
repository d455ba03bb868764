// Elementwise kernels: rows of whole vectors and a masked end.
#include "weft/codegen/llvm_emit.h"
#include "weft/codegen/llvm_function.h"
#include "weft/codegen/llvm_lanes.h"

namespace weft::codegen {
namespace {

using llvm::Value;

class MapEmitter {
 public:
  MapEmitter(llvm::Module& module, const Machine& machine, const KernelSpec& spec)
      : spec_(spec),
        f_(module, machine, spec.symbol(machine.name), "ppiii"),
        nodes_(topological(spec.outputs)),
        lanes_(lanes_for(machine, nodes_, spec.inputs)),
        heavy_(nodes_.size() > kHeavyNodes) {}

  void emit() {
    Builder& b = f_.b();
    const size_t operands = spec_.outputs.size() + spec_.inputs.size();
    std::vector<Value*> carried, strides;
    for (unsigned k = 0; k < operands; ++k) {
      carried.push_back(f_.pointer_at(f_.arg(0), k));
      strides.push_back(f_.i64_at(f_.arg(1), k));
    }
    carried.push_back(f_.arg(4));  // position
    Value* n = f_.arg(2);
    f_.all_steps(f_.i64(0), f_.arg(3), 1, carried, [&](Value*, std::vector<Value*>& row) {
      emit_row(row, n);
      for (size_t k = 0; k < operands; ++k) row[k] = f_.offset(row[k], strides[k]);
      row[operands] = b.CreateAdd(row[operands], n);
    });
    f_.finish();
  }

 private:
  // The pointers of one row (outputs, inputs), then the position of its first element.
  void emit_row(const std::vector<Value*>& row, Value* n) {
    scalars_.clear();
    for (size_t k = 0; k < spec_.inputs.size(); ++k) {
      const Operand& in = spec_.inputs[k];
      scalars_.push_back({});
      if (in.scalar) {
        scalars_.back() = f_.load(row[spec_.outputs.size() + k], in.dtype, {f_.i64(0), 1});
      }
    }
    if (!heavy_) {
      emit_light(row, n);
    } else if (f_.machine().masks) {
      f_.all_steps(f_.i64(0), n, 2 * lanes_,
                   [&](Value* i) { body(row, {i, 2 * lanes_, f_.remaining(i, n, 2 * lanes_)}); });
    } else {
      emit_heavy(row, n);
    }
  }

  void emit_light(const std::vector<Value*>& row, Value* n) {
    const int unroll = 2;
    Value* done = f_.full_steps(f_.i64(0), n, unroll * lanes_, [&](Value* i) {
      std::vector<Span> spans;
      for (int u = 0; u < unroll; ++u) {
        spans.push_back({f_.b().CreateAdd(i, f_.i64(u * lanes_)), lanes_});
      }
      bodies(row, spans);
    });
    f_.all_steps(done, n, lanes_,
                 [&](Value* i) { body(row, {i, lanes_, f_.remaining(i, n, lanes_)}); });
  }

  // One body for whole vectors and for the end, which goes through buffers on the stack.
  void emit_heavy(const std::vector<Value*>& row, Value* n) {
    Builder& b = f_.b();
    const int wide = 2 * lanes_;
    const std::vector<Value*> buffers = make_buffers(row, wide);
    f_.all_steps(f_.i64(0), n, wide, [&](Value* i) {
      Value* count = f_.remaining(i, n, wide);
      Value* whole = b.CreateICmpEQ(count, f_.i64(wide));
      std::vector<Value*> at = row;
      for (size_t k = 0; k + 1 < row.size(); ++k) {
        at[k] = f_.offset(row[k], b.CreateMul(i, f_.i64(size_of(dtype_of(k)))));
      }
      f_.when(b.CreateNot(whole), [&] {
        for (size_t k = spec_.outputs.size(); k + 1 < row.size(); ++k) {
          if (buffers[k]) f_.copy_bytes(buffers[k], at[k], bytes_of(k, count));
        }
      });
      std::vector<Value*> from = at;
      for (size_t k = 0; k + 1 < row.size(); ++k) {
        if (buffers[k]) from[k] = b.CreateSelect(whole, at[k], buffers[k]);
      }
      from.back() = b.CreateAdd(row.back(), i);
      body(from, {f_.i64(0), wide});
      f_.when(b.CreateNot(whole), [&] {
        for (size_t k = 0; k < spec_.outputs.size(); ++k) {
          f_.copy_bytes(at[k], buffers[k], bytes_of(k, count));
        }
      });
    });
  }

  std::vector<Value*> make_buffers(const std::vector<Value*>& row, int wide) {
    std::vector<Value*> buffers(row.size(), nullptr);
    for (size_t k = 0; k + 1 < row.size(); ++k) {
      if (k >= spec_.outputs.size() && spec_.inputs[k - spec_.outputs.size()].scalar) continue;
      const auto bytes = static_cast<uint64_t>(wide * size_of(dtype_of(k)));
      buffers[k] = f_.stack(f_.b().getInt8Ty(), bytes);
    }
    return buffers;
  }

  DType dtype_of(size_t operand) const {
    const size_t outputs = spec_.outputs.size();
    return operand < outputs ? spec_.outputs[operand].dtype()
                             : spec_.inputs[operand - outputs].dtype;
  }
  Value* bytes_of(size_t operand, Value* count) {
    return f_.b().CreateMul(count, f_.i64(size_of(dtype_of(operand))));
  }

  void body(const std::vector<Value*>& row, const Span& span) { bodies(row, {span}); }

  // All loads come before all stores: outputs may lie on inputs.
  void bodies(const std::vector<Value*>& row, const std::vector<Span>& spans) {
    std::vector<Values> values;
    for (const Span& span : spans) {
      values.emplace_back(f_.b(), f_.machine(), span.lanes);
      bind_leaves(values.back(), row, span);
    }
    std::vector<LaneValue> results;
    for (Values& v : values) {
      for (const Expr out : spec_.outputs) results.push_back(lane_value(v, out));
    }
    size_t next = 0;
    for (const Span& span : spans) {
      for (size_t k = 0; k < spec_.outputs.size(); ++k) {
        f_.store(row[k], spec_.outputs[k].dtype(), results[next++], span);
      }
    }
  }

  void bind_leaves(Values& v, const std::vector<Value*>& row, const Span& span) {
    Builder& b = f_.b();
    uint32_t read = 0;
    for (const ExprNode* node : nodes_) {
      if (node->op == ExprOp::kInput) read |= 1u << node->index;
      if (node->op == ExprOp::kPosition) {
        Value* first = v.splat(b.CreateAdd(row.back(), span.index));
        v.bind(node, b.CreateAdd(first, v.iota(b.getInt64Ty())));
      }
    }
    for (uint32_t k = 0; k < spec_.inputs.size(); ++k) {
      if (!(read >> k & 1)) continue;
      const Operand& in = spec_.inputs[k];
      LaneValue value;
      if (in.scalar) {
        value.real = v.splat(scalars_[k].real);
        if (scalars_[k].imag) value.imag = v.splat(scalars_[k].imag);
      } else {
        value = f_.load(row[spec_.outputs.size() + k], in.dtype, span);
      }
      bind_input(v, k, value);
    }
  }

  const KernelSpec& spec_;
  KernelFunction f_;
  std::vector<const ExprNode*> nodes_;
  int lanes_;
  bool heavy_;
  std::vector<LaneValue> scalars_;
};

}  // namespace

void emit_map(llvm::Module& module, const Machine& machine, const KernelSpec& spec) {
  MapEmitter(module, machine, spec).emit();
}

}  // namespace weft::codegen
