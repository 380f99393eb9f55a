"""Where tools may connect: public addresses, checked ones, and what the owner allows."""

import datetime as dt
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from switchyard.tools.core import RetryTool, ToolFailed
from switchyard.tools.core.network import NetworkPolicy
from switchyard.tools.web.request import allowed_addresses, fetch, is_public
from tests.support.web_server import Names, WebServer, moved, page, web_server


@pytest.fixture
def server() -> Iterator[WebServer]:
    with web_server() as running:
        running.pages["/"] = page("hello 你好")
        yield running


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",  # noqa: S104
        "10.1.2.3",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "127.8.8.8",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.192",
        "192.0.2.1",
        "192.168.0.1",
        "198.18.0.1",
        "203.0.113.9",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:a9fe:a9fe::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "ff02::1",
    ],
)
def test_addresses_that_are_not_public(address: str):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "93.184.216.34",
        "172.32.0.1",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::",
    ],
)
def test_public_addresses(address: str):
    assert is_public(address)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "0.0.0.0",  # noqa: S104
        "0",
        "127.1",
        "0x7f.1",
        "2130706433",
        "017700000001",
    ],
)
async def test_this_machine_is_refused_under_every_name(server: WebServer, host: str):
    with pytest.raises(ToolFailed, match="private, local or reserved") as caught:
        await fetch(NetworkPolicy(), f"http://{host}:{server.port}/")
    assert caught.value.kind == "permission"
    assert server.asked == []


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://127。0。0。1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[fd00:ec2::254]/latest/meta-data/",
        "https://10.0.0.1/",
        "http://user:hunter22@192.168.1.1/admin",
    ],
)
async def test_private_and_metadata_addresses_are_refused(url: str):
    with pytest.raises(ToolFailed) as caught:
        await fetch(NetworkPolicy(), url)
    assert caught.value.kind == "permission"
    assert "hunter22" not in str(caught.value)


async def test_a_refusal_says_how_to_allow_it(server: WebServer):
    with pytest.raises(ToolFailed) as caught:
        await fetch(NetworkPolicy(), server.url)
    entry = str(caught.value).rpartition("APP_ALLOW_PRIVATE=")[2].rstrip(".")
    assert (await fetch(NetworkPolicy(allow_private=(entry,)), server.url)).body == "hello 你好".encode()
    with pytest.raises(ToolFailed, match=r"APP_ALLOW_PRIVATE=\[::1\]:80\."):
        await fetch(NetworkPolicy(), "http://[::1]/")


@pytest.mark.parametrize(
    ("entries", "host", "port", "allowed"),
    [
        (("*",), "10.0.0.1", 80, True),
        (("wiki.lan",), "wiki.lan", 8080, True),
        ((" Wiki.LAN:8080 ",), "wiki.lan", 8080, True),
        (("wiki.lan:8080",), "wiki.lan", 80, False),
        (("wiki.lan",), "other.wiki.lan", 80, False),
        (("::1",), "::1", 80, True),
        (("[::1]",), "::1", 80, True),
        (("[::1]:80",), "::1", 80, True),
        (("[::1]:80",), "::1", 81, False),
        ((), "wiki.lan", 80, False),
    ],
)
async def test_what_the_owner_allows(entries: tuple[str, ...], host: str, port: int, *, allowed: bool):
    names = Names("10.0.0.1 10.0.0.2")
    if allowed:
        assert await allowed_addresses(NetworkPolicy(entries), host, port, names) == ["10.0.0.1", "10.0.0.2"]
    else:
        with pytest.raises(ToolFailed, match="private"):
            await allowed_addresses(NetworkPolicy(entries), host, port, names)


async def test_one_private_address_among_public_ones_is_enough_to_refuse():
    with pytest.raises(ToolFailed, match="private"):
        await allowed_addresses(NetworkPolicy(), "mixed.example", 80, Names("93.184.216.34 10.0.0.1"))
    assert await allowed_addresses(NetworkPolicy(), "a.example", 80, Names("93.184.216.34")) == ["93.184.216.34"]


async def test_a_name_is_looked_up_once_and_that_address_used(server: WebServer):
    """A name that changes its mind after the check gains nothing: it is not asked again."""
    names = Names("127.0.0.1", "127.0.0.9")
    policy = NetworkPolicy(allow_private=(f"rebind.example:{server.port}",))
    reply = await fetch(policy, f"http://rebind.example:{server.port}/", resolve=names)
    assert reply.status == 200
    assert names.asked == ["rebind.example"]
    assert server.asked[0].headers["host"] == f"rebind.example:{server.port}"


async def test_a_redirect_to_a_name_that_has_turned_private_is_refused(server: WebServer):
    server.pages["/"] = moved(f"http://turned.example:{server.port}/inside")
    names = Names("127.0.0.1", "127.0.0.1")
    with pytest.raises(ToolFailed, match=r"'turned\.example' leads into a private"):
        await fetch(server.policy, server.url, resolve=names)
    assert [asked.path for asked in server.asked] == ["/"]


async def test_the_next_address_is_tried_when_one_does_not_answer(server: WebServer):
    names = Names("127.0.0.77 127.0.0.1")
    reply = await fetch(NetworkPolicy(("*",)), f"http://two.example:{server.port}/", resolve=names)
    assert reply.status == 200


async def test_a_name_nobody_knows():
    with pytest.raises(ToolFailed, match=r"'no-such-host\.invalid' cannot be found") as caught:
        await fetch(NetworkPolicy(), "http://no-such-host.invalid/")
    assert caught.value.kind in {"not_found", "unavailable"}


async def test_a_chinese_host_name_reaches_the_name_service_encoded(server: WebServer):
    names = Names("127.0.0.1")
    await fetch(NetworkPolicy(("*",)), f"http://例子.测试:{server.port}/", resolve=names)
    assert names.asked == ["xn--fsqu00a.xn--0zwm56d"]


@pytest.mark.parametrize("to", ["http://169.254.169.254/latest", "http://localhost:{port}/", "//[::1]:{port}/"])
async def test_a_redirect_into_a_private_network_is_refused(server: WebServer, to: str):
    server.pages["/away"] = moved(to.format(port=server.port))
    with pytest.raises(ToolFailed, match=r"/away redirected to http://.*, which is a private address\.") as caught:
        await fetch(server.policy, server.url + "/away")
    assert caught.value.kind == "permission"
    assert [asked.path for asked in server.asked] == ["/away"]


@pytest.mark.parametrize("host", ["a b", "x" * 70 + ".example", "a..b"])
async def test_an_impossible_host_name(host: str):
    with pytest.raises((ToolFailed, RetryTool)) as caught:
        await fetch(NetworkPolicy(), f"http://{host}/")
    assert caught.value.kind in {"not_found", "unavailable", "bad_arguments"}


def test_a_policy_does_not_show_its_key():
    policy = NetworkPolicy(search_provider="brave", search_key="k-12345", search_url="https://me:pw-123@host")
    assert "k-12345" not in repr(policy)
    assert "pw-123" not in repr(policy)


async def test_a_certificate_is_checked_against_the_name(tmp_path: Path):
    own, trusting = _certificate_for("site.example", tmp_path)
    with web_server(own) as secure:
        secure.pages["/"] = page("safe 安全")
        policy = NetworkPolicy(("*",))
        reply = await fetch(policy, f"https://site.example:{secure.port}/", resolve=Names("127.0.0.1"), tls=trusting)
        assert reply.body.decode() == "safe 安全"
        with pytest.raises(ToolFailed, match="CERTIFICATE_VERIFY_FAILED") as caught:
            await fetch(policy, f"https://other.example:{secure.port}/", resolve=Names("127.0.0.1"), tls=trusting)
        assert caught.value.kind == "unavailable"
        with pytest.raises(ToolFailed, match="CERTIFICATE_VERIFY_FAILED"):
            await fetch(policy, f"https://site.example:{secure.port}/", resolve=Names("127.0.0.1"))


def _certificate_for(host: str, folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """What a server of that name shows, and what a client has that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "server.pem").write_bytes(pem + secret)
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(folder / "server.pem")
    return own, ssl.create_default_context(cadata=pem.decode())
