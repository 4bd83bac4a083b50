# The comment on a pull request, from the data of a run that may be anyone's to what stands there: the
# scripts of the actions, with a small server in the place of GitHub's API.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "the comment on a pull request" python3 curl jq
actions=$ROOT/.github/actions
mkdir api
python3 "$ROOT/tests/e2e/github_api.py" api >api/log 2>&1 &
server=$!
trap 'kill $server 2>/dev/null' EXIT

# Reports: one that fails, one without findings, and one whose names are hostile.
profiles() { # SIDE PARSE NAME
	local run
	for run in 1 2 3 4 5 6; do
		printf '%s\n' "main;$3 $(($2 + run * 5))" "main;print $((6000 - run * 5))" >"$1-$run.folded"
	done
}
judged() { # FOLDER
	"$PROFILE_RUN" compare --quiet --output "$1" --before before-*.folded --after after-*.folded \
		>/dev/null 2>&1
}
profiles before 4000 parse
profiles after 6000 parse
judged slower
profiles after 4000 parse
judged same
hostile='@octocat fixes #1 GH-2 </code><img src=x> ![x](https://evil.example/p.png) www.evil.example <!-- @PICTURES@ |'
profiles before 4000 "$hostile"
profiles after 6000 "$hostile"
judged hostile
check "the reports are what they should be" test "$("$PROFILE_RUN" export same --to comment |
	sed -n 2p) $("$PROFILE_RUN" export slower --to comment | sed -n 2p)" = \
	"<!-- profile_run state quiet --> <!-- profile_run state findings -->"

if command -v rsvg-convert >/dev/null; then
	check "a picture becomes a PNG" "$PROFILE_RUN" export slower --to picture --output slower.png
	check "really" test "$(head -c 4 slower.png | tail -c 3)" = PNG
else
	skip "a picture becomes a PNG" "rsvg-convert is not installed"
fi

head=1111111111111111111111111111111111111111
pull() { # HEAD REPOSITORY-ID STATE
	printf '{"state": "%s", "head": {"sha": "%s", "repo": {"id": %s}}}' "$3" "$1" "$2"
}
fork=$(pull $head 200 open)
other=$(pull 2222222222222222222222222222222222222222 100 open)
newer=$(pull 3333333333333333333333333333333333333333 200 open)
closed=$(pull $head 200 closed)
printf '{"7": %s, "8": %s, "9": %s, "10": %s, "11": %s}' "$fork" "$other" "$newer" "$closed" \
	"$(pull $head 300 open)" >api/pulls.json
echo '[]' >api/comments.json

soon test -s api/port
export GITHUB_API_URL GITHUB_REPOSITORY=owner/project GITHUB_OUTPUT=$PWD/output
GITHUB_API_URL=http://127.0.0.1:$(cat api/port)
export HEAD_SHA=$head HEAD_REPOSITORY=200 RUN_ID=1 PROGRAM=$PROFILE_RUN MARKER=gate
export AUTHOR='github-actions[bot]' RUN_URL=https://github.example/run/1
export DATA=$PWD/data PAGE=$PWD/page.html PAGE_URL=https://github.example/artifacts/5
export PULL_REQUEST BODY PICTURES='' GITHUB_SERVER_URL=https://github.example

# What the untrusted job uploads, as the run's artifact.
upload() { # REPORT NUMBER
	rm -rf untrusted
	DATA=untrusted REPORT=$1 PULL_REQUEST=$2 "$actions/profile-run/data.sh"
	python3 -c 'import shutil; shutil.make_archive("api/5", "zip", "untrusted")'
	listed
}
listed() { # [BYTES]
	printf '{"1": [{"id": 5, "name": "profile-run-comment", "size_in_bytes": %s,
		"expired": false, "created_at": "2026-01-02T00:00:00Z"}]}' \
		"${1:-$(stat -c %s api/5.zip)}" >api/artifacts.json
}
# Its files by a list of [NAME, CONTENT, MODE], as no tool would make it.
forge() { # LIST
	python3 -c '
import json, sys, zipfile
with zipfile.ZipFile("api/5.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.compresslevel = 1
    for name, content, mode in json.loads(sys.argv[1]):
        info = zipfile.ZipInfo(name)
        info.external_attr = int(mode, 8) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(info, content * (1 if len(content) > 1 else 51000000))
' "$1" 2>/dev/null
	listed
}
said() { # NAME: an output of a step
	sed -n "s/^$1=//p" output
}
fetch() {
	rm -rf data report page.html
	: >output
	TOKEN=reader "$actions/comment-render/fetch.sh"
}
render() {
	fetch && PULL_REQUEST=$(said pull-request) && [ -n "$PULL_REQUEST" ] || return
	REPORT=report "$actions/comment-render/replay.sh" || return
	PAGES=$(said pages)
	: >output
	REPORT=report "$actions/comment-render/body.sh" || return
	BODY=$(sed '0,/^body<</d; /^end-/d' output)
}
comment() {
	: >output
	TOKEN=commenter "$actions/comment/comment.sh"
}
both() { # ACTION
	render && comment && [ "$(said action)" = "$1" ]
}
comments() { # NUMBER: how many there are by us
	jq --argjson n "$1" '[.[] | select(.issue == $n and .user.login == "github-actions[bot]")] |
		length' api/comments.json
}
body_of() { # NUMBER
	jq -r --argjson n "$1" '[.[] | select(.issue == $n)] | last | .body' api/comments.json >body
}

# From a fork, all of it; in between, others write below it.
upload same 7
check "where there is nothing to say there is no first comment" both none
check "really" test "$(comments 7)" = 0
upload slower 7
check "a first run comments" both created
body_of 7
check "with its verdict" contains body "### profile_run: fail"
check "with a link to the page" contains body "[The whole report](https://github.example/artifacts/5)"
check "which is made anew" cmp page.html report/index.html
check "and is one file" test "$PAGES" = one
jq '[{id: 900, issue: 7, body: .[0].body, user: {login: "mallory"}, html_url: "x"}] + . + [range(150) |
	{id: (1000 + .), issue: 7, body: "talk", user: {login: "someone"}, html_url: "x"}]' \
	api/comments.json >moved && mv moved api/comments.json
check "a second one updates it" both updated
check "and makes no second one" test "$(comments 7)" = 1
cp api/comments.json before.json
jq 'map(select(.body == "talk")) + map(select(.body != "talk"))' before.json >api/comments.json
check "also far down in the talk" both updated
check "and not that of someone else with its marker" test "$(comments 7)" = 1
upload same 7
check "where nothing is left it is marked as resolved" both resolved
jq -r '.[] | select(.user.login == "github-actions[bot]").body' api/comments.json >body
check "in words" contains body "earlier findings are resolved"
check "the text of another's stays" test "$(jq '[.[] | select(.user.login == "mallory" and
	(.body | contains("profile_run: fail")))] | length' api/comments.json)" = 1
export MARKER=nightly
upload slower 7
check "another marker is another comment" both created
export MARKER=gate

# Names.
upload hostile 7
check "hostile names are commented" both updated
jq -r '.[] | select(.user.login == "github-actions[bot]" and (.body | contains("octocat"))).body' \
	api/comments.json >body
check "nobody is mentioned" lacks body '@octocat'
check "no mark of ours is in it" lacks body '@PICTURES@'
check "nothing is referred to" lacks body '#1'
check "no tag is left" lacks body '<img'
check "no image" lacks body '![x]'
check "only our own links are links" \
	test "$(grep -o '](http[^)]*)' body | sort -u | tr '\n' ' ')" = \
	"](https://github.example/artifacts/5) ](https://github.example/run/1) "

# Pictures, on a branch of this month. The clock is set, and the drawing of PNG left to a file.
git init -q --bare pictures.git
mkdir bin
printf '#!/bin/sh\nprintf "\\211PNG\\r\\n\\032\\n and more"\n' >bin/rsvg-convert
chmod +x bin/rsvg-convert
push() { # DATE
	: >output
	PULL_REQUEST=7 PICTURES=pictures DAYS=60 REMOTE=$PWD/pictures.git NOW=$(date -u -d "$1" +%s) \
		"$actions/comment-pictures/push.sh"
}
branches() {
	git --git-dir=pictures.git for-each-ref --format='%(refname:short)' | tr '\n' ' '
}
draws() {
	PICTURES=pictures PATH=$PWD/bin:$PATH render && [ "$(said pictures)" = branch ] &&
		contains pictures/picture.svg '<?xml' && lacks pictures/picture.svg '<script'
}
upload hostile 7
check "the change is drawn" draws
check "and pushed" push 2026-01-31
first=$(said commit)
check "to the branch of the month" test "$(branches)" = "profile-run-pictures-2026-01 "
shows() { # URL
	PICTURES=$1 comment && jq -r '.[].body' api/comments.json >body
}
check "the comment has it" shows "$first"
check "by that commit" contains body "[![What changed, as a flame graph](https://github.example/owner/project/raw/$first/picture.png)](https://github.example/artifacts/5)"
check "as SVG, too" contains body "(https://github.example/owner/project/raw/$first/picture.svg)"
check "and nothing is left to be filled in" lacks body '@PICTURES@'
check "without pictures it has the rest" shows ''
check "and no trace of them" lacks body "/raw/"
check "such as the findings" contains body "octocat"
check "a second time adds to the branch" push 2026-01-31
check "by its own commit" test "$(git --git-dir=pictures.git rev-list --count "$(said commit)")" = 2
check "a new month has a new branch" push 2026-02-01
check "that begins anew" test "$(git --git-dir=pictures.git rev-list --count "$(said commit)")" = 1
git --git-dir=pictures.git branch profile-run-pictures-mine "$first"
check "after two months more" push 2026-04-03
check "the first branch is gone, and no other" test "$(branches)" = \
	"profile-run-pictures-2026-02 profile-run-pictures-2026-04 profile-run-pictures-mine "
for bad in '<script>' '<!ENTITY a "b">'; do
	echo "<?xml $bad" >pictures/picture.svg
	check "no picture with $bad is pushed" exits 2 push 2026-04-04
done
echo nothing >pictures/picture.png
check "nor what is no PNG" exits 2 push 2026-04-04
check "and that is said" contains out.txt "picture.png is no PNG"
draws_nothing() {
	PICTURES=pictures PATH=$PWD/bin:$PATH render && [ -z "$(said pictures)" ]
}
upload same 7
check "a comment without findings has no picture" draws_nothing
PICTURES=''

# Pull requests that the run was not of.
for number in 8 11; do
	upload slower $number
	check "a run of a fork cannot comment elsewhere ($number)" exits 2 fetch
	check "and that is said ($number)" contains out.txt "was of another repository"
done
check "the job that writes checks that, too" exits 2 env PULL_REQUEST=8 TOKEN=commenter \
	"$actions/comment/comment.sh"
upload slower 9
check "an outdated head gets no comment" exits 0 fetch
check "and that is said" contains out.txt "is no longer the head of pull request 9"
check "to the other jobs, too" grep -qx 'pull-request=' output
check "nor where it became so meanwhile" exits 0 env PULL_REQUEST=9 TOKEN=commenter \
	"$actions/comment/comment.sh"
upload slower 10
check "a closed pull request gets none" exits 0 fetch
check "which is said" contains out.txt "pull request 10 is closed"
upload slower 404
check "one that there is not is refused" exits 2 fetch
upload slower '7/../8'
check "so is what is no number" exits 2 fetch
check "none of these was written" test "$(comments 8)$(comments 9)$(comments 10)" = 000

# Artifacts.
data=$(base64 -w0 slower/compare/replay.bin)
refused() { # CLAIM LIST REASON
	forge "$2"
	check "$1 is refused" exits 2 fetch
	check "$1: its reason" contains out.txt "$3"
	check "$1: nothing is unpacked" test ! -e data/report
}
number='["pull-request", "7\n", "644"]' file='["report/a/replay.bin", "xx", "644"]'
refused "a path outside" "[$number, [\"report/../../../out/replay.bin\", \"xx\", \"644\"]]" \
	"does not belong there"
refused "an absolute path" "[$number, [\"/tmp/replay.bin\", \"xx\", \"644\"]]" "does not belong there"
refused "a picture" "[$number, $file, [\"report/a/diff.svg\", \"<svg/>\", \"644\"]]" \
	"'report/a/diff.svg', which does not belong there"
refused "a name that is a command" "[$number, [\"a\\n::error::x\", \"xx\", \"644\"]]" 'a\n::error::x'
refused "a link" "[$number, [\"report/a/replay.bin\", \"/etc/passwd\", \"120777\"]]" "no regular file"
refused "a file twice" "[$number, $file, $file]" "twice"
refused "one without data" "[$number]" "lacks pull-request or report"
refused "too many files" "[$(for ((i = 0; i < 1001; i++)); do
	printf '["report/w%d/replay.bin", "xx", "644"], ' $i
done) $number]" "1002 files, more than 1001"
# A directory of a million entries, in either way that its size is given.
directory() { # END
	python3 - "$1" <<'END_PYTHON'
import struct, sys
entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", *[0] * 9, 0, 0, 1, *[0] * 6) + b"a"
size = len(entry) * 1000000
end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, size, 0, 0)
if sys.argv[1] == "zip64":
    end = (struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, size, 0)
           + struct.pack("<4sLQL", b"PK\6\7", 0, size, 1)
           + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65535, 65535, 0xFFFFFFFF, 0, 0))
open("api/5.zip", "wb").write(entry * 1000000 + end)
END_PYTHON
	listed
}
for end in plain zip64; do
	directory $end
	check "an archive of a million entries is refused ($end)" exits 2 fetch
	check "before one is read ($end)" contains out.txt "its directory has 47000000 bytes, more than 512512"
done
forge "[$number, [\"report/a/replay.bin\", \"x\", \"644\"]]"
check "a file that unpacks to too much is refused" exits 2 fetch
check "with its reason" contains out.txt "is larger than 50000000 bytes"
forge "[$(for i in 1 2 3 4; do printf '["report/w%d/replay.bin", "x", "644"], ' $i; done) $number]"
check "so are files that do together" exits 2 fetch
check "with their reason" contains out.txt "unpacks to more than 200000000 bytes"
listed 100000001
check "one too large is not even fetched" exits 2 fetch
check "with its reason" contains out.txt "100000001 bytes, more than 100000000"
check "really" test "$(tail -n 1 api/requests)" = \
	"GET /repos/owner/project/actions/runs/1/artifacts?name=profile-run-comment"
truncate -s 100000001 api/5.zip
listed 1000
check "nor taken where it is larger than it said" exits 2 fetch
check "with that reason" contains out.txt "more than 100000000 bytes"
broken() {
	python3 - "$actions/comment-render/unpack.py" <<'END_PYTHON'
import importlib.util, os, random, shutil, sys, zipfile
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("unpack", sys.argv[1])
unpack = importlib.util.module_from_spec(spec)
spec.loader.exec_module(unpack)
with zipfile.ZipFile("whole.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("pull-request", "7")
    archive.writestr("report/a/replay.bin", "data" * 20)
whole = open("whole.zip", "rb").read()
ends = {"unpacked": 0, "refused": 0, "broken": 0}
for seed in range(500):
    dice = random.Random(seed)
    data = bytearray(whole)
    for _ in range(dice.randint(1, 4)):
        data[dice.randrange(len(data))] = dice.choice((0, 255, dice.randrange(256)))
    if dice.random() < 0.1:
        del data[dice.randrange(len(data)):]
    open("broken.zip", "wb").write(data)
    try:
        unpack.main("broken.zip", "broken/in")
        ends["unpacked"] += 1
    except unpack.Refused:
        ends["refused"] += 1
    except unpack.BROKEN:
        ends["broken"] += 1
    if os.path.exists("broken"):
        assert os.listdir("broken") == ["in"], "outside of its folder"
        shutil.rmtree("broken")
print(ends)
sys.exit(0 in ends.values())
END_PYTHON
}
check "each broken input ends with its error" broken
echo nonsense >api/5.zip
listed
check "one that is no archive is refused" exits 2 fetch
forge "[$number, [\"report/a/replay.bin\", \"no report\", \"644\"]]"
check "data of another schema are refused" exits 2 render
check "as such" contains out.txt "no report of this version"
check "without a body" lacks output 'body<<'
python3 - "$data" <<'END_PYTHON'
import base64, sys, zipfile
data = bytearray(base64.b64decode(sys.argv[1]))
data[len(data) // 2] ^= 1
with zipfile.ZipFile("api/5.zip", "w") as archive:
    archive.writestr("pull-request", "7")
    archive.writestr("report/compare/replay.bin", bytes(data))
END_PYTHON
listed
check "data that were altered are refused" exits 2 render
echo '{}' >api/artifacts.json
check "a run without data gets no comment" exits 0 fetch
check "which is said" contains out.txt "has no artifact profile-run-comment"

# What the API refuses fails the job.
upload slower 7
render
check "a token that may not write is an error" exits 2 env TOKEN=reader "$actions/comment/comment.sh"
check "that is printed" contains out.txt "could not be written"
BODY='<!-- profile_run comment gate -->'
check "a body of another program is not posted" exits 2 comment
BODY=$(printf '<!-- profile_run comment gate -->\n<!-- profile_run state findings -->\n%060000d' 1)
check "nor one that is too long" exits 2 comment
finish
