// Iterators in graphs: runs take elements, initializers begin anew, the end is an error.
#include "weft/data/graph_iterator.h"

#include "weft/data/test_data.h"
#include "weft/ops/math/operators.h"
#include "weft/ops/reduce/reduce.h"
#include "weft/runtime/session.h"

namespace weft::data {
namespace {

TEST(GraphIteratorTest, RunsTakeElementsUntilTheEnd) {
  Graph graph;
  const GraphIterator iterator = GraphIterator::one_shot(Dataset::range(5).batch(2));
  Tensor total;
  {
    const Graph::Scope scope(graph);
    total = sum(iterator.get_next()[0]);
  }
  const Session session(graph);
  EXPECT_EQ(session.run({total})[0].item_int(), 1);
  EXPECT_EQ(session.run({total})[0].item_int(), 5);
  EXPECT_EQ(session.run({total})[0].item_int(), 4);
  EXPECT_EQ(
      error_of([&] { session.run({total}); }).substr(0, 94),
      "get_next: the dataset of the iterator 'iterator' has ended; its initializer begins anew "
      "[get_n");
}

TEST(GraphIteratorTest, TrainingAndValidationDataInTurn) {
  const Dataset training = Dataset::range(4).batch(2), validation = Dataset::range(10, 12).batch(2);
  Graph graph;
  const GraphIterator iterator = GraphIterator::from_structure(training.spec());
  const Operation train = iterator.make_initializer(graph, training);
  const Operation validate = iterator.make_initializer(graph, validation);
  Tensor total;
  {
    const Graph::Scope scope(graph);
    total = sum(iterator.get_next()[0]);
  }
  const Session session(graph);
  EXPECT_EQ(error_of([&] { session.run({total}); }).substr(0, 60),
            "get_next: the iterator 'iterator' reads no dataset yet; run ");
  for (int epoch = 0; epoch < 2; ++epoch) {
    session.run(train);
    EXPECT_EQ(session.run({total})[0].item_int(), 1);
    EXPECT_EQ(session.run({total})[0].item_int(), 5);
    session.run(validate);
    EXPECT_EQ(session.run({total})[0].item_int(), 21);
  }
}

TEST(GraphIteratorTest, OtherTypesAreRefused) {
  Graph graph;
  const GraphIterator iterator = GraphIterator::initializable(Dataset::range(4));
  EXPECT_EQ(error_of([&] { iterator.make_initializer(graph, Dataset::range(4).batch(2)); }),
            "make_initializer: the dataset gives i64[2] but the iterator 'iterator' is of i64[] "
            "[make_initializer.type]");
  EXPECT_EQ(error_of([] { GraphIterator::from_structure(spec_of(Element(std::string("a")))); }),
            "Iterator: its elements have texts, and the values of graphs are tensors; map them to "
            "numbers first [Iterator.text]");
}

TEST(GraphIteratorTest, StatesGoOnInTheMiddle) {
  Graph graph;
  const GraphIterator iterator =
      GraphIterator::initializable(Dataset::range(9).shuffle(9, {.seed = 1}));
  Tensor next;
  {
    const Graph::Scope scope(graph);
    next = iterator.get_next()[0];
  }
  const Operation begin = iterator.initializer(graph);
  const Session session(graph);
  session.run(begin);
  session.run({next});
  const State state = iterator.state_dict();
  const int64_t second = session.run({next})[0].item_int();
  session.run({next});
  iterator.load_state_dict(state);
  EXPECT_EQ(session.run({next})[0].item_int(), second);
}

}  // namespace
}  // namespace weft::data
