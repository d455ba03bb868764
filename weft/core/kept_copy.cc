// Lists of copies on buffers: they only grow while the buffer is shared, so readers need no lock.
#include "weft/core/kept_copy.h"

#include <algorithm>
#include <new>

namespace weft {

// A copy: this header, the key, and from the next cache line on the contents, in one block. Or
// a note that one was wanted: the header and the key.
struct Kept {
  Kept* next = nullptr;
  MemoryBlock block;
  int64_t key_size = 0;
  bool is_note = false;

  int64_t* key() { return reinterpret_cast<int64_t*>(this + 1); }
  bool has_key(std::span<const int64_t> wanted) {
    return std::ranges::equal(wanted, std::span(key(), static_cast<size_t>(key_size)));
  }
};

namespace {

constexpr int64_t kMostCopies = 32;  // with notes; a search stays short
constexpr int64_t kMostTimes = 4;    // the memory of the buffer: two directions, twice as wide

int64_t header_bytes(size_t key_size) {
  return (static_cast<int64_t>(sizeof(Kept) + key_size * sizeof(int64_t)) + 63) / 64 * 64;
}

bool is_own(const Buffer& buffer) { return (buffer.state.load_acquire() & kOwnMemory) != 0; }

Kept* list_of(const Buffer& buffer) {
  return static_cast<Kept*>(__atomic_load_n(&buffer.context, __ATOMIC_ACQUIRE));
}

Kept* new_kept(std::span<const int64_t> key, int64_t bytes) {
  const MemoryBlock block = allocate(header_bytes(key.size()) + bytes);
  auto* const out = new (block.data) Kept;
  out->block = block;
  out->key_size = static_cast<int64_t>(key.size());
  std::ranges::copy(key, out->key());
  return out;
}

// Makes `first` the first of the list, unless others were quicker.
bool put_first(Buffer& buffer, Kept* list, Kept* first) {
  first->next = list;
  void* expected = list;
  return __atomic_compare_exchange_n(&buffer.context, &expected, static_cast<void*>(first), false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

Kept* find(Kept* list, std::span<const int64_t> key) {
  while (list != nullptr && !list->has_key(key)) list = list->next;
  return list;
}

bool has_room(const Buffer& buffer, Kept* list, int64_t bytes) {
  int64_t copies = 1;
  for (; list != nullptr; list = list->next) ++copies, bytes += list->block.bytes;
  return copies <= kMostCopies && bytes <= kMostTimes * buffer.bytes;
}

Buffer* buffer_of(const Tensor& tensor) {
  if (!tensor.is_concrete()) return nullptr;
  TensorNode* const owner = static_cast<Concrete*>(tensor.node())->owner;
  return owner != nullptr && owner->kind == NodeKind::kBuffer ? static_cast<Buffer*>(owner)
                                                              : nullptr;
}

}  // namespace

Buffer* keeper_of(const Tensor& tensor) {
  Buffer* const buffer = buffer_of(tensor);
  return buffer != nullptr && buffer->state.load_acquire() == kOwnMemory ? buffer : nullptr;
}

void drop_kept_copies(Buffer& buffer) noexcept {
  if (!is_own(buffer) || buffer.context == nullptr) return;
  Kept* list = list_of(buffer);
  buffer.context = nullptr;
  while (list != nullptr) {
    Kept* const next = list->next;
    deallocate(list->block);
    list = next;
  }
}

void mark_exported(const Tensor& tensor) {
  Buffer* const buffer = buffer_of(tensor);
  if (buffer != nullptr && is_own(*buffer)) buffer->state.store_release(kOwnMemory | kExported);
}

int64_t kept_copies_of(const Tensor& tensor) {
  const Buffer* const buffer = buffer_of(tensor);
  int64_t out = 0;
  if (buffer == nullptr || !is_own(*buffer)) return out;
  for (Kept* each = list_of(*buffer); each != nullptr; each = each->next) {
    out += each->is_note ? 0 : 1;
  }
  return out;
}

KeptCopy::KeptCopy(Buffer* keeper, std::span<const int64_t> key, int64_t bytes)
    : keeper_(keeper), copy_(keeper == nullptr ? nullptr : find(list_of(*keeper), key)) {
  is_made_ = copy_ != nullptr && !copy_->is_note;
  is_ours_ = !is_made_;
  if (is_ours_) copy_ = new_kept(key, bytes);
  data_ = reinterpret_cast<char*>(copy_) + header_bytes(key.size());
}

KeptCopy::~KeptCopy() {
  if (is_ours_) deallocate(copy_->block);
}

void KeptCopy::keep() {
  is_made_ = true;
  if (keeper_ == nullptr) return;
  const std::span<const int64_t> key(copy_->key(), static_cast<size_t>(copy_->key_size));
  while (is_ours_) {
    Kept* const list = list_of(*keeper_);
    const Kept* const found = find(list, key);  // a copy comes before the note of it
    if (found == nullptr) return note(list, key);
    // Another thread was first: its copy stays, ours serves this call.
    if (!found->is_note || !has_room(*keeper_, list, copy_->block.bytes)) return;
    is_ours_ = !put_first(*keeper_, list, copy_);
  }
}

// Who is later than others with it leaves it: it is a hint.
void KeptCopy::note(Kept* list, std::span<const int64_t> key) {
  if (!has_room(*keeper_, list, copy_->block.bytes)) return;
  Kept* const one = new_kept(key, 0);
  one->is_note = true;
  if (!put_first(*keeper_, list, one)) deallocate(one->block);
}

}  // namespace weft
