# What a release has: the static program, which needs no library, runs in an empty folder, and has the
# same bytes wherever it is built; its package, and the list of what is in it.
# shellcheck disable=SC2016 # expanded by bash -c
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"
# Takes long.

if ! (cd "$ROOT" && .ci/missing static) 2>missing.txt; then
	skip "a static program" "$(head -n 1 missing.txt)"
	finish
fi
built=$ROOT/build/static
build() {
	make -C "$ROOT" --no-print-directory dist 2>&1 | tee build.txt && test -e "$built/profile_run"
}
export SOURCE_DATE_EPOCH=1700000000 MAINTAINER='A Tester <tester@example.org>'
check "the static program and its package are built" build
check "without a warning" lacks build.txt warning
check "it needs no library" contains <(readelf -d "$built/profile_run") "There is no dynamic section"
check "it has an identity for its symbols" contains <(readelf -n "$built/profile_run") "Build ID"
check "which are in a file beside it" test -s "$built/profile_run.debug"
# THOROUGH=1: all of them, else every eighth.
unchanged() {
	local cases=()
	[ "${THOROUGH:-0}" = 1 ] || mapfile -t cases < <(cd "$ROOT/tests/golden" && printf '%s\n' */cmd |
		awk 'NR % 8 == 1 { sub("/cmd", ""); print }')
	(cd "$ROOT" && PROFILE_RUN=$built/profile_run tests/golden/run "${cases[@]}") | tail -n 20
	return "${PIPESTATUS[0]}"
}
check "it passes the golden cases" unchanged

# Only the program, a profile, and the picture that it makes.
mkdir empty
cp "$built/profile_run" "$ROOT/tests/fixtures/replay/moved/replay.bin" empty
printf 'app;main;parse;read_[k] 3\napp;main;print 2\napp;main;parse 5\n' >empty/app.folded
chroot=(chroot empty)
"${chroot[@]}" /profile_run --version >/dev/null 2>&1 || chroot=(unshare -r chroot empty)
if "${chroot[@]}" /profile_run --version >/dev/null 2>&1; then
	check "in an empty folder it draws" exits 0 "${chroot[@]}" /profile_run flamegraph \
		--input app.folded --output flame.svg
	"$PROFILE_RUN" flamegraph --input empty/app.folded --output flame.svg
	check "the same picture" cmp empty/flame.svg flame.svg
	check "and judges" exits 1 "${chroot[@]}" /profile_run replay replay.bin --output again
	examines() {
		"${chroot[@]}" /profile_run doctor >out.txt 2>err.txt
		local status=$?
		cat err.txt
		[ $status -eq 0 ] || [ $status -eq 2 ]
	}
	check "and says what the machine can measure" examines
	check "in one line" grep -q '^This machine can' out.txt
	check "and what cannot be read" contains out.txt "perf_event_paranoid is not readable"
else
	skip "the static program in an empty folder" "chroot is refused here"
fi

# The package.
package=$(echo "$ROOT"/build/dist/*.deb)
mkdir -p root/var/lib/dpkg/{info,updates}
touch root/var/lib/dpkg/{status,available}
files_of() {
	(cd root && find . -type f ! -path './var/*' | sort)
}
if dpkg --root="$PWD/root" --install "$package" >dpkg.txt 2>&1; then
	check "the package installs what runs" exits 0 root/usr/bin/profile_run --version
	check "with its manual pages" test -s root/usr/share/man/man1/profile_run.1.gz
	check "completions" grep -q _profile_run root/usr/share/bash-completion/completions/profile_run
	licences() {
		gzip -dc root/usr/share/doc/profile-run/licenses.gz | grep -E '^== (cjson|libcapstone-dev|libdw-dev) '
	}
	check "and the licences of what is linked" test "$(licences | wc -l)" -ge 3
	check "all files are as they were packed" exits 0 dpkg --root="$PWD/root" --verify profile-run
	check "it is removed" exits 0 dpkg --root="$PWD/root" --purge profile-run
	check "and leaves nothing" test -z "$(files_of)"
else
	skip "the package is installed" "$(tail -n 1 dpkg.txt)"
fi
if command -v lintian >/dev/null; then
	check "lintian has nothing to say" exits 0 lintian --allow-root --fail-on error,warning "$package"
	check "not even a warning" lacks out.txt "W:"
else
	skip "the package is as Debian's policy says" "lintian is not installed"
fi
sbom=$(echo "$ROOT"/build/dist/*.spdx.json)
check "the list has the sum of the program" grep -q \
	"$(sha256sum "$built/profile_run" | cut -d ' ' -f 1)" "$sbom"
check "and the version of each library" grep -q \
	"\"versionInfo\": \"$(dpkg-query -W -f '${Version}' libdw-dev)\"" "$sbom"

# Built elsewhere. A file's object depends on nothing but the file and the folder, by one rule, so
# that some of them show it; the release workflow compares a program that is all built elsewhere.
other=$PWD/another/folder
mkdir -p "$other/build/source"
cp -rp "$ROOT/Makefile" "$ROOT/.ci" "$ROOT/harness" "$other"
mkdir "$other/tests"
cp -p "$ROOT/LICENSE" "$ROOT/CHANGELOG.md" "$other"
cp -p "$ROOT/tests/tests.mk" "$other/tests"
cp -rp "$ROOT/build/source/cjson" "$other/build/source" 2>/dev/null
mkdir "$other/build/release"
cp -rp "$ROOT/build/release/harness" "$ROOT/build/release/profile_run" "$other/build/release"
cp -rp "$ROOT/build/static" "$other/build"
sample=$(cd "$ROOT" && find build/release/harness build/static/harness -name '*.o' | sort | awk 'NR % 24 == 1')
sample+=" $(cd "$ROOT" && printf 'build/release/%s ' harness/*/*/*.S | sed 's|S |o |g')"
sample+=" build/static/profile_run build/static/profile_run.debug"
sample+=" $(cd "$ROOT" && printf '%s ' build/dist/*)"
remake() {
	local file status=0
	# shellcheck disable=SC2086 # one path a word
	(cd "$other" && rm -f build/static/linked build/static/cJSON.o $sample &&
		make --no-print-directory dist) || return
	for file in $sample; do
		cmp "$ROOT/$file" "$other/$file" || status=1
	done
	echo "$sample"
	return $status
}
check "another folder makes the same bytes" remake
check "without its name" bash -c '! grep -rlF "$1" "$1/build/static"' _ "$other"
finish
