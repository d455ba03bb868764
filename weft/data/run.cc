// What the iterators of one pass share.
#include "weft/data/run.h"

#include <chrono>

#include "weft/base/thread_local.h"
#include "weft/ops/random/philox.h"

namespace weft::data {
namespace {

WEFT_THREAD_LOCAL StageClock* clock_now = nullptr;

}  // namespace

StageTimes& Run::times_of(const Node& node, bool is_inner) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<StageTimes>& times = times_[{&node, is_inner}];
  if (times == nullptr) times = std::make_unique<StageTimes>();
  return *times;
}

uint64_t folded(uint64_t seed, uint64_t number) {
  const random::Block<uint32_t> block =
      random::philox(static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), number,
                     random::Stream::kFold);
  return block.words[0] | static_cast<uint64_t>(block.words[1]) << 32;
}

Context Context::round(int64_t r) const {
  if (r == 0) return *this;
  Context out = *this;
  out.epoch = folded(epoch, static_cast<uint64_t>(r));
  return out;
}

Context Context::inside(const Node& step, Shared<const Node> made) const {
  Context out = *this;
  out.root = std::move(made);
  if (out.maker == nullptr) out.maker = &step;
  return out;
}

void Held::add_or_fail(int64_t bytes, std::string_view who) {
  if (add(bytes)) return;
  fail(Code::kOutOfMemory, who, "budget", "its buffer needs more than the ", run_->budget(),
       " bytes that buffers of this pipeline may hold; take a smaller buffer, or give them "
       "more by with_options");
}

int64_t nanoseconds_now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

StageClock::StageClock(StageTimes& times)
    : times_(times), start_(nanoseconds_now()), outer_(clock_now) {
  clock_now = this;
}

StageClock::~StageClock() {
  const int64_t spent = nanoseconds_now() - start_;
  times_.own.fetch_add(spent - inside_, std::memory_order_relaxed);
  if (outer_ != nullptr) outer_->inside_ += spent;
  clock_now = outer_;
}

}  // namespace weft::data
