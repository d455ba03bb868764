// Threads that work a little and often, beside threads that compute all the time.
#pragma once

namespace weft {

// The calling thread gets a core soon after it wakes up, for short turns, and naps no longer than
// it says. Without it Linux lets those that run finish their turns of milliseconds first, also if
// they only spin, and lengthens naps by 50 us. What the system does not know is left out.
void be_punctual();

}  // namespace weft
