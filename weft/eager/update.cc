// Updates: lays the operands of each tensor alike, and writes in place where the values are given
// up.
#include "weft/eager/update.h"

#include <algorithm>
#include <vector>

#include "weft/base/thread_pool.h"
#include "weft/core/kept_copy.h"
#include "weft/core/native.h"
#include "weft/eager/layout.h"
#include "weft/eager/runtime.h"
#include "weft/kernels/update.h"
#include "weft/op/apply.h"
#include "weft/op/kernel_key.h"
#include "weft/op/native_outputs.h"

namespace weft {
namespace {

const Concrete& concrete(const Tensor& t) { return *static_cast<const Concrete*>(t.node()); }

// Do the elements of both follow each other in one order, without gaps? `lead` has no gaps.
bool lie_alike(const Tensor& x, const Tensor& lead) {
  if (concrete(lead).contiguous) return concrete(x).contiguous;
  return std::ranges::equal(x.strides(), lead.strides());
}

// The lead of a tensor's operands: without gaps.
void close_gaps(Tensor& x) {
  if (concrete(x).contiguous || lead_of_layout(x.shape(), {&x, 1}) != nullptr) return;
  const Tensor packed = Tensor::empty(x.dtype(), x.shape());
  native::copy(packed, x);
  x = packed;
}

Tensor like(const Tensor& lead) {
  if (concrete(lead).contiguous) return Tensor::empty_like(lead, lead.dtype());
  return empty_for(lead.type(), {&lead, 1});
}

void lay_alike(Tensor& x, const Tensor& lead) {
  if (lie_alike(x, lead)) return;
  const Tensor laid = like(lead);
  native::copy(laid, x);
  x = laid;
}

}  // namespace

bool may_write(const Concrete& node) {
  if (node.refs.load_acquire() != 1) return false;
  if (node.owner == nullptr) return true;
  if (node.owner->kind != NodeKind::kBuffer || node.owner->refs.load_acquire() != 1) return false;
  Buffer& buffer = *static_cast<Buffer*>(node.owner);
  if (buffer.foreign) return false;
  drop_kept_copies(buffer);
  return true;
}

size_t updated_input(const OpDef& op, size_t count, size_t k) {
  return op.kernel.row_scalars + k + (k < count ? 0 : count);
}

namespace {

// Results are in the memory of inputs that nobody else holds, or in `available` where these lie as
// the inputs do, else in new memory.
Tensors updated(const OpDef& op, Tensors& in, TensorSpan available) {
  const size_t scalars = op.kernel.row_scalars;
  const auto outputs = static_cast<size_t>(op.kernel.row_outputs), lists = outputs + 1;
  const size_t count = (in.size() - scalars) / lists, each = outputs + lists;
  const DType dtype = in[scalars].dtype();
  kernels::UpdateCall call;
  call.kernel = runtime_of(op).map[static_cast<size_t>(dtype)].variant[0];
  if (call.kernel == nullptr) {
    kernel_or_fail(op, kernel_key(entry_of(op), {&dtype, 1}, "update"));
  }
  std::vector<void*> values, pointers(count * each);
  std::vector<int64_t> sizes(count);
  Tensors out(outputs * count);
  for (size_t k = 0; k < scalars; ++k) values.push_back(concrete(in[k]).data);
  for (size_t i = 0; i < count; ++i) {
    void** const own = pointers.data() + i * each;
    Tensor& lead = in[scalars + i];
    close_gaps(lead);
    sizes[i] = concrete(lead).numel;
    for (size_t k = 0; k < lists; ++k) {
      Tensor& x = in[scalars + k * count + i];
      if (k > 0) lay_alike(x, lead);
      own[outputs + k] = concrete(x).data;
    }
    for (size_t k = 0; k < outputs; ++k) {
      const Tensor& old = in[updated_input(op, count, k * count + i)];
      Tensor& result = out[k * count + i];
      if (!may_write(concrete(old))) {
        const bool fits = !available.empty() && lie_alike(available[k * count + i], lead);
        result = fits ? available[k * count + i] : like(lead);
      }
      own[k] = concrete(result.defined() ? result : old).data;
    }
  }
  // From here on nothing fails.
  for (size_t k = 0; k < out.size(); ++k) {
    if (!out[k].defined()) out[k] = std::move(in[updated_input(op, count, k)]);
  }
  call.scalars = values;
  call.pointers = pointers;
  call.sizes = sizes;
  call.outputs = static_cast<int>(outputs);
  call.item = size_of(dtype);
  const Uninterrupted to_its_end;
  kernels::update(call);
  return out;
}

}  // namespace

Tensors eager_update(const OpDef& op, Tensors& in) { return updated(op, in, {}); }

void run_update(const OpDef& op, TensorSpan in, TensorSpan out) {
  Tensors held(in);  // the caller holds them, too, so their memory is not written
  const Tensors results = updated(op, held, out);
  for (size_t k = 0; k < out.size(); ++k) store(out[k], results[k]);
}

}  // namespace weft
