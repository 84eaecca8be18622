"""Errors, and requests of the Model Context Protocol, to a child process or over HTTP.

The requests are of its revision 2026-07-28, which has neither sessions nor a greeting, so nothing is kept between two requests.
"""
from __future__ import annotations

import contextlib
import enum
import http.client
import itertools
import json
import os
import queue
import re
import signal
import socket
import subprocess
import threading
from typing import Any, Callable, Mapping, Sequence, Union
from urllib.parse import urlsplit

Token = Union[str, Callable[[], str]]
_REVISION = "2026-07-28"
_META = {f"io.modelcontextprotocol/{k}": v for k, v in (
    ("protocolVersion", _REVISION), ("clientInfo", {"name": "exoagent-python", "version": "1"}), ("clientCapabilities", {}))}
_LIMIT = 64 << 20  # the most bytes of an answer
_TAIL = 8 << 10  # the most bytes of standard error that are kept


class Kind(str, enum.Enum):
    """The kind of an error. With the kinds on the first three lines the program failed, and ExoError.effects has the outcome of its changes.
    OTHER is a kind that this version does not know. With all other kinds no answer came. UNAUTHORIZED means that the server refused the
    token. BUSY means that the server asks to try again: see retry_after. PROTOCOL means that the server is not exo."""

    DENIED, REVOKED, INVALID, LIMIT = "denied", "revoked", "invalid", "limit"
    CONFLICT, CANCELLED, SYNTAX, PROGRAM = "conflict", "cancelled", "syntax", "program"
    INTERNAL, CRASHED, BREACH, PENDING, OTHER = "internal", "crashed", "breach", "pending", "other"
    TIMEOUT, PROCESS, CONNECTION, CLOSED = "timeout", "process", "connection", "closed"
    UNAUTHORIZED, BUSY, PROTOCOL = "unauthorized", "busy", "protocol"
    __str__ = str.__str__


class ExoError(Exception):
    """The reason why there is no result. line, column and source are a place in the program; line is 0 if no place is known. notice, console
    and effects are those of a Result. stderr is the child's last error output. status and retry_after come from HTTP. unsure is true if the
    program may have run without an answer: its changes may be kept, so check before you run it again."""

    def __init__(self, kind: Kind, message: str, *, line: int = 0, column: int = 0, source: str = "", notice: str = "", console: str = "",
                 effects: str = "", stderr: str = "", status: int = 0, retry_after: str = "", unsure: bool = False) -> None:
        super().__init__((f"{line}:{column}: " if line else "") + f"{kind}: {message}" + (f"\n{stderr}" if stderr else ""))
        self.kind, self.message, self.line, self.column, self.source = kind, message, line, column, source
        self.notice, self.console, self.effects, self.stderr = notice, console, effects, stderr
        self.status, self.retry_after, self.unsure = status, retry_after, unsure


class Cancel:
    """Lets another thread end a waiting request by calling by. The thread that sets by must then check done."""

    def __init__(self) -> None:
        self.done = False
        self.by: Callable[[], object] = bool

    def now(self) -> None:
        self.done = True
        with contextlib.suppress(OSError):  # the request has ended
            self.by()


def parse(text: str | bytes) -> dict[str, Any]:
    """Decode a JSON object."""
    with contextlib.suppress(ValueError, RecursionError):
        if isinstance(m := json.loads(text), dict):
            return m
    raise ExoError(Kind.PROTOCOL, f"the server's answer of {len(text)} bytes is not a JSON object", unsure=True)


def _message(method: str, params: dict[str, Any], id: int | None = None) -> bytes:
    m = {"jsonrpc": "2.0", "method": method, "params": {**params, "_meta": _META}}
    return json.dumps(m if id is None else {**m, "id": id}).encode() + b"\n"


def _answers(m: dict[str, Any], id: int) -> bool:
    return type(m.get("id")) is int and m["id"] == id and ("result" in m or "error" in m)


def _result_of(m: dict[str, Any]) -> dict[str, Any]:
    """Return the result in an answer. A failed program is a result, too; an error concerns only the protocol."""
    result, error = m.get("result"), m.get("error")
    if isinstance(result, dict):
        return result
    code, text = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, "exo answered without a result")
    raise ExoError(Kind.INTERNAL if code == -32603 else Kind.PROTOCOL, str(text), unsure=code in (None, -32603))


class Stdio:
    """A child process. Three threads serve its pipes, so that no caller waits longer than its timeout. A fourth notices the child's end."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: str | None) -> None:
        try:
            self._proc = subprocess.Popen(command, env=env, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        except (OSError, ValueError) as e:
            raise ExoError(Kind.PROCESS, f"{command[0]} can't be started: {e}") from None
        self._ids, self._lock, self._stderr = itertools.count(1), threading.Lock(), b""
        self._waiting: dict[int, queue.SimpleQueue[dict[str, Any] | None]] = {}
        self._end: tuple[Kind, str] | None = None  # the reason why no more answers come
        self._outbox: queue.Queue[bytes | None] = queue.Queue(256)
        self._threads = [threading.Thread(target=do, daemon=True) for do in (self._listen, self._write, self._read, self._reap)]
        for t in self._threads:
            t.start()

    def request(self, method: str, params: dict[str, Any], timeout: float, cancel: Cancel) -> dict[str, Any]:
        box: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        with self._lock:
            if self._end:
                raise self._error(*self._end)
            id = next(self._ids)
            self._waiting[id] = box
        why = (Kind.CANCELLED, "the call was cancelled")
        self._send(_message(method, params, id))
        try:
            cancel.by = lambda: box.put(None)
            if not cancel.done and (answer := box.get(timeout=timeout)):
                return _result_of(answer)
        except queue.Empty:
            why = (Kind.TIMEOUT, f"exo did not answer within {timeout:g} s")
        finally:
            with self._lock:
                del self._waiting[id]
        self._send(_message("notifications/cancelled", {"requestId": id}))
        raise self._error(*(self._end or why), unsure=True)

    def close(self, grace: float) -> None:
        self._end = self._end or (Kind.CLOSED, "the client is closed")
        self._send(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._proc.wait(grace)
        self.kill()
        self._threads[3].join(3)  # this thread joins the others

    def kill(self) -> None:
        self._stop()
        self._proc.wait()
        self._send(None)

    def _stop(self, ended: bool = False) -> None:
        with contextlib.suppress(OSError):  # only before its end: another group may get its number afterwards
            os.killpg(self._proc.pid, signal.SIGKILL) if hasattr(os, "killpg") and (ended or self._proc.returncode is None) else self._proc.kill()

    def _send(self, line: bytes | None) -> None:
        """Queue a line for the child's input; None ends the input. A full queue means that the child reads nothing, and will not answer."""
        with contextlib.suppress(queue.Full):
            self._outbox.put_nowait(line)

    def _error(self, kind: Kind, text: str, unsure: bool = False) -> ExoError:
        return ExoError(kind, text, stderr=self._stderr.decode("utf-8", "replace").strip(), unsure=unsure)

    def _listen(self) -> None:
        with self._proc.stderr as err:
            while text := err.read1(4096):
                self._stderr = (self._stderr + text)[-_TAIL:]

    def _write(self) -> None:
        with contextlib.suppress(OSError), self._proc.stdin as to:  # an error means that the child has ended, which _read notices
            while (line := self._outbox.get()) is not None:
                to.write(line)
                to.flush()

    def _read(self) -> None:
        with self._proc.stdout as out:
            try:
                while line := out.readline(_LIMIT):
                    m = parse(line)  # a line that is too long was cut, and fails here
                    with self._lock:
                        for box in [box for id, box in self._waiting.items() if _answers(m, id)]:
                            box.put(m)
            except ExoError as e:
                self._end = self._end or (e.kind, e.message)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._proc.wait(0 if self._end else 1)
        self._stop()  # a child that still runs has closed its output, or does not write answers

    def _reap(self) -> None:
        end = (Kind.PROCESS, f"exo ended with code {self._proc.wait()}")
        self._stop(ended=True)
        for t in self._threads[::2]:  # read the last output
            t.join(1)
        with self._lock:
            self._end = self._end or end
            for box in self._waiting.values():
                box.put(None)


class HTTP:
    """A server. Each request has a connection of its own, follows no redirect and uses no proxy: the token goes to the URL that was
    given, and nothing is read from anywhere else."""

    def __init__(self, url: str, token: Token) -> None:
        u = urlsplit(url)
        local = u.hostname in ("localhost", "127.0.0.1", "::1")  # http:// to another machine would let others read the token
        if u.scheme != "https" and not (u.scheme == "http" and local) or not u.hostname or u.port == 0 or u.username is not None or u.query or u.fragment:
            raise ValueError("want a URL like https://shop.example.com/mcp, or http:// of this machine")
        self._url, self._token, self._ids, self._closed = u, token, itertools.count(1), False

    def close(self, grace: float = 0) -> None:
        self._closed = True

    kill = close

    def request(self, method: str, params: dict[str, Any], timeout: float, cancel: Cancel) -> dict[str, Any]:
        token, name, id = self._token if isinstance(self._token, str) else self._token(), params.get("name", params.get("uri", "-")), next(self._ids)
        if self._closed:
            raise ExoError(Kind.CLOSED, "the client is closed")
        if not re.fullmatch("[!-~]+", token) or not re.fullmatch("[!-~]+", name):  # the error shows neither, because a token is a secret
            raise ExoError(Kind.INVALID, "the token, or the name of the tool or resource, has characters that a header can't have")
        headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                   "Mcp-Protocol-Version": _REVISION, "Mcp-Method": method, "Mcp-Name": name}
        connection = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        c = connection(self._url.hostname, self._url.port, timeout=timeout)
        late = Cancel()  # bounds the whole answer, because a server may send a byte now and then
        timer, sent = threading.Timer(timeout, late.now), False
        try:
            c.connect()
            cancel.by = late.by = lambda sock=c.sock: sock.shutdown(socket.SHUT_RDWR)
            timer.start()
            if cancel.done:
                raise OSError
            sent = True
            c.request("POST", self._url.path or "/", _message(method, params, id), headers)
            with c.getresponse() as r:
                return _result_of(_answer(r, id))
        except (OSError, http.client.HTTPException, ValueError, AttributeError, ExoError) as e:  # each of these may come from an answer that is cut
            if cancel.done:
                raise ExoError(Kind.CANCELLED, "the call was cancelled", unsure=sent) from None
            if late.done or isinstance(e, socket.timeout):
                raise ExoError(Kind.TIMEOUT, f"the server did not answer within {timeout:g} s", unsure=sent) from None
            if isinstance(e, ExoError):
                raise
            raise ExoError(Kind.CONNECTION, f"the server can't be reached, or closed the connection: {str(e).replace(token, '…') or type(e).__name__}", unsure=sent) from None
        finally:
            timer.cancel()
            c.close()


def _answer(r: http.client.HTTPResponse, id: int) -> dict[str, Any]:
    form = r.headers.get_content_type()
    if r.status != 200 and (r.status, form) != (400, "application/json"):
        kind = {401: Kind.UNAUTHORIZED, 403: Kind.UNAUTHORIZED, 429: Kind.BUSY, 503: Kind.BUSY}.get(r.status, Kind.PROTOCOL)
        raise ExoError(kind, f"the server answered with the HTTP status {r.status}", status=r.status, retry_after=r.headers.get("Retry-After", ""))
    texts = [r.read(_LIMIT)]  # a longer answer is cut, and so is not valid JSON
    if form == "text/event-stream":
        texts = [b"".join(line[5:] for line in event.splitlines() if line.startswith(b"data:")) for event in texts[0].replace(b"\r", b"").split(b"\n\n")]
    for m in (parse(text) for text in texts if text.strip()):
        if _answers(m, id):
            return m
    raise ExoError(Kind.PROTOCOL, "the server ended its answer without a result", unsure=True)
