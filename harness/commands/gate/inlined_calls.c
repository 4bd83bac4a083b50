#include "gate/inlined_calls.h"

#include "base/mem.h"
#include "code/inventory.h"
#include "compare/causes.h"
#include "compare/comparison.h"
#include "dwarf/inlines.h"
#include "gate/module_pairs.h"
#include "measurement/measurement.h"

#include <stddef.h>
#include <stdlib.h>

/* At most so many calls are read of one function. */
#define CALLS_MOST 256

static void
add_call(struct inlined_calls *calls, frame_id into, const struct inline_frame *frame)
{
	for (size_t i = calls->count; i > 0 && calls->all[i - 1].into == into; i--)
		if (calls->all[i - 1].name == frame->name)
			return;
	calls->all = mem_grow(calls->all, &calls->capacity, calls->count + 1, sizeof(*calls->all));
	calls->all[calls->count++] =
		(struct inlined_call){into, frame->name, frame->file, frame->line};
}

/* Reads all functions of that name in a file: a profile does not distinguish them. */
static void
read_function(
	struct inlined_calls *calls, struct module_pair *pair, frame_id into, const char *name)
{
	struct inline_frame frames[CALLS_MOST];
	size_t count;
	const struct code_function *functions =
		code_inventory_find(&pair->code[MEASURE_CANDIDATE], name, &count);

	for (size_t i = 0; i < count; i++) {
		const size_t found =
			module_pair_inlined(pair, functions[i].address, frames, CALLS_MOST);

		for (size_t k = 0; k < found; k++)
			if (frames[k].name)
				add_call(calls, into, &frames[k]);
	}
}

void
inlined_calls_read(struct inlined_calls *calls, struct module_pairs *pairs,
	const struct comparison *comparison, const struct code_states *code)
{
	*calls = (struct inlined_calls){0};
	for (frame_id id = 1; id < code->nframes; id++) {
		const enum code_state state = code->by_frame[id];

		if ((state != CODE_CHANGED && state != CODE_NEW) || !code_has_same_lines(code, id))
			continue;
		for (size_t i = 0; i < pairs->npairs; i++)
			if (!pairs->pairs[i]->same && module_pair_open(pairs->pairs[i]))
				read_function(calls, pairs->pairs[i], id,
					profile_frame_name(&comparison->profile, id));
	}
}

void
inlined_calls_release(struct inlined_calls *calls)
{
	free(calls->all);
	*calls = (struct inlined_calls){0};
}
