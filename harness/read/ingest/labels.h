/*
 * The labels of a sample: its thread, its process, the phase of the program, or a label of a pprof
 * file. A profile is cut by them (--by): each becomes a frame at the root of the stacks, in the
 * order in which they are given.
 *
 * Each format says which of them it has. To add one that perf.data knows: a kind here, its name in
 * labels.c, and its values in label_roots.c.
 */
#ifndef INGEST_LABELS_H
#define INGEST_LABELS_H

#include "base/buf.h"
#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define LABELS_MAX 4
#define LABEL_NAME_MAX 63

enum label_kind {
	LABEL_THREAD,  /* the name of the thread */
	LABEL_PROCESS, /* the name of its process's first thread */
	LABEL_PID,     /* NAME-PID, NAME the thread's */
	LABEL_TID,     /* NAME-PID/TID */
	LABEL_PHASE,   /* what the program did, as it said itself (ingest/phase_marks.c) */
	LABEL_OTHER,   /* any other name: of a pprof file's labels */
};

struct label {
	enum label_kind kind;
	char name[LABEL_NAME_MAX + 1];
};

/* Each name once. None: by thread, as far as the format tells it. */
struct labels {
	struct label all[LABELS_MAX];
	size_t count;
};

/* A set of kinds. */
#define LABEL_BIT(kind) (1u << (kind))
#define LABELS_ANY UINT_MAX
#define LABELS_OF_THREADS                                                            \
	(LABEL_BIT(LABEL_THREAD) | LABEL_BIT(LABEL_PROCESS) | LABEL_BIT(LABEL_PID) | \
		LABEL_BIT(LABEL_TID))

/* "thread", "phase,thread". `option` is the one that it was given for, in messages. */
int labels_parse(struct labels *labels, const char *text, const char *option, struct err *err);
/* The label of a name, of `len` bytes. False: it is empty or too long. */
bool label_find(struct label *label, const char *name, size_t len);
/* The labels to cut by. */
const struct labels *labels_or_thread(const struct labels *labels);
bool labels_have(const struct labels *labels, enum label_kind kind);
/*
 * The frame of a label's value: "parse" is "phase=parse", so that no function has its name; threads
 * and processes have theirs alone. NULL: the sample has none, "(no phase)".
 */
void label_put_frame(const struct label *label, const char *value, struct buf *out);
/* "phase,thread"; nothing for the default. */
void labels_put(const struct labels *labels, struct buf *out);

/*
 * Whether `label` is of one of these kinds, which files of a format have: else an error. `path` and
 * `format` are for messages.
 */
int label_check(const struct label *label, unsigned kinds, const char *path, const char *format,
	struct err *err);

#endif
