"""A fuzzer of the public Python API: random calls in six modes, none of which may end the process, hang or give a raw error."""
