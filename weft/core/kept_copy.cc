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

// Notes that a copy of so many bytes was wanted, if there would be room for it.
void note_key(Buffer& buffer, Kept* list, std::span<const int64_t> key, int64_t bytes) {
  if (!has_room(buffer, list, bytes)) return;
  Kept* const one = new_kept(key, 0);
  one->is_note = true;
  if (!put_first(buffer, list, one)) deallocate(one->block);
}

void* contents_of(Kept* copy) {
  return reinterpret_cast<char*>(copy) + header_bytes(static_cast<size_t>(copy->key_size));
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

RewrittenMemory::RewrittenMemory(TensorSpan tensors) : tensors_(tensors) {
  for (const Tensor& tensor : tensors_) {
    Buffer* const buffer = buffer_of(tensor);
    if (buffer == nullptr || !is_own(*buffer)) continue;
    buffer->state.store_release(static_cast<uint8_t>(buffer->state.load_acquire() | kRewritten));
  }
}

RewrittenMemory::~RewrittenMemory() {
  for (const Tensor& tensor : tensors_) {
    Buffer* const buffer = buffer_of(tensor);
    if (buffer == nullptr || !is_own(*buffer)) continue;
    buffer->state.store_release(static_cast<uint8_t>(buffer->state.load_acquire() & ~kRewritten));
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
  data_ = contents_of(copy_);
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
  note_key(*keeper_, list, key, copy_->block.bytes);
}

const void* kept_copy_or_null(Buffer* keeper, std::span<const int64_t> key, int64_t bytes,
                              FunctionRef<void(void*)> fill) {
  if (keeper == nullptr) return nullptr;
  Kept* list = list_of(*keeper);
  Kept* found = find(list, key);
  const int64_t header = header_bytes(key.size());
  if (found == nullptr) {
    note_key(*keeper, list, key, header + bytes);
    return nullptr;
  }
  if (found->is_note) {
    if (!has_room(*keeper, list, header + bytes)) return nullptr;
    Kept* const made = new_kept(key, bytes);
    fill(contents_of(made));
    while (found->is_note && !put_first(*keeper, list, made)) {
      list = list_of(*keeper);
      found = find(list, key);
    }
    if (found->is_note) {
      found = made;
    } else {
      deallocate(made->block);  // another thread was first
    }
  }
  return contents_of(found);
}

}  // namespace weft
