/*
 * The call chain of a sample: addresses, leaf first, with PERF_CONTEXT_* markers that say whose
 * they are. Read into a stack, completed, and made of a stack that was unwound.
 *
 * The chains of a condensed file have a marker ahead of each exact frame, and end in
 * PERF_CONTEXT_USER with no address behind it where the stack is incomplete: once if the copy of
 * the stack was too short, twice if it was broken.
 */
#ifndef INGEST_CALL_CHAIN_H
#define INGEST_CALL_CHAIN_H

#include "ingest/stacks.h"
#include "perfdata/records.h"
#include "unwind/jobs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A chain that is not as the sample has it. */
struct call_chain {
	uint64_t *words; /* owned */
	size_t count;
	size_t capacity;
};

void call_chain_release(struct call_chain *chain);

/* How many words of the sample's chain lie ahead of what is in user space. */
size_t call_chain_kernel_words(const struct record_sample *sample);

/*
 * Pushes the sample's call chain (without one, its address), or with `kernel_only` what of it lies
 * in the kernel.
 */
enum stack_shape call_chain_push(
	struct stacks *stacks, const struct record_sample *sample, bool kernel_only);

/*
 * Makes `chain` the sample's with the caller that frame pointers leave out (unwind_leaf_caller()),
 * where the sample has its register. False where none is left out, or it is not
 * known. `regs_mask` is its event's sample_regs_user.
 */
bool call_chain_complete(struct call_chain *chain, const struct unwind_machine *machine,
	const struct unwind_space *space, uint64_t regs_mask, const struct record_sample *sample);

/* Makes `chain` what stands for an unwound stack in a condensed file: the kernel's part, then it.
 */
void call_chain_make(struct call_chain *chain, const struct record_sample *sample,
	const struct unwind_job *job, enum stack_shape shape);

#endif
