"""Tests of the client, on the exo that EXO names: over standard input and output, over HTTP, and on children and servers that misbehave.

go test ./internal/release -run TestPython runs them. Where one says that nothing waits for a child or a server that hangs for MINUTE, it has
half of that: a busy machine must fail no test.
"""
import asyncio
import contextlib
import datetime
import gc
import http.server
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from decimal import Decimal

import exoagent
from exoagent import ExoError, Kind

EXO = os.environ["EXO"]
TOKEN = "a token of more than thirty-two bytes, without spaces".replace(" ", "-")
MINUTE = 60
HERE = os.path.dirname(os.path.abspath(__file__))

GRANTS = """
exo: 1
reviewed: true
databases: {shop: "sqlite:shop.db"}
principal: {org: int}
grants: {orders: order}
facets:
  order:
    table: orders
    scope: org_id = $principal.org
    columns: [id, total, placed, at, units, note]
    update: [note]
"""
SHOP = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, org_id INTEGER NOT NULL, total DECIMAL(10, 2) NOT NULL, placed DATE NOT NULL, at TIMESTAMP NOT NULL, units BIGINT NOT NULL, note TEXT, secret TEXT);
CREATE INDEX orders_by_org ON orders (org_id);
INSERT INTO orders VALUES (1, 1, '10.10', '2024-01-31', '2024-01-31 10:00:00', 9007199254740993, 'first', 's'),
  (2, 1, '19.90', '2024-02-01', '2024-02-01 23:59:59', 2, NULL, 's'), (3, 2, '5.00', '2024-02-01', '2024-02-01 00:00:00', 3, 'other', 's');
"""


def read(*path):
    with open(os.path.join(HERE, *path)) as f:
        return f.read()


def gone(pid):
    """Whether a process that is nobody's child here ends."""
    for _ in range(100 * MINUTE // 2):
        try:
            with open(f"/proc/{pid}/stat") as f:
                if f.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


class Shop(unittest.TestCase):
    """A folder with a database and a grant file."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with contextlib.closing(sqlite3.connect(os.path.join(self.folder, "shop.db"))) as db:
            db.executescript(SHOP)
        with open(os.path.join(self.folder, "exo.yaml"), "w") as f:
            f.write(GRANTS)

    def start(self, **more):
        exo = exoagent.start("serve", os.path.join(self.folder, "exo.yaml"), "-as", "org=1", exo=EXO, **more)
        self.addCleanup(exo.close)
        return exo

    def fails(self, kind, call, *args, **more):
        with self.assertRaises(ExoError) as caught:
            call(*args, **more)
        self.assertEqual(caught.exception.kind, kind, caught.exception)
        return caught.exception


class Answers:
    """What both ways of speaking to exo have in common."""

    def test_values(self):
        rows = self.exo.run("orders.orderBy(o => o.id)").value
        self.assertEqual([r["id"] for r in rows], [1, 2])  # never those of org 2
        self.assertEqual([Decimal(r["total"]) for r in rows], [Decimal("10.10"), Decimal("19.90")])
        self.assertEqual(datetime.date.fromisoformat(rows[0]["placed"]), datetime.date(2024, 1, 31))
        self.assertEqual(datetime.datetime.fromisoformat(rows[0]["at"].replace("Z", "+00:00")), datetime.datetime(2024, 1, 31, 10, tzinfo=datetime.timezone.utc))
        self.assertEqual([Decimal(r["units"]) for r in rows], [9007199254740993, 2])
        self.assertIsNone(rows[1]["note"])
        self.assertEqual(self.exo.run("orders.where(o => o.id === 3 || true).count()").value, 2)

    def test_kinds(self):
        e = self.fails(Kind.DENIED, self.exo.run, "\norders.select(o => o.secret)")
        self.assertEqual((e.line, e.unsure, e.kind, str(e.kind)), (2, False, "denied", "denied"))
        self.assertIn("secret", e.message)
        self.assertIn("orders.select", e.source)
        self.assertEqual(self.fails(Kind.PROGRAM, self.exo.run, "console.log('here'); throw new Error('mine')").console.strip(), "here")
        self.fails(Kind.SYNTAX, self.exo.run, "return (")
        self.fails(Kind.INVALID, self.exo.run, " ")
        self.fails(Kind.LIMIT, self.exo.run, "x" * 900_000)
        self.assertEqual(self.exo.run("'\ud800\u2028\\u0000é'").value[-1], "é")

    def test_beside_the_result(self):
        r = self.exo.run("console.log('seen'); return orders.where({ id: 1 }).update({ note: 'new' })")
        self.assertEqual((r.value, r.console.strip(), r.notice, r.uri), (1, "seen", "", ""))
        self.assertIn("orders", r.effects)
        self.assertEqual(self.exo.run("(await orders.where({ id: 1 }).first()).note").value, "new")

    def test_cut(self):
        r = self.exo.run("return Array.from({ length: 20000 }, (_, i) => 'item ' + i)")
        self.assertLess(len(r.value), 20000)
        self.assertIn("was cut", r.notice)
        self.assertEqual(len(json.loads(self.exo.read(r.uri))), 20000)
        self.fails(Kind.PROTOCOL, self.exo.read, "exo://result/none")
        self.assertIn("orders", self.exo.read("exo://declarations"))

    def test_tool(self):
        tool = self.exo.as_tool()
        self.assertEqual((tool.name, list(tool.parameters["properties"]), tool.parameters["required"]), ("execute", ["code"], ["code"]))
        self.assertIn("orders", tool.description)
        self.assertEqual(json.loads(tool.call("orders.count()")), {"result": 2})
        self.assertEqual(json.loads(tool.call("orders.nope()"))["error"]["kind"], "denied")  # a model reads it
        self.exo.close()
        self.fails(Kind.CLOSED, tool.call, "orders.count()")

    def test_threads(self):
        got, n = [], 8
        threads = [threading.Thread(target=lambda i=i: got.append(self.exo.run(f"return {i} * await orders.count()").value == 2 * i)) for i in range(n)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(got, [True] * n)

    def test_asyncio(self):
        async def several():
            return await asyncio.gather(*(self.exo.arun(f"return {i}") for i in range(3)))
        self.assertEqual([r.value for r in asyncio.run(several())], [0, 1, 2])

        run, ended = self.exo._run, []

        def kept(*args):
            ended.append(None)
            try:
                run(*args)
            except ExoError as e:
                ended[0] = e.kind
        self.exo._run = kept

        async def abandoned():
            task = asyncio.ensure_future(self.exo.arun("let n = 0; for (;;) n++"))
            while not ended:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.3)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        asyncio.run(abandoned())  # which waits for the thread
        self.assertEqual(ended, [Kind.CANCELLED])
        self.exo._run = run
        self.assertEqual(self.exo.run("1").value, 1)

    def test_timeout(self):
        e = self.fails(Kind.TIMEOUT, self.exo.run, "for (;;) {}", timeout=0.3)
        self.assertTrue(e.unsure)
        self.assertEqual(self.exo.run("orders.count()").value, 2)


class OverStdio(Answers, Shop):
    def setUp(self):
        super().setUp()
        self.exo = self.start()

    def test_what_exo_refuses(self):
        path = os.path.join(self.folder, "exo.yaml")
        with open(path, "w") as f:
            f.write(GRANTS.replace("reviewed: true", "reviewed: false"))
        e = self.fails(Kind.PROCESS, self.start().run, "1")
        self.assertIn("nobody has reviewed", e.stderr)
        self.assertIn("nobody has reviewed", str(e))

    def test_killed(self):
        self.exo.run("1")
        os.kill(self.exo._transport._proc.pid, signal.SIGKILL)
        self.assertTrue(self.fails(Kind.PROCESS, self.exo.run, "for (;;) {}").message.endswith("-9"))
        self.fails(Kind.PROCESS, self.exo.run, "1")

    def test_killed_while_it_runs(self):
        self.exo.run("1")
        threading.Timer(0.3, os.kill, (self.exo._transport._proc.pid, signal.SIGKILL)).start()
        self.assertTrue(self.fails(Kind.PROCESS, self.exo.run, "for (;;) {}").unsure)

    def test_close(self):
        with self.exo as exo:
            exo.run("1")
            exo.close(grace=MINUTE)
        self.assertEqual(exo._transport._proc.returncode, 0)  # it ended by itself
        self.fails(Kind.CLOSED, exo.run, "1")
        exo.close()

    def test_forgotten(self):
        proc = self.start()._transport._proc
        self._cleanups.pop()
        gc.collect()
        self.assertIsNotNone(proc.poll())

    def test_readme(self):
        page = read("README.md")
        example, shown = re.search("```python\n(.*?)```\n\n```text\n(.*?)```", page, re.S).groups()
        self.assertLessEqual(len(page.split()), 300)
        r = subprocess.run([sys.executable, "-c", example], cwd=self.folder, capture_output=True, text=True, timeout=60,
                           env={**os.environ, "PATH": os.path.dirname(EXO), "PYTHONPATH": HERE, "PYTHONHOME": ""})
        self.assertEqual((r.stdout, r.stderr), (shown, ""))

    def test_size(self):
        self.assertLessEqual(sum(read("exoagent", f).count("\n") for f in os.listdir(os.path.join(HERE, "exoagent")) if f.endswith(".py")), 400)


class OverHTTP(Answers, Shop):
    def setUp(self):
        super().setUp()
        self.proc = subprocess.Popen([EXO, "serve", os.path.join(self.folder, "exo.yaml"), "-as", "org=1", "-http", "127.0.0.1:0"],
                                     env={**os.environ, "EXO_TOKEN": TOKEN}, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.proc.stderr.close)
        self.addCleanup(self.proc.wait)
        self.addCleanup(self.proc.kill)
        for line in self.proc.stderr:
            if m := re.search(r"is served at (http://\S+)", line):
                break
        self.url = m.group(1)
        self.exo = exoagent.connect(self.url, TOKEN)

    def test_tokens(self):
        asked = []
        exo = exoagent.connect(self.url, lambda: asked.append(1) or TOKEN)
        exo.run("1"), exo.run("2")
        self.assertEqual(len(asked), 3)  # the first call asks for the tool's name
        for token, kind in (("wrong", Kind.UNAUTHORIZED), ("two\r\nlines", Kind.INVALID), ("", Kind.INVALID)):
            e = self.fails(kind, exoagent.connect(self.url, token).run, "1")
            self.assertFalse(token and token in str(e))
        self.assertEqual(self.fails(Kind.UNAUTHORIZED, exoagent.connect(self.url, "wrong").run, "1").status, 401)

    def test_urls(self):
        for url in ("http://shop.example.com/mcp", "ftp://localhost/mcp", "http:///mcp", "http://ann@localhost/mcp", "http://localhost/mcp?token=x", "file:///etc/passwd"):
            self.assertRaises(ValueError, exoagent.connect, url, TOKEN)
        exoagent.connect("https://shop.example.com/mcp", TOKEN)
        with socket.socket() as taken:  # nothing listens there, and no other server can
            taken.bind(("127.0.0.1", 0))
            e = self.fails(Kind.CONNECTION, exoagent.connect(f"http://127.0.0.1:{taken.getsockname()[1]}/mcp", TOKEN).run, "1")
            self.assertFalse(e.unsure)


class Children(Shop):
    """Children that are not exo, or no longer."""

    LISTS = r"""
import json, sys
print("a last word", file=sys.stderr, flush=True)
def answer(m, **more): print(json.dumps({"jsonrpc": "2.0", "id": m["id"], **more}), flush=True)
def take():
    m = json.loads(sys.stdin.readline())
    if m["method"] == "tools/list":
        answer(m, result={"tools": [{"name": "execute", "description": "d", "inputSchema": {}}]})
        return take()
    return m
"""

    def child(self, script, code="1", timeout=MINUTE, **more):
        exo = exoagent.start("-c", self.LISTS + script, exo=sys.executable, timeout=timeout, **more)
        self.addCleanup(exo.close, grace=0.1)
        while not exo._transport._stderr:  # it has started
            time.sleep(0.01)
        began = time.monotonic()
        try:
            with self.assertRaises(ExoError) as caught:
                exo.run(code)
        finally:
            self.took = time.monotonic() - began
        self.proc = exo._transport._proc
        return caught.exception

    def test_none(self):
        self.fails(Kind.PROCESS, exoagent.start, "serve", exo=os.path.join(self.folder, "none"))

    def test_dies(self):
        e = self.child("take(); sys.exit(7)")
        self.assertEqual((e.kind, e.unsure, e.stderr), (Kind.PROCESS, True, "a last word"))
        self.assertIn("code 7", e.message)

    def test_hangs(self):
        for script, code in (("take(); import time; time.sleep(60)", "1"), ("import time; time.sleep(60)", "1" * (1 << 20)), ("take(); sys.stdout.close(); import os, time; os.close(1); time.sleep(60)", "1")):
            e = self.child(script, code, timeout=0.5)
            self.assertIn(e.kind, (Kind.TIMEOUT, Kind.PROCESS))
            self.assertLess(self.took, MINUTE / 2)
            self.assertEqual(e.stderr, "a last word")

    def test_grandchild(self):
        """What the child has started may hold its pipes: it is killed, and where it left the group, it is not waited for."""
        for alone in (False, True):
            e = self.child("take(); import subprocess; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], start_new_session=%s).pid, "
                           "file=sys.stderr, flush=True); sys.exit(3)" % alone)
            self.assertEqual((e.kind, e.unsure), (Kind.PROCESS, True))
            self.assertIn("code 3", e.message)
            self.assertLess(self.took, MINUTE / 2)
            pid = int(e.stderr.split()[-1])
            if alone:
                os.kill(pid, signal.SIGKILL)
            else:
                self.assertTrue(gone(pid))

    def test_garbage(self):
        for line in ("hello", "[]", "1", "{", '{"a": 1e999}' * 2, "[" * 100_000, "\\xff\\xfe"):
            e = self.child(f"take(); sys.stdout.buffer.write(b{line!r} + b'\\n'); sys.stdout.flush(); import time; time.sleep(60)")
            self.assertEqual((e.kind, e.stderr), (Kind.PROTOCOL, "a last word"), line)
            self.proc.wait(MINUTE / 2)  # it was killed
        for answer in ("result=1", "result={}", "result={'content': 1}", "result={'content': [1]}", "result={'content': [{'text': 5}]}", "result={'content': [{'text': '{}'}]}",
                       "result={'content': [{'text': 'plain'}]}", "error=5", "error={}", "error={'code': -32602, 'message': ['m']}"):
            self.assertEqual(self.child(f"answer(take(), {answer}); sys.stdin.read()").kind, Kind.PROTOCOL, answer)
        for error, kind in (("{'kind': 'new', 'message': 'm'}", Kind.OTHER), ("{'kind': []}", Kind.OTHER), ("{'kind': 'limit', 'line': 'x'}", Kind.LIMIT), ("5", Kind.PROTOCOL)):
            self.assertEqual(self.child("answer(take(), result={'content': [{'text': json.dumps({'error': %s})}]}); sys.stdin.read()" % error).kind, kind, error)
        self.assertEqual(self.child("answer(take(), error={'code': -32603, 'message': 'the program has run'}); sys.stdin.read()").kind, Kind.INTERNAL)
        for tools in ("[]", "[1]", "[[[]]]", "[{'name': 1, 'description': '', 'inputSchema': {}}]", "{}"):
            e = self.child(f"m = json.loads(sys.stdin.readline()); answer(m, result={{'tools': {tools}}}); sys.stdin.read()")
            self.assertEqual(e.kind, Kind.PROTOCOL, tools)

    def test_floods(self):
        self.addCleanup(setattr, exoagent._transport, "_LIMIT", exoagent._transport._LIMIT)
        exoagent._transport._LIMIT = 1 << 20
        for script, kind in (
            ("take()\nwhile True: sys.stdout.write('x' * 65536)", Kind.PROTOCOL),  # a line without an end
            ("take()\nwhile True: sys.stdout.write('[' * 65536)", Kind.PROTOCOL),
            ("take()\nwhile True: print('{\"jsonrpc\": \"2.0\", \"id\": 99, \"result\": {}}')", Kind.TIMEOUT),  # answers to nobody
            ("take()\nwhile True: sys.stderr.write('x' * 65536)", Kind.TIMEOUT),
        ):
            e = self.child(script, timeout=0.5 if kind is Kind.TIMEOUT else MINUTE)
            self.assertEqual(e.kind, kind, script)
            self.assertLess(self.took, MINUTE / 2)
            self.assertLessEqual(len(e.stderr), 8 << 10)

    def test_does_not_end(self):
        exo = exoagent.start("-c", "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)", exo=sys.executable)
        began = time.monotonic()
        exo.close(grace=0.2)
        self.assertLess(time.monotonic() - began, MINUTE / 2)
        self.assertEqual(exo._transport._proc.returncode, -signal.SIGKILL)


class Servers(Shop):
    """Servers that are not exo."""

    def server(self, answer, timeout=MINUTE):
        """Serves by answer(handler), and returns a client with the list of paths that were asked for."""
        asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked.append((self.path, self.headers.get("Authorization")))
                self.rfile.read(int(self.headers["Content-Length"]))
                with contextlib.suppress(OSError):
                    answer(self)

            do_GET = do_POST

            def log_message(self, *_):
                pass
        s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=s.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(s.server_close)
        self.addCleanup(s.shutdown)
        return exoagent.connect(f"http://127.0.0.1:{s.server_port}/mcp", TOKEN, timeout=timeout), asked

    @staticmethod
    def send(h, status, body=b"", kind="application/json", **headers):
        h.send_response(status)
        h.send_header("Content-Type", kind)
        for name, value in headers.items():
            h.send_header(name.replace("_", "-"), value)
        h.end_headers()
        h.wfile.write(body)

    def test_statuses(self):
        for status, kind in ((401, Kind.UNAUTHORIZED), (403, Kind.UNAUTHORIZED), (404, Kind.PROTOCOL), (429, Kind.BUSY), (500, Kind.PROTOCOL), (503, Kind.BUSY)):
            exo, _ = self.server(lambda h: self.send(h, status, Retry_After="7"))
            e = self.fails(kind, exo.run, "1")
            self.assertEqual((e.status, e.retry_after, e.unsure), (status, "7", False))

    def test_redirect(self):
        elsewhere, asked = self.server(lambda h: self.send(h, 200))
        for status in (301, 302, 303, 307, 308):
            exo, _ = self.server(lambda h: self.send(h, status, Location=f"http://127.0.0.1:{elsewhere._transport._url.port}/mcp"))
            self.assertEqual(self.fails(Kind.PROTOCOL, exo.run, "1").status, status)
        self.assertEqual(asked, [])

    def test_no_proxy(self):
        proxy, asked = self.server(lambda h: self.send(h, 200))
        exo, own = self.server(lambda h: self.send(h, 500))
        os.environ["http_proxy"] = f"http://127.0.0.1:{proxy._transport._url.port}"
        self.addCleanup(os.environ.pop, "http_proxy")
        self.fails(Kind.PROTOCOL, exo.run, "1")
        self.assertEqual((asked, own), ([], [("/mcp", "Bearer " + TOKEN)]))

    def test_garbage(self):
        other = json.dumps({"jsonrpc": "2.0", "id": 99, "result": {}}).encode()
        for body, kind in ((b"", "application/json"), (b"<html>", "text/html"), (b"[1]", "application/json"), (other, "application/json"), (b"data: " + other + b"\n\n", "text/event-stream"),
                           (b"data: {\n\n", "text/event-stream"), (b"", "text/event-stream"), (b"\xff", "application/json")):
            exo, _ = self.server(lambda h: self.send(h, 200, body, kind))
            self.fails(Kind.PROTOCOL, exo.run, "1")
        exo, _ = self.server(lambda h: h.wfile.write(b"\0\0\0\r\n"))
        self.fails(Kind.CONNECTION, exo.run, "1")

    def test_echo(self):
        """A proxy that sends a request back shows the token to nobody who reads the error."""
        line = f"Authorization: Bearer {TOKEN}\r\n\r\n".encode()
        for kind, answer in ((Kind.PROTOCOL, lambda h: self.send(h, 200, line)), (Kind.CONNECTION, lambda h: h.wfile.write(line))):
            exo, _ = self.server(answer)
            self.assertNotIn(TOKEN, str(self.fails(kind, exo.run, "1")))

    def test_slow(self):
        def drip(h):
            h.send_response(200)
            h.end_headers()
            for _ in range(10 * MINUTE):
                h.wfile.write(b" ")
                time.sleep(0.1)
        for answer in (drip, lambda h: time.sleep(MINUTE)):
            exo, _ = self.server(answer, timeout=0.6)
            began = time.monotonic()
            e = self.fails(Kind.TIMEOUT, exo.run, "1")
            self.assertTrue(e.unsure)
            self.assertLess(time.monotonic() - began, MINUTE / 2)

    def test_flood(self):
        self.addCleanup(setattr, exoagent._transport, "_LIMIT", exoagent._transport._LIMIT)
        exoagent._transport._LIMIT = 1 << 20

        def flood(h):
            h.send_response(200)
            h.send_header("Content-Type", "text/event-stream")
            h.end_headers()
            while True:
                h.wfile.write(b"data: " + b"x" * 65536 + b"\n")
        exo, _ = self.server(flood)
        self.fails(Kind.PROTOCOL, exo.run, "1")


@unittest.skipUnless("EXO_TLS_URL" in os.environ, "go test ./internal/release -run TestPython serves it")
class OverTLS(Shop):
    def setUp(self):
        super().setUp()
        self.url = os.environ["EXO_TLS_URL"]

    def trust(self):
        os.environ["SSL_CERT_FILE"] = os.environ["EXO_TLS_CA"]
        self.addCleanup(os.environ.pop, "SSL_CERT_FILE")

    def test_trusted(self):
        self.trust()
        self.assertEqual(exoagent.connect(self.url + "/mcp", TOKEN).run("1").value, 1)

    def test_not_trusted(self):
        e = self.fails(Kind.CONNECTION, exoagent.connect(self.url + "/mcp", TOKEN).run, "1")
        self.assertIn("CERTIFICATE_VERIFY_FAILED", e.message)
        self.assertFalse(e.unsure)

    def test_slow(self):
        self.trust()
        began = time.monotonic()
        self.fails(Kind.TIMEOUT, exoagent.connect(self.url + "/slow", TOKEN, timeout=0.5).run, "1")
        self.assertLess(time.monotonic() - began, MINUTE / 2)


if __name__ == "__main__":
    unittest.main()
