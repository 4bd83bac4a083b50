/*
 * The content of a report's files, made once: each sentence, the findings in their order, the
 * functions, the circumstances of both sides and their differences. The writers (text, Markdown,
 * JUnit, JSON, HTML) walk it and add their form, nothing else.
 *
 * Texts are plain: names in them are whole and not yet escaped. They are never NULL unless said so,
 * and "" if there is no text. All of it is the view's, or borrowed from the report.
 */
#ifndef OUTPUT_REPORT_VIEW_H
#define OUTPUT_REPORT_VIEW_H

#include "base/arena.h"
#include "base/buf.h"
#include "output/report.h"
#include "output/rows.h"

#include <stdbool.h>
#include <stddef.h>

struct finding_view {
	const struct finding *finding;
	const char *verdict; /* the name of its status, or "accepted" */
	const char *subject;
	const char *name; /* the subject in words: "mix (inlined)" of "mix_[i]" */
	/*
	 * It fails because of a function, or the whole program, that grew with it: its parts are
	 * those of that member. Else its own.
	 */
	const struct finding *judged;
	const char *link; /* between subject and estimate: ": " where that is of a member, " " */
	const char *of;   /* " (self)"; "" of the whole program, and where nothing was tested */
	/* Its parts, of what was tested or is new; "" of what was not, or is not known. */
	const char *estimate; /* "+7.2 % (95 % CI 4.9 to 9.6)", "new", "read +7.2 % (...)" */
	const char *costs;    /* "456 ms -> 489 ms per run" */
	const char *share;    /* "9.0 % of the program before", "equal to 9.0 % ..." of a new one */
	const char *threshold; /* "threshold 15 %"; "" where none fails */
	const char *own;       /* "main with all it calls +1.4 %" where a member is judged; "" */
	const char *effect;    /* "+7.2 % (95 % CI 4.9 to 9.6), 456 ms -> 489 ms per run, ..." */
	const char *power;     /* "p 4e-4, detectable from 5.9 %" */
	const char *reason;    /* two sentences at most, and one on the lines that grew */
	const char *grown; /* of sizes, a line for each section that grew: size_growth_put(); "" */
	const char *members; /* "malloc +4.1 ms, the whole program +9.2 ms and 2 more"; "" */
	const char *place;   /* "src/cJSON.c:1362" */
	/* To be marked: the changed line that carries the growth, else the function's. */
	const char *path; /* in the repository; "": not known to be there */
	unsigned line;
	const char *owners; /* of that path: "@parsers @anna"; "" */
	const char *url;    /* of the function's line; "": there is none */
	const char *where;  /* the same with its caller: "src/cJSON.c:1362, called from parse()" */
	double before_cost; /* its own a run, at the machine's speed after; NAN: not known */
	/*
	 * Listed by the outputs. Others passed without a note and are only counted, or are the
	 * failed measurement, whose error is shown separately.
	 */
	bool is_listed;
	/* It failed, could not be measured, or is the first of its workload: shown before a fold.
	 */
	bool is_leading;
};

/* The runs of one side. Sentences have no full stop. */
struct side_view {
	const struct profile *profile; /* NULL: there are none */
	const char *prefix;            /* "In the baseline, ", before a sentence; "" of this side */
	const char *name;              /* "this gate", "the baseline" */
	const char *heading;           /* "this run", "baseline" */
	const char *poor;              /* "2 of 20 runs are not usable" */
	const char *stacks;            /* incomplete ones */
	const char *interpreter;       /* a script's, whose functions have no names */
	const char *disturbance;
	const char *unsteady;   /* what changes in the course of a run, and what can be done */
	const char *cpu_choice; /* files that choose their code by the CPU */
};

/* One known property of the runs: of the program, the machine, or the recording. */
struct circumstance {
	const char *name;
	const char *before, *after; /* "" where not known; not both */
	bool differs;               /* both are known, and are not the same */
};

#define VIEW_CIRCUMSTANCES_MAX 20

struct workload_view {
	const struct report *report;
	const struct report_workload *workload;
	const struct judgement *judgement;
	const char *name;
	enum status status;   /* an error where it could not be measured, whatever its verdict */
	const char *error;    /* of several lines */
	const char *headline; /* the severest finding in one line, or `power` */
	const char
		*files_note; /* on the files that each of two builds ran; "" where there is none */
	const char *answer;  /* the same with name, costs and place */
	const char *basis;   /* "baseline of 2026-11-20T01:00:00Z, 10 runs in 2 sessions" */
	/* "whole program at most 2.1 % slower (one-sided 95 %, threshold 5 %); 22 functions
	 * compared (threshold 10 %)"; and without its confidence. */
	const char *power;
	const char *brief_power;
	const char *limited; /* why no finding fails */
	const char *rerun;   /* the file to give to the gate again; "": it passed, or has none */

	/*
	 * The first finding that did not simply pass: one of the program before an equally severe
	 * one of its baseline. NULL: there is none.
	 */
	const struct finding_view *first;
	struct finding_view *findings; /* all, in the verdict's order */
	size_t nfindings;
	size_t nlisted;
	size_t ncompared; /* functions */
	size_t npassed;   /* functions that were compared, and are not listed */
	bool has_accepted;
	bool is_brief;     /* it passed in a large report: without runs, functions and pictures */
	bool is_terse;     /* one of many in a page: REPORT_MANY */
	const char *files; /* path of its files from its page: "cjson_parse/", "" if beside it */
	/*
	 * The whole program as it was judged, by the confirming runs if there are some; NULL: it
	 * was not tested.
	 */
	const struct effect *whole;
	struct rows rows; /* the functions, the largest first */

	struct side_view after;
	struct side_view before;
	struct circumstance circumstances[VIEW_CIRCUMSTANCES_MAX];
	size_t ncircumstances;
	const char *counters;  /* those that differ: "max_rss 41.2 MiB -> 45.3 MiB (+9.8 %)" */
	const char *latency;   /* what latencies do not say; "": there are none */
	const char *differing; /* names of those that differ: "Commit, Kernel" */
};

/* One difference of the working tree's policy from the one that applies: a key of a file. */
struct policy_change_view {
	const struct policy_change *change;
	const char *place; /* "config/profile_run.yaml:3" */
	const char *text;  /* "gate.functions.fail: 10% -> 50%" */
};

/*
 * The commands that a report offers, in this order, of the workload with the severest verdict. A
 * failure and an error can be reproduced; only a verdict that is open is decided, by other options.
 */
enum view_command_kind {
	COMMAND_REPRODUCE, /* measures the severest finding again */
	COMMAND_DECIDE, /* decides what it left open; "Other base" where the base is what fails */
	COMMAND_LOOK,   /* shows where a cost comes from that is over its budget */
	COMMAND_ACCEPT, /* accepts the first failing finding */
	VIEW_COMMANDS,
};

struct view_command {
	const char *label;   /* "Reproduce" */
	const char *command; /* quoted for a shell; "": there is none */
	const char *note;    /* "on any machine"; "" */
	/* The note where there is little room, or where the command says a part of it. */
	const char *brief_note;
};

struct report_view {
	const struct report *report;
	bool is_large;        /* each workload has its own page, and passed ones are brief */
	const char *headline; /* "1 of 9 workloads fails: cjson_parse" */
	const char *answer;   /* the severest finding with its size and place; or "" */
	/* "main (4f81922)", where all are compared with the same, or "its baseline of 2026-11-20
	 * (4f81922abcde)"; or "" */
	const char *base;
	const char *outcome; /* "Exit code 1: the job fails" */
	struct view_command commands[VIEW_COMMANDS];
	/* "10 of 10 baselines are of another machine class ..."; "": at most one is. */
	const char *other_machines;
	/* "Policy changed: ... judged by that of main (1a2b3c4d5e6f)"; "": it did not. */
	const char *policy;
	struct policy_change_view *policy_changes; /* the arena's */
	size_t npolicy_changes;
	struct workload_view *workloads;
	size_t nworkloads;
	struct arena arena;
};

/* `report` must outlive the view. */
void report_view_init(struct report_view *view, const struct report *report);
void report_view_release(struct report_view *view);

/* Appends the URL of a line of a file as a frame names it, 0: not known; nothing if it has none. */
void report_put_source_url(
	const struct report *report, const char *file, unsigned line, struct buf *out);

/*
 * Appends when and of which commit baselines were recorded, from the oldest to the newest of them:
 * " of 2026-11-20 (4f81922abcde)", " of 2026-11-01 to 2026-11-20".
 */
void report_put_recorded(
	const struct baseline_info *oldest, const struct baseline_info *newest, struct buf *out);

/* Each fills in a part of the view of a workload: report_circumstances.c and so on. */
void report_circumstances(
	struct workload_view *workload, const struct report *report, struct arena *arena);
void report_findings(struct workload_view *workload, struct arena *arena);
/* After the findings: `power` and `brief_power`. */
void report_summary(struct workload_view *workload, struct arena *arena);

/* "although main is faster, -25.7 %": a change beside that of a part that grew. */
void report_put_although_less(const struct judgement *judgement, const char *subject,
	const struct effect *effect, struct buf *out);

/* Whether it passed, and no waiver was needed for that. */
static inline bool
report_has_passed(const struct workload_view *workload)
{
	return workload->status == STATUS_PASS && !workload->has_accepted;
}

/* Whether it could not be compared because its base fails. */
bool report_base_fails(const struct workload_view *workload);

/*
 * Fills `out` with the first line of an error as "build of the working tree ('make app') exited
 * with status 2", with as much of it as `room` columns hold: "'build of app' exited with status 2"
 * says neither which build nor which command.
 */
void report_put_error(
	const struct workload_view *workload, const char *text, size_t room, struct buf *out);

/* The commands of one workload, but for the one that accepts; NULL: none. `arena` owns the texts.
 */
void report_workload_commands(const struct report_view *view, const struct workload_view *workload,
	struct arena *arena, struct view_command commands[VIEW_COMMANDS]);
/* Fills in the commands, those of the workload with the severest verdict (report_commands.c). */
void report_commands(struct report_view *view, const struct workload_view *worst);
/*
 * Appends the command that accepts all failing findings of a workload, which it finds by their
 * names in the latest report; nothing, and false, where there is none that a waiver can accept.
 */
bool report_put_waive(const struct workload_view *workload, struct buf *out);

/* The source lines of a finding's function; NULL where none were kept. */
const struct report_lines *report_lines_of(
	const struct workload_view *workload, const struct finding *finding);

/* A copy of `text`, which it empties. */
static inline const char *
report_take(struct arena *arena, struct buf *text)
{
	const char *taken = arena_dup(arena, buf_text(text), text->len);

	buf_clear(text);
	return taken;
}

static inline const char *
report_or_empty(const char *text)
{
	return text ? text : "";
}

/* The order of statuses for a reader: a regression ranks above a failed measurement. */
int report_severity(enum status status);

#endif
