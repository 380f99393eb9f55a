"""What a text names is used by the call; what only serves other tools is told when it is asked for."""

import pytest

from switchyard.agents.by_rules.extraction import fill
from switchyard.agents.by_rules.naming import asks_for_product, leaves_out
from switchyard.tools.core.spec import ToolSpec

MAKER = ToolSpec(
    name="find_account",
    summary="Finds an account by name",
    tags=("账号", "客户"),
    returns="account_code：账户编码",
    produces=("account_code",),
)
LISTER = ToolSpec(name="list_shops", summary="Lists all shops 列出商店", tags=("shops", "商店"))
CITY = {"properties": {"city": {"enum": ["安阳市"], "description": "安阳市 (安阳, Anyang)"}}}


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("What is the account code of Acme?", True),
        ("Acme的账号", True),
        ("Acme的账户编码是什么", True),
        ("How many people work at Acme?", False),
        ("Acme有多少人", False),
    ],
)
def test_what_serves_others_is_told_when_it_is_asked_for(text: str, asked: bool) -> None:  # noqa: FBT001  a case
    assert asks_for_product(text, MAKER) is asked
    assert asks_for_product(text, LISTER)


@pytest.mark.parametrize(
    ("rest", "other", "left_out"),
    [
        ("shops in Anyang", "shops in       ", True),
        ("安阳的商店", "  的商店", True),
        ("shops in       ", "shops in       ", False),
        ("  的商店", "  的商店", False),
        ("all shops", "all      ", False),
        ("列出商店", "列出  ", False),
    ],
)
def test_a_name_that_another_tool_takes_is_not_left_out(rest: str, other: str, left_out: bool) -> None:  # noqa: FBT001
    assert leaves_out(rest, LISTER, [other]) is left_out


@pytest.mark.parametrize(
    ("text", "city"),
    [
        ("安阳缺水吗", "安阳市"),
        ("安阳站水位", None),
        ("shops in Anyang", "安阳市"),
        ("level at Anyang station", None),
    ],
)
def test_a_short_name_inside_another_name_is_not_meant(text: str, city: str | None) -> None:
    assert fill(CITY, text).arguments.get("city") == city
