/*
 * Call chains by frame pointers with the caller that they leave out (unwind/leaf.h), where the
 * sample has the register that tells it.
 */
#ifndef INGEST_LEAF_CHAIN_H
#define INGEST_LEAF_CHAIN_H

#include "perfdata/records.h"
#include "unwind/unwinder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct leaf_chain {
	uint64_t *words; /* owned */
	size_t capacity;
	size_t count;
};

void leaf_chain_release(struct leaf_chain *chain);

/*
 * Fills in the sample's chain with the caller of its leaf. False where none is left out, or it is
 * not known. `regs_mask` is its event's sample_regs_user.
 */
bool leaf_chain_complete(struct leaf_chain *chain, const struct unwind_machine *machine,
	const struct unwind_space *space, uint64_t regs_mask, const struct record_sample *sample);

#endif
