"""Makes a staged program that fails smaller: steps are left out as long as it fails in the same way."""

import copy


def _renumbered(steps, moved):
    for step in steps:
        step.args = tuple(moved(i) for i in step.args)
        for block in getattr(step, "blocks", ()):
            block.outer = moved(block.outer)
            block.gives = tuple(moved(i) for i in block.gives)
            _renumbered(block.steps, moved)


def _lists(steps, first):
    """(steps, number of their first value, block) of every list; the program's own has no block."""
    yield steps, first, None
    for step in steps:
        for block in getattr(step, "blocks", ()):
            for inner, at, owner in _lists(block.steps, block.outer + block.parameters):
                yield inner, at, owner or (block if inner is block.steps else None)


def _without(program, which, position, stand_in):
    """A copy without one step; what used its values uses `stand_in` instead. None if there is no such step."""
    out = copy.deepcopy(program)
    steps, at, block = list(_lists(out.steps, len(out.shapes)))[which]
    at += sum(step.count for step in steps[:position])
    count = steps[position].count
    moved = lambda i: i if i < at else stand_in if i < at + count else i - count  # noqa: E731
    del steps[position]
    _renumbered(steps[position:], moved)
    if block is not None:
        block.gives = tuple(moved(i) for i in block.gives)
    return out


def shrunk(program, fails):
    """The smallest program found for which `fails(program)` is true; it may raise for those that make no sense."""
    def still(candidate):
        try:
            return fails(candidate)
        except Exception:
            return False

    smaller = True
    while smaller:
        smaller = False
        for which, (steps, first, _) in enumerate(list(_lists(program.steps, len(program.shapes)))):
            at = first + sum(step.count for step in steps)
            for position in reversed(range(len(steps))):
                at -= steps[position].count
                found = next((c for j in [*range(at - 1, -1, -1)]
                              if still(c := _without(program, which, position, j))), None)
                if found is not None:
                    program, smaller = found, True
                    break
            if smaller:
                break
    return program
