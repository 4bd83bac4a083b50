"""github_api.py FOLDER: the part of GitHub's REST API that our actions use, for tests, on a port of
this machine that is written to FOLDER/port.

What it knows is in FOLDER: pulls.json (an object by number), comments.json (of all of them, in order;
it is written back), issues.json (likewise), artifacts.json (an object by run, as listed) and ID.zip of each artifact. Each
request is a line of FOLDER/requests. It is the token's name what it may do: "reader" reads, "commenter"
also writes comments but does not read artifacts, "alerter" reads and writes issues alone. The contents of artifacts are on another host, which
refuses a request with a token, as that of GitHub does.
"""
import http.server
import json
import pathlib
import re
import sys
import urllib.parse

FOLDER = pathlib.Path(sys.argv[1])
REPOSITORY = "/repos/owner/project/"
MAY = {"Bearer reader": {"read", "artifacts"}, "Bearer commenter": {"read", "write"},
       "Bearer alerter": {"issues"}}


def load(name):
    return json.loads((FOLDER / name).read_text())


class Api(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

    def handle_any(self):
        with open(FOLDER / "requests", "a") as log:
            log.write(f"{self.command} {self.path}\n")
        url = urllib.parse.urlsplit(self.path)
        token = self.headers.get("Authorization")
        if url.path.startswith("/stored/"):
            if token:
                return self.answer(400, {"message": "two ways to authorize"})
            return self.answer(200, (FOLDER / url.path[len("/stored/"):]).read_bytes())
        if token not in MAY:
            return self.answer(401, {"message": "Bad credentials"})
        query = urllib.parse.parse_qs(url.query)
        for method, pattern, right, action in ROUTES:
            found = re.fullmatch(REPOSITORY + pattern, url.path)
            if found and method == self.command:
                if right not in MAY[token]:
                    return self.answer(403, {"message": "Resource not accessible by integration"})
                return action(self, query, *found.groups())
        return self.answer(404, {"message": "Not Found"})

    do_GET = do_POST = do_PATCH = handle_any

    def log_message(self, *arguments):
        pass

    def sent(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def pull(self, query, number):
        pull = load("pulls.json").get(number)
        self.answer(200 if pull else 404, pull or {"message": "Not Found"})

    def artifacts(self, query, run):
        found = [a for a in load("artifacts.json").get(run, []) if [a["name"]] == query["name"]]
        self.answer(200, {"total_count": len(found), "artifacts": found})

    def artifact(self, query, number):
        host = f"http://localhost:{self.server.server_address[1]}"
        self.answer(302, b"", [("Location", f"{host}/stored/{number}.zip")])

    def comments(self, query, number):
        size, page = int(query["per_page"][0]), int(query["page"][0])
        found = [c for c in load("comments.json") if c["issue"] == int(number)]
        self.answer(200, found[size * (page - 1):size * page])

    def write(self, comments, comment, status):
        (FOLDER / "comments.json").write_text(json.dumps(comments))
        self.answer(status, comment)

    def create(self, query, number):
        comments = load("comments.json")
        body = self.sent()["body"]
        if len(body) > 65536:
            return self.answer(422, {"message": "body is too long"})
        comment = {"id": len(comments) + 1, "issue": int(number), "body": body,
                   "user": {"login": "github-actions[bot]"},
                   "html_url": f"https://github.example/pull/{number}#{len(comments) + 1}"}
        return self.write([*comments, comment], comment, 201)

    def update(self, query, number):
        comments = load("comments.json")
        comment = next(c for c in comments if c["id"] == int(number))
        comment["body"] = self.sent()["body"]
        self.write(comments, comment, 200)

    def issues(self, query):
        size, page = int(query["per_page"][0]), int(query["page"][0])
        found = [i for i in reversed(load("issues.json")) if query["labels"][0] in i["labels"]]
        self.answer(200, found[size * (page - 1):size * page])

    def keep_issue(self, issues, number, status):
        issue = next(i for i in issues if i["number"] == number)
        issue.update(self.sent())
        (FOLDER / "issues.json").write_text(json.dumps(issues))
        self.answer(status, issue)

    def create_issue(self, query):
        issues = load("issues.json")
        issue = {"number": len(issues) + 1, "state": "open", "user": {"login": "github-actions[bot]"}}
        self.keep_issue([*issues, issue], issue["number"], 201)

    def update_issue(self, query, number):
        self.keep_issue(load("issues.json"), int(number), 200)


ROUTES = [
    ("GET", r"issues", "issues", Api.issues),
    ("POST", r"issues", "issues", Api.create_issue),
    ("PATCH", r"issues/(\d+)", "issues", Api.update_issue),
    ("GET", r"pulls/(\d+)", "read", Api.pull),
    ("GET", r"issues/(\d+)/comments", "read", Api.comments),
    ("POST", r"issues/(\d+)/comments", "write", Api.create),
    ("PATCH", r"issues/comments/(\d+)", "write", Api.update),
    ("GET", r"actions/runs/(\d+)/artifacts", "artifacts", Api.artifacts),
    ("GET", r"actions/artifacts/(\d+)/zip", "artifacts", Api.artifact),
]

server = http.server.HTTPServer(("127.0.0.1", 0), Api)
(FOLDER / "port.new").write_text(str(server.server_address[1]))
(FOLDER / "port.new").rename(FOLDER / "port")
server.serve_forever()
