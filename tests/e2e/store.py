"""A store of profiles for the tests: store.py FOLDER [REFUSE]

Takes what is posted to /ingest as Pyroscope does, and to /profiles/writeraw as Parca; refuses the
first REFUSE requests with status 503. Its port is in FOLDER/port; of each request it writes one line
to FOLDER/log, and for each stack of a profile its line of folded text to FOLDER/folded.
"""
import base64
import gzip
import http.server
import json
import os
import sys
import urllib.parse

folder = sys.argv[1]
refuse = int(sys.argv[2]) if len(sys.argv) > 2 else 0


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at : at + value], at + value
        yield tag >> 3, value


def numbers(data):
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        yield value


def decode(body):
    """profile.proto of github.com/google/pprof as (types, lines of folded text)."""
    strings, types, samples, functions, locations = [], [], [], {}, {}
    for number, value in fields(gzip.decompress(body)):
        if number == 1:
            types.append(dict(fields(value)))
        elif number == 2:
            sample = dict(fields(value))
            samples.append((list(numbers(sample[1])), list(numbers(sample[2]))))
        elif number == 4:
            lines = [dict(fields(line))[1] for field, line in fields(value) if field == 4]
            locations[dict(fields(value))[1]] = lines
        elif number == 5:
            function = dict(fields(value))
            functions[function[1]] = function[2]
        elif number == 6:
            strings.append(value.decode())
    types = [strings[t[1]] + "/" + strings[t[2]] for t in types]
    lines = []
    for stack, values in samples:
        names = []
        for at in reversed(stack):
            # The innermost function is first; all but the last are inlined.
            inlined = ["", *["_[i]" for line in locations[at][1:]]]
            names += [
                strings[functions[line]] + kind
                for line, kind in zip(reversed(locations[at]), inlined)
            ]
        lines.append(";".join(names) + " " + " ".join(map(str, values)))
    return types, sorted(lines)


def append(name, line):
    with open(os.path.join(folder, name), "a") as out:
        out.write(line + "\n")


class Store(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global refuse
        body = self.rfile.read(int(self.headers["Content-Length"]))
        url = urllib.parse.urlparse(self.path)
        if refuse > 0:
            refuse -= 1
            append("log", "refused")
            self.send_response(503)
            self.end_headers()
            return
        query = urllib.parse.parse_qs(url.query)
        if url.path == "/ingest":
            about = "%s format=%s rate=%s seconds=%d" % (
                query["name"][0], query["format"][0], query["sampleRate"][0],
                int(query["until"][0]) - int(query["from"][0]))
        elif url.path != "/profiles/writeraw":
            self.send_error(404)
            return
        else:
            series = json.loads(body)["series"][0]
            about = " ".join(l["name"] + "=" + l["value"] for l in series["labels"]["labels"])
            body = base64.b64decode(series["samples"][0]["raw_profile"])
        types, lines = decode(body)
        append("log", url.path + " " + about + " " + " ".join(types))
        for line in lines:
            append("folded", line)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args):
        pass


if folder == "-":
    for line in decode(sys.stdin.buffer.read())[1]:
        print(line)
else:
    server = http.server.HTTPServer(("127.0.0.1", 0), Store)
    with open(os.path.join(folder, "port"), "w") as out:
        out.write(str(server.server_port))
    server.serve_forever()
