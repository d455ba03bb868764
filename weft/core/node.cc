// Memory and destruction of nodes.
#include "weft/core/node.h"

#include <array>
#include <cstdlib>
#include <new>

namespace weft {
namespace {

constexpr int64_t kStep = 64;
constexpr int kClasses = 16;   // 64 ... 1024 bytes
constexpr int kMaxFree = 256;  // a thread keeps at most this many blocks of a class
constexpr uint8_t kUnpooled = 255;

struct FreeBlock {
  FreeBlock* next;
};

// One thread's free blocks. A thread that only frees (a consumer) hands the surplus back to malloc.
struct FreeLists {
  std::array<FreeBlock*, kClasses> head{};
  std::array<int, kClasses> count{};

  ~FreeLists();
};

// Zero-initialised thread-locals need no guard on access; `alive` tells late frees at thread exit
// apart.
thread_local constinit bool lists_dead = false;
thread_local constinit FreeLists* lists_pointer = nullptr;

FreeLists::~FreeLists() {
  lists_dead = true;
  lists_pointer = nullptr;
  for (FreeBlock* block : head) {
    while (block != nullptr) {
      FreeBlock* const next = block->next;
      std::free(block);
      block = next;
    }
  }
}

FreeLists* make_lists() {
  if (lists_dead) return nullptr;
  static thread_local FreeLists lists;
  return lists_pointer = &lists;
}

FreeLists* lists() { return lists_pointer != nullptr ? lists_pointer : make_lists(); }

void* aligned_block(int64_t bytes) {
  void* const memory = std::aligned_alloc(kStep, static_cast<size_t>(bytes));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* allocate_node_memory(int64_t bytes, uint8_t* size_class) {
  const int64_t index = (bytes + kStep - 1) / kStep - 1;
  if (index >= kClasses) [[unlikely]] {
    *size_class = kUnpooled;
    return aligned_block((index + 1) * kStep);
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
  return aligned_block((index + 1) * kStep);
}

void free_node_memory(void* memory, uint8_t size_class) noexcept {
  FreeLists* const mine = size_class == kUnpooled ? nullptr : lists();
  if (mine == nullptr || mine->count[size_class] >= kMaxFree) [[unlikely]] {
    std::free(memory);
    return;
  }
  FreeBlock* const block = static_cast<FreeBlock*>(memory);
  block->next = mine->head[size_class];
  mine->head[size_class] = block;
  ++mine->count[size_class];
}

void destroy_node(Node* node) noexcept {
  switch (node->kind) {
    case NodeKind::kConcrete: {
      Node* const owner = static_cast<Concrete*>(node)->owner;
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
    case NodeKind::kTracer: static_cast<Tracer*>(node)->destroy(static_cast<Tracer*>(node)); return;
  }
}

}  // namespace weft
