// The part of a graph that a run needs, as a function of what is fed.
#pragma once

#include <compare>

#include "weft/trace/staging.h"

namespace weft {

// What a run is asked for.
struct Wanted {
  std::vector<ir::ValueId> fetches, feeds;
  std::vector<ir::NodeId> effects;  // nodes to be run for what they do
  auto operator<=>(const Wanted&) const = default;
};

// The feeds are its parameters, the fetches its results. A Variable is read once, and again only
// behind a write: whatever other threads assign, a run sees one value. Of what was assumed of sizes
// it has the part that matters to it. What a condition, a loop or a call writes is run with it.
//
// Raises [Session.feed] for a placeholder that is needed and not fed, [Session.unused] for a feed
// that is not needed.
// `for_parts`: it will be pruned again, so writes still tell whose they are.
Shared<const ir::Function> pruned(const Staging& graph, const Wanted& wanted,
                                  bool for_parts = false);

// The placeholders that such a run needs a value or a size of, beside its feeds.
std::vector<ir::ValueId> placeholders_needed(const Staging& graph, const Wanted& wanted);

}  // namespace weft
