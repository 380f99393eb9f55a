"""一家公司的两百个工具：二十种单据，每种十个操作。

Two hundred tools of an office: twenty kinds of records, ten things to do with each, over a few rows in memory.
"""

from langchain_core.tools import BaseTool, StructuredTool, ToolException

KINDS = {
    "order": ("orders", "订单"),
    "invoice": ("invoices", "发票"),
    "ticket": ("support tickets", "工单"),
    "contract": ("contracts", "合同"),
    "customer": ("customers", "客户"),
    "supplier": ("suppliers", "供应商"),
    "employee": ("employees", "员工"),
    "meeting": ("meetings", "会议"),
    "shipment": ("shipments", "货运"),
    "payment": ("payments", "付款"),
    "product": ("products", "产品"),
    "campaign": ("marketing campaigns", "营销活动"),
    "budget": ("budgets", "预算"),
    "expense": ("travel expenses", "差旅费"),
    "vacation": ("vacation requests", "休假申请"),
    "survey": ("customer surveys", "客户调查"),
    "warehouse": ("warehouses", "仓库"),
    "vehicle": ("company vehicles", "公司车辆"),
    "license": ("software licenses", "软件许可"),
    "certificate": ("certificates", "证书"),
}
DEEDS = {
    "get": ("Show one of the {many} by its number.", "按编号查看{zh}。", ("number",)),
    "find": ("Find {many} by words in their text.", "按文字查找{zh}。", ("words", "limit")),
    "list": ("List the {many} of a period.", "列出某段时间的{zh}。", ("since", "until", "limit")),
    "count": ("Count the {many} in a state.", "统计某种状态的{zh}数量。", ("state",)),
    "create": ("Create one of the {many}.", "新建{zh}。", ("title", "owner")),
    "update": ("Change a field of one of the {many}.", "修改{zh}的字段。", ("number", "field", "value")),
    "delete": ("Delete one of the {many}.", "删除{zh}。", ("number",)),
    "share": ("Share one of the {many} with somebody.", "把{zh}分享给某人。", ("number", "person")),
    "export": ("Export {many} as a file.", "把{zh}导出为文件。", ("format", "since")),
    "assign": ("Assign one of the {many} to somebody.", "把{zh}分配给某人。", ("number", "person")),
}
FIELDS = {
    "number": "The number, such as 1017. 编号。",
    "words": "Words to look for. 要查找的文字。",
    "limit": "How many at most. 最多几条。",
    "since": "The first day, such as 2026-01-01. 开始日期。",
    "until": "The last day. 结束日期。",
    "state": "Such as open or closed. 状态。",
    "title": "A title. 标题。",
    "owner": "Who is responsible. 负责人。",
    "field": "The name of the field. 字段名。",
    "value": "Its new value. 新值。",
    "person": "A name or an address. 姓名或地址。",
    "format": "csv, json or pdf. 文件格式。",
}


class Office:
    """The tools, and how often one was called in vain with the same arguments as before."""

    def __init__(self) -> None:
        self.calls = 0
        self.repeated_failures = 0
        self._failed: set[str] = set()

    @property
    def tools(self) -> list[BaseTool]:
        """All of them."""
        return [self._tool(deed, kind) for kind in KINDS for deed in DEEDS]

    def _tool(self, deed: str, kind: str) -> BaseTool:
        english, chinese, fields = DEEDS[deed]
        many, zh = KINDS[kind]
        properties = {name: {"type": "string", "description": FIELDS[name]} for name in fields}

        def run(**arguments: str) -> str:
            return self._done(deed, kind, arguments)

        return StructuredTool.from_function(
            run,
            name=f"{deed}_{kind}",
            description=f"{english.format(many=many)} {chinese.format(zh=zh)}",
            args_schema={"type": "object", "properties": properties},
            metadata={"writes": deed in {"create", "update", "delete", "share", "assign"}},
            handle_tool_error=True,
        )

    def _done(self, deed: str, kind: str, arguments: dict[str, str]) -> str:
        self.calls += 1
        if deed in {"get", "share"}:  # people say T-17, the tools want 1017
            call = f"{deed} {kind} {sorted(arguments.items())}"
            self.repeated_failures += call in self._failed
            self._failed.add(call)
            raise ToolException(f"There is no {kind} '{arguments.get('number')}': numbers have four digits.")
        return f"{deed} {kind}: 1017" if deed == "find" else f"{deed} {kind}: 12"
