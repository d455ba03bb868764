// Memory and destruction of nodes.
#include "weft/core/node.h"

#include <array>
#include <utility>

#include "weft/base/thread_local.h"
#include "weft/core/allocator.h"
#include "weft/core/allocator_sizes.h"

namespace weft {
namespace {

constexpr int64_t kStep = 64;
constexpr int kClasses = 16;  // 64 ... 1024 bytes
// A thread keeps at most this much of a class: the records of a thousand ops.
constexpr int64_t kMaxFreeBytes = 256 << 10;

// What the allocator gives for a block of this class.
constexpr int64_t capacity(size_t index) {
  return allocator::class_bytes(allocator::size_class(static_cast<int64_t>(index + 1) * kStep));
}

constexpr int max_free(size_t index) {
  return static_cast<int>(kMaxFreeBytes / (static_cast<int64_t>(index + 1) * kStep));
}

struct FreeBlock {
  FreeBlock* next;
};

// One thread's free blocks, in front of the allocator: the few nanoseconds it takes more to keep
// its accounts are a fifth of an eager op. A thread that only frees (a consumer) hands the surplus
// back.
struct FreeLists {
  std::array<FreeBlock*, kClasses> head{};
  std::array<int, kClasses> count{};

  ~FreeLists();
  void hand_back();
};

// Zero-initialised thread-locals need no guard on access; `alive` tells late frees at thread exit
// apart.
WEFT_THREAD_LOCAL bool lists_dead = false;
WEFT_THREAD_LOCAL FreeLists* lists_pointer = nullptr;

FreeLists::~FreeLists() {
  lists_dead = true;
  lists_pointer = nullptr;
  hand_back();
}

void FreeLists::hand_back() {
  for (size_t i = 0; i < kClasses; ++i) {
    while (head[i] != nullptr) {
      FreeBlock* const block = std::exchange(head[i], head[i]->next);
      deallocate({block, capacity(i)});
    }
    count[i] = 0;
  }
}

FreeLists* make_lists() {
  if (lists_dead) return nullptr;
  static thread_local FreeLists lists;
  return lists_pointer = &lists;
}

FreeLists* lists() { return lists_pointer != nullptr ? lists_pointer : make_lists(); }

}  // namespace

void* allocate_node_memory(int64_t bytes, uint8_t* size_class) {
  const int64_t index = (bytes + kStep - 1) / kStep - 1;
  if (index >= kClasses) [[unlikely]] {
    // Its class of the allocator, which is above ours.
    *size_class = static_cast<uint8_t>(allocator::size_class(bytes) + kClasses);
    return allocate(bytes).data;
  }
  *size_class = static_cast<uint8_t>(index);
  const auto slot = static_cast<size_t>(index);
  FreeLists* const mine = lists();
  if (mine != nullptr && mine->head[slot] != nullptr) [[likely]] {
    FreeBlock* const block = mine->head[slot];
    mine->head[slot] = block->next;
    --mine->count[slot];
    return block;
  }
  return allocate((index + 1) * kStep).data;
}

void free_node_memory(void* memory, uint8_t size_class) noexcept {
  if (size_class >= kClasses) [[unlikely]]
    return deallocate({memory, allocator::class_bytes(size_class - kClasses)});
  FreeLists* const mine = lists();
  if (mine == nullptr || mine->count[size_class] >= max_free(size_class)) [[unlikely]]
    return deallocate({memory, capacity(size_class)});
  FreeBlock* const block = static_cast<FreeBlock*>(memory);
  block->next = mine->head[size_class];
  mine->head[size_class] = block;
  ++mine->count[size_class];
}

void hand_back_node_memory() noexcept {
  if (lists_pointer != nullptr) lists_pointer->hand_back();
}

void destroy_node(TensorNode* node) noexcept {
  switch (node->kind) {
    case NodeKind::kConcrete: {
      TensorNode* const owner = static_cast<Concrete*>(node)->owner;
      const uint8_t size_class = node->size_class;
      free_node_memory(node, size_class);
      if (owner != nullptr) release(owner);
      return;
    }
    case NodeKind::kBuffer: {
      Buffer* const buffer = static_cast<Buffer*>(node);
      if (buffer->release != nullptr) buffer->release(buffer);
      free_node_memory(node, node->size_class);
      return;
    }
    case NodeKind::kTracer: {
      Tracer* const tracer = static_cast<Tracer*>(node);
      tracer->type->destroy(tracer);
      return;
    }
  }
}

}  // namespace weft
