"""Why a function is left as it is."""


class NotRewritable(Exception):
    """A function that cannot be rewritten, with the reason: it is traced as it is, and a branch on a traced value raises."""
