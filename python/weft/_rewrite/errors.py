"""Why a function is left as it is."""


class NotRewritable(Exception):
    """A function that cannot be rewritten, with the reason. It is traced as it is; only a branch on a traced value raises."""
