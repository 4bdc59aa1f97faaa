"""The HTTP interface under hostile input.

Always the one refusal, never a 5xx, never a redirect, and nothing written.
"""

import asyncio
import dataclasses
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.core.schema import LARGEST_ID
from app.interfaces import http as http_module
from app.interfaces.wire import large_bodies, request_bodies
from app.main import create_app
from app.settings import Settings
from tests.conftest import ORIGIN, UNSYNCED, Client, MovableClock, Served
from tests.support.asking import chunks, exchange, held, request
from tests.support.looping import through

pytestmark = pytest.mark.anyio

BROKEN = {
    "half an object": b"{",
    "half a name": b'{"title',
    "no colon": b'{"title" "x"}',
    "no value": b'{"title":}',
    "no name": b'{:"x"}',
    "a trailing comma": b'{"title":"x",}',
    "a leading comma": b'{,"title":"x"}',
    "two commas": b'{"a":1,,"b":2}',
    "one brace too many": b"{}}",
    "one bracket too many": b'{"tags":["a"]]}',
    "the wrong bracket": b'{"tags":["a"}',
    "text after it": b"{} {}",
    "a word after it": b"{}x",
    "5,000 digits": b'{"folderId":' + b"9" * 5_000 + b"}",
    "a comment": b'{"title":"x"} // x',
    "a comment inside": b'{/* x */"title":"x"}',
    "single quotes": b"{'title':'x'}",
    "no quotes": b'{title:"x"}',
    "NaN": b'{"a":NaN}',
    "Infinity": b'{"a":Infinity}',
    "minus Infinity": b'{"a":-Infinity}',
    "nan": b'{"a":nan}',
    "undefined": b'{"a":undefined}',
    "None": b'{"a":None}',
    "True": b'{"a":True}',
    "a cut word": b'{"a":tru}',
    "a long word": b'{"a":nulll}',
    "hexadecimal": b'{"a":0x10}',
    "octal": b'{"a":010}',
    "a plus sign": b'{"a":+1}',
    "a lone minus": b'{"a":-}',
    "a bare dot": b'{"a":.5}',
    "a dot at the end": b'{"a":1.}',
    "an empty exponent": b'{"a":1e}',
    "a double sign": b'{"a":--1}',
    "an endless float": b'{"a":1e400}',
    "underscores": b'{"a":1_000}',
    "a lone high surrogate": b'{"title":"\\ud800","content":""}',
    "a lone low surrogate": b'{"title":"\\udc00","content":""}',
    "surrogates the wrong way": b'{"title":"\\udc00\\ud800","content":""}',
    "a high surrogate and a letter": b'{"title":"\\ud800x","content":""}',
    "two high surrogates": b'{"title":"\\ud800\\ud800","content":""}',
    "a lone surrogate as a name": b'{"\\ud800":1}',
    "half an escape": b'{"title":"\\u12"}',
    "an unknown escape": b'{"title":"\\x41"}',
    "an open escape": b'{"title":"\\',
    "capital escape": b'{"title":"\\U0041"}',
    "an open text": b'{"title":"x',
    "a line break in a text": b'{"title":"a\nb"}',
    "a tab in a text": b'{"title":"a\tb"}',
    "a raw NUL in a text": b'{"title":"a\0b"}',
    "a NUL": b"\0",
    "a NUL after it": b"{}\0",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"title":"x"}'.encode("utf-16"),
    "UTF-32": "{}".encode("utf-32"),
    "a cut character": b'{"title":"\xe2\x82"}',
    "a lone continuation": b'{"title":"\x80"}',
    "an overlong slash": b'{"title":"\xc0\xaf"}',
    "an encoded surrogate": b'{"title":"\xed\xa0\x80"}',
    "beyond Unicode": b'{"title":"\xf4\x90\x80\x80"}',
    "latin-1": '{"title":"é"}'.encode("latin-1"),
    "a list": b"[]",
    "a list of objects": b'[{"title":"x"}]',
    "a text": b'"title"',
    "an empty text": b'""',
    "a number": b"1",
    "null": b"null",
    "true": b"true",
    "65 levels": b'{"a":' * 65 + b"1" + b"}" * 65,
    "65 levels of lists": b'{"a":' + b"[" * 64 + b"]" * 64 + b"}",
    "1,000 levels": b'{"a":' + b"[" * 999 + b"]" * 999 + b"}",
    "100,000 brackets": b"[" * 100_000,
    "100,000 levels": b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "100,000 braces": b'{"a":' * 100_000,
    "100,000 lists": b'{"title":"x","content":"","tags":[' + b"[]," * 99_999 + b"[]]}",
    "millions of objects": b'{"title":"x","content":"","a":[' + b"{}," * 2_000_000 + b"{}]}",
    "a form": b"title=x&content=y",
    "a part of a form": b'--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n--b--',
    "XML": b"<title>x</title>",
    "a lone quote": b'"',
    "a comma": b",",
}
"""Bodies that are no JSON object."""

STRANGE = {
    "a huge integer": b'{"title":"x","content":"","folderId":1' + b"0" * 400 + b"}",
    "2^63": b'{"title":"x","content":"","folderId":9223372036854775808}',
    "2^64": b'{"title":"x","content":"","folderId":18446744073709551616}',
    "-2^63-1": b'{"title":"x","content":"","folderId":-9223372036854775809}',
    "a fraction": b'{"title":"x","content":"","folderId":1.5}',
    "an id as text": b'{"title":"x","content":"","folderId":"1"}',
    "zero": b'{"title":"x","content":"","folderId":0}',
    "a NUL in the title": b'{"title":"a\\u0000b","content":""}',
    "a NUL in the content": b'{"title":"a","content":"a\\u0000b"}',
    "an object for a text": b'{"title":{},"content":""}',
    "a list for a text": b'{"title":["x"],"content":""}',
    "a text for a list": b'{"title":"x","content":"","tags":"a"}',
    "numbers as tags": b'{"title":"x","content":"","tags":[1]}',
    "lists as tags": b'{"title":"x","content":"","tags":[[]]}',
    "no title": b'{"content":"x"}',
    "no content": b'{"title":"x"}',
    "nothing": b"{}",
    "an empty body": b"",
    "only spaces": b" \r\n\t ",
    "the later of two names": b'{"title":"x","content":"","title":5}',
}
"""Objects that do not fit POST /os/notes."""


@pytest.fixture
async def kept(served: Served, alice: Client) -> AsyncIterator[Client]:
    """Alice, whose calls in this test must leave every table as it is."""
    await alice.note("Here already", "text")
    before = await held(served)
    yield alice
    assert await held(served) == before


@through("body", BROKEN.items())
async def test_a_body_that_is_no_json_object_is_refused_and_nothing_is_written(
    kept: Client, body: bytes
) -> None:
    for method, path in (
        ("POST", "/os/notes"),
        ("POST", "/accumulate"),
        ("PATCH", "/account/settings"),
        ("POST", "/os/notes/1/pin"),
    ):
        await kept.refused(method, path, 400, "invalid_request", content=body)


@through("body", STRANGE.items())
async def test_an_object_that_does_not_fit_is_refused_by_field_and_nothing_is_written(
    kept: Client, body: bytes
) -> None:
    refusal = await kept.refused("POST", "/os/notes", 422, "unprocessable", content=body)
    assert refusal["field"] in refusal["message"]


async def test_64_levels_are_read(alice: Client) -> None:
    body = b'{"title":"deep","content":"","ignored":' + b"[" * 63 + b"]" * 63 + b"}"
    await alice.ok("POST", "/os/notes", status=201, content=body)


async def test_unknown_fields_and_query_names_are_ignored(alice: Client) -> None:
    await alice.ok(
        "POST",
        "/os/notes?more=1&more=2",
        status=201,
        json={"title": "x", "content": "", "more": {"deep": [1]}, "owner_id": 5, "__proto__": {}},
    )
    assert (await alice.ok("GET", "/os/notes?unknown=1&__proto__=x"))["totalNotes"] == 1


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "application/json; charset=utf-8",
        "text/plain",
        "application/octet-stream",
        "x",
        "",
    ],
)
async def test_a_body_is_read_as_json_whatever_it_is_called(alice: Client, kind: str) -> None:
    await alice.ok(
        "POST",
        "/os/notes",
        status=201,
        content=b'{"title":"x","content":""}',
        headers={"Content-Type": kind},
    )


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "gzip, identity", "x", ""])
async def test_a_packed_body_is_refused(kept: Client, coding: str) -> None:
    await kept.refused(
        "POST",
        "/os/notes",
        400,
        "invalid_request",
        field="Content-Encoding",
        content=b"{}",
        headers={"Content-Encoding": coding},
    )


UNKNOWN = [
    "",
    "/",
    "/nothing",
    "/os/nothing",
    "/os/notes/1/nothing",
    "//os/notes",
    "/os//notes",
    "/OS/notes",
    "/os/notes//",
    "/os/notes/1/pin/2",
]


@through("path", [(one, one) for one in UNKNOWN])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS", "BREW"])
async def test_an_unknown_path_is_not_found_with_any_method_and_credential(
    served: Served, path: str, method: str
) -> None:
    answer = await exchange(served, request(method, path))
    assert answer is not None
    assert (answer.status, answer.error) == (404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("DELETE", "/os/notes", "GET, HEAD, POST"),
        ("PUT", "/os/notes/1", "DELETE, GET, HEAD, PATCH"),
        ("GET", "/init", "POST"),
        ("HEAD", "/init", "POST"),
        ("POST", "/os", "GET, HEAD"),
        ("OPTIONS", "/os/notes", "GET, HEAD, POST"),
        ("TRACE", "/os", "GET, HEAD"),
        ("get", "/os", "GET, HEAD"),
        ("CONNECT", "/os", "GET, HEAD"),
        ("GET", "/os/notes/1/pin", "POST"),
        ("PATCH", "/os/trash", "DELETE, GET, HEAD"),
        ("GET", "/os/notes/search/", "POST"),
    ],
)
async def test_a_known_path_refuses_other_methods_and_names_those_it_has(
    served: Served, method: str, path: str, allow: str
) -> None:
    answer = await exchange(served, request(method, path))
    assert answer is not None
    assert (answer.status, answer.error, answer.header("allow")) == (
        405,
        "method_not_allowed",
        allow,
    )


@pytest.mark.parametrize("path", ["/os", "/os/notes", "/identity", "/os/status"])
async def test_a_trailing_slash_makes_no_other_path(resident: Client, path: str) -> None:
    plain, slashed = await resident.get(path), await resident.get(path + "/")
    assert plain.status_code == slashed.status_code == 200
    assert plain.content == slashed.content


async def test_a_trailing_slash_makes_no_other_path_for_writing_either(alice: Client) -> None:
    note = await alice.note()
    assert (await alice.ok("POST", f"/os/notes/{note['id']}/pin/", json={"pinned": True}))[
        "success"
    ]
    assert (await alice.ok("PATCH", f"/os/notes/{note['id']}/", json={"title": "Other"}))["success"]


async def test_head_answers_as_get(alice: Client) -> None:
    for path in ("/os/notes", "/identity", "/os/notes/404", "/nothing"):
        get, head = await alice.get(path), await alice.head(path)
        assert (get.status_code, get.headers["content-length"]) == (
            head.status_code,
            head.headers["content-length"],
        )


IDS = {
    "abc": 400,
    "1.5": 400,
    "1e3": 400,
    "0x1": 400,
    "１": 400,
    "１２": 400,
    "+1": 400,
    "null": 400,
    "1 ": 400,
    " 1": 400,
    "1;2": 400,
    "1,2": 400,
    "\0": 400,
    "1\0": 400,
    "..": 400,
    ".": 400,
    "%": 400,
    "'": 400,
    "1' OR '1'='1": 400,
    "-": 400,
    "\ufffd": 400,
    "é": 400,
    "x" * 5_000: 400,
    "-1": 404,
    "0": 404,
    "00": 404,
    "-0": 404,
    str(LARGEST_ID): 404,
    str(2**53): 404,
    str(2**63): 404,
    str(2**64): 404,
    "1" + "0" * 30: 404,
    "9" * 5_000: 404,
    "0" * 5_000: 404,
    "404": 404,
}


@pytest.mark.parametrize(
    "path",
    [
        "/os/notes/{}",
        "/os/notes/{}/pin",
        "/os/snapshots/{}/seq/1",
        "/os/snapshots/1/{}",
        "/os/trash/note/{}/restore",
    ],
)
async def test_an_id_in_a_path_is_a_number_that_may_exist(
    served: Served, kept: Client, path: str
) -> None:
    method, body = (
        ("POST", b'{"pinned":true}') if path.endswith(("pin", "restore")) else ("GET", b"")
    )
    for text, status in IDS.items():
        answer = await exchange(
            served,
            request(method, path.format(text), [("authorization", kept.headers["authorization"])]),
            chunks(body),
        )
        assert answer is not None
        assert (answer.status, answer.error) == (
            status,
            "invalid_request" if status == 400 else "not_found",
        ), ascii(text)[:30]


BAD_QUERIES = [
    "limit=0",
    "limit=-1",
    "limit=x",
    "limit=",
    "limit=1.5",
    "limit=1e3",
    "limit=" + "9" * 5_000,
    "limit=%00",
    "limit=１",
    "offset=-1",
    "offset=x",
    "offset=" + "9" * 19,
    "folderId=abc",
    "folderId=0",
    "folderId=-5",
    f"folderId={2**53}",
    "folderId=" + "9" * 30,
    "recursive=yes",
    "recursive=TRUE",
    "recursive=",
    "recursive=2",
    "sort=size",
    "sort=",
    "order=up",
    "tag=",
    "tag=" + "x" * 66,
    "folderName=",
    "folderName=" + "x" * 10_001,
    "folderName=%00",
    "folderId=1&folderId=x",
    "limit=%ff",
    "tag=%ff%fe",
    "tag=%ed%a0%80",
    "folderName=%c0%af",
]


@through("query", [(one, one) for one in BAD_QUERIES])
async def test_a_bad_parameter_is_refused(kept: Client, query: str) -> None:
    await kept.refused("GET", f"/os/notes?{query}", 400, "invalid_request")


@pytest.mark.parametrize("raw", [b"tag=\xff", b"tag=\xc3\xa9", b"\x80=1", b"tag=%FF", b"%ff=1"])
async def test_a_query_that_is_not_utf8_is_refused(
    served: Served, kept: Client, raw: bytes
) -> None:
    answer = await exchange(
        served,
        request("GET", "/os/notes", [("authorization", kept.headers["authorization"])], query=raw),
    )
    assert answer is not None
    assert (answer.status, answer.error) == (400, "invalid_request")


GOOD_QUERIES = [
    "",
    "&",
    "&&",
    "=",
    "limit=1",
    "limit=200",
    "limit=201",
    f"limit={2**53 - 1}",
    "recursive=true",
    "recursive=0",
    "recursive=1&recursive=false",
    "tag=%zz",
    "tag=%",
    "tag=a+b",
    "tag=a%26b",
    "x",
    "%00=1",
    "offset=" + str(LARGEST_ID),
]


@through("query", [(one, one) for one in GOOD_QUERIES])
async def test_a_good_query_is_taken(kept: Client, query: str) -> None:
    await kept.ok("GET", f"/os/notes?{query}")


@pytest.mark.parametrize(
    ("name", "path"), [("max_body", "/os/notes"), ("max_accumulate_body", "/accumulate")]
)
@pytest.mark.parametrize("over", [-1, 0, 1])
@pytest.mark.parametrize("way", ["declared", "chunked", "one chunk", "declared less"])
async def test_a_body_may_have_so_many_bytes_and_not_one_more(
    data: Path, clock: MovableClock, name: str, path: str, over: int, way: str
) -> None:
    settings = dataclasses.replace(Settings(durability=UNSYNCED, rate_limit=0), **{name: 1000})
    asgi = create_app(settings, data, clock=clock)
    async with asgi.router.lifespan_context(asgi):
        served = Served(asgi, asgi.state.parts)
        alice = await served.person("alice")
        before = await held(served)
        body = b'{"texts":[],"padding":"%s"}' % (b"x" * (1000 + over - 25))
        assert len(body) == 1000 + over
        headers = [("authorization", alice.headers["authorization"])]
        length = {"declared": len(body), "declared less": 10}.get(way)
        parts = (
            [body] if way in ("declared", "one chunk") else [body[:500], body[500:990], body[990:]]
        )
        answer = await exchange(
            served,
            request("POST", path, headers + ([("content-length", str(length))] if length else [])),
            chunks(*parts),
        )
        await alice.aclose()
        assert answer is not None
        if over > 0:
            assert (answer.status, answer.error, json.loads(answer.body)["limitBytes"]) == (
                413,
                "payload_too_large",
                1000,
            )
        else:
            assert answer.status in (400, 422)
        assert await held(served) == before


async def test_a_body_declared_too_large_is_refused_before_it_comes(
    served: Served, alice: Client
) -> None:
    async def never() -> Any:
        raise AssertionError("the body was asked for")

    for length in (str(2**40), "9" * 5_000):
        headers = [("authorization", alice.headers["authorization"]), ("content-length", length)]
        answer = await exchange(served, request("POST", "/os/notes", headers), never)
        assert answer is not None
        assert (answer.status, answer.header("connection")) == (413, "close")


@pytest.mark.parametrize("length", ["-1", "abc", "1.5", "", "１"])
async def test_a_length_that_is_no_number_is_not_believed(
    served: Served, kept: Client, length: str
) -> None:
    headers = [
        ("authorization", kept.headers["authorization"]),
        ("content-length", length.encode("utf-8").decode("latin-1")),
    ]
    answer = await exchange(served, request("POST", "/os/notes", headers), chunks(b"{"))
    assert answer is not None
    assert answer.status == 400


async def test_large_bodies_come_together_and_are_in_memory_one_at_a_time(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_bodies, "LARGE_BODY", 10)
    asked: list[str] = []
    at_work, most = 0, 0
    go_on = asyncio.Event()
    run = http_module.Api._run_with_body

    async def counted(*given: Any) -> Any:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        try:
            return await run(*given)
        finally:
            at_work -= 1

    async def send(name: str, body: bytes) -> Any:
        async def receive() -> Any:
            asked.append(name)
            if len(asked) == 4:
                go_on.set()
            await go_on.wait()
            return {"type": "http.request", "body": body}

        headers = [
            ("authorization", alice.headers["authorization"]),
            ("content-length", str(len(body))),
        ]
        return await exchange(served, request("POST", "/os/notes", headers), receive)

    body = b'{"title":"large","content":"large"}'
    monkeypatch.setattr(http_module.Api, "_run_with_body", counted)
    answers = await asyncio.gather(*(send(str(number), body) for number in range(4)))
    assert [answer.status for answer in answers] == [201] * 4
    assert (sorted(asked), most) == (["0", "1", "2", "3"], 1)


async def test_a_client_that_leaves_before_its_body_is_whole_leaves_nothing_behind(
    served: Served, kept: Client
) -> None:
    body = b'{"title":"never","content":"whole"}'
    headers = [("authorization", kept.headers["authorization"])]
    for sent in (0, 1, 10, len(body) - 1):
        parts = (
            [] if sent == 0 else [{"type": "http.request", "body": body[:sent], "more_body": True}]
        )
        assert (
            await exchange(
                served, request("POST", "/os/notes", headers), [*parts, {"type": "http.disconnect"}]
            )
            is None
        )
    await kept.ok("GET", "/os/notes")


def sent_by(client: Client) -> list[tuple[str, str]]:
    """The headers of somebody whom no door turns away before the body."""
    return [
        ("authorization", client.headers["authorization"]),
        ("origin", ORIGIN),
        ("content-type", "application/json"),
    ]


DOORS = ("/api/v1/os/notes", "/api/chat/guest-v04", "/api/auth/sign-in")


@pytest.mark.parametrize("sent", [0, 1])
@pytest.mark.parametrize("path", DOORS)
async def test_a_body_that_does_not_go_on_is_given_up(
    served: Served, kept: Client, monkeypatch: pytest.MonkeyPatch, path: str, sent: int
) -> None:
    monkeypatch.setattr(request_bodies, "PATIENCE_SECONDS", 0.01)
    parts = chunks(b'{"title"', b"")[:sent]

    async def receive() -> Any:
        return parts.pop(0) if parts else await asyncio.Event().wait()

    asked = request("POST", path, sent_by(kept), base="")
    answer = await exchange(served, asked, receive)
    assert answer is not None
    assert (answer.status, answer.error) == (400, "invalid_request")


@pytest.mark.parametrize("path", DOORS)
async def test_a_client_that_leaves_in_its_body_is_no_failure_of_the_server(
    served: Served, kept: Client, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    asked = request("POST", path, sent_by(kept), base="")
    await exchange(
        served,
        asked,
        [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}],
    )
    assert caplog.records == []


async def test_a_read_asks_for_no_body(served: Served, alice: Client) -> None:
    async def never() -> Any:
        raise AssertionError("the body was asked for")

    answer = await exchange(
        served,
        request("GET", "/identity", [("authorization", alice.headers["authorization"])]),
        never,
    )
    assert answer is not None
    assert answer.status == 200


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "bEaReR"])
async def test_the_word_bearer_has_no_case(served: Served, alice: Client, scheme: str) -> None:
    key = alice.headers["authorization"].removeprefix("Bearer ")
    for text in (f"{scheme} {key}", f"{scheme}   {key}  "):
        answer = await exchange(served, request("GET", "/identity", [("authorization", text)]))
        assert answer is not None
        assert answer.status == 200


async def test_the_key_may_come_in_its_own_header(served: Served, alice: Client) -> None:
    key = alice.headers["authorization"].removeprefix("Bearer ")
    async with served.client(**{"X-API-Key": key}) as client:
        await client.ok("GET", "/identity")


async def test_authorization_alone_counts_when_both_are_there(
    served: Served, alice: Client, bob: Client
) -> None:
    keys = [client.headers["authorization"].removeprefix("Bearer ") for client in (alice, bob)]
    async with served.client(keys[0], **{"X-API-Key": keys[1]}) as client:
        assert (await client.ok("GET", "/identity"))["profile"]["username"] == "alice"
    for text in ("Bearer wrong", "Bearer", "", f"Basic {keys[0]}", keys[0]):
        async with served.client(Authorization=text, **{"X-API-Key": keys[0]}) as client:
            await client.refused("GET", "/identity", 401, "unauthorized")


async def test_a_key_is_never_read_from_query_or_body(
    served: Served, alice: Client, stranger: Client
) -> None:
    key = alice.headers["authorization"].removeprefix("Bearer ")
    for name in ("api_key", "apiKey", "access_token", "key", "token", "X-API-Key", "authorization"):
        await stranger.refused("GET", f"/identity?{name}={key}", 401, "unauthorized")
        await stranger.refused("POST", "/init", 401, "unauthorized", json={name: key})
    await stranger.refused(
        "GET", "/identity", 401, "unauthorized", headers={"Cookie": f"hearth_session={key}"}
    )


@pytest.mark.parametrize(
    "text", ["Bearer é", "Bearer \xff\xfe", "Bearer " + "x" * 60_000, "Bearer a b c", "Bearer \t"]
)
async def test_a_strange_credential_is_an_unknown_one(served: Served, text: str) -> None:
    answer = await exchange(served, request("GET", "/identity", [("authorization", text)]))
    assert answer is not None
    assert (answer.status, answer.error) == (401, "unauthorized")


EVERYWHERE = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "content-type": "application/json; charset=utf-8",
}
ANSWERS = [
    ("GET", "/api/v1/identity", {}, 200),
    ("POST", "/api/v1/os/notes", {"content": b"{"}, 400),
    ("GET", "/api/v1/os/notes/404", {}, 404),
    ("GET", "/api/v1/nothing", {}, 404),
    ("PUT", "/api/v1/os", {}, 405),
    ("GET", "/api/v1/os", {"headers": {"Authorization": "x"}}, 401),
    ("GET", "/api/v1/os", {"headers": {"Host": "evil.test"}}, 403),
    ("GET", "/api/v1/openapi.json", {}, 200),
    ("GET", "/healthz", {}, 200),
    ("POST", "/healthz", {}, 405),
    ("GET", "/nothing", {}, 404),
    ("GET", "/api/v1x", {}, 404),
    ("GET", "/api/chat/x", {}, 404),
    ("GET", "/healthz", {"headers": {"Host": "evil.test"}}, 403),
    ("GET", "/healthz/", {}, 200),
    ("GET", "/api", {}, 404),
    ("POST", "/control/add_user", {}, 404),
    ("GET", "/control/add_user", {}, 405),
    ("GET", "/../../etc/passwd", {}, 404),
    ("GET", "//evil.test/", {}, 404),
    ("GET", "/favicon.ico", {}, 404),
]


@pytest.mark.parametrize(
    ("method", "path", "more", "status"),
    ANSWERS,
    ids=[f"{row[0]} {row[1]} {row[3]}" for row in ANSWERS],
)
async def test_every_answer_carries_the_headers_that_protect_and_none_redirects(
    resident: Client, method: str, path: str, more: dict[str, Any], status: int
) -> None:
    response = await resident.request(method, f"http://127.0.0.1:8765{path}", **more)
    assert response.status_code == status
    assert {name: response.headers.get(name) for name in EVERYWHERE} == EVERYWHERE
    assert response.headers["x-request-id"]
    assert "server" not in response.headers
    assert "access-control-allow-origin" not in response.headers
    assert "location" not in response.headers
    if status >= 400:
        assert set(response.json()) >= {"success", "error", "message"}


async def test_health_tells_nothing_but_that_it_is_up(stranger: Client) -> None:
    assert (await stranger.get("http://127.0.0.1:8765/healthz")).json() == {"status": "ok"}


async def test_each_answer_has_a_number_of_its_own(alice: Client) -> None:
    numbers = [(await alice.get("/identity")).headers["x-request-id"] for _ in range(5)]
    assert len(set(numbers)) == 5


async def test_a_mistake_inside_is_told_without_its_text(
    served: Served, alice: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("SELECT secret FROM place")

    monkeypatch.setattr(served.parts, "run", broken)
    response = await alice.get("/identity")
    body = await alice.refused("GET", "/identity", 500, "internal")
    assert body["requestId"]
    assert "secret" not in response.text
    assert "SELECT secret FROM place" in caplog.text
    assert response.json()["requestId"] in caplog.text


async def test_the_control_door_asks_for_the_whole_token(served: Served, alice: Client) -> None:
    door = "http://127.0.0.1:8765/control/list_users"
    for text in (
        "Control wrong",
        "Control control-toke",
        "Bearer control-token",
        "control-token",
        "Control control-token ",
        alice.headers["authorization"],
        "Control é",
    ):
        answer = await exchange(
            served, request("POST", "/control/list_users", [("authorization", text)], base="")
        )
        assert answer is not None
        assert answer.status == 404, text
    users = (await alice.post(door, headers={"Authorization": "Control control-token"})).json()
    assert [user["username"] for user in users["users"]] == ["alice"]


async def test_a_web_socket_is_not_let_in(served: Served) -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    for path in ("/api/v1/os", "/", "/healthz"):
        scope = request("GET", path, base="", type="websocket", subprotocols=[])
        await served.asgi(scope, receive, send)
    assert set(sent) == {"websocket.close"}


async def test_a_person_who_opens_the_address_is_told_what_is_here(stranger: Client) -> None:
    response = await stranger.get(ORIGIN + "/")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert "Hearth is running" in response.text
