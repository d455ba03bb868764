// The weights of a convolution as its kernels read them: accumulators in panels, or tap after tap.
#pragma once

#include "weft/core/kept_copy.h"
#include "weft/kernels/conv/problem.h"

namespace weft::kernels {

// In panels, chain after chain of each group. Kept with the weights, if packing them takes a part
// of the time that is worth their memory.
template <class T>
class PackedWeights {
 public:
  explicit PackedWeights(const ConvProblem<T>& p);

  // Panels from column j (a multiple of the panel's width) on, for the chain that begins at step k.
  T* at(int64_t group, int64_t k, int64_t j) const {
    const int64_t depth = lesser(p_.chain(), steps_ - k);
    return static_cast<T*>(copy_.data()) + (group * steps_ + k) * cols_ + j * depth;
  }

 private:
  void pack_all() const;
  bool has_inner_taps() const;
  void pack_taps(int64_t group, int64_t j, int64_t first) const;
  void pack(int64_t group, int64_t k, int64_t j) const;

  const ConvProblem<T>& p_;
  int64_t steps_;
  int64_t cols_;
  KeptCopy copy_;
};

// Those of a depthwise convolution: [taps, groups].
template <class T>
class DepthwiseWeights {
 public:
  explicit DepthwiseWeights(const ConvProblem<T>& p);
  const T* data() const { return static_cast<const T*>(copy_.data()); }

 private:
  KeptCopy copy_;
};

}  // namespace weft::kernels
