"""The commands that faults are injected into: what they read, what they write, and when that is whole.

A case has its own folder: `input` is made once, `output` is put back to what it was before each
run. What is in `output` afterwards must be what was there before, or what a run without a fault
leaves.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import xml.dom.minidom

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../.."))
PROGRAM = os.path.abspath(os.environ.get("PROFILE_RUN", os.path.join(ROOT, "build/profile_run")))

# A machine with other work makes the program slower than its baseline: that is no matter of faults.
SPIN = """name: spin
run: [sh, -c, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"]
capture: {runs: 3, max_runs: 3, warmup: 0, repeat: 1, timeout: 20s}
gate: {policy: {inconclusive: pass, regression: warn, new_functions: warn}}
"""
MOVED = os.path.join(ROOT, "tests/fixtures/replay/moved/replay.bin")
# The files of a report without a time in their text are compared byte by byte.
DRAFT = re.compile(r"\..+\.profile_run")
STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}Z(-[0-9]+)?")


def run_plain(folder, *words):
    return subprocess.run(
        [PROGRAM, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )


def make_workload(folder):
    with open(os.path.join(folder, "input/spin.yaml"), "w") as file:
        file.write(SPIN)


def must(folder, *words):
    """Runs it until it succeeds: where the machine is busy, runs can be unusable."""
    for _ in range(4):
        done = run_plain(folder, *words)
        if done.returncode == 0:
            return
    raise RuntimeError(f"{done.args}: {done.stderr.decode(errors='replace')}")


def make_shards(folder):
    make_workload(folder)
    with open(os.path.join(folder, "input/other.yaml"), "w") as file:
        file.write(SPIN.replace("name: spin", "name: other"))
    must(folder, "baseline", "update", "input", "--baselines", "baselines")
    gate = ("gate", "input", "--baselines", "baselines")
    for shard in "12":
        must(folder, *gate, "--shard", f"{shard}/2", "--reports", f"shard{shard}")
        shutil.copy(
            os.path.join(folder, f"shard{shard}/latest/shard.bin"),
            os.path.join(folder, f"input/{shard}.bin"),
        )


def snapshot(folder):
    """
    Path -> bytes of every file, target of every link, None of every folder. Without drafts: whether one
    may be left is asked elsewhere.
    """
    found = {}
    for at, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not DRAFT.fullmatch(name)]
        for name in folders + [name for name in files if not DRAFT.fullmatch(name)]:
            path = os.path.join(at, name)
            key = os.path.relpath(path, folder)
            if os.path.islink(path):
                found[key] = os.readlink(path)
            elif os.path.isdir(path):
                found[key] = None
            else:
                with open(path, "rb") as file:
                    found[key] = file.read()
    return found


class Case:
    """Same input, same bytes: the output is the old one or the one of a run without a fault."""

    name = None
    command = ()
    # What a run without a fault exits with.
    status = 0
    captures = False
    # For the environment.
    variables = {}
    # Where it runs.
    cwd = ""
    # It measures for seconds, or what it reads has to be measured.
    takes_long = False
    # It may exit with that when all is done already.
    status_again = None

    def is_excused(self, trouble, text):
        """Whether a run with a fault that succeeds may have this trouble, as its text tells of it."""
        return False

    def make(self, folder):
        """Fills `input`, and `output` with what was there before."""
        raise NotImplementedError

    def trouble(self, folder, old, new):
        """What is wrong with `output` after a run that failed; None if nothing is."""
        now = snapshot(os.path.join(folder, "output"))
        if now == new:
            return None
        for path, text in now.items():
            if path not in old and path not in new:
                return f"{path} is left"
            # Folders may have been made.
            if text is not None and text != old.get(path) and text != new.get(path):
                return f"{path} is neither the old one nor the new one"
        for path in old:
            if path not in now:
                return f"{path} is gone"
        return self.mixed(now, old, new)

    def mixed(self, now, old, new):
        """Files that are renamed one by one may be of both; a folder is exchanged as a whole."""
        return None

    def trouble_of_success(self, folder, old, new):
        now = snapshot(os.path.join(folder, "output"))
        if now == new:
            return None
        wrong = sorted(path for path in {*now, *new} if now.get(path, 0) != new.get(path, 0))
        return f"success, but other output: {', '.join(wrong[:3])}"


    def trouble_again(self, folder, old, new):
        """After a kill and another run."""
        return self.trouble_of_success(folder, old, new)


class OneFile(Case):
    """Replaces output/old."""

    def make(self, folder):
        for path in glob.glob(os.path.join(ROOT, "tests/fixtures/pairs/list_scan/*.folded")):
            shutil.copy(path, os.path.join(folder, "input"))
        with open(os.path.join(folder, "output/file"), "w") as file:
            file.write("old\n")


class Convert(OneFile):
    name = "convert"
    command = ("convert", "-i", "input/after-1.folded", "-o", "output/file")


class Flamegraph(OneFile):
    name = "flamegraph"
    command = ("flamegraph", "-i", "input/after-1.folded", "-o", "output/file")


class Diff(OneFile):
    name = "diff"
    command = ("diff", "--before", "input/before-1.folded", "--after", "input/after-1.folded")
    command += ("-o", "output/file")


class Heatmap(OneFile):
    name = "heatmap"
    command = ("heatmap", "-i", "input/perf.data", "-o", "output/file")
    captures = True

    def make(self, folder):
        super().make(folder)
        make_workload(folder)
        must(folder, "capture", "--workload", "input/spin.yaml", "--output", "captured")
        shutil.copy(os.path.join(folder, "captured/perf.data"), os.path.join(folder, "input"))


class Export(OneFile):
    name = "export"
    command = ("export", "input/report", "--to", "comment", "-o", "output/file")

    def make(self, folder):
        super().make(folder)
        run_plain(folder, "replay", MOVED, "--output", "input/report")


class Picture(Export):
    name = "export, a picture"
    command = ("export", "input/report", "--to", "picture", "-o", "output/file")


class Trend(OneFile):
    name = "trend"
    command = ("trend", "--history", "input/history", "-o", "output/file", "--alert-nights", "1")

    def make(self, folder):
        super().make(folder)
        nights = os.path.join(ROOT, "tests/golden/trend/nights.awk")
        at = os.path.join(folder, "input/history")
        for machine in ("m1", "m2"):
            os.makedirs(os.path.join(at, machine))
        subprocess.run(["awk", "-v", f"dir={at}", "-f", nights, os.devnull], check=True)
        self.status = run_plain(folder, *self.command).returncode
        with open(os.path.join(folder, "output/file"), "w") as file:
            file.write("old\n")


class Waive(OneFile):
    """Adds to output/file; the second time it adds again, or refuses."""

    name = "waive"
    command = ("waive", "../input/report", "--finding", "1", "--reason", "known", "--by", "someone")
    command += ("--until", "2999-12-31", "--config", "../input/config.yaml")
    cwd = "output"

    def make(self, folder):
        run_plain(folder, "replay", MOVED, "--output", "input/report")
        with open(os.path.join(folder, "input/config.yaml"), "w") as file:
            file.write("waivers: ../output/file\n")
        with open(os.path.join(folder, "output/file"), "w") as file:
            file.write("# old\n")

    def trouble_again(self, folder, old, new):
        text = snapshot(os.path.join(folder, "output")).get("file", b"")
        return None if text.startswith(new["file"]) else "another file of waivers"


class Init(Case):
    name = "init"
    command = ("init", "--workload", "mine", "--", "true")
    cwd = "output"
    status_again = 2

    def make(self, folder):
        subprocess.run(["git", "init", "-q", "output"], cwd=folder, check=True)
        with open(os.path.join(folder, "output/.gitignore"), "w") as file:
            file.write("old\n")

    def is_excused(self, trouble, text):
        # Git could not be asked whether the reports are ignored already.
        return trouble == "success, but other output: .gitignore"

    def trouble_again(self, folder, old, new):
        return self.trouble(folder, old, new)


class Folder(Case):
    """Replaces output/report as a whole."""

    def mixed(self, now, old, new):
        files = [path for path in now if path.startswith("output/") and now[path] is not None]
        if any(now[path] != old.get(path) for path in files) and any(
            now[path] != new.get(path) for path in files
        ):
            return "the folder is partly old and partly new"
        return None


class Replay(Folder):
    name = "replay"
    command = ("replay", "input/replay.bin", "--output", "output/report")
    status = 1

    def make(self, folder):
        shutil.copy(MOVED, os.path.join(folder, "input"))
        run_plain(folder, *self.command)
        with open(os.path.join(folder, "output/report/report.txt"), "a") as file:
            file.write("old\n")


class Merge(Folder):
    name = "merge"
    command = ("merge", "input/1.bin", "input/2.bin", "--output", "output/report")
    captures = takes_long = True

    def make(self, folder):
        make_shards(folder)
        run_plain(folder, *self.command)
        with open(os.path.join(folder, "output/report/report.txt"), "a") as file:
            file.write("old\n")


class HistoryAdd(Case):
    name = "history add"
    command = ("history", "add", "input/report", "--history", "output/history")
    captures = takes_long = True

    def make(self, folder):
        make_workload(folder)
        gate = ("gate", "input/spin.yaml", "--baselines", "baselines", "--reports", "reports")
        must(folder, "baseline", "update", "input/spin.yaml", "--baselines", "baselines")
        for report in ("first", "report"):
            must(folder, *gate)
            shutil.copytree(os.path.join(folder, "reports/latest"), os.path.join(folder, "input", report))
        must(folder, "history", "add", "input/first", "--history", "output/history")


class Measured(Case):
    """What is measured differs from run to run: what is there must be whole."""

    captures = True
    takes_long = True

    def make(self, folder):
        make_workload(folder)

    def trouble_of_success(self, folder, old, new):
        return self.trouble(folder, old, new)


class BaselineUpdate(Measured):
    name = "baseline update"
    # Undisturbed, counting is refused: a counted run does not have the preload of faults.
    command = ("baseline", "update", "--no-counts", "input/spin.yaml", "--baselines", "output/baselines")

    def make(self, folder):
        super().make(folder)
        must(folder, *self.command)

    def trouble(self, folder, old, new):
        checked = run_plain(folder, "baseline", "check", "--baselines", "output/baselines")
        if checked.returncode != 0:
            return "baseline check: " + (checked.stdout + checked.stderr).decode(errors="replace")
        now = snapshot(os.path.join(folder, "output"))
        if set(now) != set(new):
            return f"other files: {', '.join(sorted(set(now) ^ set(new))[:3])}"
        return None


class BaselineInSteps(BaselineUpdate):
    """In a file system that cannot exchange two names: what was interrupted is put back by who reads."""

    name = "baseline update, in two steps"
    variables = {"FAULT_NO_EXCHANGE": "1"}


class BaselineConvert(Folder):
    """From format 1; the folder is exchanged as a whole."""

    name = "baseline convert"
    command = ("baseline", "convert", "--baselines", "output/baselines", "parse")

    def make(self, folder):
        shutil.copytree(
            os.path.join(ROOT, "tests/fixtures/baselines"), os.path.join(folder, "output/baselines")
        )

    def mixed(self, now, old, new):
        kinds = [path for path in now if path.endswith(("runs.stacks", "parse/cpu/runs.folded"))]
        return None if len(kinds) == 1 else f"has {', '.join(kinds)}"


class FirstBaseline(BaselineUpdate):
    """Where there was none before."""

    name = "baseline update, the first"

    def make(self, folder):
        make_workload(folder)

    def trouble(self, folder, old, new):
        now = snapshot(os.path.join(folder, "output"))
        if not any(text is not None for text in now.values()):
            return None
        return super().trouble(folder, old, new)

    def trouble_of_success(self, folder, old, new):
        return super().trouble(folder, old, new)


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def is_xml(text):
    try:
        xml.dom.minidom.parseString(text)
    except Exception:  # expat's own kind
        return False
    return True


def cut_short(path, text):
    """Whether a file of a report ends too early."""
    if path.endswith(".json"):
        return not is_json(text)
    if path.endswith((".xml", ".svg")):
        return not is_xml(text)
    if path.endswith(".html"):
        return b"</html>" not in text
    if path.endswith((".txt", ".md", ".folded")):
        return text != b"" and not text.endswith(b"\n")
    return False


class Reports(Measured):
    """Adds a report to output/reports."""

    def trouble(self, folder, old, new):
        now = snapshot(os.path.join(folder, "output"))
        reports = {path for path in now if STAMP.fullmatch(os.path.basename(path))}
        for path, text in now.items():
            if isinstance(text, bytes) and cut_short(path, text):
                return f"{path} is cut short"
        for report in reports:
            if f"{report}/verdict.json" not in now or f"{report}/junit.xml" not in now:
                return f"{report} is not whole"
        target = now.get("reports/latest")
        if target is not None and f"reports/{target}" not in reports:
            return "latest leads nowhere"
        return None

    def trouble_of_success(self, folder, old, new):
        trouble = self.trouble(folder, old, new)
        if trouble:
            return trouble
        now = snapshot(os.path.join(folder, "output"))
        kinds = [{STAMP.sub("T", path) for path in files} for files in (now, new)]
        missing = kinds[1] - kinds[0]
        verdicts = [text for path, text in now.items() if path.endswith("/verdict.json")]
        # A gate that passes keeps no captures, and one on a busy machine makes more than three runs.
        passes = all(json.loads(text)["status"] == "pass" for text in verdicts)
        optional = r".*\.perf\.data" if passes else r".*/run-(0[4-9]|[1-9].)\.perf\.data"
        missing = {path for path in missing if not re.fullmatch(optional, path)}
        return f"success without {', '.join(sorted(missing)[:3])}" if missing else None

    def is_excused(self, trouble, text):
        return trouble == "success without reports/latest" and "cannot point" in text


class Gate(Reports):
    name = "gate"
    command = ("gate", "input/spin.yaml", "--baselines", "input/baselines")
    command += ("--reports", "output/reports")

    def make(self, folder):
        super().make(folder)
        update = ("baseline", "update", "input/spin.yaml", "--baselines", "input/baselines")
        must(folder, *update)


class ReplayReports(Reports):
    name = "replay, a new report"
    command = ("replay", "input/replay.bin", "--reports", "output/reports")
    status = 1
    captures = takes_long = False

    def make(self, folder):
        shutil.copy(MOVED, os.path.join(folder, "input"))


class MergeReports(Reports):
    name = "merge, a new report"
    command = ("merge", "input/1.bin", "input/2.bin", "--reports", "output/reports")

    def make(self, folder):
        make_shards(folder)


class Compare(Reports):
    """With a time in it."""

    name = "compare"
    command = ("compare", "--before", *(f"input/before-{i}.folded" for i in (1, 2, 3)), "--after")
    command += (*(f"input/after-{i}.folded" for i in (1, 2, 3)), "--output", "output/report")
    captures = takes_long = False

    def make(self, folder):
        for path in glob.glob(os.path.join(ROOT, "tests/fixtures/pairs/list_scan/*.folded")):
            shutil.copy(path, os.path.join(folder, "input"))
        self.status = run_plain(folder, *self.command).returncode


class Calibrate(Measured):
    name = "calibrate"
    command = ("calibrate", "input/spin.yaml", "--pairs", "6", "--gates", "20", "-o", "output/file")

    def make(self, folder):
        make_workload(folder)
        with open(os.path.join(folder, "output/file"), "w") as file:
            file.write("{}\n")

    def trouble(self, folder, old, new):
        now = snapshot(os.path.join(folder, "output"))
        return None if is_json(now.get("file", b"")) else "output/file is no JSON"


class Watch(Measured):
    name = "watch"
    command = ("watch", "--once", "--for", "1s", "output/windows")

    def trouble(self, folder, old, new):
        now = snapshot(os.path.join(folder, "output"))
        for path, text in now.items():
            if isinstance(text, bytes) and cut_short(path, text):
                return f"{path} is cut short"
        return None


class Capture(Measured):
    name = "capture"
    takes_long = False
    command = ("capture", "--workload", "input/spin.yaml", "--output", "output/captured")

    def trouble(self, folder, old, new):
        now = snapshot(os.path.join(folder, "output"))
        for path, text in now.items():
            if isinstance(text, bytes) and cut_short(path, text):
                return f"{path} is cut short"
        if "captured/perf.data" in now:
            read = run_plain(folder, "convert", "-i", "output/captured/perf.data", "-o", "-")
            # Whole, but interrupted before the first sample.
            if read.returncode != 0 and b"holds no samples" not in read.stderr:
                return "perf.data cannot be read"
        return None

    def trouble_of_success(self, folder, old, new):
        trouble = self.trouble(folder, old, new)
        now = snapshot(os.path.join(folder, "output"))
        if not trouble and set(now) != set(new):
            return f"other files: {', '.join(sorted(set(now) ^ set(new))[:3])}"
        return trouble


CASES = (Convert, Flamegraph, Diff, Heatmap, Export, Picture, Trend, Waive, Init, Compare, Replay)
CASES += (ReplayReports, HistoryAdd, Merge, MergeReports, Capture, BaselineUpdate)
CASES += (BaselineInSteps, BaselineConvert, FirstBaseline, Gate, Calibrate, Watch)
