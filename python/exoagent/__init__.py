"""A client of exo: it runs programs on granted objects, by a child process or over HTTP.

    with exoagent.start("serve", "exo.yaml", "-as", "org=1") as exo:
        print(exo.run("tickets.count()").value)

A grant file or Go declares the granted objects, not this client. Values of a result are those of JSON. A decimal is a text, exact to
every digit: decimal.Decimal(text). So is a whole number beyond 2**53. A date is "2024-01-31": datetime.date.fromisoformat(text). A
time is in UTC to the millisecond: datetime.datetime.fromisoformat(text.replace("Z", "+00:00")). Null is None.
"""
from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import sysconfig
import weakref
from dataclasses import dataclass
from typing import Any, Callable, Mapping

from ._transport import HTTP, Cancel, ExoError, Kind, Stdio, Token, parse

__all__ = ["Client", "ExoError", "Kind", "Result", "Tool", "connect", "find", "start"]


@dataclass(frozen=True)
class Result:
    """What a program returned, and what exo reports in addition."""

    value: Any  # what the program returned, decoded from JSON
    notice: str = ""  # what was cut, or is null because its cell can't be read; "" if nothing
    console: str = ""  # what the program logged
    effects: str = ""  # the outcome of the program's changes
    uri: str = ""  # the URI with which Client.read reads the whole of a result that was cut


@dataclass(frozen=True)
class Tool:
    """The tool for a model: see Client.as_tool."""

    name: str
    description: str
    parameters: Mapping[str, Any]  # a JSON Schema of the arguments: {"code": text}
    call: Callable[[str], str]


def find() -> str:
    """The path of the exo that was installed with this package, or else of the exo on PATH."""
    if path := shutil.which("exo", path=sysconfig.get_path("scripts")) or shutil.which("exo"):
        return path
    raise ExoError(Kind.PROCESS, "there is no exo with this package or on PATH: install the package exoagent again, or put exo on PATH")


def start(*args: str, exo: str | None = None, env: Mapping[str, str] | None = None, cwd: str | None = None, timeout: float = 60) -> Client:
    """Start exo with arguments, like "serve", "exo.yaml", "-as", "org=1". env is added to this process's own environment. timeout
    is in seconds, for each answer."""
    return Client(Stdio([exo or find(), *args], {**os.environ, **(env or {})}, cwd), timeout)


def connect(url: str, token: Token, *, timeout: float = 60) -> Client:
    """Speak to exo serve -http at a URL: https://, or http:// of this machine. token is a bearer token, or a function that returns
    one and is called for each request."""
    return Client(HTTP(url, token), timeout)


def main() -> None:
    """Replace this process by exo. uvx and pipx need this: they look for a command with the package's name."""
    if os.name == "nt":
        sys.exit(subprocess.call([find(), *sys.argv[1:]]))
    os.execv(find(), ["exo", *sys.argv[1:]])


class Client:
    """A connection to one exo; start and connect make it. Threads may share it. A with statement closes it."""

    def __init__(self, transport: Stdio | HTTP, timeout: float) -> None:
        self._transport, self._timeout, self._name = transport, timeout, ""
        self._end = weakref.finalize(self, transport.kill)  # a child must not outlive its client

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, grace: float = 5) -> None:
        """End the connection. A child has grace seconds to finish what it runs, and is then killed."""
        self._transport.close(grace)
        self._end.detach()

    def run(self, code: str, *, timeout: float | None = None) -> Result:
        """Run a program in JavaScript. ExoError is raised, with the reason, if the program fails or no answer comes."""
        return self._run(code, timeout, Cancel())

    async def arun(self, code: str, *, timeout: float | None = None) -> Result:
        """Run a program from asyncio, in a thread of its own. Cancelling the task stops the program."""
        cancel = Cancel()
        try:
            return await asyncio.to_thread(self._run, code, timeout, cancel)
        finally:
            cancel.now()  # it does nothing if the call has ended

    def read(self, uri: str, *, timeout: float | None = None) -> str:
        """Read a resource: a whole result that was cut, as JSON, or "exo://declarations", the granted objects as TypeScript."""
        return _text(self._request("resources/read", {"uri": uri}, timeout, Cancel()).get("contents"))

    def as_tool(self) -> Tool:
        """The tool that a model gets: a name, a description, a JSON Schema of the arguments, and a function to call with "code". call returns
        the text that the model reads. If the program failed, the text has the error, so that the model can mend the program. Without an
        answer call raises ExoError. Most frameworks take a tool as these four parts; none was tried."""
        tool = self._tool(None, Cancel())
        return Tool(tool["name"], tool["description"], tool["inputSchema"], lambda code: self._call(code, None, Cancel())[0])

    def _run(self, code: str, timeout: float | None, cancel: Cancel) -> Result:
        text, uri = self._call(code, timeout, cancel)
        out = parse(text)
        said = {k: str(out.get(k, "")) for k in ("notice", "console", "effects")}
        if "result" in out:
            return Result(out["result"], uri=uri, **said)
        if not isinstance(error := out.get("error"), dict):
            raise ExoError(Kind.PROTOCOL, "exo answered with neither a result nor an error", unsure=True)
        kind = next((k for k in Kind if k == error.get("kind")), Kind.OTHER)
        raise ExoError(kind, str(error.get("message")), **{k: error[k] for k in ("line", "column", "source") if k in error}, **said)

    def _call(self, code: str, timeout: float | None, cancel: Cancel) -> tuple[str, str]:
        self._name = self._name or self._tool(timeout, cancel)["name"]
        result = self._request("tools/call", {"name": self._name, "arguments": {"code": code}}, timeout, cancel)
        text = _text(result.get("content"))
        return text, next((str(c["uri"]) for c in result["content"] if isinstance(c, dict) and "uri" in c), "")

    def _tool(self, timeout: float | None, cancel: Cancel) -> dict[str, Any]:
        tools = self._request("tools/list", {}, timeout, cancel).get("tools")
        if isinstance(tools, list) and len(tools) == 1 and isinstance(tools[0], dict) and {"description", "inputSchema"} <= set(tools[0]) and isinstance(tools[0].get("name"), str):
            return tools[0]
        raise ExoError(Kind.PROTOCOL, "this server is not exo: its tools are not exo's")

    def _request(self, method: str, params: dict[str, Any], timeout: float | None, cancel: Cancel) -> dict[str, Any]:
        return self._transport.request(method, params, self._timeout if timeout is None else timeout, cancel)


def _text(content: Any) -> str:
    if isinstance(content, list) and content and isinstance(content[0], dict) and isinstance(content[0].get("text"), str):
        return content[0]["text"]
    raise ExoError(Kind.PROTOCOL, "exo's answer has no text", unsure=True)
