"""Loops as people write them who come from PyTorch or plain Python."""

# ruff: noqa: B006, E701, PLR, RET, SIM
import collections
import dataclasses

import weft as wf
from newcomer_table import N, S, X, Y, program


@dataclasses.dataclass
class Pt:
    a: object
    b: object


@program((Y,))
def tuple_unpack_loop(y):
    s = 0.0
    for a, b in y:
        s = s + a * b
    return s


@program((X, S))
def swap_in_loop(x, s):
    a, b = (s, s + 1)
    for v in x:
        a, b = (b, a + v)
    return (a, b)


@program((X,), (-X,))
def early_return_in_loop(x):
    for v in x:
        if v < 0:
            return v * 10
    return wf.sum(x)


@program((S,), (wf.tensor(500.0),))
def while_else(s):
    n = 0
    while s < 100:
        s = s * s
        n += 1
        if n > 5:
            break
    else:
        s = s + 1000
    return s


@program((S,))
def walrus_while(s):
    while (t := (s * 2)) < 50:
        s = t
    return s + t


@program((X,))
def enum_tensor(x):
    s = 0.0
    for i, v in enumerate(x):
        s = s + i * v
    return s


@program((X, X))
def zip_tensor(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s += a * b
    return s


@program((X,))
def reversed_tensor(x):
    s = 0.0
    for v in reversed(x):
        s = s * 2 + v
    return s


@program((X, X, X))
def star_args(*xs):
    s = 0.0
    for x in xs:
        s = s + wf.sum(x)
    return s


@program((S,))
def loop_break_continue(s):
    t = s * 0
    for i in range(10):
        if i == 2:
            continue
        if t > 5:
            break
        t = t + i * s
    return t


@program((X,))
def list_index_assign(x):
    out = [None] * 3
    for i in range(3):
        out[i] = x[i] * i
    return wf.stack(out)


@program((X,))
def while_len(x):
    i = 0
    s = 0.0
    while i < len(x):
        s = s + x[i]
        i += 1
    return s


@program((Y,))
def nested_for(y):
    s = 0.0
    for row in y:
        for v in row:
            if v > 2:
                s = s + v
    return s


@program((X,))
def sorted_dict(x):
    d = {'b': x, 'a': x * 2}
    s = 0.0
    for k, v in sorted(d.items()):
        s = s * 2 + wf.sum(v)
    return s


@program((X,))
def dataclass_state(x):
    p = Pt(x, 0.0)
    for i in range(3):
        p.b = p.b + wf.sum(p.a) * i
    return p.b


@program((X,))
def namedtuple_loop(x):
    St = collections.namedtuple('St', 's n')
    st = St(0.0, 0)
    for v in x:
        st = St(st.s + v, st.n + 1)
    return st.s / st.n


@program((X,))
def replace_nt(x):
    St = collections.namedtuple('St', 's n')
    st = St(0.0, 0)
    for v in x:
        st = st._replace(s=st.s + v)
    return st.s


@program((X,))
def string_build(x):
    name = 'a'
    for i in range(3):
        name += str(i)
    return x * len(name)


@program((S,))
def power_loop(s):
    r = 1
    for _ in range(3):
        r *= s
    return r


@program((S,))
def none_default(s):
    best = None
    for i in range(3):
        c = s * i
        if best is None or c > best:
            best = c
    return best


@program((X,))
def argmin_loop(x):
    best, idx = (x[0], 0)
    for i in range(1, 3):
        if x[i] < best:
            best, idx = (x[i], i)
    return (best, idx)


@program((X,))
def enumerate_list_of_tensors(x):
    s = 0.0
    for i, w in enumerate([x, x * 2, x * 3], start=1):
        s = s + i * wf.sum(w)
    return s


@program((X,))
def set_default(x):
    d = collections.defaultdict(list)
    for i in range(3):
        d[i % 2].append(x * i)
    return sum(d[0]) + sum(d[1])


@program((S,))
def while_true(s):
    while True:
        s = s * 2
        if s > 30:
            break
    return s


@program((S,))
def while_true_return(s):
    i = 0
    while True:
        s = s + i
        i += 1
        if s > 30:
            return (s, i)


@program((X,))
def append_pairs(x):
    out = []
    for v in x:
        out.append((v, v * 2))
    return sum((a * b for a, b in out))


@program((X,))
def extend_list(x):
    out = []
    for v in x:
        out.extend([v, v])
    return wf.stack(out)


@program((X,))
def range_neg(x):
    s = 0.0
    for i in range(len(x) - 1, -1, -1):
        s = s * 2 + x[i]
    return s


@program((wf.tensor(4),))
def range_traced(n):
    s = 0
    for i in range(n):
        s += i
    return s


@program((wf.tensor(4),))
def collatz(n):
    c = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        c += 1
    return c


@program((X, X))
def enum_zip(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s = s + i * a * b
    return s


@program((S,))
def while_and(s):
    i = 0
    while i < 5 and s < 20:
        s = s * 2
        i += 1
    return (s, i)


@program((Y,))
def nested_break(y):
    s = 0.0
    for row in y:
        for v in row:
            if v > 3:
                break
            s = s + v
        else:
            s = s + 100
    return s


@program((N,))
def range_nested(n):
    s = 0
    for i in range(n):
        for j in range(i):
            s = s + j
    return s


@program((N, X))
def index_traced(n, x):
    s = 0.0
    for i in range(n):
        s = s + x[i] * i
    return s


@program((S,))
def int_counter_out(s):
    n = 0
    while s < 100:
        s = s * 3
        n = n + 1
    return n * 2 + 1


@program((S,))
def float_int_mix(s):
    x = 0
    for i in range(3):
        x = x + i * 0.5
    return s * x


@program((X,))
def set_ops(x):
    seen = set()
    for k in [1, 2, 1, 3]:
        if k not in seen:
            seen.add(k)
            x = x * k
    return x


@program((X,))
def string_switch(x):
    ops = {'a': lambda v: v * 2, 'b': wf.tanh}
    for k in 'ab':
        x = ops[k](x)
    return x


@program((S,))
def deep_early(s):
    for i in range(4):
        for j in range(4):
            if s * i > j + 3:
                return s * i + j
    return s


@program((X,))
def count_pos(x):
    c = 0
    for v in x:
        if v > 0:
            c += 1
    return c


@program((X,))
def first_neg(x):
    idx = -1
    for i, v in enumerate(x):
        if v < 0 and idx == -1:
            idx = i
    return idx


@program((X,))
def bubble(x):
    l = [x[0], x[1], x[2]]
    for i in range(3):
        for j in range(2 - i):
            if l[j] > l[j + 1]:
                a, b = (l[j + 1], l[j])
            else:
                a, b = (l[j], l[j + 1])
            l[j], l[j + 1] = (a, b)
    return wf.stack(l)


@program((S,))
def newton(s):
    x = s
    for _ in range(20):
        nx = x - (x * x - 2) / (2 * x)
        if abs(nx - x) < 1e-06:
            break
        x = nx
    return x


@program((S,))
def not_cond(s):
    done = False
    while not done:
        s = s + 1
        done = s > 5
    return s


@program((S,))
def bool_flag_and(s):
    ok = True
    for i in range(3):
        ok = ok and s > i
    return s if ok else -s


@program((X,))
def try_in_loop(x):
    s = 0.0
    for k in ['1', 'a', '2']:
        try:
            s = s + int(k)
        except ValueError:
            s = s + 0.5
    return x * s


@program((X,))
def deque_use(x):
    d = collections.deque(maxlen=2)
    for i in range(4):
        d.append(x * i)
    return sum(d)


@program((N,))
def while_dec(n):
    t = 0
    while n:
        t += n
        n -= 1
    return t


@program((X,))
def nested_default_dict(x):
    d = collections.defaultdict(float)
    for k in 'aab':
        d[k] += 1.0
    return x * d['a']
