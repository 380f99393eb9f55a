"""A model's answer as a validated object, whatever shape it came in (R2.4).

Native structured output, a tool call, JSON inside prose or code fences, after thoughts, broken, a bare list where an
object with one list was asked for. A schema echoed back is no answer. No answer takes long: it is read up to a length
and a depth, and never again and again.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from itertools import chain
from operator import getitem
from typing import Any, TypeVar, cast, get_origin

from pydantic import BaseModel, ValidationError

from switchyard.agents.repair import DEEPEST, NestedTooDeeply, mend
from switchyard.agents.thoughts import TAG
from switchyard.language.words import whole_characters
from switchyard.tools.core.json_values import is_list, is_mapping
from switchyard.tools.core.plain_words import kind_of_value

T = TypeVar("T", bound=BaseModel)

LONGEST = 200_000
"""Characters of an answer that are read: far more than any prompt here asks for, and an end to repetition."""
STARTS_TRIED = 100
"""Brackets that nothing closes, after which no more is looked for."""
ENDS_TRIED = 3
"""How many of them are read to the end of the text."""

EVERY_STEP = "*"
"""Where names or arguments come without the step they are for."""

TOO_DEEP = "it is nested too deeply"

_MARK = re.compile(rf"[{{\[]|{TAG.pattern}", TAG.flags)
_FENCE = re.compile(r"```(?:json)?+\s*+(.*)```", re.DOTALL | re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)
_INTEGERS = range(-(2**63), 2**63)
"""What databases and other languages hold; larger ones are kept as text."""


class Reshaping(BaseModel):
    """An answer that knows other shapes it comes in."""

    @classmethod
    def reshaped(cls, found: Any) -> Any:
        """What was found in the shape that was asked for; as it is where it is none of those known."""
        return found


class Unparsable(ValueError):
    """The answer cannot be used; the text says why, for the model to read."""


def parse(text: str, tool_calls: list[dict[str, Any]], schema: type[T]) -> T:
    """The last object in the answer that fits the schema; a tool call counts before what is said around it.

    Raises:
        Unparsable: when none does, saying of the likeliest why not.
    """
    problems: list[str] = []
    for found in _found_in(text, tool_calls):
        try:
            return _validated(_shaped(_storable(found), schema), schema)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the object"
            problems.append(f"{where}: {first['msg']}")
        except Unparsable as error:
            problems.append(str(error))
    nothing = "there is no JSON object in the answer" if text.strip() else "the answer is empty"
    raise Unparsable(problems[0] if problems else nothing)


def read_json(text: str, *, anywhere: bool = False) -> Any:
    """The list or object a text is, fenced or not; any other text stays text, and so does what is too long or deep.

    `anywhere`: JSON was asked for, and is taken out of what is said around the one fence it stands in.
    """
    if len(text) > LONGEST:
        return text
    inside = list(_FENCE.finditer(text)) if anywhere else []
    fenced = inside[0] if len(inside) == 1 else _FENCE.fullmatch(text.strip())
    try:
        found = _storable(json.loads(fenced[1] if fenced else text))
    except (ValueError, RecursionError):
        return text
    return cast("Any", found) if isinstance(found, list | dict) else text


def _found_in(text: str, tool_calls: list[dict[str, Any]]) -> Iterator[Any]:
    """Everything in the answer that may be meant as JSON, likeliest first.

    Raises:
        Unparsable: when it is longer or nested deeper than what is read.
    """
    for call in tool_calls:
        arguments = _storable(call.get("args", {}))
        _check_length(len(json.dumps(arguments, ensure_ascii=False)))
        yield arguments
    _check_length(len(text))
    scan = _Scan(text)
    yield from scan.run()
    if scan.too_deep:
        raise Unparsable(TOO_DEEP)
    try:
        yield json.loads(text)  # a number or a text, which is then said to be no object
    except (ValueError, RecursionError):
        return


def _check_length(length: int) -> None:
    if length > LONGEST:
        raise Unparsable(f"it has {length:,} characters, and at most {LONGEST:,} are read")


@dataclass(slots=True)
class _Scan:
    """Finds the objects and lists that a text says and does not only think."""

    text: str
    sound: list[Any] = field(default_factory=list[Any])
    mended: list[Any] = field(default_factory=list[Any])
    inside: list[Any] = field(default_factory=list[Any])
    """Those after a bracket that nothing closes: parts of what was cut off, or all there is after a stray bracket."""
    misses: int = 0
    left_open: bool = False
    too_deep: bool = False

    def run(self) -> Iterator[Any]:
        """What needed no repair before what did, and the last before what led up to it."""
        position = 0
        while self.misses < STARTS_TRIED and (mark := _MARK.search(self.text, position)):
            position = mark.end()
            if mark[0] in "{[":
                position = self._read(mark.start()) or position
            elif mark[1]:  # the end of a thought that was not seen to begin: all of it was thought
                self.sound, self.mended, self.inside, self.left_open = [], [], [], False
            else:
                closing = (tag.end() for tag in TAG.finditer(self.text, position) if tag[1])
                position = next(closing, len(self.text))
        return chain(*map(reversed, (self.sound, self.mended, self.inside)))

    def _read(self, start: int) -> int | None:
        """Take the value that begins at a bracket, and say where it ends; tags inside it belong to its texts."""
        with suppress(ValueError, RecursionError):
            value, end = _DECODER.raw_decode(self.text, start)
            (self.inside if self.left_open else self.sound).append(value)
            return end
        if not self.left_open and self.misses < ENDS_TRIED:
            self.left_open = True
            try:
                mended = mend(self.text, start)
            except NestedTooDeeply:
                self.too_deep = True
            else:
                self.mended.append(mended.value)
                if mended.closed:
                    self.left_open = False
                    return mended.end
        self.misses += 1
        return None


def _storable(found: Any, depth: int = 0) -> Any:
    """What was found, in a form that every store and every tool can take."""
    if depth > DEEPEST:
        raise Unparsable(TOO_DEEP)
    if isinstance(found, str):
        return whole_characters(found)
    if isinstance(found, int):
        return found if found in _INTEGERS else str(found)
    if is_mapping(found):
        return {whole_characters(str(name)): _storable(value, depth + 1) for name, value in found.items()}
    if is_list(found):
        return [_storable(item, depth + 1) for item in found]
    return found


def _shaped(found: Any, schema: type[BaseModel]) -> Any:
    """What was found as the object the schema describes, where one was meant; the items of its one list do for it."""
    if issubclass(schema, Reshaping):
        found = schema.reshaped(found)
    lists = [name for name, field in schema.model_fields.items() if get_origin(field.annotation) is list]
    if is_list(found):
        if len(lists) != 1 or not all(is_mapping(item) for item in found):
            raise Unparsable("a list came where an object was asked for")
        return {lists[0]: found}
    if not is_mapping(found):
        raise Unparsable(f"{kind_of_value(found)} came where an object was asked for")
    if "properties" in found and ("type" in found or "$defs" in found):
        raise Unparsable("the schema was echoed back instead of an answer")
    if found.keys() & schema.model_fields.keys():
        return found
    if found and list(schema.model_fields) == lists:
        return {lists[0]: [found]}
    raise Unparsable(f"none of the fields {', '.join(sorted(schema.model_fields))} is there")


def _validated(found: Any, schema: type[T]) -> T:
    """A null where a default would do counts as left out."""
    try:
        return schema.model_validate(found)
    except ValidationError as error:
        nulls = [detail["loc"] for detail in error.errors(include_url=False) if detail["input"] is None]
        if not nulls:
            raise
        for *way, name in reversed(nulls):
            with suppress(LookupError, TypeError):  # of a choice of types, the place names the type as well
                del reduce(getitem, cast("list[Any]", way), found)[name]
        return schema.model_validate(found)
