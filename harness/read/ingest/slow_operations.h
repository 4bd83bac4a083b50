/*
 * The slow operations of a program: those that took longer than a threshold, by the marks of where
 * each begins and ends (capture/operation.h).
 *
 * An operation is one thread's, from a begin to the end that belongs to it. Begins inside it, as of
 * a function that calls itself, belong to the outermost one; the stack pointer of the mark tells
 * such a begin from one whose predecessor was left without an end, as by longjmp(3) or an
 * exception. Marks of threads that the file knows nothing else of are those of other programs.
 *
 * How long one takes is known only at its end, so that the file is read twice, as for timeline.h:
 * slow_operations_read() goes through it first, slow_operations_take() then says it of each mark
 * in the same order.
 */
#ifndef INGEST_SLOW_OPERATIONS_H
#define INGEST_SLOW_OPERATIONS_H

#include "base/err.h"
#include "base/file.h"
#include "perfdata/reader.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum operation_mark_kind {
	OPERATION_NOTHING, /* it is inside an operation, or belongs to none */
	OPERATION_BEGINS,
	OPERATION_ENDS,
};

struct operation_mark {
	uint64_t ns; /* the whole operation */
	enum operation_mark_kind kind;
	bool slow; /* it took longer than the threshold */
};

/* Operations of known threads that are not whole. */
struct operation_rest {
	uint64_t unended;       /* left without an end, or records were lost meanwhile */
	uint64_t unbegun;       /* ends without a begin */
	uint64_t unfinished;    /* at the end of the file */
	uint64_t unfinished_ns; /* ... how long the oldest of them had taken */
};

struct slow_operations;

/* The events of marks: of begins and of ends; SIZE_MAX where there are none. */
struct operation_events {
	size_t begins;
	size_t ends;
	bool are_returns; /* of the function that begins there */
};

struct operation_events operation_events(const struct perfdata_reader *reader);

/* Reads the whole file, which `reader` reads, too. NULL on error, such as a file without marks. */
struct slow_operations *slow_operations_read(const struct perfdata_reader *reader,
	const struct file_view *view, const char *path, uint64_t slower_than_ns, struct err *err);
void slow_operations_free(struct slow_operations *operations);

/* Whether samples of the event are marks. */
bool slow_operations_is_mark(const struct slow_operations *operations, size_t event);
bool slow_operations_is_end(const struct slow_operations *operations, size_t event);

/* Begins with the file's first mark again. */
void slow_operations_rewind(struct slow_operations *operations);
/* Whether the record is a mark, and then of what. To be called for each record in the file's order.
 */
bool slow_operations_take(struct slow_operations *operations, const struct record *record,
	struct operation_mark *mark);

/*
 * Where functions of the thread return to whose return addresses have been replaced, after the mark
 * that was taken last: at most `max`, the innermost first. Returns how many.
 */
size_t slow_operations_returns(
	const struct slow_operations *operations, uint32_t tid, uint64_t *addresses, size_t max);

/* How the operation was named: "BEGIN,END" or "FUNCTION". */
const char *slow_operations_name(const struct slow_operations *operations);
uint64_t slow_operations_slower_than_ns(const struct slow_operations *operations);
struct operation_rest slow_operations_rest(const struct slow_operations *operations);

/* The numbers of operations, as the file is read, and of their times. All zeros: none yet. */
struct operation_tally {
	double *times; /* of each operation, slow or not, in ns */
	size_t count;
	size_t capacity;
	size_t nslow;
	double on_ns;  /* on the CPU, in slow ones */
	double off_ns; /* ... and off it */
};

void operation_tally_add(struct operation_tally *tally, struct operation_mark mark);
/* A time of a slow operation. */
void operation_tally_add_time(struct operation_tally *tally, uint64_t ns, bool on_cpu);
void operation_tally_release(struct operation_tally *tally);

/* An error if there was no operation, or none was slow unless that `may_be_empty`. */
int operation_tally_check(struct operation_tally *tally, const struct slow_operations *operations,
	const char *path, bool may_be_empty, struct err *err);

/* Sets profile->operations. */
void operation_tally_describe(struct operation_tally *tally,
	const struct slow_operations *operations, struct profile *profile);

#endif
