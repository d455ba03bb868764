// Arrays in another dtype, if it can hold every one of their numbers.
#pragma once

#include "bindings/dtype_object.h"
#include "bindings/python.h"
#include "weft/core/tensor.h"

namespace weft::python {

// `given` in that dtype. Raises where a Python number would: [op.fits] for an integer out of range
// and a finite number that would become infinite, [op.argument] for a fraction in an integer and a
// complex number in a real dtype. Of the right dtype already, it is not looked at.
Tensor fitted(const Tensor& given, DType dtype, Asker asker);

// An array or a scalar of NumPy's, or of a class made of them.
bool is_numpy_object(PyObject* object);

}  // namespace weft::python
