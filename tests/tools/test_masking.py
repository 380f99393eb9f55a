"""Secrets that were sent are not shown."""

import copy
from typing import Any

import httpx
import pytest

from switchyard.tools.api_caller import secrets_of
from switchyard.tools.core.masking import is_secret_name, masked, shown_arguments, without_keys, without_said
from switchyard.tools.web.request import shown_url, without_secrets


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "Proxy-Authorization",
        "X-Api-Key",
        "api_key",
        "apikey",
        "key",
        "access_token",
        "accessToken",
        "client_secret",
        "X-Subscription-Token",
        "Ocp-Apim-Subscription-Key",
        "password",
        "Cookie",
        "X-Auth",
        "sig",
        "appid",
        "passphrase",
        "key_passphrase",
        "session_id",
        "sessionId",
        "sessionid",
        "session id",
        "JSESSIONID",
        "PHPSESSID",
        "jwt",
        "bearer",
        "verification_code",
        "auth_code",
        "密码",
        "数据库密码",
        "口令",
        "访问令牌",
        "密钥",
        "API密钥",
        "秘钥",
        "私钥",
        "验证码",
        "授权码",
        "会话ID",
    ],
)
def test_names_of_secrets(name: str):
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("keyword", "author", "q", "monkey", "design", "Accept", "page", "assess_id", "process_id", "author_code"),
        *("token_count", "max_tokens", "tokenCount", "bearer_count", "sort key"),
        *("关键字", "密码学", "密码长度", "令牌数", "最大令牌数", "公钥", "验证码长度", "会话", "会计凭证"),
    ],
)
def test_names_of_other_things(name: str):
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("TOKEN_FILE", "--api-key", "AUTH_HEADER", "PGPASSWORD", "SENTRY_DSN", "密码文件"),
        *("SESSION", "MYKEY", "PRIVATE_DATA", "AUTHTOKENS", "令牌库"),  # rather one too many
    ],
)
def test_in_a_configuration_a_name_that_speaks_of_a_secret_is_one(name: str):
    assert is_secret_name(name, anywhere=True)


@pytest.mark.parametrize("name", ["GIT_AUTHOR_NAME", "LANG", "PATH", "关键字", "公钥"])
def test_in_a_configuration_other_names_are_none(name: str):
    assert not is_secret_name(name, anywhere=True)


def test_a_url_is_shown_without_secrets():
    url = "https://me:pw@example.com/路?key=k-1234567&q=水&key=other"
    assert without_secrets(url) == "https://example.com/%E8%B7%AF?key=***&q=%E6%B0%B4"
    assert without_secrets("https://example.com/?q=a+b") == "https://example.com/?q=a+b"


def test_a_long_url_is_cut_where_a_sentence_holds_it():
    url = "https://example.com/" + "a" * 300
    assert len(shown_url(url)) == 200
    assert without_secrets(url) == url


def test_secrets_are_found_in_every_place():
    url = httpx.URL("https://me:pass-1234@example.com/?token=t-123456&q=水")
    found = secrets_of(url, {"sig": "s-123456", "q": "x"}, {"Authorization": "Bearer b-123456", "Accept": "text/html"})
    assert {"pass-1234", "t-123456", "s-123456", "b-123456", "bWU6cGFzcy0xMjM0"} <= found
    assert not {"水", "x", "text/html"} & found


def test_a_text_is_masked_however_the_secret_is_written():
    assert masked('a "k/1\\"234" 水 k%2F1%22234', ['k/1"234']) == 'a "***" 水 ***'
    assert masked("密钥 abcdefgh 与 abcdef", ["abcdef", "abcdefgh"]) == "密钥 *** 与 ***"
    assert masked("page 1 of 12", ["1", "", "12"]) == "page 1 of 12"


def test_every_text_in_a_value_is_masked():
    value = {"a-secret": ["x a-secret", 5, None, {"水": "a-secret"}]}
    assert masked(value, {"a-secret"}) == {"***": ["x ***", 5, None, {"水": "***"}]}


def test_what_looks_like_a_key_is_masked():
    assert without_keys("钥匙 sk-abcdefgh1234 and ghp_abcdefgh1234") == "钥匙 *** and ***"
    assert without_keys("Bearer abc, ask-me-anything-now") == "Bearer *** ask-me-anything-now"
    assert without_keys("带上Bearer abc，再试。") == "带上Bearer ***，再试。"


_SIGNED = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl_-1"
_PEM = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEow+/IBAAK=\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    "key",
    [
        "github_pat_11ABCDEFG0aBcDeFgHiJkL_mnopqrstuvwxyz",
        "gho_abcdefgh1234",
        "AKIAIOSFODNN7EXAMPLE",
        "glpat-ab_cdEFgh-12345678.01",
        "AIzaSyA-1234567890abcdefghijklmnopqrstu",
        "xoxb-123456789012-abcdef",
        "xoxs-123456789012-abcdef",
        _SIGNED,
        _PEM,
        _PEM.replace("\n", "\\n"),
    ],
)
@pytest.mark.parametrize(
    ("before", "after"), [("use ", ", please."), ("用", "，谢谢。"), ('{"a": "', '"}'), ("x=", "\n")]
)
def test_keys_of_services_are_known_as_they_are_written(key: str, before: str, after: str):
    assert without_keys(before + key + after) == f"{before}***{after}"
    assert without_said(before + key + after) == f"{before}***{after}"


def test_a_private_key_that_is_cut_off_is_masked_as_far_as_it_goes():
    assert without_keys(f"钥匙：{_PEM[:60]}") == "钥匙：***"
    assert without_keys(f"{_PEM[:60]}，后面的话。") == "***，后面的话。"


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLEX is too long, akiaiosfodnn7example too small",
        "see eyJ and AIza, key.json, www.example.com",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "密码学是研究密码的学科；令牌：一种凭证。",
        '{"密码学": "一门学科", "token_count": "12"}',
        "git clone ssh://git@host.example/a.git && psql postgres://reader@db.example/水文",
        "redis://cache.example:6379/0?email=a@b.example",
        "https://hooks.slack.com/docs and https://discord.com/api/webhooks",
        "https://a.example/路/@水?page=2#第一节",
    ],
)
def test_ordinary_texts_stay(text: str):
    assert without_said(text) == text
    assert shown_arguments({"text": text, "key": "city", "sort key": "a"}) == {
        "text": text,
        "key": "city",
        "sort key": "a",
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgres://u:pw@db.example/a", "postgres://***@db.example/a"),
        ("连到postgresql+asyncpg://u:p@w@db.example:5432/水", "连到postgresql+asyncpg://***@db.example:5432/水"),
        ("redis://:pw@h.example:6379/0", "redis://***@h.example:6379/0"),
        ("amqp://guest:guest@mq.example，然后", "amqp://***@mq.example，然后"),
        ("jdbc:mysql://h.example/db?user=u&password=p", "jdbc:mysql://h.example/db?user=u&password=***"),
        ("git+https://a-token@git.example/a.git", "git+https://***@git.example/a.git"),
        ("https://a.example/#access_token=t1&state=2", "https://a.example/#access_token=***&state=2"),
        ("https://a.example/?密码=p1&页=2", "https://a.example/?密码=***&页=2"),
        ("https://a.example/?%E5%AF%86%E7%A0%81=p1", "https://a.example/?%E5%AF%86%E7%A0%81=***"),
        ("https://hooks.slack.com/services/T0/B0/abc", "https://hooks.slack.com/services/***"),
        ("发到hooks.slack.com/services/T0/B0/abc。", "发到hooks.slack.com/services/***。"),
        ("https://discord.com/api/webhooks/12/ab-c?wait=1", "https://discord.com/api/webhooks/12/***?wait=1"),
        ("https://open.feishu.cn/open-apis/bot/v2/hook/ab-12", "https://open.feishu.cn/open-apis/bot/v2/hook/***"),
        (
            "https://oapi.dingtalk.com/robot/send?access_token=a1",
            "https://oapi.dingtalk.com/robot/send?access_token=***",
        ),
        ('{"密码": "p", "城市": "安阳"}', '{"密码": "***", "城市": "安阳"}'),
        ("{'passphrase': 'p", "{'passphrase': '***"),
    ],
)
def test_texts_are_shown_without_logins_and_named_secrets(text: str, shown: str):
    assert without_said(text) == shown


def test_every_secret_piece_is_handed_to_the_mask():
    pieces: list[Any] = []

    def note(piece: Any) -> str:
        pieces.append(piece)
        return f"<{len(pieces)}>"

    shown = shown_arguments(
        {
            "dsn": "postgres://u:pw@db.example/a",
            "hook": "https://hooks.slack.com/services/T0/B0/abc",
            "text": f"jwt {_SIGNED}.",
            "口令": 4711,
        },
        note,
    )
    assert shown == {
        "dsn": "postgres://<1>@db.example/a",
        "hook": "https://hooks.slack.com/services/<2>",
        "text": "jwt <3>.",
        "口令": "<4>",
    }
    assert pieces == ["u:pw", "T0/B0/abc", _SIGNED, 4711]


def test_what_is_masked_stays_as_it_is_when_it_is_shown_again():
    arguments = {"a": "redis://:pw@h.example", "b": "hooks.slack.com/services/T0/B0/abc", "密码": "p", "c": _PEM}
    once = shown_arguments(arguments)
    assert shown_arguments(once) == once


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (
            {"headers": {"Authorization": "Bearer b-123", "Accept": "x"}},
            {"headers": {"Authorization": "***", "Accept": "x"}},
        ),
        ({"headers": {"X-Api-Key": "1"}, "查询": "水"}, {"headers": {"X-Api-Key": "***"}, "查询": "水"}),
        ({"headers": [{"name": "Cookie", "value": "s=1"}]}, {"headers": [{"name": "Cookie", "value": "***"}]}),
        ({"url": "https://me:pw@a.example/?token=t1&q=水"}, {"url": "https://***@a.example/?token=***&q=水"}),
        ({"text": "见 https://a.example/?key=k1 。"}, {"text": "见 https://a.example/?key=*** 。"}),
        ({"url": "https://a.example/路?q=水"}, {"url": "https://a.example/路?q=水"}),
        ({"body": '{"user": "李", "password": "p"}'}, {"body": '{"user": "李", "password": "***"}'}),
        ({"body": "{not json sk-abcdefgh1234"}, {"body": "{not json ***"}),
        ({"body": '{"用户": "李", "密码": "p"}'}, {"body": '{"用户": "李", "密码": "***"}'}),
        ({"口令": "p", "jwt": "j", "passphrase": "p"}, {"口令": "***", "jwt": "***", "passphrase": "***"}),
        ({"fields": [{"name": "验证码", "value": "1234"}]}, {"fields": [{"name": "验证码", "value": "***"}]}),
        ({"key": "city", "password": ""}, {"key": "city", "password": ""}),
        ({"token": {"value": "t"}, "n": 5}, {"token": "***", "n": 5}),
        ({"url": "http://[bad"}, {"url": "http://[bad"}),
    ],
)
def test_arguments_are_shown_without_secrets(given: dict[str, Any], shown: dict[str, Any]):
    before = copy.deepcopy(given)
    assert shown_arguments(given) == shown
    assert given == before  # the call needs them as they are


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("user=u&password=FORMSECRET", "user=u&password=***"),
        ("用户=u&密码=FORMSECRET", "用户=u&密码=***"),
        ("X-Api-Key: SECRET12\nAccept: text/html", "X-Api-Key: ***\nAccept: text/html"),
        ("the password: see the wiki, page=3", "the password: see the wiki, page=3"),
        ("x=1&y=2", "x=1&y=2"),
    ],
)
def test_a_form_and_headers_as_text_are_shown_without_their_secrets(text: str, shown: str) -> None:
    assert shown_arguments({"body": text}) == {"body": shown}
