// The ops of this library, one line each.
#pragma once

#include <weft/weft.h>

namespace user_ops {

weft::Tensor softsign(const weft::Tensor& x, weft::Where where = weft::Where::here());

extern const weft::OpDef kSoftsign;

}  // namespace user_ops
