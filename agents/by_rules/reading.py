"""One text being read for one schema: what it says for each field."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from switchyard.agents.by_rules.choosing import MENTIONED, Choosing
from switchyard.agents.by_rules.fields import SWITCHES, SYNONYMS, FieldKind, aliases_in, kind_of, words_of
from switchyard.agents.by_rules.files import find_kind, find_lines, find_sought
from switchyard.agents.by_rules.labels import Span, described, keyed, label_distance, labels_of, listed, matching
from switchyard.agents.by_rules.names import PHRASES, name_in, phrase_in
from switchyard.agents.by_rules.totals import find_total
from switchyard.agents.by_rules.values import as_value
from switchyard.language.arithmetic import find_arithmetic, find_change
from switchyard.language.clauses import refers_back
from switchyard.language.dates import find_month
from switchyard.language.mentions import Mention, hidden

_ON = re.compile(r"\b(?:on|enable|yes|true)\b|打开|开启|启用|开灯|开(?!始|会)", re.IGNORECASE)
_OFF = re.compile(r"\b(?:off|disable|no|false)\b|关闭|关掉|停用|关(?!于)", re.IGNORECASE)
_WORKDAYS = re.compile(r"\b(?:business|working|work)\s*days?\b|工作日", re.IGNORECASE)
_MENTIONS = re.compile(r"\b(?:mention|contain)|提到|包含|含有", re.IGNORECASE)
_WIDE_BY_HIGH = re.compile(r"(?<!\d)(\d{1,5})\s*[x×*]\s*(\d{1,5})(?!\d)")
_SQL_FIELD = re.compile(r"\bSQL\b|\bSELECT\b")
_SQL = re.compile(r"\b(?:select|insert\s+into|update\s+\w+\s+set|delete\s+from)\b.+\S", re.IGNORECASE)
_RESULT = re.compile(
    r"\b(?:it|them|the\s+(?:result|content|contents|translation|answer|text|number|total|sum|price|list|output))\b"
    r"|译文|结果|内容|它|得数|答案",
    re.IGNORECASE,
)
"""Words for what an earlier step found: it is handed on, not read out of this text."""
_REPOSITORY = re.compile(r"(?<![\w./-])([A-Za-z0-9][\w-]{0,38})/([\w.-]{1,100})(?![\w/-])")
_FORMAL = re.compile(r"\b(?:sql|regex|json|code|markdown|html|xml|css|id)\b|_id\b|query to execute", re.IGNORECASE)
"""Texts of a form that a question does not have in its own words."""
_OF_ANOTHER = r"(?!站(?!点)|[河江湖](?!道)|水库|\s*(?:station|river|lake|reservoir)\b)"
"""Not before a word with which the short name of a place is that of another thing: 安阳 in 安阳站, Anyang River."""
NEAR_LABEL = 6
"""Characters between a label and the quote it names."""


@dataclass(slots=True)
class Reading(Choosing):
    """Reads the values of a schema's fields out of a text."""

    def value(self, name: str, kind: FieldKind, wanted: Mapping[str, Any], kinds: Mapping[str, FieldKind]) -> Any:
        """The value of a field, if the text has one for it."""
        by_kind = {
            "expression": self._expression,
            "boolean": lambda: self._boolean(name, wanted),
            "enum": lambda: self._enum(wanted),
            "pattern": lambda: self._matching(wanted),
            "month": self._month,
            "glob": self._glob,
            "sought": lambda: self._sought(name, wanted),
            "list": lambda: self._list(name, wanted),
            "text": lambda: self._text(name, wanted),
        }
        return by_kind[kind]() if kind in by_kind else self.mentioned(name, kind, wanted, kinds)

    def _expression(self) -> str | None:
        total = find_total(self.text) if self.earlier and ", " in self.earlier else None
        change = find_change(self.text, self.earlier) if self.earlier and total is None else None
        found = f"{total}({self.earlier})" if total else change or find_arithmetic(self.text)
        self.everything = found is not None
        return found

    def _glob(self) -> str | None:
        found = next((m for m in self.mentions if m.kind == "glob"), None)
        if found is not None:
            self.used.append(found)
            return str(found.value)
        kind = find_kind(self.text)
        if kind is None:
            return None
        self.taken(kind[1])
        return kind[0]

    def _sought(self, name: str, wanted: Mapping[str, Any]) -> str | None:
        inside = self.quoted()
        if inside is not None or (wanted.get("required") and not PHRASES.isdisjoint(words_of(name))):
            return inside  # what a search is about is a phrase, what is looked for in a file a word
        # a path is where to look, unless nothing else is looked for
        elsewhere = hidden(self.text, [m for m in self.mentions if m.kind == "path"])
        found = find_sought(elsewhere) or (find_sought(self.text) if _MENTIONS.search(self.text) else None)
        return None if found is None else self.taken(found)

    def _text(self, name: str, wanted: Mapping[str, Any]) -> str | None:
        labels = labels_of(name, described(wanted))
        for mention in self.mentions:
            if mention.kind == "quoted" and mention not in self.used:
                near = label_distance(self.text, mention.start, mention.end, labels)
                if near is not None and near <= NEAR_LABEL:
                    self.used.append(mention)
                    return str(mention.value)
        if any(mention.kind == "quoted" for mention in self.mentions):
            return None  # who quotes one text quotes them all
        if (said := keyed(self.rest(), labels)) is not None and not self._mentions_inside(said):
            return self.taken(said)
        return None

    def last_text(self, name: str, wanted: Mapping[str, Any]) -> str | None:
        """What is left for a text that must be there: a quote, SQL, a phrase or a name that stands where one would."""
        quoted = self.quoted()
        if quoted is not None:
            return quoted
        if _SQL_FIELD.search(described(wanted)):
            match = _SQL.search(self.text)
            return self.taken(Span(match[0], *match.span())) if match else None
        if _FORMAL.search(f"{name} {described(wanted)}") or (self.follows and _RESULT.search(self.text)):
            return None
        takes_phrase = not PHRASES.isdisjoint(words_of(name))
        rest = self.rest()
        found = phrase_in(rest, self.known) if takes_phrase else name_in(rest, described(wanted), self.known)
        if found is None or any(
            m.kind == "path" and m.start < found.end and found.start < m.end for m in self.mentions
        ):
            return None  # a phrase that names a file says more than what is looked for
        if refers_back(found.text):
            return None  # "its content" stands for a value and is none
        self.guessed = True
        return self.taken(found)

    def repository(self) -> dict[str, Any]:
        """`owner/name`, which two fields share."""
        match = _REPOSITORY.search(self.text)
        if match is None:
            return {}
        self.used.append(Mention("path", match[0], match[0], *match.span()))
        return {"owner": match[1], "repo": match[2]}

    def measures(self) -> dict[str, Any]:
        """Width and height as people write them: 800x600."""
        match = _WIDE_BY_HIGH.search(self.text)
        if match is None:
            return {}
        self.taken(Span(match[0], *match.span()))
        return {"width": int(match[1]), "height": int(match[2])}

    def lines(self) -> dict[str, Any]:
        """The lines of a file that are asked for, which two fields share."""
        found = find_lines(self.text)
        if found is None:
            return {}
        first, count, span = found
        self.taken(span)
        return {"start_line": first, "max_lines": count}

    def _mentions_inside(self, span: Span) -> bool:
        return any(m.start < span.end and span.start < m.end for m in self.used)

    def _matching(self, wanted: Mapping[str, Any]) -> str | None:
        found = matching(self.rest(), str(wanted["pattern"]))
        if found is None or (not wanted.get("required") and found.text.isalpha() and found.text.islower()):
            return None  # any word has the form of a code of letters: "for" is no language
        return self.taken(found)

    def _month(self) -> str | None:
        found = find_month(self.text, self.today)
        if found is None:
            return None
        month, start, end = found
        self.used.append(Mention("date", month, self.text[start:end], start, end))
        return month

    def _enum(self, wanted: Mapping[str, Any]) -> Any:
        codes = {str(value).lower(): value for value in wanted["enum"]}
        for mention in self.mentions:
            if mention.kind == "currency" and mention not in self.used and str(mention.value).lower() in codes:
                self.used.append(mention)
                return codes[str(mention.value).lower()]
        rest = self.rest().lower()
        aliases = aliases_in(described(wanted))
        for value in sorted(wanted["enum"], key=lambda value: -len(str(value))):
            plain = str(value).lower()
            names = [
                plain,
                plain.replace("_", " "),
                *SYNONYMS.get(plain.replace(" ", "_"), ()),
                *aliases.get(plain, ()),
            ]
            for name in names:
                if name not in rest:
                    continue
                edge = r"(?<![a-z0-9])" if name[0].isascii() else ""
                after = r"(?![a-z0-9])" if name[-1].isascii() else ""
                after += _OF_ANOTHER if name != plain else ""
                match = re.search(edge + re.escape(name) + after, rest)
                if match:
                    self.used.append(Mention("quoted", value, match[0], match.start(), match.end()))
                    self.several = self.several or self._names_another(wanted["enum"], value)
                    return value
        return None

    def _names_another(self, values: Sequence[Any], taken: Any) -> bool:
        """Whether another value of the same field is named as well: the lights in the kitchen and the bedroom."""
        rest = self.rest().lower()
        others = [str(value).lower() for value in values if value != taken]
        names = [name for other in others for name in (other, *SYNONYMS.get(other.replace(" ", "_"), ()))]
        return any(_has_name(rest, name) for name in names if len(name) > 1)

    def _boolean(self, name: str, wanted: Mapping[str, Any]) -> bool | None:
        if any(label in self.text.lower() for label in SWITCHES.get(words_of(name)[-1], ())):
            return True
        if "business" in name:
            return True if _WORKDAYS.search(self.text) else None
        if "default" in wanted and not any(word in self.text.lower() for word in words_of(name)):
            return None
        for pattern, value in ((_OFF, False), (_ON, True)):
            match = pattern.search(self.text)
            if match:
                self.used.append(Mention("quoted", value, match[0], match.start(), match.end()))
                return value
        return None

    def _list(self, name: str, wanted: Mapping[str, Any]) -> list[Any] | None:
        items = cast("Mapping[str, Any]", wanted.get("items", {}))
        kind = kind_of("item", items)
        kinds = MENTIONED.get(kind, ("quoted",))
        found = [m for m in self.mentions if m.kind in kinds and m not in self.used]
        if kind == "text":
            said = listed(self.rest(), labels_of(name, described(wanted)))
            found = found if wanted.get("required") and not said else []
            if said:
                return [self.taken(span) for span in said]
        self.used += found
        return [as_value(m, kind, items, self.mentions, self.used) for m in found] or None


def _has_name(text: str, name: str) -> bool:
    if name not in text or not name.isascii():
        return name in text
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text) is not None
