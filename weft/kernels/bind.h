// bind_native: gives the places of core/native.h their functions.
#pragma once

namespace weft::kernels {

void bind_native();  // once, at start-up; again does no harm

}  // namespace weft::kernels
