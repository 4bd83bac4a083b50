#include "unwind/pool.h"

#include "base/mem.h"
#include "unit.h"

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

static struct unwind_job
job_of(const struct made *made)
{
	return (struct unwind_job){
		.space = &space,
		.regs_mask = MASK,
		.regs = made->regs,
		.nregs = 3,
		.stack = (const unsigned char *)made->stack,
		.stack_bytes = sizeof(made->stack),
		.stack_wanted = 8192,
	};
}

static bool
is_right(const struct unwind_job *job, size_t i)
{
	if (job->nframes != 1 + i % 20 || job->frames[0].address != CODE_AT + i * 16)
		return false;
	for (size_t k = 1; k < job->nframes; k++)
		if (job->frames[k].address != CODE_AT + (i + k - 1) * 16 + 5)
			return false;
	return true;
}

static void
walk_batches(unsigned nthreads, size_t njobs)
{
	struct unwind_pool *pool = unwind_pool_new(unwind_machine_find("x86_64"), nthreads);
	struct made *made = mem_zalloc(3 * njobs, sizeof(*made));
	struct unwind_job *jobs = mem_zalloc(3 * njobs, sizeof(*jobs));
	size_t wrong = 0;

	for (size_t i = 0; i < 3 * njobs; i++) {
		make(&made[i], i);
		jobs[i] = job_of(&made[i]);
	}
	/* Each batch is looked at while the next one is walked. */
	for (size_t batch = 0; batch <= 3; batch++) {
		unwind_pool_finish(pool);
		if (batch < 3)
			unwind_pool_start(pool, jobs + batch * njobs, njobs, batch % 2);
		for (size_t i = (batch - 1) * njobs; batch > 0 && i < batch * njobs; i++)
			wrong += !is_right(&jobs[i], i);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	unwind_pool_free(pool);
	free(made);
	free(jobs);
}

static void
test_threads(void)
{
	walk_batches(1, 1000);
	walk_batches(4, 1000);
}

static void
test_small(void)
{
	walk_batches(4, 3);
}

static void
test_bad_registers(void)
{
	struct unwind_pool *pool = unwind_pool_new(unwind_machine_find("x86_64"), 1);
	struct made made = {.depth = 0};
	struct unwind_job job = job_of(&made);

	job.nregs = 2;
	unwind_pool_start(pool, &job, 1, UNWIND_PLACES - 1);
	unwind_pool_finish(pool);
	CU_ASSERT_EQUAL(job.nframes, 0);
	CU_ASSERT_EQUAL(job.end, UNWIND_BROKEN);
	unwind_pool_free(pool);
}

static void
test_unused(void)
{
	struct unwind_pool *pool = unwind_pool_new(unwind_machine_find("x86_64"), 0);

	unwind_pool_finish(pool);
	unwind_pool_free(pool);
	unwind_pool_free(NULL);
	CU_PASS("nothing was started");
}

void suite_unwind_pool(void);

void
suite_unwind_pool(void)
{
	static const struct unit_case cases[] = {
		{"any_number_of_threads_finds_the_same", test_threads},
		{"a_small_batch_is_walked_by_the_caller", test_small},
		{"a_sample_without_its_registers_has_no_frames", test_bad_registers},
		{"a_pool_need_not_be_used", test_unused},
		{NULL, NULL},
	};

	unit_suite("unwind/pool", cases);
}
