"""Everything that reached a browser, and the search for marks in it, through the usual encodings."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import unquote_to_bytes, urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, Request, WebSocket

_MARK = re.compile(rb"zq(?:hidden|shown)[a-z0-9]{1,30}qz", re.IGNORECASE)
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){8,}")
_ZLIB_STARTS = (b"\x1f\x8b\x08", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_DEEPEST = 3
# What the browser holds after a page has been drawn: shadow roots included, which page.content() leaves out.
_STATE_OF_PAGE = """() => {
  const texts = [document.title, document.cookie, location.href];
  const walk = root => {
    for (const element of root.querySelectorAll('*')) {
      if (element.tagName === 'SCRIPT' || element.tagName === 'STYLE') continue;
      for (const attribute of element.attributes) texts.push(attribute.value);
      for (const node of element.childNodes) if (node.nodeType === 3 || node.nodeType === 8) texts.push(node.data);
      if ('value' in element) texts.push(String(element.value));
      if (element.shadowRoot) walk(element.shadowRoot);
    }
  };
  walk(document);
  for (const store of [localStorage, sessionStorage])
    for (let i = 0; i < store.length; i += 1) texts.push(store.key(i), store.getItem(store.key(i)));
  for (const entry of performance.getEntries()) texts.push(entry.name);
  return texts.join('\\n');
}"""


@dataclass(frozen=True)
class Chunk:
    """One thing that was sent, with where it came from."""

    origin: str
    content: bytes

    @property
    def is_code(self) -> bool:
        """Whether it is our viewer's bundle: the same for everybody, so searched as it stands."""
        return self.origin.startswith("body of") and "/assets/viewer/" in self.origin


@dataclass
class Transcript:
    """Records everything a browser context receives from now on."""

    context: BrowserContext
    chunks: list[Chunk] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    under_way: int = 0

    def __post_init__(self) -> None:
        self.context.on("request", lambda _: self._begin())
        self.context.on("requestfailed", lambda _: self._end())
        self.context.on("requestfinished", self._take_request)
        self.context.on("console", self._take_console)
        self.context.on("page", self._take_page)

    def add(self, origin: str, content: bytes | str) -> None:
        """Note one thing that was sent."""
        self.chunks.append(Chunk(origin, content.encode() if isinstance(content, str) else content))

    def look(self, page: Page) -> None:
        """Note what a page shows and keeps: texts, attributes and values through all shadow roots, storage, cookies."""
        self.add(f"DOM of {page.url}", page.evaluate(_STATE_OF_PAGE))
        self.add("cookies", repr(self.context.cookies()))

    def origins(self) -> set[str]:
        """Return where things came from, by kind."""
        return {chunk.origin.split(" ")[0] for chunk in self.chunks}

    def since(self, number: int) -> list[Chunk]:
        """Return what came after the first `number` chunks."""
        return self.chunks[number:]

    def _take_page(self, page: Page) -> None:
        page.on("websocket", self._take_socket)

    def _take_socket(self, socket: WebSocket) -> None:
        self.add("URL", socket.url)
        socket.on("framereceived", lambda payload: self.add("websocket frame", payload))

    def _take_console(self, message: ConsoleMessage) -> None:
        self.add("console", message.text)

    def settle(self, page: Page) -> None:
        """Wait until every answer has been read: after the next navigation the browser would not have it any more."""
        for _ in range(100):
            if self.under_way == 0:
                return
            page.wait_for_timeout(50)

    def _begin(self) -> None:
        self.under_way += 1

    def _end(self) -> None:
        self.under_way -= 1

    def _take_request(self, request: Request) -> None:
        self._take_response(request)
        self._end()

    def _take_response(self, request: Request) -> None:
        self.add("URL", request.url)
        if request.url.startswith("blob:"):
            # Made within the browser from what had come through the websocket.
            return
        response = request.response()
        if response is None:
            return
        self.add(f"headers of {request.url}", repr(response.headers_array()))
        # Streamlit's own files are what its package holds, and a redirect has no body.
        if response.status in {204, 301, 303, 304, 307} or "/static/" in request.url:
            return
        try:
            self.add(f"body of {request.url}", response.body())
        except Error as error:
            # A page sends its draft on its way out, and asks Streamlit's two fixed answers again on its way in: what
            # was meant for the page before reaches nobody, so the browser does not keep it.
            if not request.url.endswith(("/reading/draft", "/_stcore/health", "/_stcore/host-config")):
                self.unread.append(f"{route_of(request.url)}: {error}")


def route_of(url: str) -> str:
    """Return the first two parts of an address's path, which name the route: the third may be a token."""
    return "/".join(urlsplit(url).path.split("/")[:3])


def marks_in(chunks: Iterable[Chunk]) -> dict[str, str]:
    """Return every mark found, with the first place it was found in."""
    origins: dict[str, str] = {}
    for chunk in chunks:
        for word in _marks_of(chunk.content, chunk.is_code):
            origins.setdefault(word, chunk.origin)
    return origins


@lru_cache(maxsize=4096)
def _marks_of(content: bytes, is_code: bool) -> frozenset[str]:
    inner = [content] if is_code else readings(content)
    return frozenset(hit.decode().lower() for reading in inner for hit in _MARK.findall(reading))


def words_in(chunks: Iterable[Chunk], words: Iterable[str]) -> dict[str, str]:
    """Return which of `words` occur, with the first place."""
    wanted = [(word, word.lower().encode()) for word in words]
    origins: dict[str, str] = {}
    for chunk in chunks:
        for content in [chunk.content] if chunk.is_code else readings(chunk.content):
            lowered = content.lower()
            for word, needle in wanted:
                if needle in lowered:
                    origins.setdefault(word, chunk.origin)
    return origins


def readings(content: bytes, depth: int = 0) -> Iterator[bytes]:
    """Yield the bytes themselves and what they hold in other encodings, a few layers deep."""
    yield content
    if depth == 0:
        for coding in ("utf-16-le", "utf-16-be"):
            yield content.decode(coding, "ignore").encode("utf-8", "ignore")
        yield unquote_to_bytes(content)
    if depth >= _DEEPEST:
        return
    for inner in _unpacked(content):
        yield from readings(inner, depth + 1)


def _unpacked(content: bytes) -> Iterator[bytes]:
    for start in _ZLIB_STARTS:
        for place in re.finditer(re.escape(start), content):
            inner = _inflated(content[place.start() :])
            if inner:
                yield inner
    for run in _BASE64.findall(content):
        plain = run.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
        # Other letters may stand right before the encoded ones, so each of four beginnings is tried.
        for start in range(4):
            part = plain[start:]
            yield base64.b64decode(part[: len(part) // 4 * 4] + _last_letters(part))
    for run in _HEX.findall(content):
        yield bytes.fromhex(run.decode())


def _last_letters(part: bytes) -> bytes:
    """Return the incomplete last group of a base64 text, filled up; a single letter left over holds no byte."""
    rest = part[len(part) // 4 * 4 :]
    return rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""


def _inflated(content: bytes) -> bytes:
    try:
        return zlib.decompressobj(47).decompress(content, 50_000_000)
    except zlib.error:
        return b""
