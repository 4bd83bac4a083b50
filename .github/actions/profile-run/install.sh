#!/bin/bash
# install.sh: puts profile_run at $PROGRAM: the released binary of VERSION for this architecture, if its
# sum is that of the release, else one built from SOURCE, unless it is there already.
#
# RELEASES is the address of the releases of the repository that the action is from.
set -u
folder=$(dirname "$PROGRAM")
mkdir -p "$folder" || exit 2

fail() {
	echo "::error title=profile_run::$*"
	exit 2
}

download() { # NAME
	curl --fail --silent --show-error --location --retry 3 --output "$folder/$1" \
		"$RELEASES/download/v$version/$1"
}

# A released binary needs no library.
install_release() {
	local version=${VERSION#v} machine name
	[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+([-.+~][A-Za-z0-9.]+)?$ ]] ||
		fail "version is such as 0.1.0, not '${VERSION//[^A-Za-z0-9.+~-]/?}'"
	machine=$(uname -m)
	case $machine in
	x86_64 | aarch64) ;;
	arm64) machine=aarch64 ;;
	*) fail "there is no released binary for $machine; without 'version' it is built" ;;
	esac
	command -v curl >/dev/null || fail "curl is missing, which downloads version $version"
	name=profile_run-$version-linux-$machine
	download SHA256SUMS || fail "there is no version $version in $RELEASES"
	download "$name" || fail "version $version has no $name"
	# Only the line of this file: a sum of others says nothing of it.
	(cd "$folder" && awk -v name="$name" '$2 == name' SHA256SUMS >sum &&
		[ "$(wc -l <sum)" -eq 1 ] && sha256sum --check --strict --quiet sum) ||
		{ rm -f "$folder/$name" && fail "$name is not what its release says: its SHA-256 sum differs"; }
	mv "$folder/$name" "$PROGRAM" && chmod +x "$PROGRAM"
}

# What is cached runs without libraries; if it could not be linked so, they have to be installed.
build() {
	cd "$SOURCE" || exit 2
	if .ci/deps static && make -j"$(nproc)" static; then
		cp build/static/profile_run "$PROGRAM"
	else
		.ci/deps tool && make -j"$(nproc)" && cp build/profile_run "$PROGRAM"
	fi
}

runs() {
	"$PROGRAM" --version 2>/dev/null
}

if [ -n "$VERSION" ]; then
	install_release
elif [ -x "$PROGRAM" ]; then
	runs || (cd "$SOURCE" && .ci/deps tool)
else
	build
fi
runs || fail "profile_run could not be installed; see the log of this step"
