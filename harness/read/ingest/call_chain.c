#include "ingest/call_chain.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The code that addresses belong to. */
enum mode {
	MODE_USER,
	MODE_KERNEL,
	MODE_OTHER,   /* a guest's or the hypervisor's: nothing is known of it */
	MODE_INVALID, /* not one of the kernel's markers: a word from the stack */
};

static enum mode
mode_of_sample(uint16_t misc)
{
	switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_KERNEL:
		return MODE_KERNEL;
	case PERF_RECORD_MISC_USER:
		return MODE_USER;
	default:
		return MODE_OTHER;
	}
}

static enum mode
mode_of_marker(uint64_t marker)
{
	switch (marker) {
	case PERF_CONTEXT_KERNEL:
		return MODE_KERNEL;
	case PERF_CONTEXT_USER:
		return MODE_USER;
	case PERF_CONTEXT_HV:
	case PERF_CONTEXT_GUEST:
	case PERF_CONTEXT_GUEST_KERNEL:
	case PERF_CONTEXT_GUEST_USER:
		return MODE_OTHER;
	default:
		return MODE_INVALID;
	}
}

/*
 * The shape of a stack, from the markers at the end of its chain. Chains of a condensed file end in
 * PERF_CONTEXT_USER with no address behind it where the stack is incomplete: once if the copy was
 * too short, twice if it was broken.
 */
static enum stack_shape
shape_of_end(const struct record_sample *sample)
{
	size_t n = sample->nchain;

	if (n < 2 || sample->chain[n - 1] != PERF_CONTEXT_USER)
		return STACK_WHOLE;
	return sample->chain[n - 2] == PERF_CONTEXT_USER ? STACK_BROKEN : STACK_TRUNCATED;
}

/*
 * A word such as -1 in place of a return address looks like an unknown marker: the program keeps no
 * frame pointers there, and the words after it are no chain. Those before it are kept: the leaf is
 * the address that the processor was at, whatever the stack holds. perf script shows no stack at
 * all for such a sample, though perf report counts it for its leaf.
 */
enum stack_shape
call_chain_push(struct stacks *stacks, const struct record_sample *sample, unsigned parts)
{
	enum mode mode = mode_of_sample(sample->misc);
	unsigned exact = STACK_EXACT;

	for (size_t i = 0; i < sample->nchain && mode != MODE_INVALID; i++) {
		uint64_t address = sample->chain[i];

		if (address >= PERF_CONTEXT_MAX) {
			mode = mode_of_marker(address);
			exact = parts & CHAIN_ENTERED ? 0 : STACK_EXACT;
			continue;
		}
		if (mode == MODE_KERNEL && parts & CHAIN_KERNEL)
			stacks_push(stacks, address, STACK_KERNEL | exact);
		else if (mode == MODE_USER && parts & CHAIN_USER)
			stacks_push(stacks, address, exact);
		exact = 0;
	}
	if (stacks->depth == 0 && parts & CHAIN_USER)
		stacks_push(stacks, sample->ip,
			STACK_EXACT |
				(mode_of_sample(sample->misc) == MODE_KERNEL ? STACK_KERNEL : 0));
	return mode == MODE_INVALID ? STACK_BROKEN : shape_of_end(sample);
}

size_t
call_chain_kernel_words(const struct record_sample *sample)
{
	size_t n = 0;

	while (n < sample->nchain && sample->chain[n] != PERF_CONTEXT_USER)
		n++;
	return n;
}

void
call_chain_release(struct call_chain *chain)
{
	free(chain->words);
	*chain = (struct call_chain){.words = NULL};
}

bool
call_chain_complete(struct call_chain *chain, const struct unwind_machine *machine,
	const struct unwind_space *space, uint64_t regs_mask, const struct record_sample *sample)
{
	struct unwind_regs regs;
	uint64_t caller;
	/* The address behind the marker is the leaf's. */
	size_t n = call_chain_kernel_words(sample) + 2;

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

static void
put_word(struct call_chain *chain, uint64_t word)
{
	if (chain->count == chain->capacity)
		chain->words = mem_grow(
			chain->words, &chain->capacity, chain->count + 1, sizeof(*chain->words));
	chain->words[chain->count++] = word;
}

void
call_chain_make(struct call_chain *chain, const struct record_sample *sample,
	const struct unwind_sample *unwound, enum stack_shape shape)
{
	size_t kernel = call_chain_kernel_words(sample);

	chain->count = 0;
	for (size_t i = 0; i < kernel; i++)
		put_word(chain, sample->chain[i]);
	for (size_t i = 0; i < unwound->nframes; i++) {
		if (i == 0 || unwound->frames[i].exact)
			put_word(chain, PERF_CONTEXT_USER);
		put_word(chain, unwound->frames[i].address);
	}
	if (shape != STACK_WHOLE)
		put_word(chain, PERF_CONTEXT_USER);
	if (shape == STACK_BROKEN)
		put_word(chain, PERF_CONTEXT_USER);
}
