// The table of generated kernels, by key.
#include "weft/core/kernel_abi.h"

#include <mutex>
#include <string>
#include <unordered_map>

#include "weft/base/cpu.h"
#include "weft/base/error.h"
#include "weft/base/mutex.h"

namespace weft {
namespace {

struct Table {
  Mutex mutex;
  std::unordered_map<std::string_view, const KernelEntry*> entries;  // keys live in the entries
};

Table& table() {
  static Table* const instance = new Table;
  return *instance;
}

Tier current_tier() { return static_cast<Tier>(current_isa()); }

}  // namespace

void add_kernels(const KernelEntry* entries, int64_t count) {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  t.entries.reserve(t.entries.size() + static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const auto [place, is_new] = t.entries.emplace(entries[i].key, &entries[i]);
    if (!is_new && place->second != &entries[i]) {
      fail(Code::kInvalid, "add_kernels", "key", "there is a kernel ", entries[i].key,
           " already; keys must be new");
    }
  }
}

const KernelEntry* find_kernel_entry(std::string_view key) {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  const auto it = t.entries.find(key);
  return it == t.entries.end() ? nullptr : it->second;
}

const void* find_kernel(std::string_view key, Tier tier) {
  const KernelEntry* const entry = find_kernel_entry(key);
  if (entry == nullptr) return nullptr;
  for (int t = static_cast<int>(tier); t >= 0; --t) {  // a lower tier has the same bits
    if (entry->functions[t] != nullptr) return entry->functions[t];
  }
  return nullptr;
}

const void* find_kernel(std::string_view key) { return find_kernel(key, current_tier()); }

std::vector<const KernelEntry*> all_kernels() {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  std::vector<const KernelEntry*> out;
  for (const auto& [key, entry] : t.entries) out.push_back(entry);
  return out;
}

}  // namespace weft
