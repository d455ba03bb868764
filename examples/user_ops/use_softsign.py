"""Uses the op of this library from Python, as if it were built in: use_softsign.py LIBRARY"""

import sys

import weft as wf

user_ops = wf.load_ops(sys.argv[1])

x = wf.linspace(-2.0, 2.0, 5)
print(user_ops.softsign(x))
print(user_ops.softsign.__doc__)
assert wf.all(user_ops.softsign(x) == x / (1 + wf.abs(x)))
