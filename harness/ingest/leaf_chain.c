#include "ingest/leaf_chain.h"

#include "base/mem.h"
#include "unwind/leaf.h"

#include <stdlib.h>
#include <string.h>

void
leaf_chain_release(struct leaf_chain *chain)
{
	free(chain->words);
	*chain = (struct leaf_chain){.words = NULL};
}

bool
leaf_chain_complete(struct leaf_chain *chain, const struct unwind_machine *machine,
	const struct unwind_space *space, uint64_t regs_mask, const struct record_sample *sample)
{
	struct unwind_regs regs;
	uint64_t caller;
	size_t n = 0;

	while (n < sample->nchain && sample->chain[n] != PERF_CONTEXT_USER)
		n++;
	/* The address behind the marker is the leaf's. */
	n += 2;
	if (n > sample->nchain || !sample->user_regs ||
		sample->user_regs_abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	/* The other registers are mostly not there, and not needed. */
	(void)unwind_regs_from_sample(
		machine, regs_mask, sample->user_regs, sample->nuser_regs, &regs);
	if (!unwind_leaf_caller(machine, space, &regs, sample->chain[n - 1], &caller))
		return false;
	chain->count = sample->nchain + 1;
	chain->words =
		mem_grow(chain->words, &chain->capacity, chain->count, sizeof(*chain->words));
	memcpy(chain->words, sample->chain, n * sizeof(*chain->words));
	chain->words[n] = caller;
	memcpy(chain->words + n + 1, sample->chain + n,
		(sample->nchain - n) * sizeof(*chain->words));
	return true;
}
