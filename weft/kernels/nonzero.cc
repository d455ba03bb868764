// nonzero: blocks are counted, then each writes its coordinates where its turn is.
#include "weft/kernels/nonzero.h"

#include <vector>

#include "weft/kernels/operand.h"
#include "weft/kernels/tasks.h"

namespace weft::kernels {
namespace {

constexpr int64_t kBlock = 8192;  // elements; fixed, so that threads do not matter
constexpr double kNsPerBlock = 4000;

// Coordinates of ascending positions: each moves on from the last, so that few are divided.
class Coordinates {
 public:
  Coordinates(const Dim* dims, int rank) : dims_(dims), at_(static_cast<size_t>(rank), 0) {}

  void move_to(int64_t position) {
    int64_t more = position - position_;
    position_ = position;
    for (size_t d = at_.size(); d-- > 0 && more > 0;) {
      at_[d] += more;
      const int64_t size = dims_[d].value();
      more = at_[d] >= size ? at_[d] / size : 0;
      at_[d] -= more * size;
    }
  }
  int64_t operator[](size_t axis) const { return at_[axis]; }

 private:
  const Dim* dims_;
  Ints at_;
  int64_t position_ = 0;
};

}  // namespace

Tensor nonzero(const Tensor& in) {
  const Operand operand = operand_of(in);
  const auto* const truth = reinterpret_cast<const uint8_t*>(operand.data);
  const int64_t blocks = (operand.numel + kBlock - 1) / kBlock;
  std::vector<int64_t> starts(static_cast<size_t>(blocks) + 1, 0);
  const auto end_of = [&](int64_t block) { return std::min(operand.numel, (block + 1) * kBlock); };
  in_tasks(blocks, kNsPerBlock, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      int64_t count = 0;
      for (int64_t i = block * kBlock; i < end_of(block); ++i) count += truth[i] != 0;
      starts[static_cast<size_t>(block) + 1] = count;
    }
  });
  for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  const int64_t count = starts.back();
  const Tensor out = Tensor::empty(DType::kI64, Shape{operand.rank, count});
  auto* const to = static_cast<int64_t*>(out.writable_data());
  in_tasks(blocks, kNsPerBlock, [&](int64_t begin, int64_t end) {
    Coordinates coordinates(operand.dims, operand.rank);
    for (int64_t block = begin; block < end; ++block) {
      int64_t next = starts[static_cast<size_t>(block)];
      for (int64_t i = block * kBlock; i < end_of(block); ++i) {
        if (truth[i] == 0) continue;
        coordinates.move_to(i);
        for (size_t d = 0; d < operand.rank; ++d) {
          to[static_cast<int64_t>(d) * count + next] = coordinates[d];
        }
        ++next;
      }
    }
  });
  return out;
}

}  // namespace weft::kernels
