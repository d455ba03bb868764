// The hunt for a number that is not finite: the step again, op by op, and example by example.
#include "weft/train/terminate_on_nan.h"

#include <algorithm>
#include <limits>

#include "weft/base/error.h"
#include "weft/base/function_ref.h"
#include "weft/op/observe.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/advanced_index.h"
#include "weft/trace/eager_scope.h"
#include "weft/train/compiled.h"
#include "weft/train/run.h"

namespace weft::train {
namespace {

constexpr size_t kMostShown = 10;

bool is_finite(const Tensor& x) {
  return !is_floating(x.dtype()) || all(isfinite(x)).item_int() != 0;
}
bool are_finite(TensorSpan xs) {
  for (const Tensor& x : xs) {
    if (!is_finite(x)) return false;
  }
  return true;
}
bool has_nan(const Tensor& x) { return is_floating(x.dtype()) && any(isnan(x)).item_int() != 0; }
bool have_nan(TensorSpan xs) {
  for (const Tensor& x : xs) {
    if (has_nan(x)) return true;
  }
  return false;
}

std::string_view kind_of(const Tensor& x) {
  if (has_nan(x)) return "nan";
  return any(x == std::numeric_limits<double>::infinity()).item_int() != 0 ? "inf" : "-inf";
}

// The op that is to blame: the first that gave such numbers of finite ones, or else the first that
// gave NaN of infinite ones.
class Hunt final : public Observer {
 public:
  struct Found {
    std::string op, line, kind, inputs;
  };
  std::optional<Found> first, later;

 private:
  void see(const Observation& seen) override {
    if (first || seen.inputs.empty()) return;
    const Tensor* bad = nullptr;
    for (const Tensor& one : seen.outputs) {
      if (bad == nullptr && !is_finite(one)) bad = &one;
    }
    if (bad == nullptr) return;
    const std::string line = seen.where.known() ? to_string(seen.where) : "";
    const std::string op(seen.op.name);
    if (are_finite(seen.inputs)) {
      first = {op, line, std::string(kind_of(*bad)), "finite inputs"};
    } else if (!later && have_nan(seen.outputs) && !have_nan(seen.inputs)) {
      later = {op, line, "nan", "infinite inputs"};
    }
  }
};

Tensor row_of(const Tensor& x, int64_t k, int64_t count) {
  const bool has_rows = x.defined() && x.rank() > 0 && same(x.dim(0), count) == Tri::kYes;
  return has_rows ? index(x, {Range{k, k + 1}}) : x;
}
Tensors rows_of(TensorSpan xs, int64_t k, int64_t count) {
  Tensors out;
  for (const Tensor& x : xs) out.push_back(row_of(x, k, count));
  return out;
}

// The places of examples of which something is true.
template <class IsOne>
std::vector<int64_t> places_where(int64_t count, const IsOne& is_one) {
  std::vector<int64_t> out;
  for (int64_t k = 0; k < count; ++k) {
    if (is_one(k)) out.push_back(k);
  }
  return out;
}

// Of the examples whose own loss is not finite, in a mode of the model. Of those that the whole
// batch has outputs for, or of each called by itself.
std::vector<int64_t> places_by_loss(Compiled& compiled, const Batch& batch, bool by_itself) {
  if (!compiled.loss().defined()) return {};
  const NoGrad no_grad;
  const int64_t count = batch.count();
  const Tensors all = by_itself ? Tensors() : compiled.call(batch.x);
  return places_where(count, [&](int64_t k) {
    const Tensors own =
        by_itself ? compiled.call(rows_of(batch.x, k, count)) : rows_of(all, k, count);
    return !is_finite(compiled.loss()(own, rows_of(batch.y, k, count)));
  });
}

// The places in the batch of the examples that are not finite themselves, or else whose own loss,
// or else whose own gradients, are not.
std::vector<int64_t> places_of(Compiled& compiled, const Batch& batch,
                               FunctionRef<void()> go_back) {
  const int64_t count = batch.count();
  std::vector<int64_t> found = places_where(count, [&](int64_t k) {
    return !are_finite(rows_of(batch.x, k, count)) || !are_finite(rows_of(batch.y, k, count));
  });
  if (!found.empty()) return found;
  found = places_by_loss(compiled, batch, /*by_itself=*/false);
  const auto size = static_cast<size_t>(count);
  if (found.size() == size && size > 1) {
    // One may have spoilt all of them, as by statistics of the batch.
    go_back();
    try {
      const ModeIs evaluating(compiled.module(), false);
      const std::vector<int64_t> own = places_by_loss(compiled, batch, /*by_itself=*/true);
      if (!own.empty()) return own;
    } catch (const Error& error) {  // a model that needs several examples at once
      if (error.code == Code::kInterrupted) throw;
    }
  }
  if (!found.empty()) return found;
  for (int64_t k = 0; k < count; ++k) {
    const Tensors x = rows_of(batch.x, k, count), y = rows_of(batch.y, k, count);
    const Tensor weight = row_of(batch.weight, k, count);
    try {
      const Compiled::Computed own = compiled.computed(x, y, weight);
      if (!is_finite(own.loss) || !are_finite(own.gradients)) found.push_back(k);
    } catch (const Error& error) {  // a model that needs several examples at once
      if (error.code == Code::kInterrupted) throw;
      return {};
    }
  }
  return found;
}

std::string records_text(const std::vector<int64_t>& records,
                         const std::vector<std::string>& origins, std::string_view word,
                         bool is_known) {
  if (!is_known) {
    return text("any of the ", records.size(), ' ', word, "s of the batch may be the cause");
  }
  std::string shown;
  for (size_t i = 0; i < std::min(records.size(), kMostShown); ++i) {
    const bool is_read = i < origins.size() && !origins[i].empty();
    shown += text(i == 0 ? "" : ", ", records[i], is_read ? text(" (", origins[i], ')') : "");
  }
  if (records.size() == 1) return text(word, ' ', shown, " is the cause");
  return text(word, "s ", shown, records.size() > kMostShown ? ", ..." : "", " are the cause");
}

}  // namespace

void TerminateOnNaN::on_batch_begin(Run& run, int64_t) {
  buffers_.clear();
  for (const Variable& buffer : run.module().buffers())
    buffers_.emplace_back(buffer, buffer.value());
  generator_ = random::generator_state();
}

// Buffers and draws as they were before the step.
void TerminateOnNaN::go_back() const {
  for (const auto& [variable, value] : buffers_) variable.assign(value);
  random::set_generator_state(generator_);
}

void TerminateOnNaN::on_not_finite(Run& run, const Batch& batch) {
  const EagerScope now;
  go_back();
  const std::string why = cause(run, batch);
  const std::vector<int64_t> places = places_of(run.compiled(), batch, [&] { go_back(); });
  go_back();
  const bool is_known = !places.empty();
  std::vector<int64_t> numbers;
  if (batch.numbers.defined()) numbers = cast(batch.numbers, DType::kI64).to_vector<int64_t>();
  records_.clear();
  origins_.clear();
  for (int64_t k = 0; k < batch.count(); ++k) {
    if (is_known && std::find(places.begin(), places.end(), k) == places.end()) continue;
    const auto at = static_cast<size_t>(k);
    records_.push_back(numbers.empty() ? k : numbers[at]);
    if (at < batch.origins.size()) origins_.push_back(batch.origins[at]);
  }
  run.stop(
      text("the loss or a gradient is not finite in epoch ", run.epoch() + 1, ", batch ",
           run.batch() + 1, ": ", why, "; ",
           records_text(records_, origins_, numbers.empty() ? "example" : "record", is_known)));
}

std::string TerminateOnNaN::cause(Run& run, const Batch& batch) {
  const std::pair<std::string_view, TensorSpan> given[] = {{"x", batch.x}, {"y", batch.y}};
  for (const auto& [name, tensors] : given) {
    for (const Tensor& one : tensors) {
      if (!is_finite(one)) return text(name, " has ", kind_of(one));
    }
  }
  for (const auto& [name, parameter] : run.module().named_parameters()) {
    const Tensor value = parameter.value();
    if (!is_finite(value)) return text("the parameter '", name, "' has ", kind_of(value));
  }
  Hunt hunt;
  hunt.begin();
  run.compiled().computed(batch.x, batch.y, batch.weight);
  hunt.end();
  const std::optional<Hunt::Found>& found = hunt.first ? hunt.first : hunt.later;
  if (!found) return "no op gave such a number when the step was computed again";
  op_ = found->op;
  line_ = found->line;
  return text(found->op, " gave ", found->kind, " of ", found->inputs,
              found->line.empty() ? "" : text(" at ", found->line));
}

}  // namespace weft::train
