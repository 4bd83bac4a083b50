/*
 * All that the outputs of a gate are made from. Plain data, filled in by commands/, borrowed here.
 */
#ifndef OUTPUT_REPORT_H
#define OUTPUT_REPORT_H

#include "analysis/annotation.h"
#include "base/buf.h"
#include "gate/judge.h"
#include "gate/plan.h"
#include "machine/machine.h"
#include "spec/policy_changes.h"
#include "spec/shard_plan.h"

#include <stddef.h>
#include <stdint.h>

/* Where a hunk of the difference between both sides' sources is, the most telling first. */
enum hunk_place {
	HUNK_OWN,    /* in the function, or on a line that is inlined into it */
	HUNK_MARKED, /* the changed line that carries the growth: a type, a macro */
	HUNK_CALLED, /* in a function that it calls */
	HUNK_CALLER, /* in a function on a stack that grew */
	HUNK_OTHER,
	HUNK_PLACES,
};

/* A hunk, or the part of a longer one that is kept. */
struct report_hunk {
	enum hunk_place place;
	bool cut;             /* lines are left out */
	const char *function; /* the sampled function around it; NULL: not known */
	const char *path;     /* in the repository */
	uint32_t line;        /* of the first line, after the change */
	const char *text;     /* lines: " same", "-before", "+after" */
};

/* What changed in the source and in the machine code of a function with a finding. */
struct report_changes {
	bool kept; /* else the report is of an earlier version, and the rest is not known */
	const struct report_hunk *hunks; /* by place, and in the order of the difference */
	size_t nhunks;
	size_t hunks_left_out;
	const char *no_hunks; /* why none are known, a phrase; NULL: there is a difference */
	const char *code;     /* lines: "-before", "+after"; "" where no instruction changed */
	size_t code_left_out; /* lines */
	const char *no_code;  /* why it is not known, a phrase; NULL: it is */
};

/* Where the cost of a function with a finding is, by source line and instruction. */
struct report_lines {
	const char *function; /* its name in the comparison */
	bool pairs;           /* both sides are known; else only the candidate's */
	const char *unit;     /* of the entries' numbers; NULL: they are shares of the program */
	const char *growth;   /* the lines that carry it: annotation_put_growth(); "" */
	const struct annotation_entry *entries;
	size_t nentries;
	size_t left_out; /* lines with less weight */
	/* The changed line that carries the growth: changed_place_find(). */
	const char *changed_path; /* in the repository; NULL: there is none */
	uint32_t changed_line;
	const char *changed_owners; /* as those of struct report_source */
	struct report_changes changes;
};

struct report_workload {
	const struct judgement *judgement; /* workload, candidate, baseline, comparison, verdict */
	const struct machine *machine;     /* that measured it; NULL: the report's */
	struct plan plan;                  /* how it was to be judged */
	double build_s;                    /* wall time of build and setup */
	double measure_s;                  /* wall time of warm-up and runs */
	double process_s;     /* wall time of our own work: reading, folding, judging, drawing */
	double count_limit_s; /* CPU time that each counted run might use; 0: not counted */
	double count_s;       /* wall time of counting instructions to decide; 0: not counted */
	const char *folder;   /* of its files, relative to the report folder: the workload's name */
	/* Files in it with the output of the builds, the base's last, that failed or warned; NULL.
	 */
	const char *build_outputs[2];
	const struct report_lines
		*lines; /* of functions with findings; captures were kept for them */
	size_t nlines;
};

/* A file of the source that the reports may link to. */
struct report_source {
	const char *file; /* as frames of the profiles name it */
	const char *path; /* in the repository */
	/* "@parsers @anna", by CODEOWNERS; "" or NULL: nobody */
	const char *owners;
};

/* The commit whose policy applies. */
struct report_policy {
	const char *from; /* "main (1a2b3c4d5e6f)"; NULL: the policy is the working tree's */
	const struct policy_change *changes; /* differences of the working tree's policy */
	size_t nchanges;
	size_t nleft_out; /* beyond these */
};

/* The gate that the report of a shard is a part of. */
struct report_shard {
	const struct shard_plan *plan;
	const char *command;     /* the command line without the options that choose the shard */
	const char *settings;    /* hash, the same in all shards of a gate: shard_settings() */
	const char *base_commit; /* of the build measured in pairs with; "" if not known */
};

/* Call trees of a workload's sides that are in memory only while its files are written. */
struct report_stacks {
	int (*load)(void *context, size_t workload, struct err *err);
	void (*drop)(void *context, size_t workload);
	void *context;
};

struct report {
	const char *tool_version;
	int64_t started;           /* seconds since 1970 UTC */
	double duration_s;         /* wall time of the whole gate */
	const char *commit;        /* of the repository; "" if not known */
	const char *against;       /* the build measured in pairs with this; NULL: none */
	const char *against_notes; /* what differs there beside the code, whole sentences; NULL:
				      nothing */
	struct report_policy policy;
	const char *command;         /* the command line, to run it again */
	const char *command_options; /* the same without the workloads it names */
	const struct machine *machine;
	const char *machine_class;
	const char *event_reason; /* why this event */
	const char *pinning;      /* "program on CPU 1, reader on CPU 0" */
	const char *folder;       /* the report folder as the user knows it: "reports/2026..." */
	const char *interrupted; /* "SIGTERM": it ended before all was measured; NULL: it did not */
	enum status status;
	int exit_code;
	const char
		*source_url; /* pattern of links (config_is_source_url()); NULL: there are none */
	const struct report_source *sources; /* by `file` */
	size_t nsources;
	const struct report_workload *workloads;
	size_t nworkloads;
	const struct report_shard *shard; /* NULL: a report of a whole gate */
	bool full;                        /* everything of each workload, however many there are */
	const struct report_stacks *stacks; /* NULL: the call trees of all sides are in memory */
};

/* A report of more workloads is large, unless `full` is set: each has its own page, passed ones are
 * brief. */
#define REPORT_LARGE 50

static inline bool
report_is_large(const struct report *report)
{
	return report->nworkloads > REPORT_LARGE && !report->full;
}

/*
 * With more workloads, a page has less that can be read without its script: pictures are coarse,
 * and tables text.
 */
#define REPORT_MANY 5

/* The entry of a file as the profiles name it; NULL: it is not in the repository. */
const struct report_source *report_find_source(const struct report *report, const char *file);

/* Sets exit code and status by what was judged: an interrupted gate is an error, or worse. */
void report_conclude(struct report *report, enum status status, int exit_code);

/* Appends, as "  name    value" lines, the environments of both sides. */
void report_put_environment(const struct report *report, struct buf *out);

#endif
