// Reductions of columns in the same canonical order: 64 partial rows, then the tree over them.
#include "weft/codegen/llvm_emit.h"
#include "weft/codegen/llvm_lanes.h"
#include "weft/codegen/llvm_reduce.h"

namespace weft::codegen {
namespace {

using llvm::Value;

// A tile's rows lie far apart, beyond what the hardware's own prefetching follows.
constexpr int kRowsAhead = 4;
constexpr int kPartials = kAccumulators * kReduceLanes;

// One level of the tree: partial q += partial q + distance, for q in [first, first + count).
struct Level {
  int first, distance, count;
};
constexpr Level kTree[] = {{0, 16, 16}, {32, 16, 16}, {0, 32, 16}, {0, 8, 8},
                           {0, 4, 4},   {0, 2, 2},    {0, 1, 1}};

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
    // The partial rows of one tile stay in the second level of cache: narrower tiles, which the
    // first would hold, read so little of each row that memory's own prefetching fails.
    while (tile_ > lanes_ && tile_ * kPartials * bytes > 131072) tile_ /= 2;
  }

  void emit() {
    Builder& b = f_.b();
    f_.all_steps(f_.i64(0), f_.arg(4), tile_, [&](Value* first) {
      width_ = f_.remaining(first, f_.arg(4), static_cast<int>(tile_));
      in_ = f_.offset(f_.arg(1), b.CreateMul(first, f_.i64(size_of(spec_.inputs[0].dtype))));
      Value* n = f_.arg(3);
      Value* fresh = f_.remaining(f_.i64(0), n, kPartials);
      f_.all_steps(f_.i64(0), fresh, 1, [&](Value* j) { add_row(j, true); });
      f_.all_steps(f_.i64(kPartials), n, 1, [&](Value* j) { add_row(j, false); });
      combine_partials(fresh);
      store_results(first);
    });
    f_.finish();
  }

 private:
  // Row q of the partials of register r; rows are tile_ elements long.
  Value* partial_row(size_t r, Value* q) {
    int64_t before = 0;
    for (size_t k = 0; k < r; ++k) before += size_of(dtypes_[k]) * tile_ * kPartials;
    Value* bytes = f_.b().CreateMul(q, f_.i64(tile_ * size_of(dtypes_[r])));
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

  void add_row(Value* j, bool fresh) {
    Builder& b = f_.b();
    Value* row = f_.offset(in_, b.CreateMul(j, f_.arg(2)));
    Value* q = b.CreateAnd(j, f_.i64(kPartials - 1));
    over_columns([&](const Span& span) {
      if (!span.count)
        f_.prefetch(row,
                    b.CreateAdd(b.CreateMul(f_.arg(2), f_.i64(kRowsAhead)),
                                b.CreateMul(span.index, f_.i64(size_of(spec_.inputs[0].dtype)))));
      Values values(b, f_.machine(), span.lanes);
      prefetch_below(row, span);
      bind_input(values, 0, f_.load(row, spec_.inputs[0].dtype, span));
      for (const ExprNode* node : topological(spec_.reduce.map)) {
        if (node->op == ExprOp::kPosition)
          values.bind(node, values.splat(b.CreateAdd(f_.arg(5), j)));
      }
      Registers now = code_.map(values);
      if (!fresh) now = code_.combine(load(q, span), now, span.lanes);
      store(q, span, now);
    });
  }

  // Asks for the same columns a few rows further down; past the end it does no harm.
  void prefetch_below(Value* row, const Span& span) {
    constexpr int64_t kRowsAhead = 4;
    Builder& b = f_.b();
    Value* bytes = b.CreateMul(span.index, f_.i64(size_of(spec_.inputs[0].dtype)));
    Value* ahead = b.CreateAdd(b.CreateMul(f_.arg(2), f_.i64(kRowsAhead)), bytes);
    b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                      {f_.offset(row, ahead), b.getInt32(0), b.getInt32(3), b.getInt32(1)});
  }

  // Partials that have no element are left out: combining with the identity changes nothing.
  void combine_partials(Value* present) {
    Builder& b = f_.b();
    for (const Level& level : kTree) {
      Value* last = b.CreateSub(present, f_.i64(level.first + level.distance));
      Value* count =
          b.CreateSelect(b.CreateICmpSLT(last, f_.i64(level.count)), last, f_.i64(level.count));
      f_.all_steps(f_.i64(0), count, 1, [&](Value* q) {
        Value* low = b.CreateAdd(q, f_.i64(level.first));
        Value* high = b.CreateAdd(low, f_.i64(level.distance));
        over_columns([&](const Span& span) {
          store(low, span, code_.combine(load(low, span), load(high, span), span.lanes));
        });
      });
    }
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
  int64_t tile_ = kReduceColumns;
  Value* width_ = nullptr;
  Value* in_ = nullptr;
};

}  // namespace

void emit_column_reduce(llvm::Module& module, const Machine& machine, const KernelSpec& spec) {
  ColumnEmitter(module, machine, spec).emit();
}

}  // namespace weft::codegen
