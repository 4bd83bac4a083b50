# Programs whose files are gone, replaced or out of sight when the capture ends: they are held open
# while they run, and copied beside the capture, so that it is read again with the same names.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "a program that is gone keeps its names" "perf_event_open is refused"
	finish
fi
needs "a program that is gone keeps its names" "${CC:-cc}"
cat >spin.c <<'END'
volatile double sum;
__attribute__((noinline)) void leaf(long n) { for (long i = 0; i < n; i++) sum += i * 0.5; }
__attribute__((noinline)) void outer(long n) { leaf(n); __asm__(""); }
int main(void) { for (int i = 0; i < 200; i++) outer(1000000); return 0; }
END
"${CC:-cc}" -O2 -g -o spin spin.c
"${CC:-cc}" -O2 -Wl,--build-id=none -o nameless spin.c

# captured OUT COMMAND...: nearly all stacks lead from main to leaf, also when it is read again.
captured() {
	local out=$1
	shift
	timeout 60 "$PROFILE_RUN" capture -F 999 -o "$out" -- "$@" >out.txt 2>err.txt &&
		well_named "$out/folded.txt" &&
		"$PROFILE_RUN" convert -i "$out/perf.data" -o again.folded &&
		diff <(grep -v '^#' "$out/folded.txt") <(grep -v '^#' again.folded)
}
well_named() {
	awk '{ all += $NF } /;main.*;outer.*;leaf/ { good += $NF }
		END { printf "%d of %d\n", good, all; exit !(all > 20 && good > 0.9 * all) }' "$1"
}
# shellcheck disable=SC2016 # for the inner shells
delete='cp "$1" gone && { ./gone & } && sleep 0.1 && rm gone && wait'
# shellcheck disable=SC2016
hidden='mount -t tmpfs none "$1" && cp "$2" "$1/gone" && "$1/gone"'

check "a program that is deleted while it runs keeps its names" captured deleted \
	sh -c "$delete" sh ./spin
check "(which the capture says)" contains err.txt "gone or replaced by the end of the capture: copied"
check "(in a copy that is named by its build-id)" test -n "$(find deleted/programs -name '[0-9a-f]*')"
check "so does one without a build-id" captured nameless.out sh -c "$delete" sh ./nameless
check "(and with lines, which debug information has)" contains deleted/report.txt spin.c
check "a program that stays is not copied" captured plain ./spin
check "(no folder is made)" test ! -e plain/programs
check "nor is a copy of an earlier capture left" captured deleted ./spin
check "(the folder is removed)" test ! -e deleted/programs

briefly() {
	rm -rf brief
	timeout 60 "$PROFILE_RUN" capture -F 999 -o brief -- sh -c "$delete" sh ./spin >out.txt 2>err.txt &&
		rm -rf brief/programs && "$PROFILE_RUN" analyze -i brief/perf.data >out.txt 2>err.txt &&
		contains out.txt "cannot be read as a program" && lacks out.txt "fasynchronous-unwind"
}
check "without its copy the advice names the missing file" briefly

claim="'go run' of a program, which has no symbols, has names and callers"
if command -v go >/dev/null; then
	cat >spin.go <<-'END'
		package main

		//go:noinline
		func leaf(n int) (sum float64) {
			for i := 0; i < n; i++ {
				sum += float64(i)
			}
			return
		}

		//go:noinline
		func outer(n int) float64 { return leaf(n) + 1 }

		func main() {
			for i := 0; i < 300; i++ {
				outer(1000000)
			}
		}
	END
	go_run() {
		timeout 100 env HOME="$PWD" GOFLAGS=-trimpath "$PROFILE_RUN" capture \
			-F 999 -o go -- go run spin.go >out.txt 2>err.txt &&
			grep '^spin;' go/folded.txt >spin.folded &&
			sed 's/main\.//g; s/;runtime;/;/' spin.folded >named.folded && well_named named.folded
	}
	check "$claim" go_run
else
	skip "$claim" "go is not installed"
fi

claim="a program of another mount namespace keeps its names"
mkdir mount
if unshare --mount true 2>.why; then
	check "$claim" captured namespace unshare --mount sh -c "$hidden" sh mount ./spin
	check "one in a PID namespace does, too" captured pids unshare --mount --pid --fork --mount-proc \
		sh -c "$hidden" sh mount ./nameless
else
	skip "$claim" "$(tail -n 1 .why)"
fi
finish
