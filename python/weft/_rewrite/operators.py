"""What rewritten code calls, under one name."""

from .constructs.assert_ import assert_
from .constructs.calls import act, call
from .constructs.comparison import chain, compared
from .constructs.comprehensions import iterated, plain
from .constructs.conditional_expression import if_expression
from .constructs.effects import changed, in_place, outer_write, raising
from .constructs.for_ import for_
from .constructs.functions import nested
from .constructs.handlers import caught, managed
from .constructs.if_ import if_
from .constructs.jumps import returned
from .constructs.logical import and_, not_, or_
from .constructs.slices import bounds
from .constructs.statements import matched
from .constructs.text import said, shown, shown_by_percent, text, text_by_percent, text_of_call
from .constructs.while_ import while_
from .reads import met, read
from .staging import fresh

__all__ = ["act", "and_", "assert_", "bounds", "call", "caught", "chain", "changed", "compared", "for_", "fresh", "if_",
           "if_expression", "in_place", "iterated", "managed", "matched", "met", "nested", "not_", "or_",
           "outer_write", "plain", "raising", "read", "returned", "said", "shown", "shown_by_percent", "text",
           "text_by_percent", "text_of_call", "while_"]
