// Weft: everything a program that computes with tensors needs. `#include <weft/weft.h>`.
#pragma once

#include "weft/base/error.h"
#include "weft/base/thread_pool.h"
#include "weft/core/allocator.h"
#include "weft/core/tensor.h"
#include "weft/ops/creation/creation.h"
#include "weft/ops/creation/tensor.h"
#include "weft/ops/linalg/linalg.h"
#include "weft/ops/math/math.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/nn/nn.h"
#include "weft/ops/random/key.h"
#include "weft/ops/random/random.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/ops/shape/shape_ops.h"
