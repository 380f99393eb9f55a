"""The benchmark of the middleware runs over any set, and says what it has to leave out."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import middleware

NOUNS = ["lamp", "parcel", "recipe", "song", "tax", "train", "plant", "film", "roof", "boat", "shoe", "cup", "bell"]
QUESTIONS = {"Sort the parcels": "sort_parcel", "整理 songs": "sort_song", "明天的天气怎么样？": "forecast"}


def test_a_set_is_measured_for_every_middleware_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows: list[dict[str, Any]] = [
        {"name": f"sort_{noun}", "description": f"Sort {noun}s by size.", "parameters": [{"name": "text"}]}
        for noun in NOUNS
    ]
    rows.append({"name": "forecast", "description": "Weather of a day. 某天的天气。", "parameters": []})
    asked = [{"query": query, "gold_groups": [[tool]]} for query, tool in QUESTIONS.items()]
    (tmp_path / "few").mkdir()
    for name, lines in (("tools", rows), ("queries", asked)):
        text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        (tmp_path / "few" / f"{name}.jsonl").write_text(text, encoding="utf-8")
    monkeypatch.setitem(sys.modules, "langchain_dynamic_tools", None)
    monkeypatch.setattr(sys, "argv", ["benchmarks.middleware", "--data", str(tmp_path), "--json"])

    assert middleware.main() == 0

    told = capsys.readouterr()
    ours, selector = json.loads(told.out)
    assert ours["found"] == 100
    assert (ours["calls"], selector["calls"]) == (1, 2)
    assert ours["tokens"] < selector["tokens"]
    assert "pip install langchain-dynamic-tools-middleware" in told.err
