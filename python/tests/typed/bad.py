"""Mistakes that a type checker must see: the comment of a line says which."""

import weft as wf

x = wf.tensor([1.0])
wf.sum(x, dim=1)  # no such keyword
wf.add(x)  # an argument is missing
wf.unsqueeze(x, 0)  # no such function
x.reshape("a")  # not a shape
y: int = wf.exp(x)  # a tensor is no int
x.sum(keepdims=3)  # not a bool
x[0] = 1.0  # tensors never change
wf.concat(x)  # not a list
wf.topk(x, 1).value  # no such field
wf.grad()  # a function is missing
