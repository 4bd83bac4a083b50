"""The classes of inputs that tests/bounds/run opens. To add one: a function make(n, folder) in one of
the modules here, that writes `input` and what it names into the folder, and a row of CLASSES with an
n at which what it is about would take seconds if it were quadratic.
"""
import dataclasses
import typing

import binaries
import cfi
import packed
import pprof
import programs
import records
import settings
import split
import texts

REDACTED = ["@", "convert", "--input", "input", "--output", "out.folded", "--redact", "rules.yaml"]
PICTURE = ["@", "flamegraph", "--input", "input", "--output", "out.svg"]
FOLD = ["@", "convert", "--input", "input", "--output", "out.folded"]
GATE = ["@", "gate", "input.yaml"]  # of a workload with a mistake at its end: nothing is run
COMPARE = ["@", "compare", "--quiet", "--config", "config.yaml", "--before", "before-0", "before-1",
           "before-2", "--after", "after-0", "after-1", "after-2"]
TREND = ["@", "trend"]
SUITE = ["@", "history", "add", "--from", "go", "--machine-class", "class", "--time", "2036-01-01", "input"]
CHROME = ["@", "convert", "--input", "input", "--output", "out.json", "--to", "chrome-trace"]
FIREFOX = [*CHROME[:-1], "firefox"]
SPEEDSCOPE = [*CHROME[:-1], "speedscope"]
PPROF = [*CHROME[:-1], "pprof"]
ANALYSIS = ["@", "analyze", "--input", "input"]
FOCUS = [*ANALYSIS, "--focus", "x.*y"]
EVENT = [*ANALYSIS, "--event", "none"]
LINES = ["@", "annotate", "f", "--input", "input"]
REFUSED = (0, 2)  # what is too much is refused in words


@dataclasses.dataclass
class Case:
    name: str
    claim: str
    make: typing.Callable
    n: int  # the smallest size
    command: list  # "@" is profile_run; it runs in the folder
    memory: float  # at most so many bytes for a byte of input, beyond what every process may have
    statuses: tuple = (0,)  # exit codes that are right
    ends: bool = False  # at a limit, which 4n is far beyond


CLASSES = [
    Case("hash", "names that collided have a place each", texts.colliding_names, 10000, PICTURE, 40),
    Case("brackets", "brackets of a name are looked at once", texts.brackets, 50000, PICTURE, 40),
    Case("blanks", "blanks of a line are skipped once", texts.blanks, 100000, FOLD, 20),
    Case("apostrophes", "names of stacks are split in one pass", texts.apostrophes, 150000, FOLD, 40),
    Case("nested", "names of functions within functions are short", binaries.nested_functions, 2000, FOLD, 60),
    Case("forks", "processes share what they have mapped", binaries.forks, 5000, FOLD, 30),
    Case("changes", "states of a process share its maps", binaries.changes, 5000, FOLD, 30),
    Case("descending", "maps may come in any order", binaries.descending, 15000, FOLD, 30),
    Case("kernel", "kernel modules are searched", binaries.kernel_modules, 10000, FOLD, 30),
    Case("processes", "processes may be many", binaries.processes, 10000, FOLD, 30),
    Case("parts", "a command is read once for all parts", texts.parts, 100000, FOLD, 20),
    Case("ids", "a name is split once for all that use it", texts.long_ids, 5000, FOLD, 40),
    Case("calls", "stacks of a call graph may be deep", texts.calls, 10000, PICTURE, 40),
    Case("squares", "text that is the square of a profile is refused", texts.calls, 24000, FOLD, 40, REFUSED),
    Case("squares for speedscope", "as for speedscope", texts.calls, 12000, SPEEDSCOPE, 900, REFUSED, True),
    Case("squares for pprof", "and pprof", texts.calls, 12000, PPROF, 900, REFUSED, True),
    Case("long calls", "names of calls are long", programs.long_calls, 500, CHROME, 1300, REFUSED),
    Case("mesh", "functions may all call one another", texts.mesh, 20000, PICTURE, 60),
    Case("deep", "stacks may be deep", texts.deep, 100000, ANALYSIS, 60),
    Case("recursion", "functions may call one another again and again", texts.recursion, 400000, ANALYSIS, 60),
    Case("wide", "a function may call many", texts.wide, 30000, PICTURE, 60),
    Case("long", "a name may be long", texts.long_name, 300000, PICTURE, 20),
    Case("expression", "names are matched at their ends", texts.long_name, 300000, FOCUS, 20, REFUSED),
    Case("matches", "matching ends in time", texts.alike, 120, FOCUS, 20, REFUSED, True),
    Case("script", "samples may be of many processes", texts.script_stacks, 8000, FOLD, 30),
    Case("opened", "frames may be within frames", texts.speed_events, 5000, PICTURE, 60),
    Case("maps of bpftrace", "maps may be many, and a stack deep", texts.bpf_maps, 20000, PICTURE, 60),
    Case("chain", "a profile of V8 may be one deep stack", texts.cpu_deep, 5000, PICTURE, 60),
    Case("profiles", "a file may have many profiles", texts.speed_profiles, 5000, FOLD, 60),
    Case("one over many", "a symbol may cover many", programs.one_over_many, 15000, FOLD, 30),
    Case("staircase", "symbols may be within symbols", programs.staircase, 15000, FOLD, 30),
    Case("labels", "names of labels may share their ends", programs.hidden_labels, 5000, FOLD, 60),
    Case("ends", "names of functions may share their ends", programs.long_names, 5000, FOLD, 60),
    Case("same place", "a function may have many names", programs.same_place, 1000, FOLD, 60),
    Case("mangled", "short names may say much", programs.mangled, 1000, FOLD, 100),
    Case("rust", "names of Rust, too", programs.rust, 10000, FOLD, 60),
    Case("headers", "a program may have many headers", programs.headers, 10000, FOLD, 30),
    Case("note headers", "notes are read once", programs.note_headers, 10000, FOLD, 30),
    Case("note sections", "sections of notes are read once", programs.note_sections, 10000, FOLD, 30),
    Case("section names", "names of sections may share their ends", programs.section_names, 10000, FOLD, 30),
    Case("debug names", "names of inlined functions may share their ends", records.debug_names, 4000, FOLD, 60),
    Case("inlined", "each address may be many frames", records.inlined, 10000, FOLD, 200, REFUSED),
    Case("abbreviations", "units may share a table", records.abbreviations, 8000, FOLD, 60),
    Case("range lists", "calls may share a list of ranges", records.range_lists, 40000, FOLD, 100),
    Case("package", "units of a package may be the same", split.package, 1000, FOLD, 60),
    Case("same file", "units may name one file", split.same_file, 100, FOLD, 150),
    Case("lines", "frames of an address are found once", records.inlined_again, 150000, LINES, 30),
    Case("one name", "functions may all have one name", programs.one_name, 16000, LINES, 60),
    Case("nested name", "within one another, too", programs.nested_name, 10000, LINES, 60),
    Case("source lines", "a function may have many lines", records.rows, 20000, LINES, 60),
    Case("chains", "call chains may all differ", records.chains, 100000, FOLD, 40),
    Case("jitdump", "code may be loaded over code", records.jitdump, 10000, FOLD, 30),
    Case("jitted name", "names of generated code are short", records.jit_name, 6000, FOLD, 30),
    Case("events", "a file may have many events", records.events, 5000, FOLD, 30),
    Case("pipe events", "events may not come again and again", records.pipe_events, 3000, FOLD, 30, REFUSED),
    Case("comms", "a process may have many names", records.comms, 10000, FOLD, 30),
    Case("threads", "samples may be of many threads", records.threads, 30000, CHROME, 60),
    Case("threads for firefox", "as for Firefox", records.threads, 30000, FIREFOX, 60),
    Case("threads for speedscope", "and speedscope", records.threads, 30000, SPEEDSCOPE, 60),
    Case("kernel symbols", "code of the kernel may replace code", records.kernel_symbols, 5000, FOLD, 30),
    Case("build-ids", "a file may have been many builds", records.build_ids, 8000, FOLD, 30),
    Case("paths", "many files may be missing", records.paths, 8000, FOLD, 30),
    Case("fork chain", "each process may fork the next", records.fork_chain, 10000, FOLD, 30),
    Case("rows", "a function may be unwound in many ways", cfi.rows, 25000, FOLD, 30),
    Case("states", "ways of unwinding may be within one another", cfi.states, 25000, FOLD, 30),
    Case("functions", "functions that are unwound may be within functions", cfi.functions, 25000, FOLD, 30),
    Case("expressions", "unwinding may take computations", cfi.expressions, 25000, FOLD, 30),
    Case("rules", "a workload may have many rules", settings.rules, 5000, GATE, 30, (2,)),
    Case("variables", "a mapping may have many keys", settings.variables, 15000, GATE, 30, (2,)),
    Case("lists", "lists may be within lists", settings.lists, 100000, GATE, 30, (2,)),
    Case("aliases", "one list may be named again and again", settings.aliases, 25000, GATE, 30, (2,)),
    Case("grown", "causes are found for so many functions as there is time for", settings.grown, 14000, COMPARE, 120, (1,)),
    Case("waivers", "each waiver may be one function's", settings.waivers, 250, COMPARE, 60, (1,)),
    Case("appended", "a night is added by the end of a history", settings.appended, 150000, SUITE, 0),
    Case("repetitions", "a suite may repeat a benchmark", settings.repetitions, 50000, SUITE, 20),
    Case("nights", "a history may be long", settings.nights, 15000, TREND, 30),
    Case("long redaction", "and rules times the bytes of names", settings.long_redaction, 400000, REDACTED, 60, REFUSED),
    Case("redaction", "rules times names are refused", settings.redaction, 10000, REDACTED, 60, REFUSED),
    Case("slope", "each night may be slower", settings.slope, 8000, TREND, 30),
    Case("gzip debug", "what gzip's last bytes say is not believed", packed.gzip_debug, 64, FOLD, 60),
    Case("xz debug", "the index of xz is not believed", packed.xz_debug, 64, FOLD, 60),
    Case("zstd debug", "zstd makes no more than its size allows", packed.zstd_debug, 64, FOLD, 60),
    Case("mini", "small symbol tables are small", packed.mini, 2, FOLD, 60),
    Case("zlib sections", "sections have one allowance together", packed.zlib_sections, 1, FOLD, 60),
    Case("packed abbreviations", "tables of units are charged by their memory", packed.abbreviations, 600, FOLD, 60),
    Case("packed units", "and so are units", packed.units, 600, FOLD, 60),
    Case("packed ranges", "and ranges", packed.ranges, 600, FOLD, 60),
    Case("zstd sections", "however they are packed", packed.zstd_sections, 1, FOLD, 60),
    Case("mappings", "many mappings may be of one file", pprof.mappings, 10000, FOLD, 30),
    Case("types", "types of values are listed, a few of them", pprof.types, 30000, EVENT, 30, (2,)),
    Case("unit", "a unit is short", pprof.unit, 200000, PICTURE, 60),
    Case("units", "what is left out is said once", pprof.speed_units, 8000, FOLD, 60),
    Case("gzip pprof", "a packed profile may become a multiple", packed.gzip_pprof, 20, FOLD, 700, REFUSED),
    Case("gzip pprof to pprof", "and so may all of its values", packed.gzip_pprof, 20, PPROF, 700, REFUSED),
]
