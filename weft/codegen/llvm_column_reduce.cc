// Reductions of columns in the same canonical order: 64 partial rows, then the tree over them.
#include <span>

#include "weft/codegen/llvm_emit.h"
#include "weft/codegen/llvm_lanes.h"
#include "weft/codegen/llvm_reduce.h"

namespace weft::codegen {
namespace {

using llvm::Value;

constexpr int kPartials = kAccumulators * kReduceLanes;
// Rows read side by side, as many as there are: memory answers several streams faster than one, and
// what they are added to is stored less often.
constexpr int kRowsAtOnce[] = {8, 4, 1};

// The tree over the partials. First the accumulators of each lane, (q + q+16) + (q+32 + q+48); then
// partial q += partial q + distance, for q below the distance.
constexpr int kLaneDistances[] = {8, 4, 2, 1};

// void k(states, in, row_stride, n, columns, index, scratch)
class ColumnEmitter {
 public:
  ColumnEmitter(llvm::Module& module, const Machine& machine, const KernelSpec& spec)
      : spec_(spec),
        f_(module, machine, spec.symbol(machine.name), "ppiiiip"),
        code_(f_, spec.reduce),
        dtypes_(code_.register_dtypes()) {
    int64_t widest = size_of(real_of(spec.inputs[0].dtype));
    int64_t bytes = 0;
    for (const DType dtype : dtypes_) {
      widest = std::max(widest, size_of(dtype));
      bytes += size_of(dtype);
    }
    lanes_ = 2 * machine.lanes(static_cast<int>(widest));
    // A partial row stays in the first level of cache beside the rows that are added to it.
    while (tile_ > lanes_ && tile_ * bytes > 8192) tile_ /= 2;
    const size_t nodes =
        topological(spec.reduce.map).size() + topological(spec.reduce.combine).size();
    if (nodes > kHeavyNodes) at_once_ = at_once_.last(1);
  }

  void emit() {
    Builder& b = f_.b();
    // Partial rows of few columns lie close together, so that they fit into the first level of
    // cache.
    Value* widest = f_.remaining(f_.i64(0), f_.arg(4), static_cast<int>(tile_));
    pitch_ = b.CreateAnd(b.CreateAdd(widest, f_.i64(lanes_ - 1)), f_.i64(-lanes_));
    f_.all_steps(f_.i64(0), f_.arg(4), tile_, [&](Value* first) {
      width_ = f_.remaining(first, f_.arg(4), static_cast<int>(tile_));
      in_ = f_.offset(f_.arg(1), b.CreateMul(first, f_.i64(size_of(spec_.inputs[0].dtype))));
      Value* fresh = f_.remaining(f_.i64(0), f_.arg(3), kPartials);
      // All rows of one partial, then those of the next: what is added to stays in cache.
      f_.all_steps(f_.i64(0), fresh, 1, [&](Value* q) { add_all(q); });
      combine_partials(fresh);
      store_results(first);
    });
    f_.finish();
  }

 private:
  // Row q of the partials of register r.
  Value* partial_row(size_t r, Value* q) {
    int64_t before = 0;
    for (size_t k = 0; k < r; ++k) before += size_of(dtypes_[k]) * tile_ * kPartials;
    Value* bytes = f_.b().CreateMul(q, f_.b().CreateMul(pitch_, f_.i64(size_of(dtypes_[r]))));
    return f_.offset(f_.arg(6), f_.b().CreateAdd(bytes, f_.i64(before)));
  }
  Registers load(Value* q, const Span& span) {
    Registers out;
    for (size_t r = 0; r < dtypes_.size(); ++r) {
      out.push_back(f_.load(partial_row(r, q), dtypes_[r], {span.index, span.lanes}).real);
    }
    return out;
  }
  void store(Value* q, const Span& span, const Registers& registers) {
    for (size_t r = 0; r < dtypes_.size(); ++r) {
      f_.store_raw(partial_row(r, q), dtypes_[r], registers[r], {span.index, span.lanes});
    }
  }

  // Whole vectors of columns, then the rest; only inputs and results need the count.
  void over_columns(FunctionRef<void(const Span&)> body) {
    Value* done = f_.full_steps(f_.i64(0), width_, lanes_, [&](Value* c) { body({c, lanes_}); });
    f_.when(f_.b().CreateICmpSLT(done, width_),
            [&] { body({done, lanes_, f_.b().CreateSub(width_, done)}); });
  }

  // for (i = begin; i < end; i += step); returns where it ended.
  Value* until(Value* begin, Value* end, int64_t step, KernelFunction::Body body) {
    return f_.full_steps(begin, f_.b().CreateAdd(end, f_.i64(step - 1)), step, body);
  }

  // Are there `rows` rows of the partial from row j on?
  Value* has_rows(Value* j, int rows) {
    Builder& b = f_.b();
    return b.CreateICmpSLT(b.CreateAdd(j, f_.i64((rows - 1) * kPartials)), f_.arg(3));
  }

  // All rows of partial q. The first ones begin it: as many as can be read at once.
  void add_all(Value* q) {
    Builder& b = f_.b();
    Value* done = f_.i64(0);
    for (const int rows : at_once_) {
      Value* begins = b.CreateAnd(b.CreateICmpEQ(done, f_.i64(0)), has_rows(q, rows));
      f_.when(begins, [&] { add_rows(q, rows, true); });
      done = b.CreateSelect(begins, f_.i64(rows * kPartials), done);
    }
    Value* left = b.CreateAdd(q, done);
    for (const int rows : at_once_) {
      Value* end = b.CreateSub(f_.arg(3), f_.i64((rows - 1) * kPartials));
      left = until(left, end, rows * kPartials, [&](Value* j) { add_rows(j, rows, false); });
    }
  }

  // Rows j, j + 64, ... are added to their partial one after the other.
  void add_rows(Value* j, int rows, bool fresh) {
    Builder& b = f_.b();
    Value* q = b.CreateAnd(j, f_.i64(kPartials - 1));
    std::vector<Value*> at, index;
    for (int r = 0; r < rows; ++r) {
      index.push_back(b.CreateAdd(j, f_.i64(r * kPartials)));
      at.push_back(f_.offset(in_, b.CreateMul(index.back(), f_.arg(2))));
    }
    over_columns([&](const Span& span) {
      Registers sum;
      if (!fresh) sum = load(q, span);
      for (size_t r = 0; r < at.size(); ++r) {
        const Registers now = mapped(at[r], index[r], span);
        sum = sum.empty() ? now : code_.combine(sum, now, span.lanes);
      }
      store(q, span, sum);
    });
  }

  Registers mapped(Value* row, Value* j, const Span& span) {
    Builder& b = f_.b();
    Values values(b, f_.machine(), span.lanes);
    bind_input(values, 0, f_.load(row, spec_.inputs[0].dtype, span));
    for (const ExprNode* node : topological(spec_.reduce.map)) {
      if (node->op == ExprOp::kPosition) values.bind(node, values.splat(b.CreateAdd(f_.arg(5), j)));
    }
    return code_.map(values);
  }

  // Partials that have no element are left out: combining with the identity changes nothing.
  void combine_partials(Value* present) {
    Builder& b = f_.b();
    Value* all = b.CreateICmpEQ(present, f_.i64(kPartials));
    f_.when(all, [&] { combine_accumulators(); });
    f_.when(b.CreateNot(all), [&] {
      combine_level(present, 0, kReduceLanes, kReduceLanes);
      combine_level(present, 2 * kReduceLanes, kReduceLanes, kReduceLanes);
      combine_level(present, 0, 2 * kReduceLanes, kReduceLanes);
    });
    for (const int distance : kLaneDistances) combine_level(present, 0, distance, distance);
  }

  // partial q += partial q + distance, for q in [first, first + count) as far as both are there.
  void combine_level(Value* present, int first, int distance, int count) {
    Builder& b = f_.b();
    Value* last = b.CreateSub(present, f_.i64(first + distance));
    Value* end = b.CreateSelect(b.CreateICmpSLT(last, f_.i64(count)), last, f_.i64(count));
    f_.all_steps(f_.i64(0), end, 1, [&](Value* q) {
      Value* low = b.CreateAdd(q, f_.i64(first));
      Value* high = b.CreateAdd(low, f_.i64(distance));
      over_columns([&](const Span& span) {
        store(low, span, code_.combine(load(low, span), load(high, span), span.lanes));
      });
    });
  }

  // The same three levels in one pass, where every partial is there.
  void combine_accumulators() {
    static_assert(kAccumulators == 4);
    Builder& b = f_.b();
    f_.all_steps(f_.i64(0), f_.i64(kReduceLanes), 1, [&](Value* q) {
      over_columns([&](const Span& span) {
        Registers part[kAccumulators];
        for (int k = 0; k < kAccumulators; ++k) {
          part[k] = load(b.CreateAdd(q, f_.i64(k * kReduceLanes)), span);
        }
        store(q, span,
              code_.combine(code_.combine(part[0], part[1], span.lanes),
                            code_.combine(part[2], part[3], span.lanes), span.lanes));
      });
    });
  }

  void store_results(Value* first) {
    over_columns([&](const Span& span) {
      const Registers result = load(f_.i64(0), span);
      for (unsigned k = 0; k < spec_.reduce.states(); ++k) {
        f_.store(f_.pointer_at(f_.arg(0), k), spec_.reduce.identity[k].dtype(),
                 code_.state(result, k),
                 {f_.b().CreateAdd(first, span.index), span.lanes, span.count});
      }
    });
  }

  const KernelSpec& spec_;
  KernelFunction f_;
  ReduceCode code_;
  std::vector<DType> dtypes_;
  int lanes_ = 16;
  std::span<const int> at_once_ = kRowsAtOnce;
  int64_t tile_ = kReduceColumns;
  Value* pitch_ = nullptr;  // elements from one partial row to the next
  Value* width_ = nullptr;
  Value* in_ = nullptr;
};

}  // namespace

void emit_column_reduce(llvm::Module& module, const Machine& machine, const KernelSpec& spec) {
  ColumnEmitter(module, machine, spec).emit();
}

}  // namespace weft::codegen
