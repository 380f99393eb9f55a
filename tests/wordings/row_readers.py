"""A small library's files, and what is read in questions about their rows."""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from switchyard.agents.by_rules.lookups import read_look_up
from switchyard.agents.by_rules.pieces import Place
from switchyard.agents.by_rules.query import Condition, Group, Other, Query
from switchyard.agents.by_rules.row_question import RowQuestion, read_after, read_in_workspace
from switchyard.tools.core.json_values import is_list
from tests.wordings.language_readers import TODAY

FILES = {
    "loans.csv": """loan_id,member,title,branch,borrowed,returned,renewed,fee,days
L1,Ada,Dune,Leeds,2025-03-01,2025-03-11,yes,1.50,10
L2,Bo,Emma,York,2025-03-05,,no,0,21
L3,Ada,Ulysses,Leeds,2025-04-02,2025-04-30,no,4.20,28
L4,Cem,Dune,York,2025-04-07,2025-04-09,yes,,2
L5,Ada,Persuasion,Hull,2024-12-30,,no,2.00,40
""",
    "rooms.csv": "room,seats,floor\nReading,40,1\nStudy,12,2\nHall,90,0\n",
    "会员.csv": "会员编号,姓名,等级,城市,余额\nM1,陈红,金卡,杭州,120\nM2,李雷,银卡,上海,80\nM3,韩梅,金卡,上海,35\n",
    "workshop/bindings.csv": """job,book,binder,sent,back,cost (GBP),paid,state,remark
J1,Atlas of Roads,Old Mill Bindery,2025-02-03,2025-02-20,40,yes,finished,
J2,Emma,Old Mill Bindery,2025-03-11,,25.50,no,cancelled,spine
J3,Birds,Quire & Sons,2025-03-18,2025-05-02,60,no,finished,
J4,Ulysses,Quire & Sons,2025-04-21,,35,yes,open,
""",
    "设备库存.csv": "设备,类别,库存(台),最低库存,供应商,已检修,发票,购入日期,报废日期\n"
    "投影仪,影音,2,3,康泰电子,是,有,2021-05-06,\n"
    "打印机,办公,6,4,华安办公,否,无,2023-01-10,2025-02-02\n扫描仪,办公,1,2,康泰电子,否,有,2022-08-19,\n",
    "shelf.json": '{"updated": "2025-05-01", "opening": {"saturday": {"open": "09:30", "close": "16:45"}},'
    ' "shelves": [{"code": "A1", "topics": ["art", "music"], "keeper": {"name": "Ada", "phone": "12"}},'
    ' {"code": "B2", "topics": ["maths"], "keeper": {"name": "Bo", "phone": "34"}}]}',
    "logs/desk.log": "2025-06-02 08:33:38 ERROR [sms] 短信发送失败\n2025-06-02 09:00:00 INFO door opened\n"
    "2025-06-03 09:10:00 WARN printer offline\n2025-06-03 10:00:00 ERROR printer offline\n",
    "notes/rules.md": "# House rules\n\n## Keys\n\n- The spare key hangs behind the boiler.\n\n"
    "## 规定\n\n- 备用钥匙放在蓝色铁盒里\n",
    "notes/phone list.txt": "Phone list\n\nPlumber: Sid Marsh, 0113 555 0142\n"
    "Caretaker: Bo, 0113 555 0177, bo@desk.example\nNew scanner: quote 900 pounds\n无线网络：Desk-Guest，密码：owl-77\n"
    "Boiler insurance: Aire Mutual, renews 31 March 2027, premium 240 pounds\n",
    "notes/craft hour.md": "# Craft hour\n\n## Next date\nSaturday 5 December 2026, 10:30, small hall\n\n## Costs\n"
    "- Juice: 12 pounds per week\n- 材料费：每次 8 元\n",
    "notes/jobs.md": "# Jobs (Ada)\n\n## Autumn fair\n- [ ] print leaflets\n- [x] book the hall\n\n"
    "## Cellar\n- [ ] oil the door\n",
    "heating.json": '{"reading_room": {"day_c": 21, "fan_on_above_c": 24, "max_visitors": 60},'
    ' "alarm": {"enabled": false}, "停电": {"备用灯分钟": 90}}',
}


@cache
def library() -> Path:
    """The library's folder."""
    root = Path(tempfile.mkdtemp(prefix="library-"))
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def read_rows(question: str) -> str | None:
    """The query a question asks, of which table."""
    return told(read_in_workspace(question, Place(library()), TODAY))


def read_rows_after(question: str, before: str) -> str | None:
    """The same after another question."""
    earlier = read_in_workspace(before, Place(library()), TODAY)
    return None if earlier is None else told(read_after(question, earlier, TODAY))


def look_up(question: str) -> str | None:
    """Where a document says it, and which words it does not say."""
    calls = read_look_up(question, library(), TODAY)
    return "; ".join(" ".join([call.about, *(f"lacks {word}" for word in call.unsaid)]) for call in calls) or None


def told(found: RowQuestion | None) -> str | None:
    """The query in one line, behind its table."""
    return None if found is None else f"{found.table.path}: {_query(found.query)}"


def _query(query: Query) -> str:
    parts = ["share"] if query.share else [f"{one.function} {one.column or 'rows'}" for one in query.measures]
    parts += [f"show {', '.join(query.shown)}"] if query.shown else []
    parts += [f"by {', '.join(map(_group, query.groups))}"] if query.groups else []
    parts += [f"where {' and '.join(map(_condition, query.conditions))}"] if query.conditions else []
    parts += [f"order {query.order}"] if query.order else []
    parts += [f"{query.extreme} {query.rank}"] if query.extreme else []
    parts += [f"{'last' if query.from_the_end else 'first'} {query.limit}"] if query.limit else []
    parts += ["down"] if query.descending and not query.extreme else []
    return "; ".join(parts) or "all"


def _group(group: Group) -> str:
    return f"{group.part} of {group.column}" if group.part else group.column


def _condition(condition: Condition) -> str:
    value: Any = condition.value.column if isinstance(condition.value, Other) else condition.value
    value = None if isinstance(value, Query) else value
    value = "|".join(map(str, value)) if is_list(value) else "" if value is None else value
    name = f"{condition.part} of {condition.column}" if condition.part else condition.column
    return f"{name} {condition.op} {value}".strip()
