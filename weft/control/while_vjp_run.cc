// How while.vjp runs: segment by segment from what was kept of the loop, the last one first.
#include <algorithm>

#include "weft/control/loop.h"
#include "weft/control/while.h"
#include "weft/core/kept_copy.h"
#include "weft/core/native.h"
#include "weft/op/apply.h"
#include "weft/op/builtin.h"

namespace weft {
namespace {

// Sums and cotangents as they go backwards through the loop.
class Backwards {
 public:
  Backwards(const WhileVjpAttrs& at, TensorSpan in)
      : at_(at),
        parts_(at, in.size()),
        in_(in),
        arguments_(in.subspan(parts_.inputs(), parts_.carries + parts_.consts)),
        sums_(in.first(parts_.cotangents)),
        step_(vjp_of(at.body, parts_.given, types_of(arguments_), parts_.begun)) {
    for (const Tensor& t : in.subspan(parts_.first_sum())) sums_.push_back(t);
    for (size_t i = 0; parts_.sums == 0 && i < parts_.begun.size(); ++i) {
      if (parts_.begun[i])
        sums_.push_back(zeros(Shape(arguments_[i].shape()), arguments_[i].dtype()));
    }
  }

  Tensors run() {
    const int64_t steps = in_[parts_.marks()].dim(0).value();
    const int64_t kept = parts_.carries == 0 ? 0 : in_[parts_.kept()].dim(0).value();
    const int64_t spacing = kept == 0 ? 1 : (steps + kept - 1) / kept;
    int64_t between = 1;
    while (between < spacing) between *= 2;
    most_ = std::max<int64_t>(2, kept);
    const Tensors rows(in_.subspan(parts_.kept(), parts_.carries));
    if (between == 1 && steps > 0) {  // nothing is to be computed again
      set_carry(rows, 0);
      if (run_backwards(rows, steps)) return results();
    }
    for (int64_t segment = kept; segment-- > 0;) {
      run_segment(rows, segment, std::min(between, steps - segment * between));
    }
    return results();
  }

 private:
  // The steps from that row on: forwards once more, then backwards. As many are held at once as
  // were kept of the loop; more of them go by segments of their own.
  void run_segment(const Tensors& rows, int64_t row, int64_t steps) {
    set_carry(rows, row);
    if (steps <= most_) {
      if (!run_in_place(steps)) run_simply(steps);
      return;
    }
    const int64_t between = (steps + most_ - 1) / most_, count = (steps + between - 1) / between;
    const Tensors starts = run_over(between, count);
    for (int64_t i = count; i-- > 0;) {
      run_segment(starts, i, std::min(between, steps - i * between));
    }
  }
  // What is carried at every so manyth step from here on.
  Tensors run_over(int64_t between, int64_t count) {
    Tensors out;
    for (size_t k = 0; k < parts_.carries; ++k) {
      Shape shape(arguments_[k].shape());
      shape.insert(0, count);
      out.push_back(Tensor::empty(arguments_[k].dtype(), shape));
    }
    for (int64_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < out.size(); ++k) native::copy(loop_row(out[k], i), arguments_[k]);
      for (int64_t step = 0; i + 1 < count && step < between; ++step) {
        Tensors next = ir::run(*at_.body, arguments_);
        for (size_t k = 0; k < next.size(); ++k) arguments_[k] = std::move(next[k]);
      }
    }
    return out;
  }
  void run_simply(int64_t steps) {
    std::vector<Tensors> carried;
    carried.emplace_back(TensorSpan(arguments_).first(parts_.carries));
    for (int64_t i = 1; i < steps; ++i) {
      set_carry(carried.back());
      carried.push_back(ir::run(*at_.body, arguments_));
    }
    while (!carried.empty()) {
      set_carry(carried.back());
      carried.pop_back();
      Tensors in(arguments_);
      for (const Tensor& t : sums_) in.push_back(t);
      sums_ = ir::run(*step_, in);
    }
  }

  // The same by addresses: the segment's carries are rows of stacks.
  bool run_in_place(int64_t steps) {
    Tensors stacks;
    for (size_t k = 0; k < parts_.carries; ++k) {
      Shape shape(arguments_[k].shape());
      shape.insert(0, steps);
      stacks.push_back(Tensor::empty(arguments_[k].dtype(), shape));
      native::copy(loop_row(stacks[k], 0), arguments_[k]);
      arguments_[k] = loop_row(stacks[k], 0);
    }
    return run_forwards(stacks, steps) && run_backwards(stacks, steps);
  }
  // Cotangents and sums go back and forth between two places.
  bool run_backwards(const Tensors& stacks, int64_t steps) {
    make_places();
    const RewrittenMemory carried(here_);
    Tensors in(arguments_);
    for (const Tensor& t : here_) in.push_back(t);
    const Shared<ir::Stepper> back = ir::stepper_of(*step_, in, types_of(there_));
    if (back == nullptr) return false;
    std::vector<char*> from = addresses_of(in), to = addresses_of(there_);
    const size_t first = arguments_.size();
    for (int64_t i = steps; i-- > 0;) {
      for (size_t k = 0; k < parts_.carries; ++k) {
        from[k] = address_of(stacks[k]) + i * stacks[k].strides()[0] * size_of(stacks[k].dtype());
      }
      back->run(from.data(), to.data());
      for (size_t k = 0; k < here_.size(); ++k) std::swap(from[first + k], to[k]);
      std::swap(here_, there_);
    }
    sums_ = here_;
    return true;
  }
  bool run_forwards(const Tensors& stacks, int64_t steps) {
    if (steps == 1) return true;
    const Types types = types_of(TensorSpan(arguments_).first(parts_.carries));
    const Shared<ir::Stepper> body = ir::stepper_of(*at_.body, arguments_, types);
    if (body == nullptr) return false;
    std::vector<char*> from = addresses_of(arguments_), to(parts_.carries);
    for (int64_t i = 1; i < steps; ++i) {
      for (size_t k = 0; k < parts_.carries; ++k) {
        to[k] = address_of(stacks[k]) + i * stacks[k].strides()[0] * size_of(stacks[k].dtype());
      }
      body->run(from.data(), to.data());
      std::copy(to.begin(), to.end(), from.begin());
    }
    return true;
  }
  // Two places for each sum, of which one holds it.
  void make_places() {
    here_.clear();
    there_.clear();
    for (const Tensor& t : sums_) {
      Shape shape(t.shape());
      shape.insert(0, 2);
      const Tensor both = Tensor::empty(t.dtype(), shape);
      here_.push_back(loop_row(both, 0));
      there_.push_back(loop_row(both, 1));
      native::copy(here_.back(), t);
    }
  }
  static char* address_of(const Tensor& t) { return static_cast<char*>(t.writable_data()); }
  static std::vector<char*> addresses_of(TensorSpan tensors) {
    std::vector<char*> out;
    for (const Tensor& t : tensors) out.push_back(address_of(t));
    return out;
  }
  void set_carry(const Tensors& rows, int64_t row) {
    for (size_t k = 0; k < parts_.carries; ++k) arguments_[k] = loop_row(rows[k], row);
  }
  void set_carry(const Tensors& carry) {
    for (size_t k = 0; k < parts_.carries; ++k) arguments_[k] = carry[k];
  }
  Tensors results() const {
    Tensors out;
    size_t next = 0;
    for (size_t i = 0; i < parts_.wanted.size(); ++i) {
      if (parts_.wanted[i]) out.push_back(sums_[next]);
      next += parts_.given[i] ? 1 : 0;
    }
    return out;
  }

  const WhileVjpAttrs& at_;
  const WhileVjpParts parts_;
  const TensorSpan in_;
  Tensors arguments_;     // what the body is given
  int64_t most_ = 2;      // steps that are held at once
  Tensors sums_;          // the cotangents of what is carried, then what all steps read
  Tensors here_, there_;  // of run_in_place
  FunctionAttr step_;
};

}  // namespace

Tensors run_while_vjp(const WhileVjpAttrs& at, TensorSpan in, TypeSpan) {
  return Backwards(at, in).run();
}

}  // namespace weft
