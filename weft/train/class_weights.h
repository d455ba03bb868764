// Weights of classes: a table, and the weights of the examples of a batch.
#pragma once

#include "weft/train/model.h"

namespace weft::train {

// Weights by class; undefined if there are none. Raises [who.class_weight].
Tensor class_table(const ClassWeight& weights, std::string_view who);
// Raises [who.class_weight] for a class that a model with these outputs does not tell.
void need_classes(const Tensor& table, TensorSpan outputs, TensorSpan y, std::string_view who);
// Raises [who.sample_weight] for a weight of an example that is negative or not finite.
void need_weights(const Tensor& weight, std::string_view who);
// The weights of the examples of a batch: those of their classes by those that they have.
void weigh(Batch& batch, const Tensor& table);

}  // namespace weft::train
