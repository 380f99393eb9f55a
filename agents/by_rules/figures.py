"""The figures of a question: how many rows, how much of a column, what it came to in money, how much of all there is.

A figure is of the nearest column that can be meant; of which it is when two are as near, nobody guesses.
"""

import re

from switchyard.agents.by_rules.conditions import read_conditions, require
from switchyard.agents.by_rules.persons import PERSONS, PLACES, person_asked
from switchyard.agents.by_rules.query import Measure, NotRead
from switchyard.agents.by_rules.roles import Roles, has, valued
from switchyard.agents.by_rules.table import Column, unit_of
from switchyard.language.lexicon import Token
from switchyard.language.units import unit_named

SUMS_OF_MONEY = frozenset({"money", "spending", "支出", "开销", "花费", "收入", "消费"})
"""Words for money that are no verbs."""
_ENDS = frozenset({"is", "are", "was", "were", "has", "have", "had", "do", "does", "did", "came", "come", "went", "go"})
"""What ends the words for that of which a share is asked."""
FAR = 3
"""Words between a figure and the column it is of, where another column could be meant."""
_APART = 5
"""How much farther a word is that stands in another clause."""


def read_share(said: Roles) -> None:
    """How many of all there are meet the conditions, in percent, or how much they have of all the money."""
    for at in said.left("share"):
        _require_flags(said)
        if not said.query.conditions or said.query.groups:
            raise said.unread(at)
        whole = Roles(_whole(said, at), said.table)
        read_conditions(whole)
        _require_flags(whole)
        known = whole.query.conditions
        several = len({one.column for one in said.query.conditions}) > 1
        if several and not (known or whole.says("all")):
            raise said.unread(at)  # October's that passed: of October's, or of all?
        merged = {one.column for one in said.query.conditions if one.op == "in" and len(one.value) > 1}
        if merged & {one.column for one in known}:
            raise said.unread(at)  # the part and the whole became one: 动力工具占全部工具的
        said.query.whole = known if len(known) < len(said.query.conditions) else []
        said.query.share = True
        numbers = said.columns("number")
        if len(numbers) > 1:
            raise said.unread(numbers[1])  # of those that were cut, the rejected ones: both are figures
        if len(numbers) == 1:  # of our net spending
            said.query.share_of = said.column(numbers[0], "number").name
        elif said.left("amount") or any(said.text(one) in SUMS_OF_MONEY for one in said.left("money")):
            said.query.share_of = said.money()
        said.take(at, *numbers[:1], *said.left("count", "amount", "money"))
        said.take(*(said.left("agg") if said.query.share_of else ()))


def _require_flags(said: Roles) -> None:
    for place in said.columns("flag"):
        require(said, said.column(place, "flag"), wanted=True)
        said.take(place)


def _whole(said: Roles, at: int) -> list[Token]:
    """The words for what a share is a share of: of last year's orders, 上海的会员中, 占上海会员的."""
    words = [token.text.lower() for token in said.tokens]
    if said.tokens[at].text.isascii():
        if words[0] in {"of", "among", "out of"}:  # of the November shifts, what percentage were
            return said.tokens[: max(place for place in {0, *said.breaks} if place <= at)]
        end = next((place for place in range(at + 1, len(words)) if words[place] in _ENDS), at)
        return said.tokens[at + 1 : end]
    end = next((place for place in range(at) if words[place] in {"中", "里", "里面", "当中", "其中"}), 0)
    return said.tokens[:end] + (said.tokens[words.index("占") + 1 : at] if "占" in words[:at] else [])


def read_quantities(said: Roles) -> None:
    """How much it is in a unit that rows are counted in: 订了多少公斤, where a column says 公斤 or 支."""
    for at in [at for at in said.left("count", "agg") if said.at(at + 1, "value") and unit_named(said.text(at + 1))]:
        name = said.numbers_of("quantity")
        if name is None:
            raise said.unread(at)
        figure = said.tokens[at].get("agg")
        said.query.measures.append(Measure(figure.value if figure else "sum", name))
        said.take(at)


def read_figures(said: Roles) -> None:
    """Each word that asks for a figure, with what it speaks of: a column, the rows, or the money."""
    query = said.query
    if query.share:
        return
    asked = list(dict.fromkeys([*said.left("agg"), *said.left("count", "times", "amount", "comes")]))
    places = {at: _spoken_of(said, at) for at in asked}
    if query.order and (query.extreme or query.limit) and not query.groups:
        _of_ranked_row(said, places)
        return
    for at, place in places.items():
        if place is not None:
            _figure_of(said, at, place)
    measured = {measure.column or "" for measure in query.measures}
    said.take(*(place for place in said.left("column") if said.is_named(place, *measured)))
    alone = [at for at in asked if at not in said.used]
    for at in (at for at in alone if said.tokens[at].has("agg")):
        _without_column(said, at)
    _spent(said, [at for at in alone if not said.tokens[at].has("agg")])
    for at in (at for at in alone if at not in said.used):
        _figure_of_rows(said, at)
    query.measures = list(dict.fromkeys(query.measures))


def _figure_of_rows(said: Roles, at: int) -> None:
    """How many rows, or what they come to: no column is spoken of."""
    if said.at(at, "comes"):
        raise said.unread(at)  # nothing there is money
    said.take(at)
    if said.tokens[at].has("count", "times") and _adds_rows(said, at):
        _count_rows(said, at)
    elif said.tokens[at].has("amount") and not said.query.measures:
        name = said.numbers_of("amount") or (said.money() if said.query.conditions else None)
        if name is None or name in said.table.reckoned:
            raise said.unread(at)
        said.query.measures.append(Measure("sum", name))


def _of_ranked_row(said: Roles, places: dict[int, int | None]) -> None:
    """How much the best row has of what it is the best by, or of something else: 最贵的是哪种，多少钱一公斤."""
    for at, place in places.items():
        if said.at(at, "agg", "times") or said.at(at + 1, "rowname"):
            raise said.unread(at)
        if place is not None and not said.is_named(place, said.query.order or ""):
            said.query.shown.append(said.column(place).name)
        said.take(at, place, *(one for one in (at + 1, at + 2) if said.at(one, "num", "unit")))


def _spoken_of(said: Roles, at: int) -> int | None:
    """The place of the column that a word which asks for a figure speaks of: the nearest that can be meant."""
    token, kinds = said.tokens[at], ("number",)
    if token.has("agg"):
        if said.at(at, "column"):  # the total of the orders that have a column total
            return at
        kinds = ("number", "date") if token.the("agg").value in {"min", "max"} else kinds
    elif token.has("times") or (said.at(at + 1, "rowname") and not said.at(at + 1, "column")):
        return None  # 德国客户下了多少个订单: the orders are counted
    elif token.has("count") and any(map(said.names("flag"), said.tokens[at + 1 : at + 2])):
        return None  # how many Gaelic speakers are rostered
    elif not token.has("amount", "comes"):
        beside = said.near(at, 1, said.names("text", "number", "date"), 4, ("distinct", "all"))
        if beside is None and not token.text.isascii():
            beside = said.near(at, -1, lambda one: _is_listed(said.named(one)), 3)  # 客户有多少
        if beside is not None and _distance(said, at, beside) < _APART:
            return beside
    added = token.has("agg", "amount", "comes")  # what rows are told apart by is counted, not added up
    numbers = [place for place in said.columns(*kinds) if not (added and said.column(place, *kinds).unique)]
    near = {place: _distance(said, at, place) for place in numbers}
    best = min(near, key=near.__getitem__, default=None)
    if best is None or (near[best] >= _APART and not token.has("agg")):
        return None
    if near[best] > FAR and len({said.column(place, *kinds) for place in numbers}) > 1:
        raise said.unread(at)  # a figure of which of them?
    return best


def _is_listed(column: Column | None) -> bool:
    """Whether the values of a column are counted, not added up."""
    return column is not None and column.kind != "flag" and (column.kind != "number" or column.unique)


def _distance(said: Roles, at: int, place: int) -> float:
    """How many words that say something stand between two places; what follows is nearer than what stands before."""
    low, high = sorted((at, place))
    between = sum(not token.has("free", "is", "row", "unit") for token in said.tokens[low + 1 : high])
    return between + _APART * said.is_parted(at, place) + (0.5 if place < at else 0)


def _figure_of(said: Roles, at: int, place: int) -> None:
    """The figure that a word asks for, of the column that the word at a place names."""
    token = said.tokens[at]
    if token.has("agg"):
        function = token.the("agg").value
        column = said.column(place, *(("number", "date") if function in {"min", "max"} else ("number",)))
        said.query.measures.append(Measure(function, column.name))
        said.take(at, at + 1 if said.at(at + 1, "person") else None)  # 平均每人
    elif said.text(at).endswith("钱") and said.column(place).name not in columns_of_money(said):
        raise said.unread(at)  # 库存总值多少钱
    elif token.has("count") and unit_of(said.column(place).name) and unit_named(said.text(place).split()[0]) is None:
        raise said.unread(place)  # how many glasses is not how many millilitres a glass has
    elif token.has("comes") or (_is_bare(said, at) and said.names("number")(said.tokens[place])):
        said.query.measures.append(Measure("sum", said.column(place, "number").name))
        said.take(at, place)
    else:
        averaged = any(one.column == said.column(place).name for one in said.query.measures)  # 平均每单几个人
        distinct = said.left("distinct")
        if token.has("count") and at in said.breaks and said.at(at + 1, "all") and said.query.measures:
            raise said.unread(at)  # … for each month? Count all statuses.
        said.take(at, place, *distinct, *said.left("person"))
        if not averaged:
            _count_column(said, said.column(place), distinct=bool(distinct))


_DAYS = re.compile(r"date|day|time|日|天|时间")


def columns_of_money(said: Roles) -> set[str]:
    """The columns that money stands in, by what they are called."""
    kinds = ("amount", "price", "freight", "turnover", "paid")
    called = {one.name for one in said.of_kind("number") if _MONEY.search(one.name)}
    return called | {said.table.concepts[kind] for kind in kinds if kind in said.table.concepts}


_MONEY = re.compile(r"[元钱费价款金额薪租]|(?i:eur|usd|cny|rmb|price|cost|fee|amount|total|rent|pay)")


def _without_column(said: Roles, at: int) -> None:
    """A figure that names no column: of the same as the one before it, of how many there are, or of the money."""
    function = said.tokens[at].the("agg").value
    earlier = [*said.query.measures, *(said.before.measures if said.before else ())]
    column = next((one.column for one in earlier if one.column), said.before.order if said.before else None)
    if column is None and (
        said.left("amount", "money", "comes", "worth") or any(map(said.is_currency, range(at, len(said.tokens))))
    ):
        column = said.money()
        said.take(*said.left("amount", "money", "comes", "worth"))
    if column is None and function == "avg" and said.at(at + 1, "rowname") and not said.left("count"):
        column = said.money()  # the average donation
    rows = said.tokens[at].text.endswith("多少") and said.at(at + 1, "row", "rowname", "person")  # 一共多少件
    rows = rows and not any(one.name == "heading" for one in said.table.columns)  # the lines of a text are no rows
    counted = function == "sum" and (rows or bool(said.left("count")))
    if column is None and function == "sum" and not counted:
        column = said.numbers_of("amount")
    if column is None and not counted:
        raise said.unread(at)
    said.take(at)
    if column is not None:
        said.query.measures.append(Measure(function, column))
    elif rows:
        _count_rows(said, at)


def _adds_rows(said: Roles, at: int) -> bool:
    """Whether a word asks for how many rows there are beside what is asked already: not 余额一共多少."""
    if not said.query.measures or said.at(at + 1, "rowname", "row", "person"):
        return True
    measured = [one.column or "" for one in said.query.measures]
    figures = (one for one in range(len(said.tokens)) if said.at(one, "agg") or said.is_named(one, *measured))
    near = any(_distance(said, at, one) < _APART for one in figures)
    return not (near or said.query.extreme or said.query.groups)


def _count_column(said: Roles, column: Column, *, distinct: bool) -> None:
    """How many there are of what a column has: the sum of numbers, different texts, or rows, where each has its own."""
    numbered = re.compile(rf"(?i){re.escape(column.name)}[\s_-]?(?:id|no|nr|number|号|编号)")
    own = not distinct and any(one.unique and numbered.fullmatch(one.name) for one in said.table.columns)
    if column.kind == "number" and not column.unique and not distinct:
        if said.of_each or (said.query.conditions and not said.is_added(column)):
            said.query.shown.append(column.name)
        else:
            said.query.measures.append(Measure("sum", column.name))
    elif column.unique or own or (said.query.conditions and not distinct and not _is_counted_once(said, column)):
        said.query.measures.append(Measure("count"))  # jobs, where each row has its own job_id; items that came back
    elif column.kind == "date" and not distinct and not any(_DAYS.search(token.text) for token in said.tokens):
        raise NotRead(column.name)  # how many arrivals: not on how many days
    else:
        said.query.measures.append(Measure("distinct", column.name))


def _is_counted_once(said: Roles, column: Column) -> bool:
    """Whether the same value in two rows is one: a person, a place; an item that came back twice came back twice."""
    return column.name in {said.table.concepts.get(kind) for kind in (*PERSONS, *PLACES)}


def _spent(said: Roles, counts: list[int]) -> None:
    """What was spent, cost or earned, where no column is named: the sum of the one that has the money.

    Beside a number of rows the verb says nothing: how many were paid in cash.
    """
    query, totals, verbs = said.query, said.left("comes"), said.left("money")
    amounts = [at for at in counts if said.tokens[at].has("amount") or _is_bare(said, at)]
    rows_counted = len(amounts) < len(counts)
    what = any(_asks_what(said, verb) for verb in verbs)
    compared = bool(query.groups and verbs)  # which of two brought in more
    found, rate = said.money(), said.numbers_of("price")
    of_one = any(one.op == "in" and said.table.column(one.column).unique for one in query.conditions)
    asked = what or (bool(amounts or totals or compared) and not query.measures)
    if asked and of_one and rate and rate != found and verbs and not rows_counted:
        query.shown.append(rate)  # what do we charge for it
    elif asked and found is not None and (totals or what or (verbs and not rows_counted)):
        query.measures += [] if query.extreme else [Measure("sum", found)]
    elif asked or not (query.measures or rows_counted):
        return
    said.take(*totals, *verbs, *amounts)


def _asks_what(said: Roles, verb: int) -> bool:
    """Whether it is the verb that asks for the money: what did it cost, not what did the bar take on average."""
    own = [token for at, token in enumerate(said.tokens) if not said.is_parted(at, verb)]
    what = any(token.text.lower() in {"what", "what's"} for token in own)
    return what and not any(token.has("agg", "count", "sup") for token in own)


def _is_bare(said: Roles, at: int) -> bool:
    """Whether how much there is says of nothing how much, after a verb of paying: 一共收了多少."""
    end = at + 2 if said.at(at + 1, "rowname") else at + 1  # 收到多少捐款
    alone = end in {*said.breaks, len(said.tokens)} or said.at(at + 1, "free") or said.is_currency(at + 1)
    much = said.text(at) in {"多少", "有多少", "how much"}
    return much and alone and said.near(at, -1, has("money"), 2) is not None


_THINGS = frozenset("辆台件只瓶本把套块支箱袋盒棵双株朵枚片根匹头副")
"""What things are counted by, of which a row has many: not rows, as 单, 笔 and 条 count them."""


def _count_rows(said: Roles, at: int) -> None:
    """How many there are of what the word at a place counts: rows, people, or what the rows say how many each is of."""
    rowname = said.at(at + 1, "rowname")
    if _counts_money(said, at):
        return
    verb = said.text(at) == "how many" and said.at(at + 1, "show") and not rowname  # how many shows: they are no rows
    if verb or (said.at(at + 1, "money") and not said.text(at + 1).isascii()):
        raise said.unread(at + 1)
    pieces = said.at(at + 1, "row") and not (said.at(at + 2, "rowname") and said.names_rows(at + 2))
    if pieces and any(said.text(at + 1) in one.name for one in said.of_kind("number")):
        raise said.unread(at + 1)  # 多少台, where a column is 库存(台)
    product, quantity = said.table.concepts.get("product"), said.numbers_of("quantity")
    quantity = quantity or (said.numbers_of("stock") if pieces else None)  # 多少株苗, of 苗木库存
    if _is_of_one(said):  # of one row nobody asks how many rows it is
        quantity = said.numbers_of("stock") or quantity
        if quantity is None:
            raise said.unread(at)
        said.query.measures.append(Measure("sum", quantity))
        return
    _decline_uncounted(said, at)
    things = (pieces and said.text(at + 1) in _THINGS) or (
        said.at(at + 1, "value") and product in valued(said.tokens[at + 1])
    )  # how many lamps
    people = said.at(at + 1, "person") or said.tokens[at].text in {"多少人", "几人"}
    if people and said.numbers_of("people"):
        said.query.measures.append(Measure("sum", said.numbers_of("people")))
        said.take(*said.left("person"))
    elif (person := person_asked(said, "person")) is not None:
        said.query.measures.append(Measure("count") if person.unique else Measure("distinct", person.name))
    elif rowname and (_has_several_of_each(said, quantity) or not _says_what_rows_are(said, at + 1)):
        raise said.unread(at + 1)  # how many eggs: the rows are sales; how many frames: pieces, or models?
    elif quantity and (_is_of_goods(said, at) or (things and not said.at(at + 2, "rowname", "row"))):
        said.query.measures.append(Measure("sum", quantity))  # how many were sold is not how many sales
    else:
        said.query.measures.append(Measure("count"))


def _is_of_goods(said: Roles, at: int) -> bool:
    """Whether what was sold or sent is counted, and not how often: 卖了几票, but neither 发了几票 nor 卖了几单."""
    own = (said.text(at + 1) if said.at(at + 1, "row") else said.text(at)[-1:])[:1]
    deals, sold = said.left("deal"), any(_SOLD.match(token.text) for token in said.tokens)
    if deals and not sold and said.at(at + 1, "rowname") and own.isascii():
        raise said.unread(at + 1)  # how many shipments did we send: they, or what was in them?
    return bool(deals) and not (own in frozenset("单笔次批趟回") or (own == "票" and not sold))


_SOLD = re.compile(r"(?i)s[eo]l[ld]|卖|售")


def _decline_uncounted(said: Roles, at: int) -> None:
    """Different ones are no rows, and what was sold is told by some figure."""
    sold = any(said.at(one, "deal") and _SOLD.match(said.text(one)) for one in range(len(said.tokens)))
    sold = sold and said.text(at)[-1] not in "笔单次" and said.text(at + 1) not in {"笔", "单", "次"}
    figures = any(map(said.is_added, said.of_kind("number"))) and not said.numbers_of("quantity")
    if said.left("distinct") or (sold and figures):
        raise said.unread(at)


def _says_what_rows_are(said: Roles, place: int) -> bool:
    names = [one.values for one in said.of_kind("text") if one.unique and not re.search(r"\d", "".join(one.values))]
    kinds = bool(names) and said.text(place - 1)[-1:] in {"种", "款"}  # 几种料棒, where each row is one
    return kinds or said.at(place + 1, "rowname", "column") or said.names_rows(place)


def _has_several_of_each(said: Roles, quantity: str | None) -> bool:
    """Whether rows say how many there are of each thing in stock, and nothing is asked of just that."""
    told = {one.column for one in said.query.conditions}
    return quantity is not None and said.numbers_of("minimum") is not None and quantity not in told


def _counts_money(said: Roles, at: int) -> bool:
    """Whether it is money that is counted, which is summed: 没付款的是多少欧元."""
    if said.at(at + 1, "rowname") and said.tokens[at + 1].text[-1] in "款费":
        raise said.unread(at)  # 多少捐款: how many, or how much?
    if not said.is_currency(at + 1):
        return False
    money = said.money()
    if money is None or said.query.measures:
        raise said.unread(at)  # 花了多少欧元, where no column has the money
    said.query.measures.append(Measure("sum", money))
    return True


def _is_of_one(said: Roles) -> bool:
    """Whether a question, or the one before it, is about the one row of a name."""
    conditions = [*said.query.conditions, *(said.before.conditions if said.before else ())]
    named = [said.table.column(one.column) for one in conditions if one.op == "in" and len(one.value) == 1]
    state = said.table.concepts.get("status")  # which may be another in each of a few rows
    return any(column.unique and column.kind == "text" and column.name != state for column in named)
