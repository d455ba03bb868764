// Dataset: a pipeline of elements, as an immutable description; Iterator: one pass over it.
//
//   const Dataset digits = Dataset::from_tensor_slices({images, labels}).shuffle(10000).batch(64);
//   for (const Element& element : digits) {
//     const auto [x, y] = element.tensors<2>();
//   }
#pragma once

#include <functional>

#include "weft/base/function_ref.h"
#include "weft/data/node.h"

namespace weft::data {

class Iterator;

// What `map` and `filter` are given; many threads may call it at once.
using MapFunction = std::function<Element(const Element&)>;
using Predicate = std::function<bool(const Element&)>;
// Gives the next element, or false at the end. A generator is a function that begins one anew.
using Generation = std::function<bool(Element&)>;

struct MapOptions {
  int num_parallel_calls = 0;  // 0: in the thread that asks
  std::string name = "f";      // what the tree and errors call the function
  // Called around calls in a row: takes a lock once for all of them.
  std::function<void(FunctionRef<void()>)> around = {};
  int64_t hand_over = kHandOver;  // shorter calls are made by the thread that asks
};
struct ShuffleOptions {
  std::optional<uint64_t> seed = {};  // without one, a draw of the default generator
  bool reshuffle_each_iteration = true;
};
struct BatchOptions {
  bool drop_remainder = false;
};
struct PaddedBatchOptions {
  std::vector<Shape> padded_shapes = {};    // per leaf; -1 and none: the longest of the batch
  std::vector<Tensor> padding_values = {};  // per leaf; none: zeros
  bool drop_remainder = false;
};
struct BucketOptions {
  std::vector<int64_t> boundaries;   // ascending: lengths below the first are one bucket, and so on
  std::vector<int64_t> batch_sizes;  // one for each bucket: one more than boundaries
  PaddedBatchOptions padding = {};
};
struct WindowOptions {
  int64_t shift = 0;  // between the first elements of windows; 0: the size
  int64_t stride = 1;
  bool drop_remainder = false;
};
struct InterleaveOptions {
  int64_t cycle_length = 2;  // datasets that are read in turn
  int64_t block_length = 1;  // elements that are taken of one before the next has its turn
  int num_parallel_calls = 0;
  std::string name = "f";
};

// A handle: copies are the same pipeline.
class Dataset {
 public:
  explicit Dataset(Node::Ptr node) : node_(std::move(node)) {}

  // Elements are the rows of tensors along their first axes.
  static Dataset from_tensor_slices(Element slices);
  static Dataset from_tensors(Element element);  // one element
  static Dataset from_generator(std::function<Generation()> make, std::string name = "generator");
  static Dataset range(int64_t stop);
  static Dataset range(int64_t start, int64_t stop, int64_t step = 1);
  // Tuples of one element of each, until one ends.
  static Dataset zip(std::vector<Dataset> datasets);

  Dataset map(MapFunction f, MapOptions options = {}) const;
  Dataset filter(Predicate keep, std::string name = "f") const;
  Dataset flat_map(std::function<Dataset(const Element&)> f, std::string name = "f") const;
  Dataset interleave(std::function<Dataset(const Element&)> f,
                     InterleaveOptions options = {}) const;
  Dataset batch(int64_t size, BatchOptions options = {}) const;
  Dataset padded_batch(int64_t size, PaddedBatchOptions options = {}) const;
  // Batches of elements of like lengths, padded to the longest of the batch.
  Dataset bucket_by_length(std::function<int64_t(const Element&)> length,
                           BucketOptions options) const;
  Dataset unbatch() const;
  // Batches of `size` elements in a row, each beginning `shift` elements after the one before.
  Dataset window(int64_t size, WindowOptions options = {}) const;
  // Of elements that are known by number a permutation; of others, those of a buffer at random.
  Dataset shuffle(int64_t buffer_size, ShuffleOptions options = {}) const;
  Dataset repeat(int64_t count = -1) const;  // -1: without end
  Dataset take(int64_t count) const;         // -1: all
  Dataset skip(int64_t count) const;
  Dataset shard(int64_t num_shards, int64_t index) const;  // every num_shards-th
  Dataset concatenate(const Dataset& other) const;
  Dataset enumerate(int64_t start = 0) const;
  // Keeps the elements of the first whole pass, in memory or in a file.
  Dataset cache(std::string path = "") const;
  Dataset prefetch(int64_t buffer_size = 2) const;
  // Leaves out elements that fail; the iterator counts them.
  Dataset ignore_errors() const;
  // How many bytes all buffers of a pass may hold.
  Dataset with_options(int64_t buffer_bytes) const;
  template <class F>
  auto apply(F f) const {
    return f(*this);
  }

  // kUnknown, kInfinite, or how many elements there are.
  int64_t cardinality() const { return node_->cardinality(); }
  Spec spec() const { return node_->spec(); }

  // All elements as one: `const auto [x, y] = data.as_tensors().tensors<2>();` Raises
  // [as_tensors.empty] if there are none, [as_tensors.infinite] if there is no end.
  Element as_tensors() const;

  // How long every stage took in the latest pass over it, that of a `fit` too, and which one the
  // others wait for.
  std::string explain() const;

  Iterator iterator() const;
  Iterator begin() const;
  struct End {};
  End end() const { return {}; }

  const Node::Ptr& node() const { return node_; }

  // A copy that owns a host (Python) object, for as long as it and its iterators live: the owner of
  // the functions of its steps. Datasets that are derived from it do not own the object.
  Dataset keeping(Shared<void> object) const {
    Dataset out(node_);
    out.kept_ = std::move(object);
    return out;
  }
  const Shared<void>& kept() const { return kept_; }

 private:
  Node::Ptr node_;
  Shared<void> kept_;
};

// The pipeline as a tree: the last step first, what it takes its elements from below it.
std::string to_string(const Dataset& dataset);

// One pass over a dataset. Dropping it ends its threads.
class Iterator {
 public:
  explicit Iterator(const Dataset& dataset);
  Iterator(Iterator&&) = default;
  Iterator& operator=(Iterator&&) = default;
  ~Iterator();

  bool next(Element& out);
  // Was the next element made before, so that `next` gives it at once?
  bool is_ready() const { return cursor_->is_ready(); }

  // Where the pass stands, exactly, and the pass that goes on from there.
  State state_dict() const;
  void load_state_dict(const State& state);

  // How long every stage took, and which one the others wait for.
  std::string explain() const;
  // Where the rows of the batch that was given last come from; null if that is not known.
  const Shared<const RowOrigins>& rows() const { return rows_; }
  // Failing elements that ignore_errors has left out.
  int64_t skipped() const;
  int64_t buffered_bytes() const { return context_.run->held(); }

  // What range-for asks.
  const Element& operator*() const { return element_; }
  Iterator& operator++() {
    has_element_ = next(element_);
    return *this;
  }
  bool operator!=(Dataset::End) const { return has_element_; }

 private:
  Shared<void> kept_;  // of the dataset
  Node::Ptr node_;
  Context context_;
  std::unique_ptr<Cursor> cursor_;
  int64_t given_ = 0;  // elements so far
  Shared<const RowOrigins> rows_;
  Element element_;
  bool has_element_ = false;
};

}  // namespace weft::data
