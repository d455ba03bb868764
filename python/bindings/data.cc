// weft._core._Dataset and _DataIterator: pipelines for Python.
#include "bindings/data.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <mutex>

#include "bindings/data_elements.h"
#include "bindings/errors.h"
#include "bindings/from_python.h"
#include "bindings/gil.h"
#include "bindings/kept.h"
#include "bindings/tensor_object.h"
#include "bindings/value.h"
#include "weft/base/mutex.h"
#include "weft/data/crew.h"
#include "weft/data/row_batches.h"
#include "weft/data/wait_watch.h"

namespace nb = nanobind;

namespace weft::python {
namespace {

using data::Dataset, data::Element, data::Generation;

int64_t integer(nb::handle number, std::string_view who, std::string_view name) {
  return int_from(number.ptr(), {who, name});
}

data::MapFunction map_function(nb::handle f) {
  return [f = FunctionOfDataset(f)](const Element& element) {
    const WithGil gil;
    Element out = element_from_python(call_with_element(f, element), "map");
    out.origin = element.origin;
    return out;
  };
}

// Threads take the lock once for some elements in a row: to hand it over costs more than most
// calls.
constexpr int64_t kHandOverWithGil = 20'000;  // nanoseconds
void with_gil(FunctionRef<void()> calls) {
  const WithGil gil;
  calls();
}

data::Predicate predicate(nb::handle f) {
  return [f = FunctionOfDataset(f)](const Element& element) {
    const WithGil gil;
    const int out = PyObject_IsTrue(call_with_element(f, element).ptr());
    if (out < 0) throw nb::python_error();
    return out != 0;
  };
}

std::function<int64_t(const Element&)> length_function(nb::handle f) {
  return [f = FunctionOfDataset(f)](const Element& element) {
    const WithGil gil;
    const nb::object length = call_with_element(f, element);
    try {
      return integer(length, "bucket_by_length", "length");
    } catch (const PendingError&) {
      throw nb::python_error();  // carries the error to the thread that reads the element
    }
  };
}

std::function<Dataset(const Element&)> dataset_function(nb::handle f, const char* who) {
  return [f = FunctionOfDataset(f), who](const Element& element) {
    const WithGil gil;
    const nb::object out = call_with_element(f, element);
    Dataset* found = nullptr;
    if (!nb::try_cast(out, found) || found == nullptr) {
      fail(Code::kType, who, "function", "the function gives ", type_name_of(out.ptr()),
           "; it gives a Dataset");
    }
    return found->keeping(kept(out));
  };
}

// `make` gives an iterable; one that raises is not asked again.
std::function<Generation()> generator(nb::handle make) {
  return [make = FunctionOfDataset(make)]() -> Generation {
    const WithGil gil;
    const Kept iterator(nb::iter(make.get()()));
    return [iterator](Element& out) {
      const WithGil inner;
      const nb::object item = nb::steal(PyIter_Next(iterator.get().ptr()));
      if (!item.is_valid()) {
        if (PyErr_Occurred() == nullptr) return false;
        if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
          throw Error(Code::kInterrupted, "data", "", "interrupted");
        }
        throw nb::python_error();
      }
      out = element_from_python(item, "from_generator");
      return true;
    };
  };
}

data::PaddedBatchOptions padding(nb::handle shapes, nb::handle values, bool drop_remainder,
                                 std::string_view who) {
  data::PaddedBatchOptions out;
  out.drop_remainder = drop_remainder;
  for (nb::handle shape : nb::list(shapes)) {
    Shape extents;
    for (const int64_t extent : ints_from(shape.ptr(), {who, "padded_shapes"})) {
      extents.push_back(extent);
    }
    out.padded_shapes.push_back(extents);
  }
  for (nb::handle value : nb::list(values)) {
    out.padding_values.push_back(
        value.is_none() ? Tensor() : argument_value(value.ptr(), {who, "padding_values"}));
  }
  return out;
}

std::vector<int64_t> integers(nb::handle list, Asker asker) {
  const Ints out = ints_from(list.ptr(), asker);
  return {out.begin(), out.end()};
}

void add_sources(nb::class_<Dataset>& c) {
  c.def_static(
       "_from_tensor_slices",
       [](nb::handle tree) {
         return Dataset::from_tensor_slices(element_from_python(tree, "from_tensor_slices"));
       },
       nb::arg("tensors").none())
      .def_static(
          "_from_tensors",
          [](nb::handle tree) {
            return Dataset::from_tensors(element_from_python(tree, "from_tensors"));
          },
          nb::arg("tensors").none())
      .def_static("_from_generator",
                  [](nb::handle make) {
                    return Dataset::from_generator(generator(make), name_of_function(make));
                  })
      .def_static("_range",
                  [](nb::handle start, nb::handle stop, nb::handle step) {
                    return Dataset::range(integer(start, "range", "start"),
                                          integer(stop, "range", "stop"),
                                          integer(step, "range", "step"));
                  })
      .def_static("_row_batches",
                  // None: rows of some are not in one piece.
                  [](nb::handle rows, nb::handle order, int64_t batch_size,
                     int64_t first) -> std::optional<Dataset> {
                    std::vector<Tensor> all;
                    for (nb::handle one : nb::list(rows)) {
                      all.push_back(argument_value(one.ptr(), {"fit", "x"}));
                      if (!data::has_whole_rows(all.back())) return std::nullopt;
                    }
                    return data::row_batches(std::move(all),
                                             argument_value(order.ptr(), {"fit", "the order"}),
                                             batch_size, first);
                  })
      .def_static("_zip", [](std::vector<Dataset> all) { return Dataset::zip(std::move(all)); });
}

void add_functions(nb::class_<Dataset>& c) {
  c.def("_map",
        [](const Dataset& self, nb::handle f, int workers) {
          return self.map(map_function(f), {.num_parallel_calls = workers,
                                            .name = name_of_function(f),
                                            .around = with_gil,
                                            .hand_over = kHandOverWithGil});
        })
      .def("_filter", [](const Dataset& self,
                         nb::handle f) { return self.filter(predicate(f), name_of_function(f)); })
      .def("_flat_map",
           [](const Dataset& self, nb::handle f) {
             return self.flat_map(dataset_function(f, "flat_map"), name_of_function(f));
           })
      .def("_interleave",
           [](const Dataset& self, nb::handle f, int64_t cycle, int64_t block, int workers) {
             return self.interleave(dataset_function(f, "interleave"),
                                    {.cycle_length = cycle,
                                     .block_length = block,
                                     .num_parallel_calls = workers,
                                     .name = name_of_function(f)});
           })
      .def("_bucket_by_length",
           [](const Dataset& self, nb::handle f, nb::handle boundaries, nb::handle sizes,
              nb::handle shapes, nb::handle values, bool drop_remainder) {
             const std::string_view who = "bucket_by_length";
             return self.bucket_by_length(
                 length_function(f),
                 {integers(boundaries, {who, "boundaries"}), integers(sizes, {who, "batch_sizes"}),
                  padding(shapes, values, drop_remainder, who)});
           });
}

void add_choices(nb::class_<Dataset>& c) {
  const auto count = [](nb::handle number, const char* who) {
    return integer(number, who, "count");
  };
  c.def("_batch",
        [](const Dataset& self, nb::handle size, bool drop_remainder) {
          return self.batch(integer(size, "batch", "size"), {drop_remainder});
        })
      .def("_padded_batch",
           [](const Dataset& self, nb::handle size, nb::handle shapes, nb::handle values,
              bool drop_remainder) {
             return self.padded_batch(integer(size, "padded_batch", "size"),
                                      padding(shapes, values, drop_remainder, "padded_batch"));
           })
      .def("_unbatch", &Dataset::unbatch)
      .def("_window", [](const Dataset& self, int64_t size, int64_t shift, int64_t stride,
                         bool drop) { return self.window(size, {shift, stride, drop}); })
      .def(
          "_shuffle",
          [](const Dataset& self, nb::handle size, std::optional<int64_t> seed, bool reshuffle) {
            data::ShuffleOptions options{.reshuffle_each_iteration = reshuffle};
            if (seed) options.seed = static_cast<uint64_t>(*seed);
            return self.shuffle(integer(size, "shuffle", "buffer_size"), options);
          },
          nb::arg("size").none(), nb::arg("seed").none(), nb::arg("reshuffle"))
      .def("_repeat",
           [count](const Dataset& self, nb::handle n) { return self.repeat(count(n, "repeat")); })
      .def("_take",
           [count](const Dataset& self, nb::handle n) { return self.take(count(n, "take")); })
      .def("_skip",
           [count](const Dataset& self, nb::handle n) { return self.skip(count(n, "skip")); })
      .def("_shard",
           [](const Dataset& self, nb::handle shards, nb::handle index) {
             return self.shard(integer(shards, "shard", "num_shards"),
                               integer(index, "shard", "index"));
           })
      .def("_concatenate", &Dataset::concatenate)
      .def("_enumerate",
           [](const Dataset& self, nb::handle start) {
             return self.enumerate(integer(start, "enumerate", "start"));
           })
      .def("_cache", &Dataset::cache)
      .def("_prefetch",
           [](const Dataset& self, nb::handle size) {
             return self.prefetch(integer(size, "prefetch", "buffer_size"));
           })
      .def("_ignore_errors", &Dataset::ignore_errors)
      .def("_with_options", [](const Dataset& self, nb::handle bytes) {
        return self.with_options(integer(bytes, "with_options", "buffer_bytes"));
      });
}

// (is text, dtype, shape with None) per leaf, and an element of the form whose leaves are numbers.
nb::object spec_to_python(const data::Spec& spec) {
  nb::list leaves;
  for (const data::LeafSpec& leaf : spec.leaves) {
    nb::list shape;
    for (const Dim extent : leaf.shape) {
      shape.append(extent.is_known() ? nb::object(nb::int_(extent.value())) : nb::none());
    }
    leaves.append(
        nb::make_tuple(leaf.is_text, nb::borrow(dtype_object(leaf.dtype)), nb::tuple(shape)));
  }
  return leaves;
}

// Notes the waits of the thread that made it, by a clock that begins at `origin` and stands for as
// long as it is told. No Python runs within a wait: a signal would be handled there.
class PythonWaitWatch {
 public:
  explicit PythonWaitWatch(double origin) : watch_(std::in_place, origin) {}
  void end() {
    left_ = taken();
    watch_.reset();
  }
  void stood(double seconds) {
    if (watch_) watch_->stood(seconds);
  }
  // Those that have ended since it was asked: (start, seconds).
  using Waits = std::vector<std::pair<double, double>>;
  Waits taken() {
    Waits out = std::exchange(left_, {});
    if (watch_) watch_->take(out);
    return out;
  }

 private:
  class Watch final : public data::WaitWatch {
   public:
    explicit Watch(double origin) : stood_(origin) {}
    void stood(double seconds) {
      const std::lock_guard lock(mutex_);
      stood_ += seconds;
    }
    void take(Waits& out) {
      const std::lock_guard lock(mutex_);
      out.insert(out.end(), waits_.begin(), waits_.end());
      waits_.clear();
    }

   private:
    void begins() noexcept override { begun_ = now(); }
    void ends() noexcept override {
      const double end = now();
      const std::lock_guard lock(mutex_);
      waits_.emplace_back(begun_, end - begun_);
    }
    // As time.perf_counter() has it.
    double now() {
      const auto clock = std::chrono::steady_clock::now().time_since_epoch();
      const std::lock_guard lock(mutex_);
      return std::chrono::duration<double>(clock).count() - stood_;
    }
    Mutex mutex_;
    double stood_, begun_ = 0;
    Waits waits_;
  };
  std::optional<Watch> watch_;
  Waits left_;
};

void add_iterator(nb::module_& m) {
  nb::class_<PythonWaitWatch>(m, "_WaitWatch")
      .def(nb::init<double>())
      .def("stood", &PythonWaitWatch::stood)
      .def("taken", &PythonWaitWatch::taken)
      .def("end", &PythonWaitWatch::end);
  nb::class_<data::Iterator>(m, "_DataIterator", nb::is_weak_referenceable(), nb::dynamic_attr())
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__",
           [](data::Iterator& self) {
             Element element;
             bool has_one = false;
             if (self.is_ready()) {  // threads that make others need not have Python's lock first
               has_one = self.next(element);
             } else {
               const nb::gil_scoped_release release;
               has_one = self.next(element);
             }
             if (!has_one) throw nb::stop_iteration();
             return element_to_python(element);
           })
      .def(
          "state_dict",
          [](const data::Iterator& self) {
            data::State out;
            {
              const nb::gil_scoped_release release;
              out = self.state_dict();
            }
            return state_to_python(out);
          },
          "Where the pass stands, exactly: tensors by name, for any checkpoint.")
      .def(
          "load_state_dict",
          [](data::Iterator& self, nb::dict dict) {
            const data::State state = state_from_python(dict);
            const nb::gil_scoped_release release;
            self.load_state_dict(state);
          },
          nb::arg("state"), "Goes on where the iterator stood whose state it is.")
      .def("_rows",
           [](const data::Iterator& self) {
             nb::list numbers, origins;
             if (self.rows() == nullptr) return nb::make_tuple(numbers, origins);
             for (const int64_t number : self.rows()->numbers) numbers.append(number);
             for (const auto& one : self.rows()->origins) {
               origins.append(one == nullptr ? std::string() : data::to_string(*one));
             }
             return nb::make_tuple(numbers, origins);
           })
      .def("explain", &data::Iterator::explain,
           "How long every stage took, and which one the others wait for.")
      .def_prop_ro("skipped", &data::Iterator::skipped,
                   "How many failing elements ignore_errors() has left out.")
      .def_prop_ro("buffered_bytes", &data::Iterator::buffered_bytes);
}

}  // namespace

void add_data(nb::module_& m) {
  install_element_notes();
  nb::class_<Dataset> c(m, "_Dataset", nb::is_weak_referenceable());
  c.def(nb::init<const Dataset&>());
  add_sources(c);
  add_functions(c);
  add_choices(c);
  c.def("_cardinality", &Dataset::cardinality)
      .def("_spec",
           [](const Dataset& self) {
             data::Spec out;
             {
               const nb::gil_scoped_release release;
               out = self.spec();
             }
             return spec_to_python(out);
           })
      .def("_form",  // an element whose leaves are their numbers
           [](const Dataset& self) {
             data::Element out;
             {
               const nb::gil_scoped_release release;
               const data::Spec spec = self.spec();
               out.form = spec.form;
               for (size_t k = 0; k < spec.leaves.size(); ++k) {
                 out.leaves.emplace_back(Tensor::scalar(DType::kI64, static_cast<double>(k)));
               }
             }
             return element_to_python(out);
           })
      .def("_explain", &Dataset::explain)
      .def("__iter__", [](const Dataset& self) { return self.iterator(); })
      .def("__repr__", [](const Dataset& self) { return to_string(self); });
  add_iterator(m);
  add_data_sources(m);
  m.def("_end_data_threads", [] {
    begin_exit();
    const nb::gil_scoped_release release;
    data::end_threads();
  });
}

}  // namespace weft::python
