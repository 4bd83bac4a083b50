#include "unwind/unwind_batch.h"

#include "base/mem.h"
#include "unit.h"
#include "unwind/unwinder.h"

#include <stdlib.h>

#define STACK_WORDS 64
#define STACK_AT 0x7000000
#define CODE_AT 0x400000

/* x86-64: BP, SP and IP are all that frame pointers need. */
#define MASK (UINT64_C(1) << 6 | UINT64_C(1) << 7 | UINT64_C(1) << 8)

/* A sample whose stack is a chain of `depth` frame pointers, made so that each is another one. */
struct made {
	uint64_t regs[3];
	uint64_t stack[STACK_WORDS];
	size_t depth;
};

static struct unwind_map code = {.start = CODE_AT, .end = CODE_AT + 0x100000};
static struct unwind_space space = {.maps = &code, .nmaps = 1};

static void
make(struct made *made, size_t i)
{
	made->depth = 1 + i % 20;
	made->regs[0] = STACK_AT;
	made->regs[1] = STACK_AT;
	made->regs[2] = CODE_AT + i * 16;
	for (size_t k = 0; k < made->depth; k++) {
		bool last = k + 1 == made->depth;

		made->stack[2 * k] = last ? 0 : STACK_AT + (k + 1) * 16;
		made->stack[2 * k + 1] = last ? 0 : CODE_AT + (i + k) * 16 + 5;
	}
}

static void
add(struct unwind_batch *batch, const struct made *made)
{
	struct unwind_sample *sample = unwind_batch_add(batch);

	sample->space = &space;
	sample->regs_mask = MASK;
	sample->regs = made->regs;
	sample->nregs = 3;
	sample->stack = (const unsigned char *)made->stack;
	sample->stack_bytes = sizeof(made->stack);
	sample->stack_wanted = 8192;
}

static bool
is_right(const struct unwind_sample *sample, size_t i)
{
	if (sample->nframes != 1 + i % 20 || sample->frames[0].address != CODE_AT + i * 16)
		return false;
	for (size_t k = 1; k < sample->nframes; k++)
		if (sample->frames[k].address != CODE_AT + (i + k - 1) * 16 + 5)
			return false;
	return true;
}

static void
walk(struct unwind_batch *batch)
{
	struct unwinder *unwinder = unwinder_new(unwind_machine_find("x86_64"));

	unwind_batch_run(batch, unwinder);
	unwinder_free(unwinder);
}

static void
each_job_has_its_frames(void)
{
	struct unwind_batch batch = {.count = 0};
	struct made *made = mem_zalloc(1000, sizeof(*made));
	size_t wrong = 0;

	for (size_t i = 0; i < 1000; i++) {
		make(&made[i], i);
		add(&batch, &made[i]);
	}
	walk(&batch);
	for (size_t i = 0; i < 1000; i++)
		wrong += !is_right(&batch.samples[i], i);
	CU_ASSERT_EQUAL(wrong, 0);
	unwind_batch_release(&batch);
	free(made);
}

static void
a_batch_can_be_filled_again(void)
{
	struct unwind_batch batch = {.count = 0};
	struct made made[2];

	make(&made[0], 9);
	make(&made[1], 3);
	add(&batch, &made[0]);
	walk(&batch);
	unwind_batch_clear(&batch);
	CU_ASSERT_EQUAL(batch.count, 0);
	add(&batch, &made[1]);
	walk(&batch);
	CU_ASSERT(is_right(&batch.samples[0], 3));
	unwind_batch_release(&batch);
}

static void
a_sample_without_its_registers_has_no_frames(void)
{
	struct unwind_batch batch = {.count = 0};
	struct made made[2];

	make(&made[0], 0);
	make(&made[1], 5);
	add(&batch, &made[0]);
	batch.samples[0].nregs = 2;
	add(&batch, &made[1]);
	walk(&batch);
	CU_ASSERT_EQUAL(batch.samples[0].nframes, 0);
	CU_ASSERT_EQUAL(batch.samples[0].end, UNWIND_BROKEN);
	CU_ASSERT(is_right(&batch.samples[1], 5));
	unwind_batch_release(&batch);
}

void suite_unwind_unwind_batch(void);

void
suite_unwind_unwind_batch(void)
{
	static const struct unit_case cases[] = {
		{"each_job_has_its_frames", each_job_has_its_frames},
		{"a_batch_can_be_filled_again", a_batch_can_be_filled_again},
		{"a_sample_without_its_registers_has_no_frames",
			a_sample_without_its_registers_has_no_frames},
		{NULL, NULL},
	};

	unit_suite("unwind/unwind_batch", cases);
}
