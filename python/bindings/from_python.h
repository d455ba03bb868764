// From Python objects to tensors and attributes.
#pragma once

#include "bindings/dtype_object.h"
#include "bindings/python.h"
#include "weft/core/tensor.h"
#include "weft/op/attrs.h"

namespace weft::python {

// An input of an op: a tensor, a Python number (a weak scalar), a NumPy scalar or array, a nested
// list, anything with __dlpack__ or __array__. Raises [op.argument] for anything else.
Tensor tensor_from(PyObject* object, Asker asker);

// What wf.tensor makes: never weak, of `dtype` if that is given.
Tensor new_tensor(PyObject* object, std::optional<DType> dtype, Asker asker);

// The tensor that the object is; raises [op.argument] if it is none.
const Tensor& tensor_in(PyObject* object, Asker asker);

// Whether the object could be an operand of `x + object` at all.
bool may_be_operand(PyObject* object);

// A nested list or tuple of numbers, or of tensors and arrays.
Tensor tensor_from_list(PyObject* list, std::optional<DType> dtype, Asker asker);
// Writes a Python number as one element; raises if the dtype cannot hold it.
void write_number(PyObject* number, DType dtype, void* to, Asker asker);

// Memory of a buffer: read-only memory is borrowed, writable memory copied.
Tensor tensor_from_buffer(PyObject* exporter, Asker asker);

// A tensor of another library through DLPack: borrowed, or copied if `copy`.
Tensor tensor_from_dlpack(PyObject* object, bool copy, Asker asker);
bool has_dlpack(PyObject* object);

// A contiguous copy of our own.
Tensor copied(const Tensor& tensor);

int64_t int_from(PyObject* object, Asker asker);
double float_from(PyObject* object, Asker asker);
Ints ints_from(PyObject* object, Asker asker);
Index index_from(PyObject* key, Asker asker);  // of a basic index: x[1:3, ..., None, 0]

// Converts the object into the field of the attribute struct.
void set_field(const FieldInfo& field, void* attrs, PyObject* object, std::string_view op);
// The field that takes a word given in place of this field's integers, or null: padding="same" is
// auto_padding="same".
const FieldInfo* word_field(const AttrsType& type, const FieldInfo& field);
// ((1, 0), (0, 1)), as JAX has padding, and its numbers in a row.
bool is_list_of_pairs(PyObject* object);
Ref in_a_row(PyObject* pairs, Asker asker);
// Whether None may be given: as a value of its own, or where it means what leaving out means: a
// dtype, and texts and lists that are empty by default.
bool takes_none(const FieldInfo& field, const void* defaults);
PyObject* field_to_python(const FieldInfo& field, const void* attrs);

}  // namespace weft::python
