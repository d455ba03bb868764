"""Branches, calls and containers as people write them who come from PyTorch or plain Python."""

# ruff: noqa: B006, E701, PLR, RET, SIM
import collections
import contextlib
import functools
import itertools
import math
import operator

import numpy as np
import weft as wf
from newcomer_table import S, X, Y, program


class V:

    def __init__(self, a):
        self.a = a

    def __add__(self, o):
        return V(self.a + o.a)

    @property
    def pos(self):
        return self.a if self.a > 0 else -self.a

    def __call__(self, k):
        return self.a * k

    def __getitem__(self, i):
        return self.a * i

    def __len__(self):
        return 3

    def __bool__(self):
        return True


@program((X,))
def walrus(x):
    if (m := wf.max(x)) > 2:
        return m * 2
    return m


@program((X,))
def comp_tensor(x):
    return wf.stack([v * v for v in x])


@program((X,))
def gen_sum(x):
    return sum((v * 2 for v in x))


@program((X,))
def try_except(x):
    try:
        y = x.reshape((2, 2))
    except ValueError:
        y = x * 2
    return y


@program((X,))
def try_finally(x):
    log = []
    try:
        if wf.sum(x) > 0:
            x = x * 2
    finally:
        log.append(1)
    return x * len(log)


@program((X,))
def with_block(x):
    with wf.name_scope('a'):
        if wf.sum(x) > 0:
            x = x + 1
    return x


@program((X, 'relu'), (X, 'none'))
def match_str(x, kind):
    match kind:
        case 'relu':
            return wf.maximum(x, 0.0)
        case _:
            return x


@program((X, (2, 3)), (X, (5,)))
def match_seq(x, shape):
    match shape:
        case [a, b]:
            return x * a + b
        case [a]:
            return x * a


@program((X,))
def kwargs_call(x):

    def inner(a, *, scale=1.0, **rest):
        return a * scale + len(rest)
    return inner(x, scale=2.0, foo=1)


@program((X,), (3.0,), (wf.tensor(1),))
def isinst(x):
    if isinstance(x, float):
        return wf.tensor(x)
    if isinstance(x, wf.Tensor) and x.ndim > 0:
        return wf.sum(x)
    return x


@program((X, 2), (X, 5))
def in_list(x, k):
    return x * 2 if k in [1, 2, 3] else x


@program((S,), (wf.tensor(-2.0),), (wf.tensor(20.0),))
def chained(s):
    if 0 < s < 10:
        return s * 2
    return s


@program((S,), (wf.tensor(-2.0),))
def ternary_mixed(s):
    k = 1 if s > 0 else 0.5
    return s * k


@program((S,), (wf.tensor(-2.0),))
def ternary_nested(s):
    return s if s > 1 else -s if s < -1 else s * 0


@program((X,))
def nested_functions(x):

    def f(v):

        def g(w):
            return w * 2 if w > 0 else w
        return g(v) + 1
    return wf.stack([f(v) for v in x])


@program((X,))
def closure_counter(x):
    n = 0

    def inc():
        nonlocal n
        n += 1
        return n
    inc()
    inc()
    return x * n


@program((X,))
def any_all(x):
    if wf.any(x < 0) and (not wf.all(x < 0)):
        return x * 2
    return x


@program((X,))
def max_builtin(x):
    return max([1, 2, 3]) * x + min(4, 5)


@program((X,))
def lambda_map(x):
    return wf.stack(list(map(lambda v: v * 2, [x, x + 1])))


@program((X,))
def del_var(x):
    y = x * 2
    z = y + 1
    del y
    return z


@program((S, 3))
def recursion_py(s, n):

    def fact(k):
        return s if k == 0 else s * fact(k - 1)
    return fact(n)


@program((X,))
def slices_assign(x):
    x = x.at[0].set(5.0)
    if x[1] < 0:
        x = x.at[1].set(0.0)
    return x


@program((X,))
def aug_tensor(x):
    y = x
    y += 1
    return x + y


@program((X,))
def bool_index(x):
    return wf.sum(x[x > 0])


@program((X,))
def unpack_star(x):
    first, *rest = x
    return first + len(rest) + rest[0]


@program((X,))
def not_in(x):
    keys = {'a': 1}
    if 'b' not in keys:
        keys['b'] = 2
    return x * keys['b']


@program((X,))
def math_fn(x):
    return x * math.sqrt(4.0) + math.pi


@program((X,))
def list_in_branch(x):
    out = [x]
    if wf.sum(x) > 0:
        out = [x * 2]
    return out[0]


@program((X,))
def dict_comp(x):
    d = {i: x * i for i in range(3)}
    return sum(d.values())


@program((X,))
def any_gen(x):
    return x * 2 if any((k > 2 for k in [1, 2, 3])) else x


@program((S,))
def assert_in(s):
    assert s > 0, 'neg'
    return s


@program((S,))
def conditional_import(s):
    import math as m
    return s * m.e


@program((X,))
def item_py(x):
    n = x.shape[0]
    return x[n // 2] + x[-1] + x[n - 1]


@program((X,))
def sort_key(x):
    items = [(2, x), (1, x * 2)]
    items.sort(key=lambda p: p[0])
    return items[0][1]


@program((S,))
def return_in_try(s):
    try:
        return s * 2
    finally:
        s = s * 100


@program((S,), (-S,))
def return_in_with(s):
    with contextlib.nullcontext():
        if s > 0:
            return s * 2
    return s


@program((Y,), (X,))
def match_rank(x):
    match x.ndim:
        case 1:
            return x
        case 2:
            return wf.sum(x, axis=1)


@program((Y,), (X,))
def match_shape(x):
    match x.shape:
        case [n]:
            return x * n
        case [n, m]:
            return x * n + m


@program((S,), (-S,))
def overloads(s):
    v = V(s) + V(s)
    return v.pos + v(2) + v[3] + len(v) + (1 if v else 0)


@program((X, 2))
def dtype_check(x, k):
    if x.dtype == wf.float32 and type(k) is int:
        return x * k
    return x


@program((X,))
def dict_get(x):
    d = {'a': x}
    return d.get('a', 0) + d.get('b', 1) + d.setdefault('c', 2)


@program((X,))
def list_slices(x):
    l = [x, x * 2, x * 3]
    return sum(l[1:]) + l[-1] + sum(l[::-1][:1])


@program((X,))
def reduce_fn(x):
    return functools.reduce(operator.add, [x, x, x])


@program((X,))
def accumulate_fn(x):
    return wf.stack(list(itertools.accumulate([x, x, x])))


@program((X,))
def partial_fn(x):
    return functools.partial(wf.multiply, x)(3.0)


@program((X,))
def numpy_const(x):
    return x * np.array([1.0, 2.0, 3.0], dtype=np.float32) + np.float32(2)


@program((S,), (-S,))
def numpy_where(s):
    return wf.where(s > 0, s, 0.0)


@program((S,), (-S,))
def multi_return(s):
    if s > 0:
        return (s, s * 2)
    return (-s, s)


@program((S,), (-S,))
def elif_chain(s):
    if s > 5:
        r = 1.0
    elif s > 0:
        r = 2.0
    elif s == 0:
        r = 3.0
    else:
        r = 4.0
    return r * s


@program((X,))
def nested_comp(x):
    return wf.stack([a * b for a in [x, x + 1] for b in (1, 2) if b > 1])


@program((S,), (-S,))
def lambda_choice(s):
    return (lambda v: v * 2)(s) if s > 0 else (lambda v: v)(s)


@program((X,))
def or_default(x):
    y = None or x
    return y


@program((X, None), (X, 2.0))
def optional_arg(x, k=None):
    k = k or 1.0
    return x * k


@program((X,))
def assert_shape(x):
    assert x.shape == (3,), f'bad {x.shape}'
    assert len(x) == 3 and x.ndim == 1
    return x


@program((X,))
def raise_py(x):
    if x.ndim != 1:
        raise ValueError('rank')
    return x


@program((X,))
def unpack_dict(x):

    def f(a, b):
        return a + b
    return f(**{'a': x, 'b': x * 2}) + f(*[x, x])


@program((X,))
def class_inside(x):

    class C:
        k = 3

        def go(self, v):
            return v * self.k if v > 0 else v
    return wf.stack([C().go(v) for v in x])


@program((X,))
def copy_list(x):
    l = [x]
    l2 = l[:]
    l2.append(x * 2)
    l3 = list(l2)
    l3 += [x]
    return sum(l3) + len(l)


@program((X,))
def counter_use(x):
    c = collections.Counter(['a', 'b', 'a'])
    return x * c['a']


@program((S,))
def complex_cond(s):
    if (s > 0 or s < -5) and (not s == 3):
        return s + 1
    return s


@program((X,))
def abs_round(x):
    return abs(x) + round(2.567, 1) + pow(x, 2) + divmod(7, 2)[0]


@program((X,))
def chained_assign(x):
    a = b = x * 2
    a = a + 1
    return a + b


@program((X,))
def swap_attrs(x):

    class O:
        pass
    o = O()
    o.a, o.b = (x, x * 2)
    o.a, o.b = (o.b, o.a)
    return o.a - o.b


@program((X,))
def if_tensor_truth(x):
    if wf.sum(x):
        return x * 2
    return x


@program((X,))
def ordered(x):
    d = collections.OrderedDict()
    d['z'] = x
    d['a'] = x * 2
    return wf.stack(list(d.values()))
