"""Times and dates: what it is now, anywhere; which weekday, how far away, how much later, what it is elsewhere.

`question` has what can be asked and finds the answer; how relative dates are understood stands in `language.dates`.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from switchyard.language.messages import message
from switchyard.tools.core import ToolContext, ToolFailed, tool
from switchyard.tools.get_time.question import GetTimeParams, TimeQuestion


def now() -> datetime:
    """This moment."""
    return datetime.now(UTC)


@tool(
    category="time",
    capability_tags=("time", "时间"),
    returns=(
        "place, timezone, time, clock, date, weekday, utc_offset of the moment the answer arrives at, and sentence; "
        "as asked value (the number asked for), days, business_days, difference, weeks, from_date, from_place, "
        "from_clock, day_shift"
    ),
)
class GetTime:
    """Tell the current time, date and weekday anywhere; reckon with dates and convert times between zones.

    Weekday and distance of a date, days, weeks or business days between two dates, a date or time so much later or
    earlier, a given time in another city, the time difference of two. Feasts by name (Christmas, Thanksgiving as in the
    United States, Easter, 春节, 中秋). `next Friday` and 下周五 are in the next week from Monday to Sunday, `this
    Friday` in the current one, `Friday` is the next to come, `last Friday` the latest one, 上周五 in the week before.
    A date without its year is the next to come. 03/04/2026 is refused: write 2026-04-03.
    """

    def __init__(self, clock: Callable[[], datetime] = now) -> None:
        self._clock = clock

    def execute(self, params: GetTimeParams, context: ToolContext) -> dict[str, Any]:
        """The moment or date asked for, what was asked about it, and the answer as a sentence."""
        if params.until and params.add:
            raise ToolFailed(message("add_or_until"), kind="bad_arguments")
        try:
            return TimeQuestion(params, self._clock(), context.language).answer()
        except OverflowError as error:
            raise ToolFailed(message("years_exceeded"), kind="bad_arguments") from error
