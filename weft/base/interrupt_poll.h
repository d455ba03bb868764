// The poll for Ctrl-C that stands now, for those who put their own in its place for a while.
#pragma once

namespace weft {

using InterruptPoll = bool (*)();

// What set_interrupt_poll has set; null: nothing.
InterruptPoll current_interrupt_poll();

}  // namespace weft
