// Hooks live beside the records, in one table: a record without hooks carries one byte for them.
#include "weft/op/hooks.h"

#include <mutex>
#include <unordered_map>
#include <vector>

#include "weft/base/mutex.h"
#include "weft/op/builtin.h"
#include "weft/op/record.h"

namespace weft {

struct HookList {
  struct Entry {
    uint64_t id;
    size_t output;
    Hook hook;
  };
  struct Retained {
    size_t output;
    Tensor gradient;
  };
  Mutex mutex;  // never held while a hook runs or a tensor is released
  std::vector<Entry> entries;
  std::vector<Retained> retained;
  uint64_t next_id = 0;

  uint64_t add(size_t output, Hook hook) {
    std::lock_guard lock(mutex);
    entries.push_back({next_id, output, std::move(hook)});
    return next_id++;
  }
};

namespace {

Mutex table_mutex;
std::unordered_map<const GradNode*, Shared<HookList>>& table() {
  static auto* const lists = new std::unordered_map<const GradNode*, Shared<HookList>>;
  return *lists;
}

Shared<HookList> find_list(const GradNode* record) {
  if (record->hooked.load_acquire() == 0) return nullptr;
  std::lock_guard lock(table_mutex);
  return table().at(record);
}

RecordOutput place_of(const Tensor& value, std::string_view who) {
  if (!value.defined()) fail(Code::kType, who, "input", "the tensor is undefined");
  GradNode* const node = grad_node(value);
  if (node == nullptr && !value.is_concrete() && !value_below(value).defined()) {
    fail(Code::kInvalid, who, "batched", "this value (", value.type(),
         ") is one example of a vmap, and gradients come by for the whole batch; use it on what "
         "vmap gives, or on a value inside of grad inside of vmap");
  }
  if (node == nullptr) {
    fail(Code::kInvalid, who, "path", "this value (", value.type(),
         ") was computed from no trainable Variable, or while recording was off: no gradient will "
         "come by; make what it depends on a Variable, and compute it outside of no_grad");
  }
  if (node->is_stop()) {
    fail(Code::kInvalid, who, "path", "no gradient will come by: the path of this value ends ",
         describe_stop(node->record()));
  }
  return RecordOutput(node);
}

// The place of a value that a sweep can still come by.
RecordOutput place_to_come(const Tensor& value, std::string_view who) {
  const RecordOutput place = place_of(value, who);
  if (place.record->state.load_acquire() == kRecordFreed) {
    fail(Code::kInvalid, who, "freed", "a backward has passed this value (", value.type(),
         ") and freed its record, so no gradient will come by; call ", who, " before backward");
  }
  return place;
}

Shared<HookList> list_of(GradNode* record) {
  std::lock_guard lock(table_mutex);
  Shared<HookList>& list = table()[record];
  if (list == nullptr) list = new_shared<HookList>();
  record->hooked.store_release(1);
  return list;
}

void call(const Hook& hook, Tensor& cotangent) {
  Tensor next = hook(cotangent);
  if (!next.defined()) return;
  const bool fits =
      next.dtype() == cotangent.dtype() && same(next.shape(), cotangent.shape()) != Tri::kNo;
  if (!fits) {
    fail(Code::kType, "register_hook", "type", "a hook gives ", next.type(),
         " for a gradient that is ", cotangent.type(), "; they must have one dtype and shape");
  }
  cotangent = std::move(next);
}

// The place of a kept gradient, or null; under the list's lock.
HookList::Retained* find_retained(HookList& list, size_t output) {
  for (HookList::Retained& retained : list.retained) {
    if (retained.output == output) return &retained;
  }
  return nullptr;
}

void keep(HookList& list, size_t output, const Tensor& cotangent) {
  Tensor sum;
  {
    std::lock_guard lock(list.mutex);
    const HookList::Retained* const retained = find_retained(list, output);
    if (retained == nullptr) return;
    sum = retained->gradient;
  }
  sum = sum.defined() ? add(sum, cotangent, Where()) : cotangent;
  std::lock_guard lock(list.mutex);
  std::swap(find_retained(list, output)->gradient, sum);
}

}  // namespace

void HookHandle::remove() {
  const Shared<HookList> list = list_.lock();
  if (list == nullptr) return;
  Hook gone;
  std::lock_guard lock(list->mutex);
  for (size_t i = 0; i < list->entries.size(); ++i) {
    if (list->entries[i].id != id_) continue;
    gone = std::move(list->entries[i].hook);
    list->entries.erase(list->entries.begin() + static_cast<ptrdiff_t>(i));
    return;
  }
}

HookHandle register_hook(const Tensor& value, Hook hook) {
  const RecordOutput place = place_to_come(value, "register_hook");
  const Shared<HookList> list = list_of(place.record);
  return {list, list->add(place.output, std::move(hook))};
}

HookHandle register_hook(const Variable& variable, Hook hook) {
  if (!variable.trainable()) {
    fail(Code::kInvalid, "register_hook", "trainable", "the Variable ", variable.name(),
         " is not trainable: no gradient will come by");
  }
  const Shared<HookList> list = VariableHooks::list_of(variable);
  return {list, list->add(0, std::move(hook))};
}

void retain_grad(const Tensor& value) {
  const RecordOutput place = place_to_come(value, "retain_grad");
  if (retains_grad(value)) return;
  const Shared<HookList> list = list_of(place.record);
  std::lock_guard lock(list->mutex);
  list->retained.push_back({place.output, Tensor()});
}

namespace {

// What find_retained finds for `value`, copied; with the flag false if there is nothing.
std::pair<bool, Tensor> retained_of(const Tensor& value) {
  GradNode* const node = grad_node(value);
  if (node == nullptr || node->is_stop()) return {};
  const RecordOutput place = place_of(value, "retain_grad");
  const Shared<HookList> list = find_list(place.record);
  if (list == nullptr) return {};
  std::lock_guard lock(list->mutex);
  const HookList::Retained* const found = find_retained(*list, place.output);
  return found == nullptr ? std::pair(false, Tensor()) : std::pair(true, found->gradient);
}

}  // namespace

bool retains_grad(const Tensor& value) { return retained_of(value).first; }
Tensor retained_grad(const Tensor& value) { return retained_of(value).second; }

void run_hooks(GradNode* record, Tensors& cotangents) {
  const Shared<HookList> list = find_list(record);
  std::vector<HookList::Entry> entries;  // a hook may remove itself
  {
    std::lock_guard lock(list->mutex);
    entries = list->entries;
  }
  for (const HookList::Entry& entry : entries) {
    if (entry.output < cotangents.size() && cotangents[entry.output].defined()) {
      call(entry.hook, cotangents[entry.output]);
    }
  }
  for (size_t k = 0; k < cotangents.size(); ++k) {
    if (cotangents[k].defined()) keep(*list, k, cotangents[k]);
  }
}

void drop_hooks(GradNode* record) noexcept {
  Shared<HookList> list;  // released after the lock
  std::lock_guard lock(table_mutex);
  const auto found = table().find(record);
  if (found == table().end()) return;
  list = std::move(found->second);
  table().erase(found);
}

Shared<HookList> new_hook_list() { return new_shared<HookList>(); }

void share_hooks(GradNode* leaf, const Shared<HookList>& list) {
  std::lock_guard lock(table_mutex);
  table()[leaf] = list;
  leaf->hooked.store_release(1);
}

}  // namespace weft
