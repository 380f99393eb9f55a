"""Who is asked for: the kinds of columns that say who and where, and the one that a question means."""

import re
from collections.abc import Sequence

from switchyard.agents.by_rules.roles import Roles
from switchyard.agents.by_rules.table import Column
from switchyard.language.tokeniser import has_chinese, names_somebody

PERSONS = ("name", "employee", "customer", "member", "author")
"""Kinds of columns that say who."""
PLACES = ("city", "country", "region", "warehouse")
"""Kinds of columns that say where."""
_DOERS = ("人", "者", "师", "员", "_by", " by")
"""What the name of a column ends with that says who did it."""


def person_asked(said: Roles, kind: str = "who") -> Column | None:
    """The column of persons, where somebody is asked for; a name comes before other words for people."""
    asked = said.left(kind)
    if not asked:
        return None
    named = said.near(asked[0], 1, said.names("text"), 3) if kind == "who" and not said.query.measures else None
    if named is not None and not said.at(named, "rowname"):
        column = said.column(named, "text")
        if said.text(named).endswith("ing") and not column.name.lower().endswith("ing"):
            raise said.unread(asked[0])  # who is working on it is not what the work is
        if not any(re.search(r"\d", one) for one in column.values):
            said.take(*asked, named)
            return column
    names = [said.table.concepts[kind] for kind in PERSONS if kind in said.table.concepts]
    names = [name for name in names if not name.endswith("名称")]  # that is what a thing is called
    if not names and kind == "who":
        names = [one.name for one in said.of_kind("text") if one.name.lower().endswith(_DOERS)]
        text = "".join(token.text for token in said.tokens).lower()
        done = [name for name in names if re.sub(r"(?:e?d)?[_ ]by$|[eo]r$|人$", "", name.lower()) in text]
        about = {*names, *(one.column for one in said.query.conditions)}
        others = [one for one in said.of_kind("text") if one.name not in about and _are_people(one.values)]
        another = names and (
            others or _OWNS.search(text) or (names[0].endswith("_by") and said.says("event", "deal", "money"))
        )
        if another and not done:
            raise said.unread(asked[0])  # who checked it is not who booked it, nor whose it is
        names = done if len(done) == 1 else names
        said.take(*(at for at, one in enumerate(said.tokens) if not one.senses and names and one.text in names[0]))
        if not names and not said.query.groups:  # who pays the highest rent, of tenants.csv
            names = [one.name for one in said.of_kind("text") if one.unique and _are_names(one.values)][:1]
    if not names or (said.table.concepts.get("name") not in names and len(set(names)) > 1):
        raise said.unread(asked[0])
    done = any(said.text(place) in {"doing", "making", "handling"} for place in range(asked[0], len(said.tokens)))
    if done and names[0] == said.table.concepts.get("customer"):
        raise said.unread(asked[0])  # for whom it is done is not who does it
    said.take(*asked)
    return said.table.column(names[0])


_OWNS = re.compile(r"\bwho(?:se)?owns?|whoseis|拥有|属于谁|是谁的")


def is_one_of(said: Roles, at: int, column: Column, values: Sequence[str]) -> bool:
    """Whether a word is the name that several people share, of whom one is meant: García, not the Garcías."""
    text, concepts = said.tokens[at].text, said.table.concepts.items()
    kinds = [kind for kind, name in concepts if name == column.name and kind != "people"]  # guest: how many, or who
    if len(values) < 2 or any(said.text(place) in _CALLED for place in range(at)):  # noqa: PLR2004
        return False
    if not ({*PERSONS} & {*kinds} or column.name.lower().endswith(_DOERS) or (not kinds and _are_names(column.values))):
        return False
    if has_chinese(text):
        return all(len(one) <= _LONGEST_NAME for one in values) and any(map(names_somebody, values))
    return text[:1].isupper() and all(_A_NAME.fullmatch(one) and text in one for one in values)


_CALLED = frozenset({"all", "both", "every", "called", "named", "surname", "姓", "叫", "所有"})
"""What says before a name that everybody of that name is meant."""
_LONGEST_NAME = 3
_A_NAME = re.compile(r"[A-Z][\w'’.-]*(?: [\w'’.-]+)? [A-Z][\w'’.-]*")
_MOSTLY = 0.8


def _are_names(values: Sequence[str]) -> bool:
    """Whether most values are names of people, by their capitals."""
    return sum(_A_NAME.fullmatch(one) is not None for one in values) > _MOSTLY * len(values)


def _are_people(values: Sequence[str]) -> bool:
    """Whether most values are names of people, of either language."""
    chinese = sum(has_chinese(one) and len(one) <= _LONGEST_NAME and names_somebody(one) for one in values)
    return bool(values) and (_are_names(values) or chinese > _MOSTLY * len(values))
