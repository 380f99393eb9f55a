"""A web site on loopback with the pages that browsers meet: plain, Chinese, slow, broken, and full of traps."""

import contextlib
import threading
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import cast
from urllib.parse import parse_qs, urlsplit

PAGES = {
    "/en": """<title>Harbour</title><h1>Harbour news</h1>
        <ul><li class=item>First ship</li><li class=item>Second ship</li></ul>
        <a id=next href=/zh>Next page</a> <p hidden>not shown</p>""",
    "/zh": """<title>港口</title><h1>港口消息</h1><ul><li class=条目>第一艘船</li><li class=条目>第二艘船</li></ul>
        <a id=返回 href=/en>返回首页</a>""",
    "/form": """<title>Form</title><form action=/result><label>Search <input name=q id=search-box></label>
        <select name=lang id=lang><option value=en>English<option value=zh>中文</select>
        <button id=submit-button>Search</button></form>""",
    "/dialog": """<title>Dialog</title>
        <button id=ask onclick="out.textContent = confirm('Delete it? 删除吗？')">Ask</button>
        <button id=tell onclick="alert('done'); out.textContent = 'told'">Tell</button><p id=out></p>""",
    "/popup": """<title>Popup</title><button id=open onclick="window.open('/zh')">Open</button>""",
    "/blank": "<title>Blank</title><a id=open href=/zh target=_blank rel=noopener>打开</a>",
    "/flood": """<title>Flood</title>
        <button id=open onclick="for (let i = 0; i < 8; i++) window.open('/en?' + i)">Go</button>""",
    "/save": """<title>Save</title><a id=save href=/download>Save it</a>""",
    "/covered": """<title>Covered</title><button id=under>Under</button>
        <div class=overlay style="position:fixed;inset:0">in the way</div>""",
    "/disabled": "<title>Disabled</title><button id=off disabled>Off</button>",
    "/many": "<title>Many</title><button class=go id=first>First</button><button class=go id=second>第二个</button>",
    "/late": """<title>Late</title><body></body>
        <script>setTimeout(() => document.body.innerHTML = '<p id=late>arrived 到了</p>', 1000)</script>""",
    "/post": """<title>Post</title><form action=/echo method=post accept-charset=utf-8>
        <textarea name=text></textarea><button id=send>Send</button></form>""",
    "/alerts": "<title>Alerts</title><script>while (true) alert('again')</script>",
    "/shared": "<title>Shared</title><p class=price>1</p><p class=price>2</p>",
    "/waiting-image": "<title>Image</title><h1>Text before</h1><img src=/never>",
    "/busy": "<title>Busy</title><h1>Busy</h1><script>while (true) {}</script>",
    "/leave": """<title>Leave</title><button id=stay>Stay</button>
        <script>addEventListener('beforeunload', event => event.preventDefault())</script>""",
    "/cookie": "<title>Cookie</title><p id=cookie></p><script>cookie.textContent = document.cookie || 'none'</script>",
    "/tall": '<title>Tall</title><div style="height:3000px">tall</div>',
    "/empty": "",
}


_REACH = """<title>Reach</title><p id=out>waiting</p><img src='{to}'><iframe src='{to}'></iframe>
    <script>fetch('{to}').then(() => 'reached', () => 'refused').then(text => out.textContent = text)</script>"""
_SOCKET = """<title>Socket</title><p id=out>waiting</p><script>const socket = new WebSocket('{to}');
    socket.onopen = () => out.textContent = 'reached'; socket.onerror = () => out.textContent = 'refused'</script>"""
_CALL = """<title>Call</title><p id=out>waiting</p><script>
    const call = new RTCPeerConnection({iceServers: [{urls: 'stun:{to}'}]});
    call.onicegatheringstatechange = () => { if (call.iceGatheringState === 'complete') out.textContent = 'gathered' };
    call.createDataChannel('x');
    call.createOffer().then(offer => call.setLocalDescription(offer));</script>"""
_TRANSPORT = """<title>Transport</title><p id=out>waiting</p><script>
    new WebTransport('https://{to}/').ready.then(() => 'reached', () => 'refused').then(text => out.textContent = text)
    </script>"""
_WITH_QUERY = {
    "/call": _CALL,
    "/transport": _TRANSPORT,
    "/refresh": "<title>Refresh</title><meta http-equiv=refresh content='0; url={to}'>",
    "/link": "<title>Link</title><a id=go href='{to}'>Go</a>",
    "/window": "<title>Window</title><button id=go onclick=\"window.open('{to}')\">Go</button>",
    "/reach": _REACH,
    "/socket": _SOCKET,
    "/result": "<title>Result</title><p id=found>{q} / {lang}</p>",
}

_NO_ICON = "<link rel=icon href=data:,>"  # browsers ask for one at any time otherwise


@dataclass(slots=True)
class Site:
    """The address of a running site, and what it was asked for."""

    host: str
    requests: list[str] = field(default_factory=list[str])
    closing: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str) -> str:
        return f"http://{self.host}{path}"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    site: Site


@contextlib.contextmanager
def running_site() -> Generator[Site]:
    """Serve the pages until the end of the block."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.site = site = Site(f"127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield site
    finally:
        site.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        site = cast("_Server", self.server).site
        site.requests.append(self.path)
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        match parts.path:
            case "/never":
                site.closing.wait()
            case "/half":
                self._send("<title>Half</title><h1>一半 half</h1>" + " " * 4096)
                self.wfile.flush()
                site.closing.wait()
            case "/redirect":
                self._send("", 302, {"Location": query["to"]})
            case "/download":
                self._send("a,b", headers={"Content-Disposition": "attachment; filename=report.csv"})
            case "/set-cookie":
                self._send("<title>Set</title>set", headers={"Set-Cookie": "seen=yes"})
            case "/long":
                self._send("<title>Long</title><p>" + "long text 长文 " * 2_000)
            case path if path in _WITH_QUERY:
                html = _WITH_QUERY[path]
                for name, value in query.items():
                    html = html.replace(f"{{{name}}}", value)
                self._send(html)
            case path if path in PAGES:
                self._send(PAGES[path])
            case _:
                self._send("<title>Not here</title>", 404)

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._send(f"<title>Echo</title><p id=length>{len(parse_qs(text)['text'][0])}</p>")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  named by http.server
        del format, args

    def _send(self, html: str, status: int = 200, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(f"{_NO_ICON}{html}".encode())
