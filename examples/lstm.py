"""A language model with an LSTM learns a poem, letter by letter and line by line, and recites it.

  .venv/bin/python examples/lstm.py

Lines differ in length. The loop over a line is a `scan`, which is part of the graph: one trace serves them all.
"""

import weft as wf
from three_ways import require, trained

POEM = ("warp threads stand still", "a shuttle flies between them", "each row holds the last", "so cloth remembers")
LETTERS = "\n abcdefghijklmnopqrstuvwxyz"
HIDDEN, ROUNDS, RATE = 48, 60, 1.0


def line_as_tensors(line):
    """What is read, beginning with a new line, and what is to be foretold: the same, one letter ahead."""
    numbers = [LETTERS.index(letter) for letter in f"\n{line}\n"]
    return wf.tensor(numbers[:-1]), wf.tensor(numbers[1:])


def new_weights():
    key = wf.random.Key(3)
    letters = len(LETTERS)

    def variable(name, number, *shape):
        return wf.Variable(wf.random.normal(key.fold_in(number), shape) * HIDDEN ** -0.5, name=name)

    return [variable("embedding", 0, letters, HIDDEN), variable("lstm/input", 1, 4 * HIDDEN, HIDDEN),
            variable("lstm/hidden", 2, 4 * HIDDEN, HIDDEN), variable("lstm/bias", 3, 4 * HIDDEN),
            variable("output", 4, HIDDEN, letters)]


def start():
    return wf.zeros((1, HIDDEN)), wf.zeros((1, HIDDEN))


def read_letter(weights, state, letter):
    """The next state of the network, and what it expects: a number for each letter."""
    embedding, w_input, w_hidden, bias, output = weights
    hidden, cell = wf.nn.lstm_cell(embedding[letter].reshape(1, HIDDEN), *state, w_input, w_hidden, bias)
    return (hidden, cell), (hidden @ output)[0]


def loss_of(weights, letters, next_letters):
    expected = wf.scan(lambda state, letter: read_letter(weights, state, letter), start(), letters)[1]
    return wf.nn.cross_entropy(expected, next_letters)


def recited(weights, line):
    """What follows on the first letter if the network hears itself, until it ends the line."""
    state, _ = read_letter(weights, start(), wf.tensor(LETTERS.index("\n")))
    while line[-1] != "\n" and len(line) < 40:
        state, expected = read_letter(weights, state, wf.tensor(LETTERS.index(line[-1])))
        line += LETTERS[wf.argmax(expected).item()]
    return line.strip()


def main():
    lines = [line_as_tensors(line) for line in POEM]
    weights = trained(new_weights, loss_of, RATE, {"letters": "i64[time]", "next_letters": "i64[time]"}, lines * ROUNDS)
    perplexity = wf.exp(sum(loss_of(weights, *line) for line in lines) / len(lines)).item()
    print(f"perplexity {perplexity:.2f} per letter; from the first letters of the lines it recites:")
    for line in POEM:
        said = recited(weights, line[0])
        print(f"  {said}")
        require(said == line, f"the line is: {line}")


if __name__ == "__main__":
    main()
