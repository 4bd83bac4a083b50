# `mcp` serves the tools to a client on standard input and output, of both generations of the
# protocol, and reads nothing outside of the repository.
#
# Takes long.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

needs "tools are served" python3 git gcc
client() {
	timeout 300 python3 "$ROOT/tests/e2e/mcp_client.py" "$@"
}
enter_repository
write_mix
printf '#!/bin/sh\ntouch started\nsleep 300\n' >slow.sh
commit_work "runs: 5"
cat >workloads/slow.yaml <<'END'
name: slow
build: cp slow.sh slow && chmod +x slow
run: [./slow]
capture: {runs: 3, warmup: 0, repeat: 1}
END
echo /slow >>.gitignore
git add . && git commit -qm slow
echo '# changed' >>slow.sh
check "both generations of the protocol are spoken" client versions
check "what is no request is an error" client errors
mkdir reports
check "no path leads out of the repository" client paths
rm -rf reports above link.folded
if can_capture; then
	check "a tool is ended with its request and with the input" client running
	git checkout -q slow.sh
	sed -i 's/i < 900/i < 2400/' work.c
	check "each tool answers" client tools
else
	skip "each tool answers" "perf_event_open is refused here"
fi
finish
