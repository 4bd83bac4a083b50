/*
 * The parts of the reader of perf script's text, for ingest_script.c. This header declares, in this
 * order:
 *
 *     lines    script_layout.c, script_header.c, script_fields.c, script_frame.c, script_other.c
 *     events   script_events.c
 *     roots    script_roots.c
 *     stacks   script_stacks.c
 *     gaps     script_gaps.c
 */
#ifndef INGEST_SCRIPT_INTERNAL_H
#define INGEST_SCRIPT_INTERNAL_H

#include "base/buf.h"
#include "base/lines.h"
#include "base/text_map.h"
#include "ingest/event_totals.h"
#include "ingest/ingest.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Lines: those of perf script's text.
 *
 *     comm words 1234/1235 [003] 1381.362126:     200040 cpu-clock:ppp:
 *             7fb9e2645c51 name+0x5c1 (/usr/lib/ld-linux-x86-64.so.2)
 *
 * Which fields there are is the choice of whoever printed it (-F); their order and widths are
 * perf's. Where a line alone can be read in two ways, such as "io 31337" (a name of a thread, or a
 * name and an id), the widths and the other lines decide.
 *
 * Source: process_event() and perf_sample__fprintf_start() of tools/perf/builtin-script.c, and
 * sample__fprintf_callchain() of tools/perf/util/evsel_fprintf.c, of Linux 6.1 and 6.12.
 */

/* The fields that a text has, as far as single lines do not show. All false: not known. */
struct script_layout {
	bool timed;      /* samples have a time */
	bool named;      /* ... none, but an event */
	bool no_comms;   /* threads have no names */
	bool no_ids;     /* ... no ids */
	bool all_ids;    /* all have ids */
	bool no_misc;    /* no column of the sample's mode: "U", "K" */
	bool no_names;   /* frames have no symbols */
	bool no_modules; /* ... no modules */
	bool no_tabs;    /* no line begins with an address after a tab */
};

/* Learns the layout from the first lines. Returns -1 if they cannot be read. */
int script_layout_learn(
	struct script_layout *layout, const struct file_view *view, struct err *err);

/* Whether bytes begin the text of perf script: input_format.detect(). */
bool script_is_text(const char *bytes, size_t len);

/* The command that prints text that can be read. */
#define SCRIPT_COMMAND "perf script -F comm,pid,tid,time,period,event,ip,sym,symoff,dso"

/* The line without the spaces and the carriage return at its end. */
struct line script_line_trim(struct line line);

struct script_header {
	struct line comm; /* empty if not there */
	struct line ids;  /* "1234", which perf writes for the thread, or "PID/TID"; may be empty */
	struct line time; /* in seconds; empty if not there */
	struct line event; /* without its last colon; empty if not there */
	struct line rest;  /* after the event, from its first column on: script_rest_parse() */
	uint64_t period;   /* SAMPLE_PERIOD_NONE: not there */
	size_t front;      /* bytes up to the end of comm and ids */
	bool has_misc;     /* a column of the sample's mode */
	bool is_certain;   /* no other line looks like that */
	bool is_record;    /* not a sample: "PERF_RECORD_COMM ...", "metric: ..." */
};

/* Without any field. */
extern const struct script_header script_no_header;

/* False where the line is not a sample's first line. The line is as it stands, not trimmed. */
bool script_header_parse(
	struct line line, const struct script_layout *layout, struct script_header *header);
/* Whether a header that is not certain has the widths of perf's fields where no chain follows. */
bool script_header_is_exact(struct line line, const struct script_header *header);
/*
 * Parses the header of a line that begins with the comm and the ids of another one, `known_len`
 * bytes that are not parsed again. False also where there is more than a CPU between the ids and
 * the time: use script_header_parse() then.
 */
bool script_header_parse_rest(struct line line, size_t known_len, struct script_header *header);

/* A sample without a call chain has its frame in its first line. */
enum script_rest {
	SCRIPT_REST_EMPTY, /* no frame */
	SCRIPT_REST_FRAME,
	SCRIPT_REST_UNKNOWN, /* ... that could be recognized */
};

/*
 * Finds the frame in what follows a header's event: *text begins with its address. Between them
 * there may be fields of other addresses, weights, or a tracepoint's text. With the event's name
 * empty, any text may be a tracepoint's.
 */
enum script_rest script_rest_parse(struct line rest, struct line event, struct line *text);
/*
 * Cuts off what follows the frame: where a branch went to, registers, branches, instructions. False
 * where it cannot be distinguished from the frame.
 */
bool script_rest_cut(struct line *text);
/*
 * Takes the next number off `text` that stands where perf puts an address, at the right end of 16
 * columns; false at its end.
 */
bool script_address_take(struct line *text, struct line *address);
/* Whether the whole text is fields that perf prints behind a stack: "ABI:2 AX:0x1 ...". */
bool script_fields_are(struct line text);

struct script_frame {
	struct line name;   /* without offset; "[unknown]" as it stands, or if there is none */
	struct line module; /* empty for inlined frames, and if there is none */
	enum frame_kind kind;
};

/*
 * False where the line is not a frame: "ADDRESS NAME+0xOFFSET (MODULE)", where the layout may lack
 * the name or the module.
 */
bool script_frame_parse(
	struct line line, const struct script_layout *layout, struct script_frame *frame);
/* A frame's line, taken apart as far as that goes without a layout. */
struct script_frame_parts {
	struct line address;
	struct line text;   /* all that follows it */
	struct line name;   /* without the offset; may be empty */
	struct line module; /* may be empty */
	size_t offset_len;  /* of "+0x10" behind the name */
	bool has_module;
	bool inlined;
};

/* False where the line does not begin with an address. */
bool script_frame_split(struct line line, struct script_frame_parts *parts);
/* The frame's name; "[module]" where only the module is known. free() it. */
char *script_frame_name(const struct script_frame *frame);
/* Whether the line begins with an address after a tab. */
bool script_frame_follows_tab(struct line line);
/* Whether the line is a source line below a frame: "  main.c:12". *inlined: the frame is. */
bool script_source_line_is(struct line line, bool *inlined);

/* The kinds of lines that belong to no sample's stack. */
enum script_other {
	SCRIPT_OTHER_NONE,
	SCRIPT_OTHER_METADATA, /* of perf script, or more of a sample */
	SCRIPT_OTHER_RECORD,   /* a process event: "PERF_RECORD_MMAP2 ..." */
	SCRIPT_OTHER_MESSAGE,  /* of perf, or of a tool that it runs */
	SCRIPT_OTHER_MORE,     /* ... a further line of one */
};

/* *blanks: the empty lines that belong to a message. */
enum script_other script_other_find(struct line line, unsigned *blanks);

#define SCRIPT_FRAME_TEXT 18

/* GCC's and Clang's vectors: one instruction for sixteen characters on any machine that has it. */
typedef uint8_t script_chars __attribute__((vector_size(16)));

static inline script_chars
script_hex_digits(script_chars c)
{
	return (script_chars)((c - '0') < 10) | (script_chars)(((c | 0x20) - 'a') < 6);
}

/*
 * Whether the line begins with a frame's address exactly as perf writes it, "\t%16lx ". At least
 * SCRIPT_FRAME_TEXT bytes must be there; the frame's text follows them.
 */
static inline bool
script_frame_is_aligned(const char *line)
{
	script_chars before;
	script_chars address;

	memcpy(&before, line, sizeof(before));
	memcpy(&address, line + 1, sizeof(address));

	script_chars blanks = (script_chars)(address == ' ');
	script_chars good =
		(script_hex_digits(address) | blanks) & ~(script_hex_digits(before) & blanks);
	uint64_t halves[2];

	memcpy(halves, &good, sizeof(good));
	return (halves[0] & halves[1]) == UINT64_MAX && line[0] == '\t' && line[16] != ' ' &&
	       line[17] == ' ';
}

/*
 * Events: which of those in perf script's text are read is known at its end. Until then samples of
 * others than the first are kept.
 */

/* For a sample whose event is certainly not read. */
#define SCRIPT_EVENT_NONE SIZE_MAX

/* A sample of another event than the first. */
struct script_sample {
	node_id node;
	uint32_t event : 30;
	uint32_t leaf_is_known : 1;
	uint32_t is_cut : 1; /* its stack */
	uint64_t period;
};

/* All zeros but for `wanted` at first. */
struct script_events {
	const char *wanted;         /* as event_totals_choose() has it; borrowed */
	struct event_total *totals; /* of all that were met; owned, as their names */
	size_t count;
	size_t capacity;
	struct text_map names;       /* -> an index of `totals` */
	struct text_entry *last;     /* the name taken last */
	size_t first;                /* the event of the first sample with a stack */
	bool any;                    /* ... which there is */
	struct script_sample *later; /* owned */
	size_t nlater;
	size_t later_capacity;
	size_t chosen; /* at the end: the one that describes what is read */
};

void script_events_release(struct script_events *events);

/* Takes the event of a sample, and returns its index, or SCRIPT_EVENT_NONE. */
size_t script_events_take(struct script_events *events, struct line name, double period);
/* Whether it is the first event: its samples are entered while they are read. */
bool script_events_are_first(struct script_events *events, size_t event);
/* Keeps a sample of another event. */
void script_events_keep(struct script_events *events, const struct script_sample *sample);

/* After the last sample: chooses those that are read. */
int script_events_choose(struct script_events *events, const char *path, struct err *err);
/* Whether all samples are of chosen events, so that no stack is without weight. */
bool script_events_are_all(const struct script_events *events);

/*
 * Roots: those of the stacks, named by the comm and the ids that a header line begins with, as the
 * options say.
 */

/* For a sample that the options leave out. */
#define SCRIPT_ROOT_NONE UINT32_MAX

struct script_process;

struct script_roots {
	struct profile *profile;
	const struct script_layout *layout;
	const struct ingest_options *options;
	struct text_map fronts;  /* "comm 12/34" as it stands -> node_id or SCRIPT_ROOT_NONE */
	struct text_entry *last; /* the front found last; NULL if none */
	/* For LABEL_PROCESS: a frame for each process, named at the end. */
	struct script_process *processes;
	size_t nprocesses;
	size_t capacity;
	struct text_map process_ids; /* a pid's bytes -> its place in `processes` */
};

/* All are borrowed. */
void script_roots_init(struct script_roots *roots, struct profile *profile,
	const struct script_layout *layout, const struct ingest_options *options);
void script_roots_release(struct script_roots *roots);

/* An error where the options need ids or names of threads that the text does not have. */
int script_roots_check(const struct script_roots *roots, const char *path, struct err *err);

/*
 * Parses a header line that begins like the one before, or like the one that followed that one
 * last, and has a time: false where it does not.
 * header->comm and header->ids are empty.
 */
bool script_roots_parse(
	struct script_roots *roots, struct line line, struct script_header *header, node_id *root);
/* The root of a header line that was parsed; CTREE_ROOT where it has no fields to name one by. */
node_id script_roots_find(
	struct script_roots *roots, struct line line, const struct script_header *header);

/*
 * To be called after the last sample: names the frames of processes. profile_frame() does not find
 * these frames by their new names: copy the profile with profile_append().
 */
void script_roots_name_processes(struct script_roots *roots);

/*
 * Stacks: from the lines of the text to nodes of a call tree.
 *
 * Lines and whole stacks repeat in such text, so known ones must be found fast. A line is looked up
 * by the text after its address; the line that followed last time is tried first. A stack is looked
 * up by its frames.
 */

struct script_stacks {
	struct profile *profile;
	const struct script_layout *layout;
	struct text_map lines;        /* "name+0x5c1 (module)\n" -> a frame, see line_value() */
	struct text_map kernel_lines; /* of the kernel, where lines have no modules */
	struct text_entry *start;     /* stands for the header ahead of a stack's first line */
	struct text_entry *last;      /* the line taken last, or `start` */
	struct text_map stacks;       /* the frames' bytes -> node_id */
	size_t limit;                 /* this machine's limit of frames */
	bool no_marks;                /* stacks that are cut look like others */
	uint32_t *frames;             /* of the stack being read: its root, then from the leaf on */
	size_t nframes;
	size_t capacity;
};

/* All are borrowed. */
void script_stacks_init(
	struct script_stacks *stacks, struct profile *profile, const struct script_layout *layout);
void script_stacks_release(struct script_stacks *stacks);

/* Begins a stack. */
void script_stacks_begin(struct script_stacks *stacks, node_id root);
/* Takes lines while they are frames as perf writes them; leaves `lines` at the first other one. */
void script_stacks_take(struct script_stacks *stacks, struct lines *lines);
/* Adds the frame of a text that begins with an address; false where it was not there before. */
bool script_stacks_add_known(struct script_stacks *stacks, struct line text);
/* Makes that known. */
void script_stacks_learn(
	struct script_stacks *stacks, struct line text, const struct script_frame *frame);
/* Adds a frame that was parsed elsewhere. */
void script_stacks_add(struct script_stacks *stacks, const struct script_frame *frame);
/* The frame that was added last is of an inlined function: a line after it says so. */
void script_stacks_inline_last(struct script_stacks *stacks);
/* The result for one stack. */
struct script_stack {
	node_id node;       /* its leaf */
	bool leaf_is_known; /* it has a name */
	bool is_cut;        /* the kernel or perf ended it at their limit of frames */
};

/* Ends the stack. */
struct script_stack script_stacks_end(struct script_stacks *stacks);

/*
 * Gaps: what a text lacks.
 */

#define SCRIPT_LOSS_SIZE 128

/* The parts of a text that are missing, or were skipped. */
struct script_tally {
	uint64_t with_stacks; /* samples with a stack */
	uint64_t nameless;    /* samples with neither a stack nor a thread, which are not counted */
	uint64_t left_out;    /* samples that the options do not select */
	uint64_t without_period;
	uint64_t messages;
	char loss[SCRIPT_LOSS_SIZE]; /* the last message that tells of lost data */
};

/* Warns of the gaps; `event` is the name of the event that was read. */
void script_warn_of_gaps(const struct script_tally *tally, const struct run *run,
	const struct script_layout *layout, const char *event, const char *path);
/* The error where no sample was read. */
int script_refuse_without_samples(
	const struct script_tally *tally, const char *path, struct err *err);

#endif
