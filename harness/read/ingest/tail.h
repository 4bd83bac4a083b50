/*
 * The tail of a program's operations: those that took longer than a threshold, by the marks of
 * where each begins and ends (capture/operation.h).
 *
 * An operation is one thread's, from a begin to the end that belongs to it. Begins inside it, as of
 * a function that calls itself, belong to the outermost one; the stack pointer of the mark tells
 * such a begin from one whose predecessor was left without an end, as by longjmp(3) or an
 * exception. Marks of threads that the file knows nothing else of are those of other programs.
 *
 * How long one takes is known only at its end, so that the file is read twice, as for timeline.h:
 * tail_read() goes through it first, tail_take() then says it of each mark in the same order.
 */
#ifndef INGEST_TAIL_H
#define INGEST_TAIL_H

#include "base/err.h"
#include "base/file.h"
#include "perfdata/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tail_kind {
	TAIL_NOTHING, /* it is inside an operation, or belongs to none */
	TAIL_BEGINS,
	TAIL_ENDS,
};

struct tail_mark {
	uint64_t ns; /* the whole operation */
	enum tail_kind kind;
	bool slow; /* the operation is one of the tail */
};

/* Operations of known threads that are not whole. */
struct tail_rest {
	uint64_t unended;       /* left without an end, or records were lost meanwhile */
	uint64_t unbegun;       /* ends without a begin */
	uint64_t unfinished;    /* at the end of the file */
	uint64_t unfinished_ns; /* ... how long the oldest of them had taken */
};

struct tail;

/* The events of marks: of begins and of ends; SIZE_MAX where there are none. */
struct tail_events {
	size_t begins;
	size_t ends;
	bool are_returns; /* of the function that begins there */
};

struct tail_events tail_events(const struct perfdata_reader *reader);

/* Reads the whole file, which `reader` reads, too. NULL on error, such as a file without marks. */
struct tail *tail_read(const struct perfdata_reader *reader, const struct file_view *view,
	const char *path, uint64_t slower_than_ns, struct err *err);
void tail_free(struct tail *tail);

/* Whether samples of the event are marks. */
bool tail_is_mark(const struct tail *tail, size_t event);
bool tail_is_end(const struct tail *tail, size_t event);

/* Begins with the file's first mark again. */
void tail_rewind(struct tail *tail);
/* Whether the record is a mark, and then of what. To be called for each record in the file's order.
 */
bool tail_take(struct tail *tail, const struct record *record, struct tail_mark *mark);

/*
 * Where functions of the thread return to whose return addresses have been replaced, after the mark
 * that was taken last: at most `max`, the innermost first. Returns how many.
 */
size_t tail_returns(const struct tail *tail, uint32_t tid, uint64_t *addresses, size_t max);

/* How the operation was named: "BEGIN,END" or "FUNCTION". */
const char *tail_name(const struct tail *tail);
uint64_t tail_slower_than_ns(const struct tail *tail);
struct tail_rest tail_rest(const struct tail *tail);

#endif
