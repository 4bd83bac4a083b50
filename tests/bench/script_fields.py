#!/usr/bin/python3
"""Reads perf script's text with random subsets of its fields, and compares each with the whole.

usage: script_fields.py [SUBSETS [SEED]]

Five captures of one program are made: CPU time with and without call chains, page faults,
scheduler switches, and copies of stacks with inlined functions. Of each, perf prints SUBSETS (200)
random subsets of the fields that it can print. Every text must fold to the same stacks and weights
as the text with all fields does, computed here, with the missing fields taken out; or it must be
refused with an error. A sample weighs its period, or 1 where the text lacks periods, and then a
message must say so (and only then). Samples of a clock weigh 1 where all periods agree, too, and
stacks of as many frames as the kernel records are below [truncated], as the manual says. Fails where a text does not. PROFILE_RUN, PERF and CXX name
the programs.
"""

import collections
import os
import random
import re
import subprocess
import sys
import tempfile

PROFILE_RUN = os.environ.get("PROFILE_RUN", "build/profile_run")
PERF = os.environ.get("PERF", "perf")
HERE = os.path.dirname(os.path.abspath(__file__))

WITH_MORE = ["-d", "--phys-data", "--data-page-size", "--code-page-size", "-W", "-I",
             "--user-regs=ip,sp,ax", "-k", "mono", "-T", "-s"]
CAPTURES = {
    "cpu-clock with chains": ["-e", "cpu-clock", "-F", "999", "-g", *WITH_MORE],
    "cpu-clock": ["-e", "cpu-clock", "-F", "999", *WITH_MORE],
    "page faults": ["-e", "page-faults", "-c", "3", "-g", *WITH_MORE],
    "switches": ["-e", "sched:sched_switch", "-g", *WITH_MORE],
    "dwarf": ["-e", "cpu-clock", "-F", "299", "--call-graph", "dwarf,16384"],
}
# Source lines take perf seconds for some hundred samples.
ROUNDS = {"page faults": "6", "dwarf": "40"}
# Not bpf-output: perf 6.1 prints its default fields where that is among those of -F.
FIELDS = """comm tid pid time cpu event trace ip sym dso addr symoff srcline period iregs uregs
    brstack brstacksym data_src weight callindent insn insnlen brstackinsn brstackoff
    synth phys_addr metric misc srccode ipc tod data_page_size code_page_size ins_lat
    brstackinsnlen machine_pid vcpu""".split()
# Fields that stacks and weights are made of, and others that stand beside them.
MAIN = "comm tid pid time event ip sym dso symoff period".split()
WAYS = [[], [], [], ["--ns"], ["--reltime"], ["--deltatime"], ["--show-task-events"],
        ["--show-mmap-events"], ["--show-lost-events"], ["--header"], ["--show-round-events"],
        ["-F", "+flags"]]

Sample = collections.namedtuple("Sample", "comm period event frames")
FRAME = re.compile(r"\t *([0-9a-f]+) (?:(.*)\+0x[0-9a-f]+|(\[unknown\])) \((.*)\)$")
FRAMES_MAX = 127
CLOCK = re.compile(r"\b(cpu|task)-clock\b")
HEADER = re.compile(r" *(.*?) +\d+/\d+ +[\d.]+: +(\d+) +(\S+): ?(.*)$")


def perf_script(path, arguments):
    """What perf prints, in its default order of fields; None where it refuses."""
    done = subprocess.run([PERF, "script", "-i", path, *arguments], capture_output=True,
                          check=False)
    return None if done.returncode != 0 or not done.stdout else done.stdout


def parts_of_frame(line):
    found = FRAME.match(line)
    return found and (found[1], found[2] or found[3], found[4])


def all_samples(path, way):
    text = perf_script(path, ["-F", "comm,pid,tid,time,period,event,ip,sym,symoff,dso", *way])
    samples = []
    for line in text.decode().split("\n"):
        frame = parts_of_frame(line)
        header = HEADER.match(line)
        if frame:
            samples[-1].frames.append(frame)
        elif header:
            one = parts_of_frame("\t" + header[4])
            samples.append(Sample(header[1], int(header[2]), header[3], [one] if one else []))
        elif line and not line.startswith("PERF_RECORD_FINISHED_ROUND"):
            sys.exit(f"script_fields.py: not understood: {line!r}")
    return samples


def frame_name(address, symbol, module, fields):
    """A frame as folded text names it, of the fields that there are."""
    kernel = module.startswith("[") and module not in ("[unknown]", "[vdso]", "[heap]", "[stack]")
    inlined = module == "inlined"
    if "dso" not in fields:
        kernel = len(address) == 16 and address[0] >= "8"
    if "sym" not in fields or symbol == "[unknown]":
        symbol = "[unknown]"
        if "dso" in fields and not inlined and module != "[unknown]":
            symbol = module if module[0] == "[" else f"[{os.path.basename(module)}]"
    return symbol + ("_[i]" if inlined else "_[k]" if kernel else "")


def has_weights(samples, fields):
    """Whether samples weigh their periods. Only with its name an event is known as a clock."""
    periods = {sample.period for sample in samples}
    all_clocks = all(CLOCK.match(sample.event) for sample in samples)
    clock = "event" in fields and all_clocks
    return "period" in fields and not (clock and len(periods) == 1)


def expected_fold(samples, fields):
    fold = collections.Counter()
    by_period = has_weights(samples, fields)
    for sample in samples:
        stack = [sample.comm.replace(" ", "_")] if "comm" in fields else []
        if "ip" in fields:
            if sum(module != "inlined" for _, _, module in sample.frames) >= FRAMES_MAX:
                stack.append("[truncated]")
            stack += [frame_name(*frame, fields) for frame in reversed(sample.frames)]
        if stack:
            fold[";".join(stack)] += sample.period if by_period else 1
    return fold


def read_fold(text, scratch):
    """The weights, or None where the text is refused; and what was said."""
    with open(scratch, "wb") as file:
        file.write(text)
    done = subprocess.run([PROFILE_RUN, "convert", "--input", scratch], capture_output=True,
                          check=False)
    said = done.stderr.decode()
    if done.returncode == 2:
        return None, said
    if done.returncode != 0:
        return {}, said
    fold = collections.Counter()
    for line in done.stdout.decode().splitlines():
        if not line.startswith("#"):
            stack, weight = line.rsplit(" ", 1)
            fold[stack] += float(weight)
    return fold, said


def random_fields(rng):
    fields = [field for field in MAIN if rng.random() < 0.75]
    return fields + [field for field in FIELDS if field not in MAIN and rng.random() < 0.12]


def try_subsets(name, path, count, rng, scratch):
    # perf does not sort records by time then, and finds other names of threads.
    rounds = "--show-round-events"
    samples = all_samples(path, [])
    unsorted = all_samples(path, [rounds])
    results = collections.Counter()
    tries = 0
    while results["equal"] + results["refused"] + results["different"] < count:
        tries += 1
        if tries > 60 * count:
            break
        fields = random_fields(rng)
        way = rng.choice(WAYS)
        if not fields:
            continue
        rng.shuffle(fields)
        text = perf_script(path, ["-F", ",".join(fields), *way])
        if text is None:
            continue
        got, said = read_fold(text, scratch)
        expected = expected_fold(unsorted if rounds in way else samples, fields)
        right_message = ("weighs 1" in said) == ("period" not in fields)
        if got is None:
            results["refused"] += 1
            usual = {"comm", "event", "time", "ip", "sym", "dso", "period"} <= set(fields)
            if usual or os.environ.get("VERBOSE"):
                print(f"refused: {name}: -F {','.join(fields)} {' '.join(way)}:", said.strip())
        elif got == expected and right_message:
            results["equal"] += 1
        else:
            results["different"] += 1
            print(f"DIFFERENT: {name}: -F {','.join(fields)} {' '.join(way)}", said)
            for stack in sorted(set(got.items()) ^ set(expected.items()))[:4]:
                print("   ", str(stack)[:300])
    print(f"{name}: {len(samples)} samples;",
          ", ".join(f"{value} {key}" for key, value in sorted(results.items())))
    return results["different"] == 0


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rng = random.Random(seed)
    good = True
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        program = os.path.join(folder, "my prog")
        subprocess.run([os.environ.get("CXX", "c++"), "-O2", "-g", "-fno-omit-frame-pointer", "-o",
                        program, os.path.join(HERE, "script_fields.cc"), "-lpthread"], check=True)
        for name, options in CAPTURES.items():
            path = os.path.join(folder, "perf.data")
            rounds = ROUNDS.get(name, "120")
            done = subprocess.run([PERF, "record", "-q", "-o", path, *options, program, rounds],
                                  stdout=subprocess.DEVNULL, check=False)
            if done.returncode != 0:
                print(f"absent: {name}: perf cannot record it here")
                continue
            good &= try_subsets(name, path, count, rng, os.path.join(folder, "text"))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
