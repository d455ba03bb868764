// Reductions in the canonical order: element j goes to accumulator (j / 16) % 4, lane j % 16.
#include "weft/codegen/llvm_reduce.h"

#include "weft/base/error.h"
#include "weft/codegen/llvm_chunks.h"
#include "weft/codegen/llvm_lanes.h"

namespace weft::codegen {

using llvm::Value;

std::vector<DType> ReduceCode::register_dtypes() const {
  std::vector<DType> out;
  for (const Expr e : spec_.identity) {
    out.push_back(real_of(e.dtype()));
    if (is_complex(e.dtype())) out.push_back(real_of(e.dtype()));
  }
  return out;
}

Registers ReduceCode::evaluate(Values& values, const std::vector<Expr>& exprs) {
  Registers out;
  for (const Expr e : exprs) {
    const LaneValue value = lane_value(values, e);
    out.push_back(value.real);
    if (value.imag) out.push_back(value.imag);
  }
  return out;
}

Registers ReduceCode::identity(int lanes) {
  Values values(f_.b(), f_.machine(), lanes);
  return evaluate(values, spec_.identity);
}

Registers ReduceCode::map(Values& values) { return evaluate(values, spec_.map); }

Registers ReduceCode::combine(const Registers& a, const Registers& b, int lanes) {
  Values values(f_.b(), f_.machine(), lanes);
  uint32_t input = 0;
  for (const Registers* side : {&a, &b}) {
    for (size_t k = 0; k < spec_.states(); ++k) bind_input(values, input++, state(*side, k));
  }
  return evaluate(values, spec_.combine);
}

LaneValue ReduceCode::state(const Registers& registers, size_t k) const {
  size_t at = 0;
  for (size_t s = 0; s < k; ++s) at += is_complex(spec_.identity[s].dtype()) ? 2 : 1;
  LaneValue out{registers[at]};
  if (is_complex(spec_.identity[k].dtype())) out.imag = registers[at + 1];
  return out;
}

Accumulators::Accumulators(KernelFunction& f, const ReduceSpec& spec) : f_(f), code_(f, spec) {
  const Values values(f.b(), f.machine(), kReduceLanes);
  for (const DType dtype : code_.register_dtypes()) {
    const DType kept = dtype == DType::kBool ? DType::kU8 : dtype;
    memory_.push_back(f.stack(values.type(kept), kAccumulators));
  }
}

// Bools are kept as bytes in memory.
Registers Accumulators::load(Value* slot) {
  const std::vector<DType> dtypes = code_.register_dtypes();
  Registers out;
  for (size_t r = 0; r < memory_.size(); ++r) {
    Value* first = f_.b().CreateMul(slot, f_.i64(kReduceLanes));
    out.push_back(f_.load(memory_[r], dtypes[r], {first, kReduceLanes}).real);
  }
  return out;
}

void Accumulators::store(Value* slot, const Registers& registers) {
  const std::vector<DType> dtypes = code_.register_dtypes();
  for (size_t r = 0; r < memory_.size(); ++r) {
    Value* first = f_.b().CreateMul(slot, f_.i64(kReduceLanes));
    f_.store_raw(memory_[r], dtypes[r], registers[r], {first, kReduceLanes});
  }
}

Registers Accumulators::finish() {
  Registers parts[kAccumulators];
  for (int a = 0; a < kAccumulators; ++a) parts[a] = load(f_.i64(a));
  Registers sum = code_.combine(code_.combine(parts[0], parts[1], kReduceLanes),
                                code_.combine(parts[2], parts[3], kReduceLanes), kReduceLanes);
  for (int half = kReduceLanes / 2; half > 0; half /= 2) {
    Registers low, high;
    for (Value* r : sum) {
      if (half > 1) {
        low.push_back(lanes_of(f_.b(), r, 0, half));
        high.push_back(lanes_of(f_.b(), r, half, half));
      } else {
        low.push_back(f_.b().CreateExtractElement(r, uint64_t{0}));
        high.push_back(f_.b().CreateExtractElement(r, 1));
      }
    }
    sum = code_.combine(low, high, half);
  }
  return sum;
}

namespace {

// 64 elements a step, accumulators in registers; returns the first index it did not take.
Value* unrolled(KernelFunction& f, std::vector<Accumulators>& all, Value* n,
                FunctionRef<std::vector<Registers>(const Span&)> body) {
  Registers carried;
  for (int a = 0; a < kAccumulators; ++a) {
    for (Accumulators& one : all) {
      const Registers start = one.code().identity(kReduceLanes);
      carried.insert(carried.end(), start.begin(), start.end());
    }
  }
  const auto split = [&](const Registers& flat,
                         FunctionRef<Registers(int, size_t, const Registers&)> use) {
    Registers out;
    size_t at = 0;
    for (int a = 0; a < kAccumulators; ++a) {
      for (size_t k = 0; k < all.size(); ++k) {
        const size_t count = all[k].code().register_dtypes().size();
        const Registers part(flat.begin() + static_cast<long>(at),
                             flat.begin() + static_cast<long>(at + count));
        const Registers result = use(a, k, part);
        out.insert(out.end(), result.begin(), result.end());
        at += count;
      }
    }
    return out;
  };
  constexpr int kStep = kAccumulators * kReduceLanes;
  Value* done = f.full_steps(f.i64(0), n, kStep, carried, [&](Value* i, Registers& now) {
    std::vector<Registers> mapped[kAccumulators];
    for (int a = 0; a < kAccumulators; ++a) {
      mapped[a] = body({f.b().CreateAdd(i, f.i64(a * kReduceLanes)), kReduceLanes});
    }
    now = split(now, [&](int a, size_t k, const Registers& part) {
      return all[k].code().combine(part, mapped[a][k], kReduceLanes);
    });
  });
  split(carried, [&](int a, size_t k, const Registers& part) {
    all[k].store(f.i64(a), part);
    return part;
  });
  return done;
}

Registers keep_beyond(KernelFunction& f, const Span& span, const Registers& now,
                      const Registers& old) {
  if (!span.count) return now;
  Registers out;
  Value* exists = f.mask(span.lanes, span.count);
  for (size_t r = 0; r < now.size(); ++r) out.push_back(f.b().CreateSelect(exists, now[r], old[r]));
  return out;
}

}  // namespace

void reduce_loop(KernelFunction& f, std::vector<Accumulators>& all, Value* n, bool light,
                 FunctionRef<std::vector<Registers>(const Span&)> body) {
  Builder& b = f.b();
  Value* begin = f.i64(0);
  if (light) {
    begin = unrolled(f, all, n, body);
  } else {
    for (Accumulators& one : all) {
      for (int a = 0; a < kAccumulators; ++a)
        one.store(f.i64(a), one.code().identity(kReduceLanes));
    }
  }
  const auto step = [&](Value* i, Value* count) {
    const Span span{i, kReduceLanes, count};
    const std::vector<Registers> mapped = body(span);
    Value* slot = b.CreateAnd(b.CreateLShr(i, f.i64(4)), f.i64(kAccumulators - 1));
    for (size_t k = 0; k < all.size(); ++k) {
      const Registers old = all[k].load(slot);
      const Registers now = all[k].code().combine(old, mapped[k], kReduceLanes);
      all[k].store(slot, keep_beyond(f, span, now, old));
    }
  };
  if (light) {  // fewer than 64 are left: one body for them all
    f.all_steps(begin, n, kReduceLanes,
                [&](Value* i) { step(i, f.remaining(i, n, kReduceLanes)); });
    return;
  }
  Value* done = f.full_steps(begin, n, kReduceLanes, [&](Value* i) { step(i, nullptr); });
  f.when(b.CreateICmpSLT(done, n), [&] { step(done, b.CreateSub(n, done)); });
}

}  // namespace weft::codegen
