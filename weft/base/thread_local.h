// WEFT_THREAD_LOCAL: a thread-local that costs one instruction to reach, also in a shared library.
#pragma once

// The initial-exec model takes its few bytes from the room that the loader keeps for libraries
// opened late. Only for plain values with constant initialisers.
#define WEFT_THREAD_LOCAL __attribute__((tls_model("initial-exec"))) thread_local constinit
