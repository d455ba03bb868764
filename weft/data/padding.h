// Padding: elements of unlike lengths become one batch.
#pragma once

#include "weft/data/dataset.h"

namespace weft::data {

// The batch of these; raises [who.elements] for those that no padding makes alike, [who.shape] for
// one that is longer than the shape it is padded to.
Element padded(std::span<const Element> elements, const PaddedBatchOptions& options,
               std::string_view who);
// What is known of such batches, of `rows` elements.
Spec padded_spec(Spec one, const PaddedBatchOptions& options, Dim rows);

}  // namespace weft::data
