// How errors name a matrix of a batch, and how OpenBLAS is kept to the threads that call it.
#include "weft/kernels/lapack/matrices.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <vector>

#include "weft/base/cpu.h"
#include "weft/base/forks.h"
#include "weft/base/mutex.h"
#include "weft/base/thread_pool.h"
#include "weft/kernels/stream.h"

extern "C" int openblas_get_parallel();
extern "C" char* openblas_get_corename();
extern "C" void openblas_set_num_threads(int count);

namespace weft::kernels::lapack {
namespace {

// How the OpenBLAS that was loaded is built, by its own numbers.
enum Build { kSequential = 0, kThreads = 1, kOpenMp = 2 };

// Never destroyed: threads outlive main. A forked child gets another one, because a thread of the
// parent may have been inside the library.
std::atomic<std::timed_mutex*> current_turn{nullptr};
std::timed_mutex& sequential_mutex() {
  [[maybe_unused]] static const bool once = [] {
    const auto renew = [] { current_turn.store(new std::timed_mutex); };
    renew();
    renew_in_children(renew);
    return true;
  }();
  return *current_turn.load();
}

// Waits for the library, and polls for Ctrl-C: another thread's call may take long, also one whose
// caller was interrupted.
void wait_for_turn() {
  while (!sequential_mutex().try_lock_for(std::chrono::milliseconds(20))) poll_interrupt();
}

class ThreadsInside;
ThreadsInside& threads_inside();

// Its OpenMP's setting for this thread. Looked up, for only one of its builds has them.
struct OpenMp {
  int (*get)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  void (*set)(int) = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
};
const OpenMp& open_mp() {
  static const OpenMp found;
  return found;
}

// A CPU that is newer than the library gets the code of a Pentium 4, which is several times slower:
// then it is told, by the way its own manual names, to choose once more. A choice of the user
// stays.
void choose_code() {
  constexpr const char* kChoice = "OPENBLAS_CORETYPE";
  const auto quit = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "gotoblas_dynamic_quit"));
  const auto init = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "gotoblas_dynamic_init"));
  const bool unknown = std::string_view(openblas_get_corename()) == "Prescott";
  const bool chosen = std::getenv(kChoice) != nullptr;
  if (!unknown || chosen || best_isa() == Isa::portable || !quit || !init) return;
  setenv(kChoice, best_isa() == Isa::avx512 ? "SkylakeX" : "Haswell", 0);
  quit();
  init();
  unsetenv(kChoice);
}

int build() {
  static const int found = [] {
    choose_code();
    const int parallel = openblas_get_parallel();
    if (parallel == kThreads) openblas_set_num_threads(1);
    const bool settable = open_mp().get != nullptr && open_mp().set != nullptr;
    return parallel == kOpenMp && !settable ? kSequential : parallel;
  }();
  return found;
}

// The threads that are inside the library. They are stopped when the process exits, because the
// library's destructor unmaps buffers that they use, and waiting for them would take long.
class ThreadsInside {
 public:
  ThreadsInside() {
    std::atexit([] { threads_inside().stop(); });
  }

  void enter() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal());
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    const std::lock_guard lock(mutex_);
    all_.push_back({pthread_self(), getpid()});
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    const pthread_t self = pthread_self();
    std::erase_if(all_, [&](const Inside& one) { return pthread_equal(one.thread, self) != 0; });
  }

 private:
  struct Inside {
    pthread_t thread;
    pid_t process;  // threads do not survive a fork
  };

  static int signal() { return SIGRTMAX - 3; }  // a signal that no known library uses

  // Never unlocks: threads that enter or leave block here until the process is gone.
  void stop() {
    mutex_.lock();
    struct sigaction action = {};
    action.sa_handler = [](int) {
      stopped.fetch_add(1);
      while (true) pause();
    };
    sigfillset(&action.sa_mask);
    sigaction(signal(), &action, nullptr);
    int sent = 0;
    for (const Inside& one : all_) {
      const bool is_other = pthread_equal(one.thread, pthread_self()) == 0;
      if (is_other && one.process == getpid()) sent += pthread_kill(one.thread, signal()) == 0;
    }
    for (int naps = 0; stopped.load() < sent && naps < 1000; ++naps) usleep(1000);
  }

  static inline std::atomic<int> stopped{0};
  Mutex mutex_;
  std::vector<Inside> all_;

  friend ThreadsInside& threads_inside();
};
ThreadsInside& threads_inside() {
  static auto& all = *new ThreadsInside;
  return all;
}

}  // namespace

LibraryTurn::LibraryTurn(bool is_long) : is_long_(is_long) {
  if (build() == kSequential) wait_for_turn();
  if (is_long_) threads_inside().enter();
  if (build() != kOpenMp) return;
  threads_before_ = open_mp().get();
  if (threads_before_ != 1) open_mp().set(1);
}

LibraryTurn::~LibraryTurn() {
  if (is_long_) threads_inside().leave();
  if (build() == kSequential) sequential_mutex().unlock();
  if (build() == kOpenMp && threads_before_ != 1) open_mp().set(threads_before_);
}

void copy_squares(TileTarget to, TileSource from, int64_t rows, int64_t columns, int64_t item) {
  const int64_t side = kLineBytes / item;
  for (int64_t r = 0; r < rows; r += side) {
    for (int64_t c = 0; c < columns; c += side) {
      copy_tile({to.data + r * to.row + c * to.col, to.row, to.col},
                {from.data + r * from.row + c * from.col, from.row, from.col},
                std::min(side, rows - r), std::min(side, columns - c), item);
    }
  }
}

std::string matrix_name(const Tensor& out, int64_t index, int own) {
  if (out.rank() <= own) return "the matrix";
  Ints place(static_cast<size_t>(out.rank() - own), 0);
  for (size_t d = place.size(); d-- > 0;) {
    const int64_t size = out.shape()[d].value();
    place[d] = index % size;
    index /= size;
  }
  return text("matrix ", place, " of the batch");
}

}  // namespace weft::kernels::lapack
