/*
 * Suites: a program that holds many benchmarks, each of which is a workload of a gate. How the
 * benchmarks of a kind of suite are listed and run, and how many iterations a run did
 * (suite_presets.c); the names of the workloads that they become.
 */
#ifndef SPEC_SUITE_H
#define SPEC_SUITE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bounds of what a program under test lists. */
#define SUITE_NAME_MAX 400                /* bytes of the name of a benchmark */
#define SUITE_TEXT_MAX ((size_t)16 << 20) /* of a list */
#define SUITE_UNITS_MAX 2000              /* benchmarks of a suite that are measured */
#define SUITE_ITERATIONS_MAX UINT64_C(1000000000000)

/* The names that a suite lists, in its order, each once. The arena owns all. */
struct suite_listing {
	const char **names;
	size_t count;
	size_t capacity;
	struct arena arena;
};

/* What a run reports of its iterations. */
struct suite_report {
	double iterations; /* all that were executed, calibration included; 0: none was reported */
};

/* The length of a run, as a suite's options take it. */
struct suite_amount {
	const char *by_time; /* the suite finds the number of iterations itself */
	const char *fixed;   /* behind a number of iterations: "x"; NULL: there is no such option */
};

/*
 * A kind of suite. To add one: its functions, an entry in suite_presets[] (suite_presets.c), and a
 * paragraph in profile_run-suite(5).
 */
struct suite_preset {
	const char *name;
	const char *help; /* an option that the `--help` of such a program names */
	/* Appended to the command of `run`; NULL-ended. */
	const char *const *list_options;
	/* With {name} and {amount}. */
	const char *const *run_options;
	struct suite_amount amount;
	/*
	 * An option of suites that take fixed numbers of iterations, tried when benchmarks are
	 * listed; older ones fail, and are run by `older`. NULL: all take them.
	 */
	const char *probe;
	struct suite_amount older;
	bool list_runs;     /* a list executes the benchmarks */
	bool list_may_fail; /* a list that ends with another status than 0 holds */
	/* Adds the names of a list. */
	int (*list)(struct suite_listing *listing, const char *text, size_t len, struct err *err);
	/* Appends a name as the options take it: {name}. */
	void (*put_name)(struct buf *out, const char *name);
	/* Reads what a run of the benchmark printed. An error if the benchmark says that it failed.
	 */
	int (*read)(const char *benchmark, const char *text, size_t len,
		struct suite_report *report, struct err *err);
	/* The threads that each do the iterations of a benchmark; NULL: one. */
	double (*threads)(const char *benchmark);
	/*
	 * Names of functions, without parameters and NULL-ended. What `begins` call is the
	 * benchmark; what is below `own` and not below these is the suite's own work. Neither is
	 * what other threads do, such as those that the benchmark starts. NULL: not known.
	 */
	const char *const *begins;
	const char *const *own;
	/*
	 * How the name of the suite's shared library begins, which may have no names of functions:
	 * its functions are `own`, and what they call in another file, libraries of the system
	 * apart, is the benchmark. NULL: there is none.
	 */
	const char *library;
	/*
	 * For selection. A benchmark is a function whose name, as the linker has it, has one of
	 * these texts in it, but for those that only call one, whose names begin as in `callers`;
	 * both are NULL-ended. NULL: not known.
	 */
	const char *const *entered_by;
	const char *const *callers;
	/* How the names of functions begin, as people read them, that register benchmarks and
	 * set nothing else. */
	const char *registers;
};

/* NULL-ended. */
extern const struct suite_preset *const suite_presets[];

/* The key `suite` of a workload; all borrowed from the workload's arena. */
struct suite {
	const struct suite_preset *preset; /* NULL: a run is one iteration */
	bool by_hand;            /* `list` and `run` are whole commands, not made by the preset */
	const char *const *list; /* NULL-ended command; NULL: made by the preset */
	const char *const *run;  /* NULL-ended command; NULL: that of the workload */
	const char *const *include; /* NULL-ended patterns of names, fnmatch(3); NULL: all */
	const char *const *exclude; /* likewise; NULL: none */
	/* Once it is listed: the names in the working tree, sorted. */
	const char *const *names;
	size_t nnames;
};

/* A benchmark of a suite: a workload that is made when the suite is listed. */
struct suite_unit {
	const struct suite *suite;
	const char *const *suite_run; /* the workload's command without the benchmark's options */
	const char *benchmark;        /* as the suite lists it */
	/* The word of the command that is replaced once the number of iterations is known ... */
	size_t amount_word;
	const char *amount_before; /* ... by this, the number ... */
	const char *amount_after;  /* ... and this; NULL: the suite takes no number */
};

/* Reads a list of one name a line. */
int suite_list_lines(struct suite_listing *listing, const char *text, size_t len, struct err *err);
void suite_listing_release(struct suite_listing *listing);

/* Whether nothing in a name acts on a terminal, a log or a file of lines, and it is UTF-8. */
bool suite_is_plain(const char *name, size_t len);
/* Appends a name as a regular expression of C++, POSIX or Go that matches it alone. */
void suite_put_regex(struct buf *out, const char *name);

/* Whether a suite's patterns choose this benchmark. */
bool suite_chooses(const struct suite *suite, const char *benchmark);

/* Makes the NULL-ended command that lists the benchmarks; `probe` adds the preset's; the arena's.
 */
const char *const *suite_list_command(
	const struct suite *suite, const char *const *run, bool probe, struct arena *arena);
/*
 * Makes the NULL-ended command that runs a benchmark, by time where there is a choice, and the rest
 * of the unit. `older`: the probe failed. The arena's.
 */
const char *const *suite_run_command(
	const char *const *run, bool older, struct suite_unit *unit, struct arena *arena);

/* The iterations of a run rounded down to 1, 2 or 5 times a power of ten: sessions agree then. */
uint64_t suite_round_iterations(double iterations);

/*
 * The name of a benchmark's workload is SUITE/BENCHMARK, and that with ".METRIC" in a further
 * metric. It is for people, and may hold any printable characters.
 */
bool unit_is_name(const char *name);

/*
 * What a workload of this name is called on disk: `name` itself if it is keys_is_name(), else
 * "SUITE@BENCHMARK" with each other character as '_', cut, and with a part of the name's SHA-256
 * behind it if it was changed. `name` or the arena's.
 */
const char *unit_folder(const char *name, struct arena *arena);
#define UNIT_FOLDER_MARK '@'

#endif
