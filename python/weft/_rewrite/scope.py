"""The variables of a running function that its branches share, read and written through their closure cells."""


class _Undefined:
    """A variable without a value: its cell is empty."""

    def __repr__(self):
        return "undefined"


UNDEFINED = _Undefined()


class Scope:
    """The cells of some variables, found in the closures of the functions that a construct was cut into."""

    def __init__(self, names, *functions):
        wanted, self.cells = set(names), {}
        for f in functions:
            if f is not None:
                for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
                    if name in wanted:
                        self.cells[name] = cell

    def get(self, name):
        try:
            return self.cells[name].cell_contents
        except (KeyError, ValueError):
            return UNDEFINED

    def put(self, name, value):
        cell = self.cells.get(name)
        if cell is None:
            return
        if value is not UNDEFINED:
            cell.cell_contents = value
        else:
            try:
                del cell.cell_contents
            except ValueError:
                pass  # it was empty already

    def snapshot(self):
        return {name: self.get(name) for name in self.cells}

    def restore(self, values):
        for name, value in values.items():
            self.put(name, value)
