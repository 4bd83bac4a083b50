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
#include "unwind/unwind_batch.h"
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

#endif
