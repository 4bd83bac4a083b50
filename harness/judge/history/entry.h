/*
 * One line of a history: what a workload, or one function of it, cost in one night.
 *
 * Fourteen fields between tabs, so that a line can be read without the others and lines of two
 * branches merge by putting them together:
 *
 *     started commit metric unit cost error mode against ratio ratio_error version report function
 * work
 *
 * "-" means not known. Texts are escaped: \t, \n, \\, and \xHH for every other byte that is a
 * control character, and for a text that is "-". Older lines have no work. Lines that begin with
 * '#' are not entries.
 */
#ifndef HISTORY_ENTRY_H
#define HISTORY_ENTRY_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Texts are never NULL; "" is not known. They are borrowed, or of the arena that they were read to.
 */
struct history_entry {
	int64_t started;    /* of the gate, seconds since 1970 UTC: the night */
	const char *commit; /* that was measured */
	const char *metric; /* "cpu" */
	const char *unit;   /* "ns" */
	double cost;        /* mean of an execution, in the unit; above 0 */
	double error;       /* standard error of ln(cost); NAN: one run */
	bool paired;        /* measured interleaved with the build of `against` */
	const char *against;
	double ratio;         /* paired: cost over that of `against`; else NAN */
	double ratio_error;   /* standard error of ln(ratio); NAN: not known */
	const char *version;  /* of profile_run */
	const char *report;   /* URL, or the report's folder relative to that of the history */
	const char *function; /* with suffix, its own cost; "" is the whole program */
	/* What of the workload decides on the work: 16 digits of workload.hash. */
	const char *work;
};

/* The longest line, in bytes; this bounds names, too. */
#define HISTORY_LINE_MAX ((size_t)64 * 1024)

/* Whether a text, as of a report, is a link to elsewhere: "https://..." or "http://...". */
bool history_is_url(const char *text);

/* Appends the entry as a line, with its end. */
void history_entry_put(const struct history_entry *entry, struct buf *out);

/*
 * Reads the line text[0..len), without its end. `at` is where it stands in its file: errors have
 * the column and show the line. Texts are the arena's.
 */
int history_entry_parse(struct history_entry *entry, const struct location *at, struct arena *arena,
	struct err *err);

/*
 * Order by time, then commit, metric, mode, build compared with, and function: <0, 0 or >0. Entries
 * about the same measurement are equal, whatever their values.
 */
int history_entry_compare(const struct history_entry *a, const struct history_entry *b);

#endif
