#!/bin/bash
# Captures one program as it is, and deleted, rebuilt, in a chroot, in a mount namespace, in a PID
# namespace and by `go run`; prints which share of the samples is broken or unnamed, and whether the
# perf.data gives the same when it is read again. At most 2 % more than of the plain run are right.
#
#     tests/bench/gone.sh [PROFILE_RUN]
#
# As root; the cases of Go need go. Makes and removes a folder below TMPDIR.
set -u
program=$(readlink -f "${1:-build/release/profile_run}")
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

cat >spin.c <<'END'
volatile double sum;
__attribute__((noinline)) void leaf(long n) { for (long i = 0; i < n; i++) sum += i * 0.5; }
__attribute__((noinline)) void outer(long n) { leaf(n); __asm__(""); }
int main(void) { for (int i = 0; i < 250; i++) outer(1000000); return 0; }
END
cc -O2 -g -o spin spin.c
cc -O2 -Wl,--build-id=none -o nameless spin.c
cc -O2 -g -static -o static spin.c
cat >spin.go <<'END'
package main

import "sort"

//go:noinline
func leaf(n int) (sum float64) {
	for i := 0; i < n; i++ {
		sum += float64(i)
	}
	return
}

func main() {
	for i := 0; i < 400; i++ {
		leaf(1000000)
		sort.Ints(make([]int, 1000))
	}
}
END

# bad FOLDED COMM: the share of the samples of a command that are broken or unnamed.
bad() {
	awk -v comm="$2" '$0 !~ "^" comm ";" { next } { all += $NF }
		/\[broken\]|\[truncated\]|\[unknown\]|\[anon\]|;\[(gone|spin|exe|static|nameless)[^;]*\]/ { bad += $NF }
		END { printf "%6d samples, %5.2f %% broken or unnamed", all, all ? 100 * bad / all : 100 }' "$1"
}

# run CASE COMM COMMAND...
run() {
	local name=$1 comm=$2
	shift 2
	"$program" capture -F 999 -o "$name" -- "$@" >/dev/null 2>log || tail -n 3 log
	"$program" convert -i "$name/perf.data" -o again.folded 2>/dev/null
	printf '%-24s %s, read again: %s\n' "$name" "$(bad "$name/folded.txt" "$comm")" \
		"$(diff -q <(grep -v '^#' "$name/folded.txt") <(grep -v '^#' again.folded) >/dev/null &&
			echo the same || echo differs)"
}

# shellcheck disable=SC2016 # for the inner shells
{
	delete='cp "$1" gone && { ./gone & } && sleep 0.05 && rm gone && wait'
	rebuild='cp "$1" gone && { ./gone & } && sleep 0.05 && rm gone && cp "$2" gone && ./gone && wait'
	hide='mount -t tmpfs none mount && cp "$1" mount/gone && mount/gone'
	brief='for i in 1 2 3 4 5 6 7 8 9 10; do cp "$1" gone$i && timeout 0.02 ./gone$i; rm gone$i; done'
}
mkdir -p mount root/lib root/lib64 root/bin
for file in $(ldd spin | grep -o '/[^ ]*'); do
	mkdir -p "root$(dirname "$file")" && cp "$file" "root$file"
done
cp spin root/bin/gone
run plain spin ./spin
run deleted gone sh -c "$delete" sh ./spin
run deleted-no-build-id gone sh -c "$delete" sh ./nameless
run deleted-static gone sh -c "$delete" sh ./static
run rebuilt gone sh -c "$rebuild" sh ./nameless ./spin
run chroot gone chroot root /bin/gone
run chroot-deleted gone sh -c 'cp -r root other && chroot other /bin/gone; rm -r other'
run mount-namespace gone unshare --mount sh -c "$hide" sh ./spin
run pid-namespace gone unshare --mount --pid --fork --mount-proc sh -c "$hide" sh ./nameless
run brief-20-ms 'gone[0-9]*' sh -c "$brief" sh ./spin
if command -v go >/dev/null; then
	export HOME=$work GOCACHE=$work/cache
	go build -o gospin spin.go
	run go-build gospin ./gospin
	go build -ldflags='-s -w' -o gospin spin.go
	run go-build-stripped gospin ./gospin
	run go-run spin go run spin.go
fi
