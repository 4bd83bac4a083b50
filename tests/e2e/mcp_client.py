"""A client of `profile_run mcp` for mcp_test.sh: mcp_client.py CASE, in the folder of the repository."""
import glob
import json
import os
import subprocess
import sys
import time

META = "io.modelcontextprotocol/"


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([os.environ["PROFILE_RUN"], "mcp", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.number = 0

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def start(self, method, params=None):
        self.number += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}))
        return self.number

    def ask(self, method, params=None):
        number = self.start(method, params)
        answer = self.read()
        assert answer["jsonrpc"] == "2.0" and answer["id"] == number, answer
        return answer

    def initialize(self, version="2025-11-25"):
        answer = self.ask("initialize", {"protocolVersion": version, "capabilities": {},
                                         "clientInfo": {"name": "test", "version": "1"}})
        self.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        return answer["result"]

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def text(self, tool, **arguments):
        result = self.call(tool, **arguments)["result"]
        assert not result["isError"], result
        return result["content"][0]["text"]

    def end(self):
        """The process ends by itself, and has written nothing but answers."""
        self.process.stdin.close()
        assert self.process.stdout.read() == b""
        assert self.process.wait(20) == 0


def latest(version="2026-07-28"):
    return {"_meta": {META + "protocolVersion": version, META + "clientCapabilities": {}}}


def versions():
    server = Server()
    # Without either, a request is refused.
    assert server.ask("tools/list")["error"]["code"] == -32602
    found = server.ask("server/discover", latest())["result"]
    assert found["supportedVersions"] == ["2026-07-28"] and found["resultType"] == "complete"
    assert found["capabilities"] == {"tools": {}} and found["ttlMs"] > 0 and found["cacheScope"] == "public"
    assert found["_meta"][META + "serverInfo"]["name"] == "profile_run"
    error = server.ask("tools/list", latest("1900-01-01"))["error"]
    assert error["code"] == -32022 and error["data"] == {"supported": ["2026-07-28"], "requested": "1900-01-01"}
    assert server.ask("tools/list", {"_meta": {META + "protocolVersion": "2026-07-28"}})["error"]["code"] == -32602
    tools = server.ask("tools/list", latest())["result"]
    assert [t["name"] for t in tools["tools"]] == ["gate", "explain", "annotate", "flamegraph", "compare"]
    assert all(t["inputSchema"]["type"] == "object" and t["description"] for t in tools["tools"])
    assert server.initialize("2025-06-18")["protocolVersion"] == "2025-06-18"
    assert server.initialize("2099-01-01")["protocolVersion"] == "2025-11-25"
    assert server.ask("ping")["result"] == {}
    assert "resultType" not in server.ask("tools/list")["result"]
    server.end()


def errors():
    server = Server()
    server.initialize()
    for line, code in [("{", -32700), ("[]", -32600), ('{"jsonrpc": "1.0", "id": 7, "method": "ping"}', -32600),
                       ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
                       ('{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": []}', -32600),
                       ('{"jsonrpc": "2.0", "id": 7, "method": 3}', -32600),
                       ('{"jsonrpc": "2.0", "id": 7, "method": "nothing"}', -32601),
                       ('{"jsonrpc": "2.0", "id": "a\\nb", "method": "ping"}', -32600), ("[" * 5000, -32700), ("x" * 3000000, -32700)]:
        server.send(line)
        answer = server.read()
        assert answer["error"]["code"] == code, (line[:40], answer)
        assert answer.get("id") == (7 if '"id": 7' in line else None)
    # An answer and an unknown notification have none.
    server.send('{"jsonrpc": "2.0", "id": 9, "result": {}}')
    server.send('{"jsonrpc": "2.0", "method": "notifications/unknown"}')
    server.send('{"jsonrpc": "2.0", "id": "a b", "method": "ping"}')
    assert server.read() == {"jsonrpc": "2.0", "id": "a b", "result": {}}
    for tool, arguments in [("nothing", {}), ("explain", {"foo": 1}), ("explain", {"json": "yes"}),
                            ("annotate", {}), ("annotate", {"function": 3}), ("compare", {"before": "x"}),
                            ("gate", {"against": "--json=x"}), ("gate", {"workloads": ["-q"]}),
                            ("gate", {"workloads": ["a/b"]})]:
        assert server.call(tool, **arguments)["error"]["code"] == -32602, (tool, arguments)
    # An option's name is no option.
    assert server.call("annotate", function="--json", input="work.c")["result"]["isError"]
    server.end()


def paths():
    """Nothing outside of the repository is read, whatever the path is."""
    open("../secret.folded", "w").write("app;main;secret 900\n")
    os.symlink("../secret.folded", "link.folded")
    os.symlink("..", "above")
    os.symlink("/etc", "reports/elsewhere")
    server = Server()
    server.initialize()
    outside = ["../secret.folded", os.path.abspath("../secret.folded"), "link.folded", "above/secret.folded",
               "/proc/self/environ", "/etc/passwd", "reports/../../secret.folded", "//etc/passwd"]
    for path in outside:
        for tool, arguments in [("flamegraph", {"input": path}), ("explain", {"report": path}),
                                ("annotate", {"function": "main", "input": path}),
                                ("annotate", {"function": "main", "before": path, "after": path}),
                                ("compare", {"before": [path], "after": [path]}),
                                ("gate", {"workloads": [path]}), ("gate", {"against": path})]:
            error = server.call(tool, **arguments)["error"]
            assert error["code"] == -32602 and "outside of the repository" in error["message"], (tool, path, error)
    assert "outside" in server.call("explain", report="reports/elsewhere")["error"]["message"]
    os.makedirs("reports/made/work")
    os.symlink("/etc/passwd", "reports/made/work/run-01.perf.data")
    assert "outside" in server.call("annotate", function="main", input="reports/made")["error"]["message"]
    open("inside.folded", "w").write("app;main;small 100\napp;main;large 900\n")
    assert server.text("flamegraph", input="inside.folded") == "app;main;large 900\napp;main;small 100\n"
    server.end()
    # Nor does the link to the latest report lead out.
    os.symlink("../..", "reports/latest")
    server = Server()
    server.initialize()
    assert "outside" in server.call("explain")["error"]["message"]
    server.end()


def wait_for(path):
    """The program that the tool runs has made this file."""
    end = time.monotonic() + 120
    while not os.path.exists(path):
        assert time.monotonic() < end
        time.sleep(0.05)


def running():
    """A tool that runs is ended when its request is cancelled, and when the input ends."""
    slow = {"name": "gate", "arguments": {"workloads": ["slow"], "against": "HEAD"}}
    server = Server()
    server.initialize()
    number = server.start("tools/call", slow)
    wait_for("started")
    assert server.ask("ping")["result"] == {}
    server.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}))
    assert server.ask("tools/list")["result"]["tools"]
    os.remove("started")
    server.start("tools/call", slow)
    wait_for("started")
    server.end()


def tools():
    server = Server()
    server.initialize()
    assert "there is no report yet" in server.call("explain")["error"]["message"]
    assert server.text("gate", against="HEAD", workloads=["work"]).startswith("FAIL  work  mix")
    text = server.text("explain")
    assert text.startswith("FAIL: work: mix") and "+    for (int i = 0; i < 2400; i++)" in text
    assert json.loads(server.text("explain", finding=1, json=True))["subject"] == "mix"
    assert server.text("explain", report="reports/latest", finding="mix") == text
    assert "i < 2400" in server.text("annotate", function="mix")
    stacks = server.text("flamegraph", input="reports/latest/work/folded.txt").splitlines()
    assert stacks[0].rsplit(" ", 1)[0].endswith(";mix")
    sides = {side: sorted(glob.glob(f"reports/latest/work/{name}-*.perf.data"))
             for side, name in (("before", "base"), ("after", "run"))}
    assert "compare" in server.text("compare", **sides)
    result = server.call("annotate", function="nothing")["result"]
    assert result["isError"] and "no stack has a function" in result["content"][0]["text"]
    server.end()


globals()[sys.argv[1]]()
