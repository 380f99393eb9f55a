"""Arithmetic as people write and say it, exact where it can be.

What a text means is read in `language.arithmetic`, which the rules that hand texts to this tool use too: here is only
how the outcome is given.
"""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pydantic import Field

from switchyard.language.errors import Impossible
from switchyard.language.messages import message
from switchyard.tools.core import BaseToolParams, tool

if TYPE_CHECKING:
    from switchyard.language.arithmetic.operations import Number

LARGEST_INTEGER = 2**63 - 1
"""Larger whole numbers are returned as text: JSON and the checkpoints hold integers of 64 bits, and digits must not be
lost."""


class CalculateParams(BaseToolParams):
    """What to work out."""

    expression: str = Field(
        description="Arithmetic or a conversion as people say it: 15% of 2480, a third of 99, 3^7, 20% off 150, median "
        "of 3, 5 and 8, 72 °F in °C, 2480的15%, 一百二十除以八, 3斤等于多少克. "
        "log is base 10, ln natural, log(x, b) base b; angles are radians unless marked with °."
    )


@tool(
    category="calculation",
    capability_tags=("calculate", "convert", "计算", "换算"),
    returns="expression and value: a number, or its digits as text beyond 64 bits; unit of a conversion, a sum of "
    "money or a percentage; sentence: what was computed and what it comes to, rounded as people do",
)
class Calculate:
    """Work out arithmetic, percentages, statistics over a list, and unit conversions, in words or digits.

    Exact where possible: 0.1 + 0.2 is 0.3. A percentage after plus or minus is of what stands before it, so 2,480 + 14%
    is 2827.2. Powers, roots, logarithms, sin, cos, tan, factorial, rounding; sum, product, mean, median, min, max,
    range, variance and standard deviation (of all values unless "sample" is said); constants pi and e. Tips,
    discounts, percent changes, ratios, equal shares, remainders. Converts length, mass, temperature, volume, area,
    speed, time, data (GB is 10^9 bytes, GiB 2^30), energy, power, pressure, frequency and force.
    """

    async def execute(self, params: CalculateParams) -> dict[str, Any]:
        """What was computed and its value, a whole number where it is one; the unit where it has one."""
        # loaded late: whoever opens the tools need not calculate
        from switchyard.language.arithmetic import parse  # noqa: PLC0415
        from switchyard.language.arithmetic.answer import answer  # noqa: PLC0415

        arithmetic = parse(params.expression)
        value, sentence = answer(arithmetic)
        outcome = arithmetic.outcome
        result = {"expression": arithmetic.text, "value": _finish(outcome.value) if value is None else value}
        if outcome.unit:
            result["unit"] = outcome.unit.symbol
        return result | {"sentence": sentence}


def _finish(value: "Number") -> int | float | str:
    """The value later steps use: whole where it is, else the nearest decimal of 15 digits."""
    from switchyard.language.arithmetic.operations import clean  # noqa: PLC0415  as above

    exact = clean(value)
    if exact.denominator == 1:
        whole = int(exact)
        return whole if abs(whole) <= LARGEST_INTEGER else str(whole)
    nearest = float(exact)
    if nearest == 0:
        raise Impossible(message("too_large_or_small"))
    return nearest if Fraction(repr(nearest)) == exact else float(f"{nearest:.15g}")
