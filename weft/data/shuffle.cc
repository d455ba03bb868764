// shuffle: a permutation of elements that are known by number (Fisher and Yates), and of others
// those of a buffer at random. Draws are Philox's, keyed by the seed and the pass.
#include <algorithm>

#include "weft/base/thread_pool.h"
#include "weft/data/choose.h"
#include "weft/data/dataset.h"
#include "weft/data/options.h"
#include "weft/ops/random/key.h"
#include "weft/ops/random/philox.h"

namespace weft::data {
namespace {

__extension__ typedef unsigned __int128 Wide;  // NOLINT(modernize-use-using)

struct Parameters {
  int64_t buffer_size;
  uint64_t seed;
  bool reshuffle;
};

uint64_t joined(uint32_t low, uint32_t high) { return low | static_cast<uint64_t>(high) << 32; }

// Draws of one pass, by their numbers.
class Draws {
 public:
  Draws(const Parameters& p, const Context& cx)
      : key_(random::philox(static_cast<uint32_t>(p.seed), static_cast<uint32_t>(p.seed >> 32),
                            p.reshuffle ? cx.epoch : 0, random::Stream::kShuffle)) {}

  // Number `position` below `count`: the high word of a product, which is as good as uniform.
  int64_t below(int64_t count, uint64_t position) const {
    const random::Block<uint32_t> block =
        random::philox(key_.words[0], key_.words[1], position, random::Stream::kShuffle);
    const Wide bits = joined(block.words[0], block.words[1]);
    return static_cast<int64_t>(bits * static_cast<uint64_t>(count) >> 64);
  }

 private:
  random::Block<uint32_t> key_;
};

// Numbers of a pass that are permuted as a whole: in 1 GB. More go through the buffer.
constexpr int64_t kMostPermuted = 1 << 27;

// All the numbers of the pass, in another order.
class Permuted final : public Indices {
 public:
  Permuted(const Node& node, const Context& cx, const Parameters& p)
      : input_(node.input().indices(cx)),
        name_(node.input().name()),
        count_(node.input().cardinality()),
        draws_(p, cx) {}

  bool next(int64_t& out) override {
    if (!is_filled_) fill();
    if (position_ == static_cast<int64_t>(order_.size())) return false;
    out = order_[static_cast<size_t>(position_++)];
    return true;
  }
  // The order follows from the seed: only the place in it is kept.
  void save(StateWriter to) const override {
    to.put("position", position_);
    const StateWriter input = to.at(name_);
    if (order_.empty() && !is_filled_) {
      input_->save(input);
    } else {
      for (const auto& [name, value] : before_) input.put(name, value);
    }
  }
  void restore(StateReader from) override {
    position_ = from.position("position");
    input_->restore(from.at(name_));
    if (position_ == 0) return;
    fill();
    if (position_ > static_cast<int64_t>(order_.size())) {
      from.fail_state("position", "is beyond the end");
    }
  }

 private:
  // After an interrupt the next call resumes where this one stopped.
  void fill() {
    constexpr size_t kBetweenPolls = 1 << 16;
    if (order_.empty()) input_->save(StateWriter(before_));
    if (!is_read_) {
      order_.reserve(static_cast<size_t>(count_));
      for (int64_t index = 0; input_->next(index);) {
        order_.push_back(index);
        if (order_.size() % kBetweenPolls == 0) poll_interrupt();
      }
      is_read_ = true;
      unplaced_ = order_.size();
    }
    for (; unplaced_ > 1; --unplaced_) {
      if (unplaced_ % kBetweenPolls == 0) poll_interrupt();
      const auto with =
          static_cast<size_t>(draws_.below(static_cast<int64_t>(unplaced_), unplaced_));
      std::swap(order_[unplaced_ - 1], order_[with]);
    }
    is_filled_ = true;
  }

  std::unique_ptr<Indices> input_;
  const std::string name_;
  const int64_t count_;
  const Draws draws_;
  std::vector<int64_t> order_;
  State before_;  // of the input, when it was read
  int64_t position_ = 0;
  size_t unplaced_ = 0;  // elements [0, unplaced_) of order_ are not yet shuffled
  bool is_read_ = false, is_filled_ = false;
};

int64_t bytes_of(const Element& element) { return element.bytes(); }
int64_t bytes_of(int64_t) { return sizeof(int64_t); }

// One of a buffer, whose place the next one takes.
template <class Item>
class Mixing {
 public:
  Mixing(const Node& node, const Context& cx, const Parameters& p)
      : input_(InputOf<Item>::make(node.input(), cx)),
        name_(node.input().name()),
        size_(static_cast<size_t>(p.buffer_size)),
        draws_(p, cx),
        held_(std::make_unique<Held>(cx.run)) {}

  bool next(Item& out) {
    Item more;
    while (!has_ended_ && buffer_.size() < size_) {
      poll_interrupt();
      if (input_->next(more)) {
        keep(std::move(more));
      } else {
        has_ended_ = true;
      }
    }
    if (buffer_.empty()) return false;
    const auto at = static_cast<size_t>(
        draws_.below(static_cast<int64_t>(buffer_.size()), static_cast<uint64_t>(given_)));
    std::swap(buffer_[at], buffer_.back());
    out = std::move(buffer_.back());
    buffer_.pop_back();
    held_->remove(bytes_of(out));
    ++given_;
    return true;
  }
  void save(StateWriter to) const {
    to.put("given", given_);
    to.put("buffer", buffer_);
    to.put("has_ended", static_cast<int64_t>(has_ended_));
    input_->save(to.at(name_));
  }
  void restore(StateReader from) {
    given_ = from.position("given");
    has_ended_ = from.integer("has_ended") != 0;
    for (Item& item : saved(from)) keep(std::move(item));
    input_->restore(from.at(name_));
  }
  bool is_small() const { return false; }

 private:
  static auto saved(const StateReader& from) {
    if constexpr (std::is_same_v<Item, Element>) {
      return from.elements("buffer");
    } else {
      return from.integers("buffer");
    }
  }
  void keep(Item item) {
    held_->add_or_fail(bytes_of(item), "shuffle");
    buffer_.push_back(std::move(item));
  }

  InputPtr<Item> input_;
  std::string name_;
  size_t size_;
  Draws draws_;
  std::unique_ptr<Held> held_;
  std::vector<Item> buffer_;
  int64_t given_ = 0;
  bool has_ended_ = false;
};

class Shuffle final : public Choosing<Mixing, Parameters> {
 public:
  Shuffle(Ptr input, Parameters p) : Choosing("shuffle", std::move(input), p) {}

  std::unique_ptr<Indices> indices(const Context& cx) const override {
    const int64_t count = input().cardinality();
    if (count < 0) return Choosing::indices(cx);
    if (count > kMostPermuted) {
      require_memory(cx, count);
      return Choosing::indices(cx);
    }
    return std::make_unique<Permuted>(*this, cx, parameters());
  }
  int64_t cardinality() const override { return input().cardinality(); }
  // Before a buffer is filled for minutes.
  void require_memory(const Context& cx, int64_t count) const {
    const int64_t most = cx.run->budget() / static_cast<int64_t>(sizeof(int64_t));
    const int64_t held = std::min(count, parameters().buffer_size);
    if (held <= most) return;
    fail(Code::kOutOfMemory, "shuffle", "budget", "its buffer is to hold the numbers of ", held,
         " elements, but buffers of this pipeline may hold ", cx.run->budget(),
         " bytes, which are those of ", most, "; take a smaller buffer_size");
  }
  std::string text() const override {
    const Parameters& p = parameters();
    return weft::text("shuffle(", p.buffer_size, ", seed=", p.seed,
                      p.reshuffle ? "" : ", reshuffle_each_iteration=false", ")");
  }
};

}  // namespace

Dataset Dataset::shuffle(int64_t buffer_size, ShuffleOptions options) const {
  require_positive("shuffle", "buffer_size", buffer_size);
  uint64_t seed = 0;
  if (options.seed) {
    seed = *options.seed;
  } else {
    const std::vector<uint32_t> words = random::drawn_now().words().to_vector<uint32_t>();
    seed = joined(words[0], words[1]);
  }
  return Dataset(new_shared<const Shuffle>(
      node_, Parameters{buffer_size, seed, options.reshuffle_each_iteration}));
}

}  // namespace weft::data
