#!/usr/bin/env python3
"""Makes projects whose base runs something of the candidate, and gates each against its base.

two_sides.py [-j JOBS] [-n TRIALS] [-k KIND]

Each project's HEAD is twice as slow as its base. A trial is wrong where the gate passes, or fails for
another reason than the slower function; it is right where it says FAIL, or ends with an error that
names the file that both sides would run.
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


KINDS = [name for name, value in vars(Project).items() if callable(value) and not name.startswith("_") and name not in ("write", "python")]


def trial(index, kind, scratch):
    rng = random.Random(index)
    project = Project(f"{scratch}/{index}/project", f"{scratch}/{index}/out", rng)
    getattr(project, kind)()
    project.write()
    env = dict(os.environ, XDG_CACHE_HOME=f"{scratch}/{index}/cache", PWD=project.top, **project.env)
    outcomes = []
    # Again, with the base's build kept.
    for again in range(2):
        done = subprocess.run([PROGRAM, "gate", "--against", "HEAD~1"], cwd=project.top, env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=900)
        text = done.stdout + done.stderr
        # An interpreter's own functions have the names.
        slow = re.search(r"(core_mix|_Py|PyLong|gen_|whole program)[^\n]*\+[0-9.]+ ?%", done.stdout) is not None
        # The files of a project that both sides could have run: below it, or in its folder outside.
        names = re.search(re.escape(f"{scratch}/{index}/") + r"(project|out|cache)[^' \n]*", text) is not None
        if done.returncode == 1 and slow:
            outcomes.append("FAIL")
        elif done.returncode == 2 and names:
            outcomes.append("error")
        elif done.returncode == 0:
            outcomes.append("PASS: WRONG")
        else:
            outcomes.append(f"status {done.returncode}: WRONG")
        if "WRONG" in outcomes[-1] or os.environ.get("SHOW"):
            print(f"--- {index} {kind} {outcomes[-1]}\n" + "\n".join(text.splitlines()[:16]), flush=True)
        if "WRONG" in outcomes[-1] or outcomes[-1] == "FAIL":
            break
    message = next((line.strip() for line in done.stderr.splitlines() + done.stdout.splitlines()
                    if outcomes[-1] == "error" and re.search(r"both builds|working tree|lacks|changed '|cannot run", line)), "")
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
