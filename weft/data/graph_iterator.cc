// get_next and initialize_iterator: the ops by which graphs read datasets.
#include "weft/data/graph_iterator.h"

#include "weft/base/long_mutex.h"
#include "weft/base/text_cursor.h"
#include "weft/op/apply.h"
#include "weft/op/registry.h"
#include "weft/op/scope.h"

namespace weft::data {

// What runs share; from many threads at once.
struct ReadPlace {
  ReadPlace(std::string name, Spec spec) : name(std::move(name)), spec(std::move(spec)) {}

  const std::string name;
  const Spec spec;
  std::optional<Dataset> dataset;  // of an initializable one
  LongMutex mutex;                 // held while functions of the dataset run
  std::optional<Iterator> iterator;
  bool is_at_work = false;  // a thread takes the next element
};

namespace {

std::string types_text(const Spec& spec) {
  std::string out;
  for (const LeafSpec& leaf : spec.leaves) {
    out += weft::text(out.empty() ? "" : " ", Type{leaf.dtype, leaf.shape});
  }
  return out;
}

// f32[?batch0, 784] i64[?batch0]
Types parsed_types(std::string_view source) {
  Types out;
  TextCursor cursor(source, "get_next");
  while (!cursor.done()) {
    const std::optional<DType> dtype = parse_dtype(cursor.word());
    if (!dtype) cursor.fail("expected a dtype");
    cursor.expect("[");
    Shape shape;
    while (!cursor.take("]")) {
      const std::string_view rest = cursor.rest();
      const size_t end = rest.find_first_of(",]");
      const std::optional<Dim> dim = parse_dim(rest.substr(0, end));
      if (end == std::string_view::npos || !dim) cursor.fail("expected a size");
      cursor.rest().remove_prefix(end);
      shape.push_back(*dim);
      cursor.take(",");
    }
    out.push_back({*dtype, shape});
  }
  return out;
}

struct NextAttrs {
  std::string iterator;
  std::string types;
  static constexpr auto fields =
      fields_of(field("iterator", &NextAttrs::iterator, "what people call the place"),
                field("types", &NextAttrs::types, "of the tensors of an element"));

  Shared<ReadPlace> place = {};  // none in graphs that were read from a text
};

struct InitializeAttrs {
  std::string iterator;
  std::string dataset;
  static constexpr auto fields = fields_of(
      field("iterator", &InitializeAttrs::iterator, "what people call the place"),
      field("dataset", &InitializeAttrs::dataset, "the pipeline that it reads from then on"));

  Shared<ReadPlace> place = {};
  std::optional<Dataset> source = {};
};

template <class Attrs>
ReadPlace& place_of(const Attrs& at, std::string_view op) {
  if (at.place == nullptr) {
    fail(Code::kInvalid, op, "place", "the iterator '", at.iterator,
         "' is of the program that made the graph; a text has its name alone");
  }
  return *at.place;
}

Types infer_next(const NextAttrs& at, const InferCtx&, TypeSpan) { return parsed_types(at.types); }

void require_fit(const ReadPlace& place, const Element& element) {
  const std::vector<LeafSpec>& leaves = place.spec.leaves;
  bool fits = element.size() == leaves.size();
  for (size_t k = 0; fits && k < leaves.size(); ++k) {
    const Leaf& leaf = element.leaves[k];
    fits = !leaf.is_text() && leaf.tensor.dtype() == leaves[k].dtype &&
           leaf.shape().size() == leaves[k].shape.size();
    for (size_t axis = 0; fits && axis < leaves[k].shape.size(); ++axis) {
      const Dim wanted = leaves[k].shape[axis];
      fits = !wanted.is_known() || wanted == leaf.shape()[axis];
    }
  }
  if (fits) return;
  std::string given;
  for (const Leaf& leaf : element.leaves) given += (given.empty() ? "" : ", ") + to_string(leaf);
  fail(Code::kInvalid, "get_next", "type", "the dataset gives ", given, " but the iterator '",
       place.name, "' is of ", types_text(place.spec),
       "; sizes that vary are left open in the shapes that the iterator is made with");
}

// Raises in a forked child if a thread of the parent was taking an element when it forked: the
// iterator is half changed, and is leaked, because it cannot be destroyed either.
void require_whole(const ReadPlace& place, std::string_view who) {
  if (!place.is_at_work) return;
  fail(Code::kInvalid, who, "forked", "the iterator '", place.name,
       "' was read by another thread when the process forked; run its initializer in the child");
}

// Under the lock.
bool next_of(ReadPlace& place, Element& out) {
  struct AtWork {
    ReadPlace& place;
    explicit AtWork(ReadPlace& place) : place(place) { place.is_at_work = true; }
    ~AtWork() { place.is_at_work = false; }
  } const at_work(place);
  return place.iterator->next(out);
}

Tensors run_next(const NextAttrs& at, TensorSpan, TypeSpan) {
  ReadPlace& place = place_of(at, "get_next");
  const std::lock_guard lock(place.mutex);
  require_whole(place, "get_next");
  if (!place.iterator) {
    fail(Code::kInvalid, "get_next", "initialized", "the iterator '", place.name,
         "' reads no dataset yet; run its initializer first");
  }
  Element element;
  if (!next_of(place, element)) {
    fail(Code::kIndex, "get_next", "end", "the dataset of the iterator '", place.name,
         "' has ended; its initializer begins anew");
  }
  require_fit(place, element);
  Tensors out;
  for (const Leaf& leaf : element.leaves) out.push_back(leaf.tensor);
  return out;
}

Tensors batched_next(const NextAttrs&, const BatchCtx&) {
  fail(Code::kInvalid, "get_next", "batched", "has no inputs that could be batched");
}

Types infer_initialize(const InitializeAttrs&, const InferCtx&, TypeSpan) { return {}; }

Tensors run_initialize(const InitializeAttrs& at, TensorSpan, TypeSpan) {
  ReadPlace& place = place_of(at, "initialize_iterator");
  const std::lock_guard lock(place.mutex);
  if (place.is_at_work)
    new std::optional<Iterator>(std::move(place.iterator));  // see require_whole
  place.is_at_work = false;
  place.iterator.emplace(*at.source);
  return {};
}

Tensors batched_initialize(const InitializeAttrs&, const BatchCtx&) {
  fail(Code::kInvalid, "initialize_iterator", "batched", "has no inputs that could be batched");
}

}  // namespace

extern const OpDef kGetNext, kInitializeIterator;

constinit const OpDef kGetNext{
    .name = "get_next",
    .doc = "The tensors of the next element that an iterator reads.",
    .inputs = {},
    .outputs = {"results: any"},
    .attrs = attrs_type<NextAttrs>(),
    .infer = rule<infer_next>(),
    .grad = derive::not_differentiable("data is read, not computed"),
    .batch = batch::rule<batched_next>(),
    .kernel = kernel::host<run_next>(),
    .effect = Effect::kOutside,
};

constinit const OpDef kInitializeIterator{
    .name = "initialize_iterator",
    .doc = "Lets an iterator begin a pass over a dataset.",
    .inputs = {},
    .outputs = {},
    .attrs = attrs_type<InitializeAttrs>(),
    .infer = rule<infer_initialize>(),
    .grad = derive::not_differentiable("it gives nothing"),
    .batch = batch::rule<batched_initialize>(),
    .kernel = kernel::host<run_initialize>(),
    .effect = Effect::kOutside,
};

void register_data_ops() {
  static constexpr const OpDef* kOps[] = {&kGetNext, &kInitializeIterator};
  static const bool done = [] {
    register_graph_ops(kOps);
    return true;
  }();
  (void)done;
}

GraphIterator GraphIterator::from_structure(Spec spec, std::string name) {
  register_data_ops();
  for (const LeafSpec& leaf : spec.leaves) {
    if (!leaf.is_text) continue;
    fail(
        Code::kType, "Iterator", "text",
        "its elements have texts, and the values of graphs are tensors; map them to numbers first");
  }
  return GraphIterator(new_shared<ReadPlace>(std::move(name), std::move(spec)));
}

GraphIterator GraphIterator::initializable(const Dataset& dataset, std::string name) {
  GraphIterator out = from_structure(dataset.spec(), std::move(name));
  out.place_->dataset = dataset;
  return out;
}

GraphIterator GraphIterator::one_shot(const Dataset& dataset, std::string name) {
  GraphIterator out = from_structure(dataset.spec(), std::move(name));
  out.place_->iterator.emplace(dataset);
  return out;
}

Element GraphIterator::get_next(Where where) const {
  const NextAttrs attrs{place_->name, types_text(place_->spec), place_};
  Element out;
  for (const Tensor& t : apply_prepared(kGetNext, {}, &attrs, where)) out.leaves.emplace_back(t);
  out.form = place_->spec.form;
  return out;
}

Operation GraphIterator::make_initializer(const Graph& graph, const Dataset& dataset,
                                          Where where) const {
  const std::string was = types_text(place_->spec);
  const Spec given = dataset.spec();
  bool fits = given.leaves.size() == place_->spec.leaves.size();
  for (size_t k = 0; fits && k < given.leaves.size(); ++k) {
    const LeafSpec &a = place_->spec.leaves[k], &b = given.leaves[k];
    fits = a.is_text == b.is_text && a.dtype == b.dtype && same(a.shape, b.shape) != Tri::kNo;
  }
  if (!fits) {
    fail(Code::kInvalid, "make_initializer", "type", "the dataset gives ", types_text(given),
         " but the iterator '", place_->name, "' is of ", was);
  }
  const InitializeAttrs attrs{place_->name, to_string(dataset), place_, dataset};
  const Graph::Scope scope(graph);
  apply_prepared(kInitializeIterator, {}, &attrs, where);
  return {static_cast<ir::NodeId>(graph.staging().graph().nodes().size() - 1)};
}

Operation GraphIterator::initializer(const Graph& graph, Where where) const {
  if (!place_->dataset) {
    fail(Code::kInvalid, "initializer", "dataset", "the iterator '", place_->name,
         "' has no dataset of its own; make_initializer(dataset) gives it one");
  }
  return make_initializer(graph, *place_->dataset, where);
}

const Spec& GraphIterator::spec() const { return place_->spec; }

State GraphIterator::state_dict() const {
  const std::lock_guard lock(place_->mutex);
  require_whole(*place_, "state_dict");
  if (!place_->iterator) {
    fail(Code::kInvalid, "state_dict", "initialized", "the iterator '", place_->name,
         "' reads no dataset yet; run its initializer first");
  }
  return place_->iterator->state_dict();
}

void GraphIterator::load_state_dict(const State& state) const {
  const std::lock_guard lock(place_->mutex);
  require_whole(*place_, "load_state_dict");
  if (!place_->iterator && place_->dataset) place_->iterator.emplace(*place_->dataset);
  if (!place_->iterator) {
    fail(Code::kInvalid, "load_state_dict", "initialized", "the iterator '", place_->name,
         "' reads no dataset yet; run its initializer first");
  }
  place_->iterator->load_state_dict(state);
}

}  // namespace weft::data
