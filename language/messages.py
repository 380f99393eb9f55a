"""What we say to people: a message is known by its code, and its words stand in one catalogue, English and Chinese.

A message is a text, the English one: models, logs, `--json` and whoever compares it read that. It keeps its code and
its fields, so that it is said in the language of the question where it is shown, last of all. A stranger's words (of a
tool's author, a server, an exception) have no code; in Chinese they are quoted.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self, SupportsIndex, TypeAlias, cast

from switchyard.language.words import Language

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, SerializationInfo, ValidatorFunctionWrapHandler
    from pydantic_core import CoreSchema

Field: TypeAlias = "str | float | Sequence[Field]"
"""What a message speaks of: a name, a number, another message, or several of them."""

STORED = {"messages": "stored"}
"""The serialisation context that keeps codes and fields in JSON; without it a message is written as its English."""

_CATALOGUE = Path(__file__).with_name("data") / "messages.json"
_JOINED, _QUOTED = "joined", "quoted"
_HAN, _WORD = re.compile(r"[\u3400-\u9fff]"), re.compile(r"[A-Za-z]+")
_IN_QUOTES = re.compile(r"'[^']*'|“[^”]*”|\"[^\"]*\"")


class Message(str):
    """A text of ours: its English, with what it takes to say it in another language."""

    __slots__ = ("code", "fields")
    code: str
    fields: Mapping[str, Field]

    def __new__(cls, code: str, fields: Mapping[str, Field], text: str | None = None) -> Self:
        """`text`: the English, where it is known already."""
        self = super().__new__(cls, _rendered(code, fields, "en") if text is None else text)
        self.code, self.fields = code, fields
        return self

    def __str__(self) -> str:
        """Itself: the text of an error is its message still."""
        return self

    def __format__(self, spec: str) -> str:
        """Inside another text; `{reason:bare}` leaves the full stop out."""
        text = self.english
        return text.rstrip(".") if spec == "bare" else format(text, spec)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return Message, (self.code, dict(self.fields), self.english)

    @property
    def english(self) -> str:
        """The English alone."""
        return str.__str__(self)

    def text(self, language: Language) -> str:
        """The message in a language."""
        return self.english if language == "en" else _rendered(self.code, self.fields, language)

    def changed(self, change: Callable[[str], str]) -> str:
        """The message with every text in its fields changed; without a code where that does not reach all of it."""
        new = Message(self.code, {name: _changed(field, change) for name, field in self.fields.items()})
        return new if change(new.english) == new.english else change(self.english)


class _InJson:
    """How a text is written and read by pydantic: as a string, or with its code where it is stored."""

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> "CoreSchema":
        from pydantic_core import core_schema  # noqa: PLC0415  whoever has a model has it loaded

        written = core_schema.plain_serializer_function_ser_schema(_written, info_arg=True)
        return core_schema.no_info_wrap_validator_function(_read, handler(source), serialization=written)


Said = Annotated[str, _InJson()]
"""The field of a model that holds a text for people: a message of ours, or a stranger's words."""


def message(code: str, /, **fields: Field) -> Message:
    """A message of the catalogue."""
    return Message(code, fields)


def joined(*parts: str, by: str = " ") -> str:
    """Several sentences as one text; `by` stands between them in English, nothing in Chinese."""
    given = [part for part in parts if part]
    if len(given) == 1:
        return given[0]
    text = by.join(given)
    is_ours = any(isinstance(part, Message) for part in given)
    return Message(_JOINED, {"parts": given, "by": by}, text) if is_ours else text


def quoted(text: str) -> Message:
    """A stranger's words inside a message of ours."""
    return text if isinstance(text, Message) else Message(_QUOTED, {"text": text}, text)


def said(text: str, language: Language, kind: str | None = None) -> str:
    """A text as a person is shown it: ours in their language, a stranger's as it is, or quoted after what failed.

    Args:
        text: a message, or a stranger's words.
        language: of the question.
        kind: the class of failure it is the reason of.
    """
    if language == "en":
        return text
    if isinstance(text, Message) and text.code != _QUOTED:
        return text.text(language)
    text = " ".join(text.split())
    if _is_chinese(text):
        return text if text.endswith(("。", "！", "？")) else f"{text.rstrip('.')}。"
    words = f"原文：“{text.rstrip('.')}”" if text else ""
    if kind is None:
        return f"{words}。" if words else ""
    failed = message(f"failure.{kind}").text(language)
    return f"{failed}（{words}）。" if words else f"{failed}。"


def is_known(code: str) -> bool:
    """Whether the catalogue has a message."""
    return code in catalogue()


@cache
def catalogue() -> Mapping[str, Mapping[str, str]]:
    """The words of every message by its code: `en`, `zh`, and `one`, the English where its `count` is 1."""
    rooms = json.loads(_CATALOGUE.read_text(encoding="utf-8"))
    return {code: words for room in rooms.values() for code, words in room.items()}


def _rendered(code: str, fields: Mapping[str, Field], language: Language) -> str:
    if code == _QUOTED:
        return said(str(fields["text"]), language)
    if code == _JOINED:
        parts = cast("Sequence[str]", fields["parts"])
        return "".join(said(part, language) for part in parts) if language == "zh" else str(fields["by"]).join(parts)
    words = catalogue()[code]
    is_one = language == "en" and "one" in words and fields.get("count") == 1
    return words["one" if is_one else language].format_map(
        {name: _shown(field, language) for name, field in fields.items()}
    )


def _shown(field: Field, language: Language) -> str | float:
    if isinstance(field, Message):  # a sentence inside another has no full stop in Chinese
        return field if language == "en" else field.text(language).rstrip("。")
    if isinstance(field, str | int | float):
        return field
    return (", " if language == "en" else "、").join(str(_shown(one, language)) for one in field)


def _changed(field: Field, change: Callable[[str], str]) -> Field:
    if isinstance(field, Message):
        return field.changed(change)
    if isinstance(field, str):
        return change(field)
    return field if isinstance(field, int | float) else [_changed(one, change) for one in field]


def _written(value: str, info: "SerializationInfo") -> Any:
    if not info.mode_is_json() or not isinstance(value, Message):
        return value
    return _stored(value) if info.context == STORED else value.english


def _stored(field: Field) -> Any:
    if isinstance(field, Message):
        fields = {name: _stored(one) for name, one in field.fields.items()}
        return {"text": field.english, "code": field.code, "fields": fields}
    return field if isinstance(field, str | int | float) else [_stored(one) for one in field]


def _read(value: Any, inner: "ValidatorFunctionWrapHandler") -> str:
    found = _restored(value)
    return found if isinstance(found, Message) else inner(found)


def _restored(value: Any) -> Any:
    """A field as it was before it was stored; a message that the catalogue no longer has as its English."""
    match value:
        case {"text": str(text), "code": str(code), "fields": fields}:
            if code not in {_JOINED, _QUOTED} and not is_known(code):
                return text
            named = cast("dict[str, Any]", fields)
            return Message(code, {name: _restored(one) for name, one in named.items()}, text)
        case list():
            return [_restored(one) for one in cast("list[Any]", value)]
        case _:
            return value


def _is_chinese(text: str) -> bool:
    """Whether a text is written in Chinese, not only about something with a Chinese name."""
    plain = _IN_QUOTES.sub("", text)
    return len(_HAN.findall(plain)) > 2 * len(_WORD.findall(plain))
