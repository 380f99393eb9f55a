"""`mcp.local.json`: the common form, variables, what is wrong with an entry, and what nobody may see of it."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchyard.toolhub.sources.mcp.config import Secrets, read_configs, read_entries, resolve_entry
from switchyard.tools.core.errors import SettingsInvalid

ENVIRONMENT = {
    "HOME": "/home/小明",
    "TOKEN": "s3cret-密码",
    "PLACE": "/data/水文.db",
    "EMPTY": "",
    "REGION": "华北-north",
}


def resolved(**entry: Any) -> Any:
    return resolve_entry("服务", entry, ENVIRONMENT, folder=Path("/project"))


def test_the_common_form() -> None:
    config = resolved(
        command="npx",
        args=["-y", "server", 8080],
        env={"DEBUG": "1", "PORT": 80},
        cwd="sub",
        timeout=12,
        disabled=True,
        alwaysAllow=["x"],
        description="of another client",
    )
    assert (config.command, config.args) == ("npx", ("-y", "server", "8080"))
    assert (config.env, config.cwd) == ({"DEBUG": "1", "PORT": "80"}, Path("/project/sub"))
    assert (config.timeout, config.disabled, config.transport) == (12, True, "stdio")


@pytest.mark.parametrize("kind", [{}, {"type": "http"}, {"type": "streamable-http"}, {"transport": "streamable_http"}])
def test_streamable_http(kind: dict[str, str]) -> None:
    config = resolved(url="https://example.com/mcp", headers={"X": "1"}, **kind)
    assert (config.url, config.headers, config.transport) == ("https://example.com/mcp", {"X": "1"}, "http")


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("${PYTHON}", sys.executable),
        ("a ${TOKEN} b ${TOKEN}", "a s3cret-密码 b s3cret-密码"),
        ("${NONE:-默认}", "默认"),
        ("${NONE:-}", ""),
        ("${EMPTY:-instead}", "instead"),
        ("${TOKEN:-unused}", "s3cret-密码"),
        ("$TOKEN and $$", "$TOKEN and $$"),
    ],
)
def test_variables_are_filled_in_everywhere(text: str, filled: str) -> None:
    config = resolved(command=text or "x", args=[text], env={"A": text}, cwd=f"/{text}")
    assert (config.command, config.args, config.env["A"]) == (filled, (filled,), filled)
    assert str(config.cwd).startswith(f"/{filled}".rstrip("/") or "/")
    assert resolved(url="http://x/${NONE:-路径}").url == "http://x/路径"
    assert resolved(url="http://x", headers={"A": f"{text}!"}).headers["A"] == f"{filled}!".strip()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({}, "server '服务': 'command' or 'url' is missing."),
        ({"command": "x", "url": "http://x"}, "server '服务': give either 'command' or 'url', not both."),
        ({"command": "x", "arg": []}, "server '服务': 'arg' is not a field; the nearest is 'args'."),
        ({"command": "x", "args": "-m time"}, "server '服务': 'args': input should be a valid tuple."),
        ({"command": "x", "env": {"A": None}}, "server '服务': 'env.A': input should be a valid string."),
        ({"command": "x", "timeout": 0}, "server '服务': 'timeout': input should be greater than 0."),
        ({"command": "x", "timeout": 60000}, "server '服务': 'timeout': input should be less than or equal to 3600."),
        ({"url": "x"}, "server '服务': 'url' must be an address that begins with http:// or https://."),
        ({"url": "http://"}, "server '服务': 'url' must be an address that begins with http:// or https://."),
        (
            {"url": "http://x", "type": "sse"},
            "server '服务': 'sse' is not supported; servers are reached by stdio (command) or streamable HTTP (url).",
        ),
        (
            {"command": "${令牌}"},
            "server '服务': the variable 令牌 is not set; set it, or write ${令牌:-a default}.",
        ),
        (
            {"url": "http://x", "headers": {"A": "a\nb"}},
            "server '服务': 'headers.A' has characters that a header cannot have.",
        ),
        (
            {"url": "http://x", "headers": {"名": "a"}},
            "server '服务': 'headers.名' has characters that a header cannot have.",
        ),
        ("text", "server '服务': it must be an object with named fields."),
    ],
)
def test_a_bad_entry_says_what_to_change(entry: Any, said: str) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        resolve_entry("服务", entry, ENVIRONMENT)
    assert str(caught.value) == said


@pytest.mark.parametrize("name", ["", "a/b", "长" * 65, "line\nbreak"])
def test_a_name_that_cannot_be_part_of_a_tools_id(name: str) -> None:
    with pytest.raises(SettingsInvalid, match="a server's name has 1 to 64 characters and no '/'"):
        resolve_entry(name, {"command": "x"}, ENVIRONMENT)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON at line 1, column 2"),
        ('{"mcpServers": {\n  "a": {"command": "x",}}}', "is not JSON at line 2"),
        ("[]", 'must be an object with "mcpServers"'),
        ('{"servers": {}}', 'must be an object with "mcpServers"'),
        ('{"mcpServers": []}', 'must be an object with "mcpServers"'),
        ("[" * 100_000, "mcp.local.json"),
    ],
)
def test_a_file_of_another_form(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mcp.local.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsInvalid, match=said):
        read_entries(file)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "mcp.local.json"
    file.write_bytes(b"\xff\xfe\x00{")
    with pytest.raises(SettingsInvalid, match=r"mcp\.local\.json cannot be read"):
        read_entries(file)
    assert read_entries(tmp_path / "none.json") == {}


def test_good_entries_stay_when_others_are_bad(tmp_path: Path) -> None:
    file = tmp_path / "mcp.local.json"
    servers = {"好": {"command": "x"}, "bad": {"command": "${NOT_SET_没有}"}}
    file.write_text("\ufeff" + json.dumps({"mcpServers": servers}, ensure_ascii=False), encoding="utf-8")
    found = read_configs([file], ENVIRONMENT)
    assert list(found.servers) == ["好"]
    assert "NOT_SET_没有 is not set" in found.problems["bad"]
    assert not found.unreadable


def test_the_hash_follows_what_is_written_and_not_the_environment() -> None:
    def fingerprint(environment: dict[str, str], **entry: Any) -> str:
        return resolve_entry("a", {"command": "${TOKEN}", **entry}, environment).fingerprint

    one = fingerprint({"TOKEN": "x"})
    assert one == fingerprint({"TOKEN": "y"})
    assert one != fingerprint({"TOKEN": "x"}, args=["-v"])
    assert one != resolve_entry("b", {"command": "${TOKEN}"}, {"TOKEN": "x"}).fingerprint


SECRET_ENTRIES: list[dict[str, Any]] = [
    {"command": "x", "args": ["--name", "${TOKEN}"]},
    {"command": "x", "args": ["--api-key=s3cret-密码"]},
    {"command": "x", "args": ["--token", "s3cret-密码"]},
    {"command": "x", "args": ["--passphrase", "s3cret-密码"]},
    {"command": "x", "args": ["--密码=s3cret-密码"]},
    {"command": "x", "env": {"数据库口令": "s3cret-密码"}},
    {"command": "x", "env": {"APP_JWT": "s3cret-密码"}},
    {"command": "x", "env": {"ANY": "${TOKEN}"}},
    {"command": "x", "env": {"API_KEY": "s3cret-密码"}},
    {"command": "x", "env": {"URL": "postgres://me:${TOKEN}@host/db"}},
    {"url": "http://x", "headers": {"Authorization": "Bearer ${TOKEN}"}},
    {"url": "http://x", "headers": {"Authorization": "Basic s3cret-密码"}},
    {"url": "http://x", "headers": {"X-Anything": "s3cret-密码"}},
    {"url": "http://me:s3cret-密码@x/"},
    {"url": "http://x/?api_key=s3cret-密码"},
    {"url": "http://x/?令牌=s3cret-密码"},
    {"url": "http://x/${TOKEN}/mcp"},
]


@pytest.mark.parametrize("entry", SECRET_ENTRIES, ids=[str(number) for number in range(len(SECRET_ENTRIES))])
def test_a_secret_is_never_shown(entry: dict[str, Any]) -> None:
    config = resolved(**entry)
    ways = ["s3cret-密码", json.dumps("s3cret-密码")[1:-1], "s3cret-%E5%AF%86%E7%A0%81"]
    shown = [repr(config), json.dumps(config.shown(), ensure_ascii=False), repr(config.secrets)]
    shown += [config.secrets.text(f"failed with '{way}'!") for way in ways]
    shown += [str(config.secrets.data({way: [way, {"a": f"<{way}>"}, 5, None]})) for way in ways]
    assert [way for way in ways for text in shown if way in text] == []
    assert config.secrets.text("failed with 's3cret-密码'!") == "failed with '***'!"


def test_what_is_no_secret_stays_readable() -> None:
    config = resolved(
        command="${PYTHON}",
        args=["--db", "${PLACE}", "--home", "${HOME}", "--level", "info"],
        env={"TZ": "Asia/Tokyo", "GIT_AUTHOR_NAME": "小明", "DEBUG": "1"},
    )
    text = f"{sys.executable} /data/水文.db /home/小明 info Asia/Tokyo 小明 1"
    assert config.secrets.text(text) == text
    assert config.secrets.data([text]) == [text]
    assert config.shown()["env"] == {"TZ": "***", "GIT_AUTHOR_NAME": "***", "DEBUG": "***"}
    assert resolved(command="x", env={"A": "${REGION}"}).secrets.text("in 华北-north") == "in ***"


def test_a_secret_of_several_lines_is_masked_line_by_line() -> None:
    key = f"-----BEGIN-----\n{'a' * 40}\n{'b' * 40}\n-----END-----"
    assert "aaaa" not in Secrets([key]).text(f"read {'a' * 40}")


@settings(max_examples=50)
@given(st.text(min_size=6, max_size=9), st.dictionaries(st.text(), st.lists(st.text() | st.integers())))
def test_masking_keeps_the_shape(secret: str, value: dict[str, list[Any]]) -> None:
    masked = Secrets([secret]).data({"value": value, "secret": f"<{secret}>"})
    assert secret not in masked["secret"]
    assert [len(part) for part in masked["value"].values()] == [len(part) for part in value.values()]
    assert Secrets().data(value) == value


def test_the_real_environment_is_not_read() -> None:
    assert "PATH" in os.environ
    with pytest.raises(SettingsInvalid, match="PATH is not set"):
        resolve_entry("a", {"command": "${PATH}"}, {})
