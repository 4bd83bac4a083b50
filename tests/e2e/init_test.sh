# `init` writes the build of a project: for each build system, a program with a library is
# built by init, and again by the written command in a fresh clone.
#
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

export GOTOOLCHAIN=local GOFLAGS=-mod=mod CARGO_NET_OFFLINE=true npm_config_offline=true

# project NAME: a new repository in folder NAME.
project() {
	mkdir -p "$1/src" && cd "$1" && git init -q . && git config user.email a@example.org &&
		git config user.name a || exit 2
	printf 'int twice(int x);\nint twice(int x) { return 2 * x; }\n' >src/twice.c
	printf 'int twice(int x);\nint main(int c, char **v) { return v[0] ? twice(c) - 4 : 1; }\n' >src/main.c
}

# built WORD... -- COMMAND...: init builds the program and writes a build with these words.
built() {
	local words=()
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	git add -A && git commit -qm project && git clone -q . ../fresh || return 1
	exits 0 "$PROFILE_RUN" init --workload app "$@" || return 1
	grep '^build: ' workloads/app.yaml >build.txt || return 1
	for word in "${words[@]}"; do
		contains build.txt "$word" || return 1
	done
	shift
	"$@" && sed 's/^build: "//; s/"$//; s/\\\(.\)/\1/g' build.txt >../build.sh &&
		(cd ../fresh && sh -e ../build.sh && "$@")
}

# try TITLE WORD... -- COMMAND...: the same, and back to the first folder.
try() {
	local title=$1
	shift
	check "$title: init builds it, and a fresh clone" built "$@"
	cd "$TOP" && rm -rf fresh build.sh
}
TOP=$PWD

if command -v make >/dev/null; then
	project with_make
	printf 'CFLAGS = -O1 -g\nbin/app: src/main.c src/twice.c\n\tmkdir -p bin\n\t$(CC) $(CFLAGS) -o $@ $^\n' >Makefile
	echo bin >.gitignore
	try Make make -- ./bin/app one
else
	skip "Make" "make is not installed"
fi

if command -v cmake >/dev/null && command -v make >/dev/null; then
	project with_cmake
	cat >CMakeLists.txt <<-'EOF'
		cmake_minimum_required(VERSION 3.10)
		project(app C)
		add_library(twice STATIC src/twice.c)
		add_executable(app src/main.c)
		target_link_libraries(app twice)
	EOF
	echo build >.gitignore
	try CMake "cmake -S . -B build" -- ./build/app one
else
	skip "CMake" "cmake or make is not installed"
fi

if command -v meson >/dev/null && command -v ninja >/dev/null; then
	project with_meson
	cat >meson.build <<-'EOF'
		project('app', 'c')
		lib = static_library('twice', 'src/twice.c')
		executable('app', 'src/main.c', link_with: lib)
	EOF
	echo out >.gitignore
	try Meson "meson setup out" -- ./out/app one
else
	skip "Meson" "meson or ninja is not installed"
fi

if command -v cargo >/dev/null; then
	project with_cargo
	mkdir -p twice/src
	printf '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2018"\n[workspace]\nmembers = ["twice"]\n[dependencies]\ntwice = {path = "twice"}\n' >Cargo.toml
	printf '[package]\nname = "twice"\nversion = "0.1.0"\nedition = "2018"\n' >twice/Cargo.toml
	echo 'pub fn twice(x: usize) -> usize { 2 * x }' >twice/src/lib.rs
	echo 'fn main() { std::process::exit(twice::twice(std::env::args().count()) as i32 - 4) }' >src/main.rs
	echo target >.gitignore
	try Cargo "cargo build --release" -- ./target/release/app one
else
	skip "Cargo" "cargo is not installed"
fi

if command -v go >/dev/null; then
	project with_go
	rm -r src && mkdir -p cmd/app twice
	printf 'module example.org/app\n' >go.mod
	printf 'package twice\n\nfunc Twice(x int) int { return 2 * x }\n' >twice/twice.go
	printf 'package main\n\nimport (\n\t"os"\n\n\t"example.org/app/twice"\n)\n\nfunc main() { os.Exit(twice.Twice(len(os.Args)) - 4) }\n' >cmd/app/main.go
	echo bin >.gitignore
	try Go "go build -buildvcs=false -trimpath" "./cmd/app" -- ./bin/app one
else
	skip "Go" "go is not installed"
fi

if command -v npm >/dev/null && command -v node >/dev/null; then
	project with_npm
	mkdir twice
	printf '{"name": "app", "version": "1.0.0", "dependencies": {"twice": "file:twice"}, "scripts": {"build": "node src/make.js"}}\n' >package.json
	printf '{"name": "twice", "version": "1.0.0"}\n' >twice/package.json
	echo 'module.exports = x => 2 * x' >twice/index.js
	echo 'require("fs").mkdirSync("dist", {recursive: true}); require("fs").copyFileSync("src/app.js", "dist/app.js")' >src/make.js
	echo 'process.exit(require("twice")(process.argv.length) - 6)' >src/app.js
	printf 'node_modules\ndist\n' >.gitignore
	try npm "npm install" -- node dist/app.js one
else
	skip "npm" "npm is not installed"
fi
finish
