// TensorNode: what a Tensor points to. One header serves concrete values, the buffers they share,
// and tracers.
#pragma once

#include <cstdint>
#include <string>

#include "weft/base/atomic.h"
#include "weft/core/device.h"
#include "weft/core/dim.h"
#include "weft/core/dtype.h"

namespace weft {

enum class NodeKind : uint8_t { kConcrete, kBuffer, kTracer };

struct TensorNode {
  Atomic<uint32_t> refs{1};
  uint32_t level = 0;  // 0: a plain value; above: the level of the tracer
  NodeKind kind;
  DType dtype = DType::kF32;
  uint8_t rank = 0;
  uint8_t size_class = 0;  // which free list the memory came from
  bool weak = false;       // a language scalar: never widens what it meets
  uint8_t role = 0;        // of a tracer: what its kind makes of it
  Atomic<uint8_t> state{0};
  uint8_t kept = 0;
  const Dim* dims = nullptr;

  explicit TensorNode(NodeKind kind) : kind(kind) {}
};

// Memory that several tensors may share: a block of the allocator, or foreign memory with its
// release function.
struct Buffer : TensorNode {
  void* data = nullptr;
  int64_t bytes = 0;
  void (*release)(Buffer*) = nullptr;  // called once, when the last tensor is gone
  void* context = nullptr;  // foreign: what `release` needs; own: the copies kept of it, if any
  bool foreign = false;     // never reused in place, copied when captured
  Device device;

  Buffer() : TensorNode(NodeKind::kBuffer) {}
};

// A value in memory. dims, strides and, up to kInlineBytes, the data follow the header in one
// block.
struct Concrete : TensorNode {
  int64_t* strides = nullptr;  // in elements
  char* data = nullptr;
  TensorNode* owner = nullptr;  // a Buffer, or the Concrete whose inline data a view shares; null:
                                // data is inline here
  int64_t numel = 0;
  bool contiguous = true;

  Concrete() : TensorNode(NodeKind::kConcrete) {}
};
inline constexpr int64_t kInlineBytes = 768;

struct Tracer;
class Level;

// What the kinds of tracers (grad, jvp, vmap, ...) do differently.
struct TracerType {
  const char* name;
  void (*destroy)(Tracer*) noexcept;          // the last handle is gone
  const TensorNode* (*value)(const Tracer*);  // the value one level down, or null if there is none
  std::string (*describe)(const Tracer*);     // what `repr` adds to shape and dtype
  // The level that takes ops on this tracer though it is not open: a graph's. Null: none does.
  Level* (*home)(const Tracer*) = nullptr;
};

// A value under a transformation or in a graph; op/ and transform/ define what it holds.
struct Tracer : TensorNode {
  const TracerType* type;
  explicit Tracer(const TracerType* type) : TensorNode(NodeKind::kTracer), type(type) {}
};

// Memory for nodes: thread-local free lists in steps of 64 bytes, 64-byte aligned.
void* allocate_node_memory(int64_t bytes, uint8_t* size_class);
void free_node_memory(void* memory, uint8_t size_class) noexcept;
void hand_back_node_memory() noexcept;  // what this thread keeps, to the allocator

void destroy_node(TensorNode* node) noexcept;  // the last handle is gone

inline void retain(TensorNode* node) noexcept { node->refs.add_relaxed(1); }
inline void release(TensorNode* node) noexcept {
  // A sole owner needs no atomic read-modify-write: nobody else can take a new handle meanwhile.
  if (node->refs.load_acquire() == 1 || node->refs.subtract_acq_rel(1) == 1) {
    destroy_node(node);
  }
}

}  // namespace weft
