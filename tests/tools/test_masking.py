"""Secrets that were sent are not shown."""

import copy
from typing import Any

import httpx
import pytest

from tools.core.masking import (
    is_secret_name,
    masked,
    masked_json,
    secrets_of,
    shown_arguments,
    shown_url,
    without_keys,
    without_secrets,
)


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
    ],
)
def test_names_of_secrets(name: str):
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name", ["keyword", "author", "q", "monkey", "design", "token_count", "Accept", "关键字", "page"]
)
def test_names_of_other_things(name: str):
    assert not is_secret_name(name)


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
    assert masked_json(value, {"a-secret"}) == {"***": ["x ***", 5, None, {"水": "***"}]}


def test_what_looks_like_a_key_is_masked():
    assert without_keys("钥匙 sk-abcdefgh1234 and ghp_abcdefgh1234") == "钥匙 *** and ***"
    assert without_keys("Bearer abc, ask-me-anything-now") == "Bearer *** ask-me-anything-now"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (
            {"headers": {"Authorization": "Bearer b-123", "Accept": "x"}},
            {"headers": {"Authorization": "***", "Accept": "x"}},
        ),
        ({"headers": {"X-Api-Key": "1"}, "查询": "水"}, {"headers": {"X-Api-Key": "***"}, "查询": "水"}),
        ({"headers": [{"name": "Cookie", "value": "s=1"}]}, {"headers": [{"name": "Cookie", "value": "***"}]}),
        ({"url": "https://me:pw@a.example/?token=t1&q=水"}, {"url": "https://a.example/?token=***&q=%E6%B0%B4"}),
        ({"text": "见 https://a.example/?key=k1 。"}, {"text": "见 https://a.example/?key=*** 。"}),
        ({"url": "https://a.example/路?q=水"}, {"url": "https://a.example/路?q=水"}),
        ({"body": '{"user": "李", "password": "p"}'}, {"body": '{"user": "李", "password": "***"}'}),
        ({"body": "{not json sk-abcdefgh1234"}, {"body": "{not json ***"}),
        ({"key": "city", "password": ""}, {"key": "city", "password": ""}),
        ({"token": {"value": "t"}, "n": 5}, {"token": "***", "n": 5}),
        ({"url": "http://[bad"}, {"url": "http://[bad"}),
    ],
)
def test_arguments_are_shown_without_secrets(given: dict[str, Any], shown: dict[str, Any]):
    before = copy.deepcopy(given)
    assert shown_arguments(given) == shown
    assert given == before  # the call needs them as they are
