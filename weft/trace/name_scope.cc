// Scopes of names and devices.
#include "weft/trace/name_scope.h"

#include "weft/base/error.h"

namespace weft {
namespace {

std::string scope_within(const Staging* staging, std::string_view name) {
  if (name.empty()) {
    fail(Code::kInvalid, "name_scope", "name", "the name is empty; give one, such as \"layer1\"");
  }
  return staging == nullptr ? "" : text(staging->scope, name, '/');
}

}  // namespace

detail::StagingTextIs::StagingTextIs(Staging* staging, std::string Staging::* member,
                                     std::string text)
    : staging_(staging == nullptr ? Shared<Staging>() : staging->shared()), member_(member) {
  if (staging_ != nullptr) outer_ = std::exchange((*staging_).*member_, std::move(text));
}

detail::StagingTextIs::~StagingTextIs() {
  if (staging_ != nullptr) (*staging_).*member_ = std::move(outer_);
}

NameScope::NameScope(std::string_view name)
    : scope_(innermost_staging(), &Staging::scope, scope_within(innermost_staging(), name)) {}

DeviceScope::DeviceScope(std::string_view device)
    : device_(innermost_staging(), &Staging::device, std::string(device)) {}

}  // namespace weft
