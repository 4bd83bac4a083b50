/*
 * For the report of a gate: the source lines and instructions of functions with findings, and the
 * changed line that made each slower. Read from the captures before these are removed.
 */
#ifndef GATE_FINDING_LINES_H
#define GATE_FINDING_LINES_H

#include "base/arena.h"
#include "measurement/measurement.h"
#include "output/report.h"

struct changed_lines;
struct code_owners;
struct ingest_cache;
struct source_changes;

struct finding_lines_options {
	const char *scratch_dir; /* as in struct measure_options */
	const char *base_root;   /* the folder of the base, as in struct build_side; NULL: there is
				    none */
	struct ingest_cache *cache;  /* shared between workloads */
	struct arena *arena;         /* owns the results */
	const struct report *report; /* that has the source files */
	const struct code_owners *owners;
	const struct diff_hunks *hunks;      /* of the difference from the side before */
	const struct changed_lines *changed; /* the same */
	struct source_changes *source;       /* NULL: not known */
	const char *base_commit;             /* of the side before; "": not known */
};

/*
 * Sets entry->lines for a few functions that did not pass, by the last captures of each side.
 * Captures of metrics without addresses have no lines.
 */
void finding_lines_read(struct report_workload *entry, const struct measurement *m,
	const struct finding_lines_options *options);

#endif
