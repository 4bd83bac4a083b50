#!/usr/bin/env python3
"""Makes projects whose base runs something of the candidate, and gates each against its base.

two_sides.py [-j JOBS] [-n TRIALS] [-k KIND]

Each project's HEAD is twice as slow as its base. A trial is wrong where the gate passes, or fails for
another reason than the slower function; it is right where it says FAIL, or ends with an error that
names the file that both sides would run, or says which changed source is not in the program.
"""
import argparse, concurrent.futures, os, random, re, shutil, subprocess, sys, tempfile

PROGRAM = os.path.abspath(os.environ.get("PROFILE_RUN", "build/release/profile_run"))
CORE = """#define F 1
#include <stdint.h>
uint64_t core_mix(uint64_t h, uint64_t n) { for (uint64_t i = 0; i < n * F; i++) { h ^= i; h *= 1099511628211ull; } return h; }
"""
MAIN = """#include <stdint.h>
#include <stdio.h>
uint64_t core_mix(uint64_t, uint64_t);
int main(void) { uint64_t h = 1; for (int i = 0; i < 10; i++) h = core_mix(h, 2000000); printf("%llu\\n", (unsigned long long)h); }
"""
DLOPEN = """#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef PLUGIN
#define PLUGIN getenv("PLUGIN")
#endif
int main(void)
{
	char path[4096] = "";
	const char *name = PLUGIN;
	FILE *config = name ? 0 : fopen("config.ini", "r");
	if (config && fscanf(config, "plugin=%4095s", path) == 1) name = path;
	void *lib = dlopen(name, RTLD_NOW);
	uint64_t (*mix)(uint64_t, uint64_t) = lib ? (uint64_t (*)(uint64_t, uint64_t))dlsym(lib, "core_mix") : 0;
	if (!mix) { fprintf(stderr, "%s\\n", dlerror()); return 1; }
	uint64_t h = 1;
	for (int i = 0; i < 10; i++) h = mix(h, 2000000);
	return h == 3;
}
"""
LIB = "mkdir -p lib && cc -O2 -shared -fPIC -o lib/libcore.so core.c"
BENCH = LIB + " && cc -O2 -o bench main.c -Llib -lcore"
GO = """package main

import "fmt"

const F = 1

//go:noinline
func core_mix(h, n uint64) uint64 {
	for i := uint64(0); i < n*F; i++ {
		h ^= i
		h *= 1099511628211
	}
	return h
}

func main() {
	h := uint64(1)
	for i := 0; i < 10; i++ {
		h = core_mix(h, 2000000)
	}
	fmt.Println(h)
}
"""
RUST = """const F: u64 = 1;
#[inline(never)]
fn core_mix(mut h: u64, n: u64) -> u64 { let mut i = 0; while i < n * F { h ^= std::hint::black_box(i); h = h.wrapping_mul(1099511628211); i += 1; } h }
fn main() { let mut h = 1; for _ in 0..10 { h = core_mix(h, 2000000); } println!("{}", h); }
"""
PY = "def work():\n    return sum(i * i for i in range(%s))\nif __name__ == '__main__':\n    work()\n"


class Project:
    """A project in `top`; `out` is a folder outside of it. Kinds fill in the rest."""

    def __init__(self, top, out, rng):
        self.top, self.out, self.rng = top, out, rng
        self.files = {"core.c": CORE, "main.c": MAIN}
        self.build, self.run = BENCH, ["./bench"]
        self.env, self.keys, self.links, self.before = {}, [], {}, None
        self.slower = ("core.c", "F 1", "F 2")

    def library_path(self):
        self.env["LD_LIBRARY_PATH"] = self.rng.choice(
            [f"{self.top}/lib", f"/usr/lib:{self.top}/lib", f"{self.top}/./lib:/opt/x", f"{self.top}/lib/../lib", "lib",
             f"{self.top}-link/lib"])

    def library_path_of_workload(self):
        self.keys.append("env: {LD_LIBRARY_PATH: %s/lib}" % self.top)

    def preload(self):
        self.build = LIB + " && cc -O2 -shared -fPIC -o lib/libpre.so core.c && cc -O2 -o bench main.c -Llib -lcore -Wl,-rpath,'$ORIGIN/lib'"
        self.keys.append("env: {LD_PRELOAD: %s/lib/libpre.so}" % self.top)

    def rpath(self):
        self.build = LIB + f" && cc -O2 -o bench main.c -Llib -lcore -Wl,-rpath,{self.rng.choice([self.top + '/lib', '$PWD/lib'])}"

    def rpath_in_makefile(self):
        self.files["Makefile"] = f"all:\n\t{LIB} && cc -O2 -o bench main.c -Llib -lcore -Wl,-rpath,{self.top}/lib\n"
        self.build = "make -s"

    def origin_through_link(self):
        self.build = LIB + " && mkdir -p bin && cc -O2 -o bin/bench main.c -Llib -lcore -Wl,-rpath,'$ORIGIN/../lib'"
        self.links["start"] = f"{self.top}/bin/bench"
        self.run = ["./start"]

    def absolute_run(self):
        static = "cc -O2 -o bench main.c core.c"
        self.build = static
        self.run = self.rng.choice([[f"{self.top}/bench"], [f"{self.top}/./bench"], ["sh", "-c", f"cd {self.top} && ./bench"],
                                    ["env", f"{self.top}/bench"], ["sh", "-c", f"exec '{self.top}/bench'"]])

    def script_with_absolute_path(self):
        self.build = "cc -O2 -o bench main.c core.c"
        self.files["go.sh"] = f"#!/bin/sh\n{self.rng.choice(['exec ' + self.top + '/bench', 'cd ' + self.top + ' && ./bench'])}\n"
        self.run = self.rng.choice([["./go.sh"], ["sh", "go.sh"]])

    def absolute_env(self):
        self.files["main.c"] = DLOPEN
        self.build = LIB + " && cc -O2 -o bench main.c -ldl"
        if self.rng.random() < 0.5:
            self.env["PLUGIN"] = f"{self.top}/lib/libcore.so"
        else:
            self.keys.append(f"env: {{PLUGIN: {self.top}/lib/libcore.so}}")

    def absolute_config(self):
        self.files["main.c"] = DLOPEN
        self.files["config.ini"] = f"plugin={self.top}/lib/libcore.so\n"
        self.build = LIB + " && cc -O2 -o bench main.c -ldl"

    def baked_path(self):
        self.files["main.c"] = DLOPEN
        path = self.rng.choice([f"{self.top}/lib/libcore.so", f"{self.out}/libcore.so"])
        where = f"mkdir -p {self.out} && cc -O2 -shared -fPIC -o {path} core.c" if path.startswith(self.out) else LIB
        self.files["Makefile"] = f"all:\n\t{where} && cc -O2 -DPLUGIN='\"{path}\"' -o bench main.c -ldl\n"
        self.build = "make -s"

    def path(self):
        self.build = "mkdir -p bin && cc -O2 -o bin/mixer main.c core.c"
        self.run = self.rng.choice([["mixer"], ["sh", "-c", "mixer"]])
        self.env["PATH"] = f"{self.top}/bin:{os.environ['PATH']}"

    def symbolic_link(self):
        self.build = "mkdir -p out && cc -O2 -o out/bench main.c core.c"
        self.links["bench"] = f"{self.top}/out/bench"

    def linked_library(self):
        self.build = "mkdir -p real && cc -O2 -shared -fPIC -o real/libcore.so core.c && cc -O2 -o bench main.c lib/libcore.so -Wl,-rpath,'$ORIGIN/lib'"
        self.links["lib"] = f"{self.top}/real"

    def out_of_tree_build(self):
        self.build = f"mkdir -p {self.out} && cc -O2 {self.rng.choice(['', '-g'])} -o {self.out}/bench main.c core.c"
        self.run = [f"{self.out}/bench"]

    def out_of_tree_make(self):
        """The base's make finds the objects newer than its sources."""
        self.files["Makefile"] = (f"{self.out}/bench: main.c core.c\n\tmkdir -p {self.out}\n\tcc -O2 -o $@ main.c core.c\n")
        self.build, self.run = "make -s", [f"{self.out}/bench"]

    def out_of_tree_by_hand(self):
        """Nothing is built by the gate."""
        self.before = f"mkdir -p {self.out} && cc -O2 -o {self.out}/bench main.c core.c"
        self.build, self.run = None, [f"{self.out}/bench"]

    def shared_build_folder(self):
        self.build = (f"mkdir -p {self.out} && cc -O2 -shared -fPIC -o {self.out}/libcore.so core.c && "
                      f"cc -O2 -o bench main.c -L{self.out} -lcore -Wl,-rpath,{self.out}")

    def shared_build_folder_env(self):
        self.build = "mkdir -p $OUT && cc -O2 -o $OUT/bench main.c core.c"
        self.run = ["sh", "-c", "exec $OUT/bench"]
        self.env["OUT"] = self.out
        self.keys.append(f"env: {{OUT: {self.out}}}")

    def home_install(self):
        """The second gate keeps the base, and its make finds nothing to do."""
        self.files["Makefile"] = f"{self.out}/.local/bin/mixer: main.c core.c\n\tmkdir -p {self.out}/.local/bin\n\tcc -O2 -o $@ main.c core.c\n"
        self.build, self.run = "make -s", self.rng.choice([["mixer"], ["sh", "-c", "mixer"]])
        self.env["HOME"], self.env["PATH"] = self.out, f"{self.out}/.local/bin:{os.environ['PATH']}"

    def home_install_library(self):
        self.files["Makefile"] = (f"bench: main.c {self.out}/.local/lib/libcore.so\n\tcc -O2 -o $@ main.c -L{self.out}/.local/lib -lcore -Wl,-rpath,{self.out}/.local/lib\n"
                                  f"{self.out}/.local/lib/libcore.so: core.c\n\tmkdir -p {self.out}/.local/lib\n\tcc -O2 -shared -fPIC -o $@ core.c\n")
        self.build = "make -s"

    def installed(self, sub, make, run=None, data=True):
        """Installed by hand, or by an earlier gate; `make` puts it in $BIN/mixer."""
        self.before = f"BIN={self.out}/{sub} && mkdir -p $BIN && {make}"
        self.build = None
        self.env["HOME"], self.env["PATH"] = self.out, f"{self.out}/{sub}:{os.environ['PATH']}"
        self.env.update(GOCACHE=f"{self.out}/gocache", CARGO_HOME=os.path.expanduser("~/.cargo"), RUSTUP_HOME=os.path.expanduser("~/.rustup"))
        self.run = run or ["mixer"]
        if data and self.rng.random() < 0.7:
            self.files["data.txt"] = "1\n"
            self.run = ["sh", "-c", "mixer < data.txt"]

    def installed_stripped(self):
        self.installed(".local/bin", "cc -O2 -s -o $BIN/mixer main.c core.c")
        self.build = "cc -O2 -o mixer main.c core.c"

    def installed_copy(self):
        self.files["README"] = "install with: cp bench ~/.local/bin/mixer\n"
        self.installed(".local/bin", "cc -O2 -Wl,--build-id -o $BIN/mixer main.c core.c && strip $BIN/mixer")
        self.build = "cc -O2 -Wl,--build-id -o bench main.c core.c"

    def installed_without_build(self):
        self.installed(".local/bin", "cc -O2 -s -o $BIN/mixer main.c core.c", data=False)

    def installed_go(self):
        self.files["go.mod"] = "module example.com/mixer\n\ngo 1.19\n"
        self.files["main.go"] = GO
        self.files.pop("core.c"), self.files.pop("main.c")
        self.slower = ("main.go", "F = 1", "F = 2")
        self.installed("go/bin", "go build -trimpath -ldflags='-s -w' -o $BIN/mixer .")

    def installed_go_with_build(self):
        self.installed_go()
        self.build = "go build -o bin/other ."

    def installed_cargo(self):
        self.files["Cargo.toml"] = '[package]\nname = "mixer"\nversion = "0.1.0"\nedition = "2021"\n[profile.release]\nstrip = true\n'
        self.files["src/main.rs"] = RUST
        self.slower = ("src/main.rs", "F: u64 = 1", "F: u64 = 2")
        self.installed(".cargo/bin", f"cargo install -q --offline --no-track --target-dir {self.out}/target --root {self.out}/.cargo --path .")

    def installed_rust_of_workspace(self):
        self.files["crates/mixer/Cargo.toml"] = '[package]\nname = "mix-cli"\nversion = "0.1.0"\n[[bin]]\nname = "mixer"\npath = "src/main.rs"\n'
        self.files["Cargo.toml"] = '[workspace]\nmembers = ["crates/mixer"]\n'
        self.files["crates/mixer/src/main.rs"] = RUST
        self.slower = ("crates/mixer/src/main.rs", "F: u64 = 1", "F: u64 = 2")
        self.installed(".cargo/bin", "rustc -O -C strip=symbols -o $BIN/mixer crates/mixer/src/main.rs")

    def installed_python(self):
        self.python()
        self.files["src/work/__init__.py"] = self.files.pop("src/work.py")
        self.files["run.py"] = "import work\nwork.work()\n"
        self.slower = ("src/work/__init__.py", "400000", "800000")
        site = f"{self.out}/.local/lib/python3/site-packages"
        self.before = f"mkdir -p {site} && cp -r src/work {site}/"
        self.env["PYTHONPATH"] = site

    def installed_node(self):
        self.files["package.json"] = '{"name": "mixer", "version": "1.0.0", "bin": "index.js"}\n'
        self.files["index.js"] = "#!/usr/bin/env node\nlet h = 1; for (let i = 0; i < 40000000 * 1; i++) h = (h * 31 + i) | 0;\nconsole.log(h)\n"
        self.slower = ("index.js", "* 1;", "* 2;")
        root = f"{self.out}/.nvm/versions/node/v20"
        self.installed(".nvm/versions/node/v20/bin", f"mkdir -p {root}/lib/node_modules/mixer && cp index.js package.json {root}/lib/node_modules/mixer/ && ln -sf ../lib/node_modules/mixer/index.js $BIN/mixer && chmod +x index.js {root}/lib/node_modules/mixer/index.js")

    # Situations of builds. The right end is FAIL, since each side builds its own, unless said.

    def node_project(self):
        self.files["package.json"] = '{"name": "p", "type": "module"}\n'
        self.files["src/mix.js"] = "export function core_mix() { let h = 1; for (let i = 0; i < 30000000 * 1; i++) h = (h * 31 + i) | 0; return h }\n"
        self.files["bench.js"] = "import { core_mix } from '%s/src/mix.js'\nfor (let i = 0; i < 5; i++) core_mix()\n" % self.rng.choice([".", self.top])
        self.slower = ("src/mix.js", "* 1;", "* 2;")
        self.build, self.run = None, ["node", "bench.js"]

    def python_venv_editable(self):
        """`pip install -e` in a venv of the working tree: error."""
        self.python()
        self.before = ("python3 -m venv --without-pip venv && echo %s/src >$(echo venv/lib/python3*/site-packages)/work.pth" % self.top)
        self.files["run.py"] = "import work\nwork.work()\n"
        self.run = ["venv/bin/python", "-B", "run.py"]

    def go_workspace(self):
        self.files["go.work"] = "go 1.19\nuse ./mix\nuse ./cmd\n"
        self.files["mix/go.mod"] = "module example.com/mix\ngo 1.19\n"
        self.files["mix/mix.go"] = GO.replace("package main", "package mix").replace('import "fmt"\n', "").split("func main")[0].replace("core_mix", "Core_mix")
        self.files["cmd/go.mod"] = "module example.com/cmd\ngo 1.19\n"
        self.files["cmd/main.go"] = 'package main\nimport "example.com/mix"\nfunc main() { h := uint64(1); for i := 0; i < 10; i++ { h = mix.Core_mix(h, 2000000) }; println(h) }\n'
        self.slower = ("mix/mix.go", "F = 1", "F = 2")
        self.env.update(GOPROXY="off", GOCACHE=f"{self.out}/gocache", **({"GOWORK": f"{self.top}/go.work"} if self.rng.random() < 0.5 else {}))
        self.build, self.run = "cd cmd && go build -o ../bench .", ["./bench"]

    def cargo_target_dir(self):
        """One target folder for all checkouts: error, or each side its own."""
        self.files["Cargo.toml"] = '[workspace]\nmembers = ["mixer"]\n'
        self.files["mixer/Cargo.toml"] = '[package]\nname = "mixer"\nversion = "0.1.0"\n'
        self.files["mixer/src/main.rs"] = RUST
        self.slower = ("mixer/src/main.rs", "F: u64 = 1", "F: u64 = 2")
        self.env["CARGO_TARGET_DIR"] = self.rng.choice([f"{self.out}/target", f"{self.top}/target"])
        self.build = "cargo build -q --release --offline"
        self.run = ["sh", "-c", "exec $CARGO_TARGET_DIR/release/mixer"]

    def cmake_outside(self):
        self.files["CMakeLists.txt"] = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nset(CMAKE_BUILD_TYPE Release)\nadd_executable(bench main.c core.c)\n"
        self.build = f"cmake -S . -B {self.out}/build >/dev/null && cmake --build {self.out}/build >/dev/null"
        self.run = [f"{self.out}/build/bench"]

    def destdir(self):
        self.files["Makefile"] = "all: bench\nbench: main.c core.c\n\tcc -O2 -o $@ main.c core.c\ninstall: all\n\tinstall -D bench $(DESTDIR)/usr/bin/mixer\n"
        self.build = f"make -s install DESTDIR={self.rng.choice([self.out, '$PWD/out', self.top + '/out'])}"
        self.run = [(self.out if f"={self.out}" in self.build else "out") + "/usr/bin/mixer"]

    def ccache_build(self):
        self.build = "ccache cc -O2 -c -o core.o core.c && ccache cc -O2 -c -o main.o main.c && cc -o bench main.o core.o"
        self.env["CCACHE_DIR"] = f"{self.out}/ccache"
        if self.rng.random() < 0.5:
            self.env["CCACHE_BASEDIR"] = self.top

    def ccache_outside(self):
        self.build = f"mkdir -p {self.out} && ccache cc -O2 -c -o {self.out}/core.o core.c && cc -O2 -o bench main.c {self.out}/core.o"
        self.env["CCACHE_DIR"] = f"{self.out}/ccache"

    def linked_worktree(self):
        """The gate is started through a symbolic link to the working tree."""
        self.env["PWD"] = f"{self.top}-link"
        self.env["LD_LIBRARY_PATH"] = f"{self.top}-link/lib"

    def lfs_pointer(self):
        """A pointer in the base; the working tree has the data: the error names it."""
        self.files["data.bin"] = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 2\n"
        self.files["go.sh"] = "#!/bin/sh\ngrep -q git-lfs data.bin && { echo 'data.bin is a pointer' >&2; exit 1; }; exec ./bench\n"
        self.before = "printf '1\\n2\\n' >data.bin && git update-index --assume-unchanged data.bin"
        self.run, self.build = ["./go.sh"], "cc -O2 -o bench main.c core.c"

    def sparse_checkout(self):
        self.files["sub/x.c"] = "int x;\n"
        self.before = "git sparse-checkout set --no-cone '/*' '!/sub/'"
        self.build = "cc -O2 -o bench main.c core.c"

    def generated_in_tmp(self):
        """Each build generates its source in one folder: the last one wins, and each compiles it at once."""
        self.build = f"mkdir -p {self.out} && cp core.c {self.out}/gen.c && cc -O2 -o bench main.c {self.out}/gen.c"

    def plugin_in_shared_folder(self):
        self.files["main.c"] = DLOPEN
        self.build = f"mkdir -p {self.out} && cc -O2 -shared -fPIC -o {self.out}/gen.so core.c && cc -O2 -o bench main.c -ldl"
        self.env["PLUGIN"] = f"{self.out}/gen.so"

    def cache_home(self):
        """A run keeps what it compiled in XDG_CACHE_HOME, by the project's name: error."""
        self.files["go.sh"] = "#!/bin/sh\nc=$XDG_CACHE_HOME/mixer/bench; [ -x $c ] || { mkdir -p ${c%/*}; cc -O2 -o $c main.c core.c; }; exec $c\n"
        self.build, self.run = None, ["./go.sh"]

    def lock_file(self):
        """A stamp outside says that all is built: the base's build makes nothing."""
        self.build = f"mkdir -p {self.out}; [ -e {self.out}/stamp ] || cc -O2 -o {self.out}/bench main.c core.c; touch {self.out}/stamp; cp {self.out}/bench bench.new && mv bench.new bench"

    def object_cache(self):
        """Objects are kept outside by the source's name, and newer than any source."""
        self.files["Makefile"] = f"bench: main.c {self.out}/core.o\n\tcc -O2 -o $@ main.c {self.out}/core.o\n{self.out}/core.o: core.c\n\tmkdir -p {self.out}\n\tcc -O2 -c -o $@ core.c\n"
        self.build = "make -s"

    def static_library_outside(self):
        self.before = f"mkdir -p {self.out} && cc -O2 -c -o {self.out}/core.o core.c && ar rcs {self.out}/libcore.a {self.out}/core.o"
        self.build = f"cc -O2 -o bench main.c -L{self.out} -lcore"

    def hidden_cache(self):
        """As a tool that keeps what it compiled by the name of the project."""
        self.files["go.sh"] = (f"#!/bin/sh\n[ -x {self.out}/.cache/bench ] || {{ mkdir -p {self.out}/.cache && cc -O2 -o {self.out}/.cache/bench main.c core.c; }}\n"
                               f"exec {self.out}/.cache/bench\n")
        self.build, self.run = None, ["./go.sh"]

    def cmake_like(self):
        self.build = (f"mkdir -p {self.out} && [ -f {self.out}/CMakeCache.txt ] || echo CMAKE_HOME_DIRECTORY:INTERNAL=$PWD >{self.out}/CMakeCache.txt; "
                      f"src=$(sed 's/.*=//' {self.out}/CMakeCache.txt); cc -O2 -o {self.out}/bench $src/main.c $src/core.c && cp {self.out}/bench bench.new && mv bench.new bench")
        if self.rng.random() < 0.5:
            self.run = ["sh", "-c", f"{self.out}/bench"]
        else:
            # The copy is each build's own, though both are made of the first one's sources.
            self.run = [f"{self.out}/bench"]

    def interpreter(self):
        self.build = "cc -O2 -o interp main.c core.c && chmod +x script"
        self.files["script"] = f"#!{self.top}/interp\n"
        self.run = ["./script"]

    def loader(self):
        self.build = "cp /lib64/ld-linux-x86-64.so.2 ld.so && cc -O2 -o bench main.c core.c"
        self.files["Makefile"] = (f"all:\n\tcp /lib64/ld-linux-x86-64.so.2 ld.so && cc -O2 -o bench main.c core.c -Wl,-dynamic-linker,{self.top}/ld.so\n")
        self.build = "make -s"

    def absolute_cwd(self):
        self.build = "cc -O2 -o bench main.c core.c"
        self.keys.append(f"cwd: {self.top}")

    def python_path(self):
        self.python()
        self.env["PYTHONPATH"] = f"{self.top}/src"

    def python(self):
        self.files["src/work.py"] = PY % 400000
        self.files["run.py"] = "import work\nwork.work()\n"
        self.slower = ("src/work.py", "400000", "800000")
        self.build, self.run = None, ["python3", "-B", "run.py"]

    def python_in_site(self):
        """An editable install: a file of paths outside of the project."""
        self.python()
        self.files["run.py"] = f"import sys\nsys.path.insert(0, open('{self.out}/easy.pth').read().strip())\nimport work\nwork.work()\n"
        self.before = f"mkdir -p {self.out} && echo {self.top}/src >{self.out}/easy.pth"

    def python_copied(self):
        self.python()
        self.build = f"mkdir -p {self.out} && cp src/work.py {self.out}/"
        self.files["run.py"] = f"import sys\nsys.path.insert(0, '{self.out}')\nimport work\nwork.work()\n"

    def venv(self):
        self.python()
        self.before = ("mkdir -p venv/bin venv/lib && ln -sf $(command -v python3) venv/bin/python && printf "
                       f"'#!{self.top}/venv/bin/python -B\\nimport sys; sys.path.insert(0, \"{self.top}/src\")\\nimport work; work.work()\\n' >venv/bin/tool && chmod +x venv/bin/tool")
        self.run = ["tool"]
        self.env["PATH"] = f"{self.top}/venv/bin:{os.environ['PATH']}"

    def service(self):
        self.build = LIB + f" && cc -O2 -o server main.c -Llib -lcore"
        self.keys.append(f"env: {{LD_LIBRARY_PATH: {self.top}/lib}}")
        self.files["server.sh"] = ("#!/bin/sh\ntrap 'exit 0' TERM\nrm -f go done\necho ready\nwhile [ ! -e go ]; do sleep 0.02; done\n"
                                   f"{self.rng.choice(['./server', self.top + '/server'])}\ntouch done\nwhile :; do sleep 0.05; done\n")
        self.files["drive.sh"] = "#!/bin/sh\ntouch go; while [ ! -e done ]; do sleep 0.02; done\n"
        self.run = ["sh", "drive.sh"]
        self.keys.append("service: {start: [sh, server.sh], ready: {log: ready}}")

    def relative_path(self):
        self.build = "mkdir -p bin && cc -O2 -o bin/mixer main.c core.c"
        self.run, self.env["PATH"] = ["sh", "-c", "mixer"], f"bin:{os.environ['PATH']}"

    def folders_in_variable(self):
        self.files["main.c"] = DLOPEN.replace("getenv(\"PLUGIN\")", "strrchr(getenv(\"PLUGIN\"), ',') + 1").replace("#include <stdlib.h>", "#include <stdlib.h>\n#include <string.h>")
        self.build = LIB + " && cc -O2 -o bench main.c -ldl"
        self.env["PLUGIN"] = f"/opt/none,{self.top}/missing,{self.top}/lib/libcore.so"

    def generated_input(self):
        self.files["go.sh"] = "#!/bin/sh\ncat out/gen.bin >/dev/null && ./bench\n"
        self.build, self.run = "mkdir -p out && echo 1 >out/gen.bin && cc -O2 -o bench main.c core.c", ["./go.sh", "out/gen.bin"]

    def chroot(self):
        self.build = "mkdir -p out && cc -O2 -static -o out/bench main.c core.c"
        self.files["go.sh"] = f"#!/bin/sh\nexec unshare -r chroot {self.top}/out /bench\n"
        self.run = ["./go.sh"]

    def bind_mount(self):
        """The working tree under another path, in a mount namespace of the run's own."""
        self.build = "cc -O2 -o bench main.c core.c"
        self.files["go.sh"] = f"#!/bin/sh\nexec unshare -rm sh -c 'mount --bind {self.top} /mnt && exec /mnt/bench'\n"
        self.run = ["./go.sh"]

    def subfolder(self):
        self.files["sub/go.sh"] = f"#!/bin/sh\nexec {self.top}/bench\n"
        self.build, self.run = "cc -O2 -o bench main.c core.c", ["./go.sh"]
        self.keys.append("cwd: sub")

    def audit(self):
        self.files["audit.c"] = CORE + "unsigned la_version(unsigned v) { volatile uint64_t h = 1; for (int i = 0; i < 10; i++) h = core_mix(h, 2000000); return v; }\n"
        self.files["main.c"] = "int main(void) { return 0; }\n"
        self.slower = ("audit.c", "F 1", "F 2")
        self.build = "mkdir -p lib && cc -O2 -shared -fPIC -o lib/audit.so audit.c && cc -O2 -o bench main.c"
        self.env["LD_AUDIT"] = f"{self.top}/lib/audit.so"

    def copy_of_memory(self):
        """A program that was copied to memory and is executed there."""
        self.build = "cc -O2 -o bench main.c core.c"
        self.files["go.py"] = ("import os, sys\nfd = os.memfd_create('bench', 0)\nos.write(fd, open('%s/bench', 'rb').read())\nos.execve(fd, ['bench'], os.environ)\n" % self.top)
        self.run = ["python3", "-B", "go.py"]

    def later_plugin(self):
        """Only later runs load it."""
        self.files["main.c"] = DLOPEN.replace("int main(void)\n{", "int main(void)\n{\n\tFILE *f = fopen(\"out/runs\", \"a+\"); fputc('x', f); int later = ftell(f) > 5; fclose(f);").replace(
            "void *lib = dlopen(name", f"void *lib = dlopen(later ? \"{self.top}/lib/libcore.so\" : \"./lib/libcore.so\"")
        self.build = LIB + " && mkdir -p out && rm -f out/runs && cc -O2 -o bench main.c -ldl"

    def write(self):
        import json
        os.makedirs(self.top)
        os.symlink(self.top, self.top + "-link")
        for name, text in self.files.items():
            path = os.path.join(self.top, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
            if text.startswith("#!"):
                os.chmod(path, 0o755)
        for name, target in self.links.items():
            os.symlink(target, os.path.join(self.top, name))
        os.makedirs(f"{self.top}/workloads")
        with open(f"{self.top}/workloads/w.yaml", "w") as file:
            file.write("name: w\n")
            if self.build:
                file.write("build: %s\n" % json.dumps(self.build))
            file.write("run: %s\n" % json.dumps(self.run))
            file.write("".join(key + "\n" for key in self.keys))
            file.write("capture: {runs: 5, max_runs: 8, repeat: 1}\n")
        ignored = ["/lib/", "/bin/", "/out/", "/real/", "/bench", "/server", "/interp", "/ld.so", "/venv/", "reports/", "go", "done",
                   "__pycache__"]
        with open(f"{self.top}/.gitignore", "w") as file:
            file.write("".join(name + "\n" for name in ignored if name.strip("/") not in self.links))
        git = lambda *args: subprocess.run(["git", "-C", self.top, "-c", "user.email=a@b", "-c", "user.name=n", *args],
                                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        git("init", "-q", "-b", "main")
        git("add", "-A")
        git("commit", "-qm", "base")
        path = os.path.join(self.top, self.slower[0])
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text.replace(self.slower[1], self.slower[2]))
        git("commit", "-qam", "slower")
        if self.before:
            subprocess.run(self.before, shell=True, cwd=self.top, check=True)


KINDS = [name for name, value in vars(Project).items() if callable(value) and not name.startswith("_") and name not in ("write", "python", "installed")]


def trial(index, kind, scratch):
    rng = random.Random(index)
    project = Project(f"{scratch}/{index}/project", f"{scratch}/{index}/out", rng)
    getattr(project, kind)()
    project.write()
    env = {**os.environ, "XDG_CACHE_HOME": f"{scratch}/{index}/cache", "PWD": project.top, **project.env}
    outcomes = []
    # Again, with the base's build kept.
    for again in range(2):
        done = subprocess.run([PROGRAM, "gate", "--against", "HEAD~1"], cwd=project.top, env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=900)
        text = done.stdout + done.stderr
        # An interpreter's own functions have the names.
        slow = re.search(r"([Cc]ore_mix|\[anon\]|_Py|PyLong|gen_|whole program)[^\n]*\+[0-9.]+ ?%", done.stdout) is not None
        # The files of a project that both sides could have run: below it, or in its folder outside.
        names = re.search(re.escape(f"{scratch}/{index}/") + r"(project|out|cache)[^' \n]*", text) is not None
        if done.returncode == 1 and slow:
            outcomes.append("FAIL")
        elif done.returncode == 2 and (names or re.search(r"only the git-lfs pointer of 'data.bin'", text)):
            outcomes.append("error")
        elif done.returncode == 0 and re.search(r"the program although these files changed: core.c|not compared; nothing compared", text):
            # No trial can tell how a build made the same program of other sources; the base cannot run.
            outcomes.append("said")
        elif done.returncode == 0:
            outcomes.append("PASS: WRONG")
        else:
            outcomes.append(f"status {done.returncode}: WRONG")
        if "WRONG" in outcomes[-1] or os.environ.get("SHOW"):
            print(f"--- {index} {kind} {outcomes[-1]}\n" + "\n".join(text.splitlines()[:16]), flush=True)
        if "WRONG" in outcomes[-1] or outcomes[-1] == "FAIL":
            break
    message = next((line.strip() for line in done.stderr.splitlines() + done.stdout.splitlines()
                    if outcomes[-1] == "error" and re.search(r"both builds|working tree|lacks|only the|changed '|cannot run", line)), "")
    return index, kind, " ".join(outcomes), message


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-j", type=int, default=1)
    parser.add_argument("-n", type=int, default=60)
    parser.add_argument("-k", action="append")
    options = parser.parse_args()
    kinds = options.k or KINDS
    scratch = tempfile.mkdtemp(prefix="two_sides.")
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        jobs = [pool.submit(trial, i, kinds[i % len(kinds)], scratch) for i in range(options.n)]
        for job in concurrent.futures.as_completed(jobs):
            index, kind, outcome, message = job.result()
            wrong += "WRONG" in outcome
            print(f"{index:3d} {kind:28s} {outcome:14s} {message[:150]}", flush=True)
    print(f"{options.n} trials, {wrong} wrong")
    shutil.rmtree(scratch)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
