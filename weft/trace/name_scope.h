// NameScope and DeviceScope: what nodes are called, and where they wish to run, for the rest of a
// block.
//
//   const NameScope layer("layer1");      // "layer1/Matmul"
//   const DeviceScope device("/cpu:0");
//
// They speak of the graph that is open on this thread, or of the function that is traced. Where ops
// compute now they do nothing, so layers have them once for all modes.
#pragma once

#include "weft/trace/staging.h"

namespace weft {
namespace detail {

// A text of the innermost graph that is another one until the end of a block.
class StagingTextIs {
 public:
  StagingTextIs(Staging* staging, std::string Staging::* member, std::string text);
  ~StagingTextIs();
  StagingTextIs(const StagingTextIs&) = delete;
  StagingTextIs& operator=(const StagingTextIs&) = delete;

 private:
  const Shared<Staging> staging_;  // null: no graph is open
  std::string Staging::* const member_;
  std::string outer_;
};

}  // namespace detail

// Names of nodes and of the graph's Variables begin with `name/`, behind those of the scopes
// around. Raises [name_scope.name] if there is no name.
class NameScope {
 public:
  explicit NameScope(std::string_view name);

 private:
  detail::StagingTextIs scope_;
};

// Nodes ask for this device; the innermost scope counts.
class DeviceScope {
 public:
  explicit DeviceScope(std::string_view device);

 private:
  detail::StagingTextIs device_;
};

}  // namespace weft
