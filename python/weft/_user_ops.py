"""wf.define_op: ops of users, through the same door as the built-in ones."""


def define_op(*args, **kwargs):
    raise NotImplementedError
