// Binding the arguments of a call to the inputs and attributes of an op.
#pragma once

#include "bindings/from_python.h"
#include "bindings/python.h"
#include "weft/op/registry.h"

namespace weft::python {

// What a call needs to know of an op, worked out once.
struct Signature {
  explicit Signature(const OpEntry& entry);
  ~Signature();
  Signature(const Signature&) = delete;
  Signature& operator=(const Signature&) = delete;

  struct Parameter {
    PyObject* name;  // interned
    std::string_view text;
    bool is_input;
    size_t index;  // among the inputs, or among the fields
  };

  const OpEntry& entry;
  // Inputs, attributes that must be given, then what may be left out: normal(key, shape, mean=,
  // ..).
  std::vector<Parameter> parameters;
  void* defaults = nullptr;  // the attributes of a call that gives none
  int gathers = -1;          // the parameter that takes x.reshape(2, 3)'s bare integers
  bool all_plain = true;     // no variadic input
  bool needs_attrs = false;  // has an attribute without default

 private:
  void add(std::string_view name, bool is_input, size_t index);
};

// Inputs in a row as apply takes them: borrowed where the caller holds them, owned where converted.
class BoundInputs {
 public:
  void borrow(const Tensor& tensor) { nodes_.push_back(tensor.node()); }
  void own(Tensor tensor) {
    nodes_.push_back(tensor.node());
    owned_.push_back(std::move(tensor));
  }
  void leave_out() { nodes_.push_back(nullptr); }
  TensorSpan span() const {
    return {reinterpret_cast<const Tensor*>(nodes_.data()), nodes_.size()};
  }

 private:
  InlineVector<TensorNode*, 4> nodes_;
  Tensors owned_;
};

// Attributes on the stack, or the op's defaults while none is given.
class BoundAttrs {
 public:
  explicit BoundAttrs(const Signature& signature) : signature_(signature) {}
  ~BoundAttrs();
  void set(size_t field, PyObject* value);
  const void* get() const { return data_ != nullptr ? data_ : signature_.defaults; }

 private:
  static constexpr size_t kRoom = 256;
  const Signature& signature_;
  void* data_ = nullptr;
  alignas(16) unsigned char room_[kRoom];
};

// Binds a vectorcall's arguments; raises [op.argument], [op.count] or [op.keyword].
void bind_arguments(const Signature& signature, PyObject* const* args, size_t count,
                    PyObject* keywords, BoundInputs& inputs, BoundAttrs& attrs);

}  // namespace weft::python
