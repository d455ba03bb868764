// The threads that iterators work with: not those of the kernels, and never waited for while a
// program runs.
#pragma once

#include <functional>

namespace weft::data {

// Does the job in a thread, one that rests if there is one. Raises std::system_error if no thread
// can be started.
void give_to_crew(std::function<void()> job);

// Waits until all jobs that are to end have ended, or some seconds have passed.
void wait_for_threads();

// The same for jobs of iterators that are still held; for the end of a process, where the language
// that a thread calls goes before the thread. Jobs ask whether they are to end.
void end_threads();
bool are_threads_to_end();

}  // namespace weft::data
