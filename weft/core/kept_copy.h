// KeptCopy: what a kernel makes of a tensor's contents, kept beside them until they change.
//
// Weights that a convolution packs, say. The copy hangs on the tensor's buffer and is freed with
// it. Nothing is kept of memory that others might write (borrowed, or given away by DLPack); who
// writes to memory of ours in place calls drop_kept_copies first, as the only one who holds it.
#pragma once

#include <span>

#include "weft/base/function_ref.h"
#include "weft/core/allocator.h"
#include "weft/core/tensor.h"

namespace weft {

// What Buffer::state says.
inline constexpr uint8_t kOwnMemory = 1;  // a block of the allocator: `context` lists kept copies
inline constexpr uint8_t kExported = 2;   // others have its address, and might write
inline constexpr uint8_t kRewritten = 8;  // a loop writes to it step by step, and reads it between

struct Kept;

// The buffer behind the tensor if copies may be kept there, else null.
Buffer* keeper_of(const Tensor& tensor);

// Of a buffer that nobody else holds.
void drop_kept_copies(Buffer& buffer) noexcept;

// Others have this tensor's address from now on: copies kept before are no longer used.
void mark_exported(const Tensor& tensor);

// While it lives, the memory of these tensors is written to though others hold them, and no copies
// are kept of it: what a loop carries from step to step.
class RewrittenMemory {
 public:
  explicit RewrittenMemory(TensorSpan tensors);
  ~RewrittenMemory();
  RewrittenMemory(const RewrittenMemory&) = delete;
  RewrittenMemory& operator=(const RewrittenMemory&) = delete;

 private:
  const Tensors tensors_;
};

// How many copies are kept of the tensor's contents.
int64_t kept_copies_of(const Tensor& tensor);

// A copy in use, found or to be made:
//     KeptCopy copy(keeper_of(w), key, bytes);
//     if (!copy.is_made()) fill(copy.data()), copy.keep();
// The key says all that the copy depends on besides the contents. A copy is kept when it is wanted
// for the second time: weights in training change before they are wanted again. Threads that share
// a buffer may do this at once: the first to be ready is kept. Without a keeper, or if the copies
// of a buffer would take more than four times its memory, the copy lives as long as this object.
class KeptCopy {
 public:
  KeptCopy(Buffer* keeper, std::span<const int64_t> key, int64_t bytes);
  ~KeptCopy();
  KeptCopy(const KeptCopy&) = delete;
  KeptCopy& operator=(const KeptCopy&) = delete;

  bool is_made() const { return is_made_; }
  void* data() const { return data_; }
  void keep();

 private:
  void note(Kept* list, std::span<const int64_t> key);

  Buffer* keeper_;
  Kept* copy_;
  void* data_;
  bool is_made_;
  bool is_ours_;  // to free
};

// The same for kernels that can do without a copy, if more slowly. Null at the first call with the
// key, which is noted, and wherever nothing can be kept. `fill` makes the copy at the second call.
// It is valid while the caller holds the tensor.
const void* kept_copy_or_null(Buffer* keeper, std::span<const int64_t> key, int64_t bytes,
                              FunctionRef<void(void* to)> fill);

}  // namespace weft
