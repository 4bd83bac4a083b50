/*
 * The call chain of a sample: addresses, leaf first, with PERF_CONTEXT_* markers that say whether
 * the kernel's or the user's follow. A chain is pushed onto a stack, completed, or made from an
 * unwound stack.
 *
 * The chains of a condensed file have a marker ahead of each exact frame, and end in
 * PERF_CONTEXT_USER with no address behind it where the stack is incomplete: once if the copy of
 * the stack was too short, twice if it was broken.
 */
#ifndef INGEST_CALL_CHAIN_H
#define INGEST_CALL_CHAIN_H

#include "base/file.h"
#include "ingest/stacks.h"
#include "perfdata/reader.h"
#include "perfdata/records.h"
#include "unwind/unwinder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A chain that differs from the sample's own. */
struct call_chain {
	uint64_t *words; /* owned */
	size_t count;
	size_t capacity;
};

void call_chain_release(struct call_chain *chain);

/* The number of words of the sample's chain before its user-space part. */
size_t call_chain_kernel_words(const struct record_sample *sample);

/* Parts of a call chain. */
enum chain_part {
	CHAIN_KERNEL = 1,
	CHAIN_USER = 2,
	CHAIN_ENTERED = 4, /* not a part: the user's leaf is behind the call that it made */
};

/*
 * Pushes these parts of the sample's call chain, or its address where nothing is pushed yet and the
 * user's part is among them.
 */
enum stack_shape call_chain_push(
	struct stacks *stacks, const struct record_sample *sample, unsigned parts);

/*
 * Makes `chain` a copy of the sample's plus the leaf's caller, which frame pointers leave out
 * (unwind_leaf_caller()), if the sample has the link register. False where no caller is left out,
 * or it is not known. `regs_mask` is the event's sample_regs_user.
 */
bool call_chain_complete(struct call_chain *chain, const struct unwind_machine *machine,
	const struct unwind_space *space, uint64_t regs_mask, const struct record_sample *sample);

/* Makes the chain of an unwound stack for a condensed file: the kernel's part, then its frames. */
void call_chain_make(struct call_chain *chain, const struct record_sample *sample,
	const struct unwind_sample *unwound, enum stack_shape shape);

/*
 * The number of frames at which the kernel ends a call chain (sysctl kernel.perf_event_max_stack):
 * a chain that has as many is cut, and its outermost frame is not where the program begins.
 */

/* The kernel's default setting, and that of perf script. */
#define FRAME_LIMIT_USUAL 127

/* More truncated stacks than this part of all are warned of. */
#define TRUNCATED_TOLD 0.01

/* How many frames this machine's kernel records: FRAME_LIMIT_USUAL if it does not say. */
size_t frame_limit_here(void);

struct frame_limit {
	const struct perfdata_reader *reader; /* borrowed */
	const struct file_view *view;         /* the file; borrowed */
	const char *path;                     /* borrowed */
	size_t assumed;                       /* of events that state none; 0: not known */
	bool measured;                        /* ... by the depths of all chains */
};

void frame_limit_init(struct frame_limit *limit, const struct perfdata_reader *reader,
	const struct file_view *view, const char *path);
/*
 * Whether the sample's own chain is cut. Where an event does not state its limit, it is this
 * machine's if the file is from here, else the usual one; chains that are longer tell that it was
 * another one: then it is the length of the longest, if these do not begin where shorter ones do.
 */
bool frame_limit_cuts(struct frame_limit *limit, const struct record *record);

#endif
