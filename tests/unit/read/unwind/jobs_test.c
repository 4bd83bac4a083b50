#include "unwind/jobs.h"

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

static void
add(struct unwind_jobs *jobs, const struct made *made)
{
	struct unwind_job *job = unwind_jobs_add(jobs);

	job->space = &space;
	job->regs_mask = MASK;
	job->regs = made->regs;
	job->nregs = 3;
	job->stack = (const unsigned char *)made->stack;
	job->stack_bytes = sizeof(made->stack);
	job->stack_wanted = 8192;
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
walk(struct unwind_jobs *jobs)
{
	struct unwinder *unwinder = unwinder_new(unwind_machine_find("x86_64"));

	unwind_jobs_walk(jobs, unwinder);
	unwinder_free(unwinder);
}

static void
each_job_has_its_frames(void)
{
	struct unwind_jobs jobs = {.count = 0};
	struct made *made = mem_zalloc(1000, sizeof(*made));
	size_t wrong = 0;

	for (size_t i = 0; i < 1000; i++) {
		make(&made[i], i);
		add(&jobs, &made[i]);
	}
	walk(&jobs);
	for (size_t i = 0; i < 1000; i++)
		wrong += !is_right(&jobs.jobs[i], i);
	CU_ASSERT_EQUAL(wrong, 0);
	unwind_jobs_release(&jobs);
	free(made);
}

static void
a_batch_can_be_filled_again(void)
{
	struct unwind_jobs jobs = {.count = 0};
	struct made made[2];

	make(&made[0], 9);
	make(&made[1], 3);
	add(&jobs, &made[0]);
	walk(&jobs);
	unwind_jobs_clear(&jobs);
	CU_ASSERT_EQUAL(jobs.count, 0);
	add(&jobs, &made[1]);
	walk(&jobs);
	CU_ASSERT(is_right(&jobs.jobs[0], 3));
	unwind_jobs_release(&jobs);
}

static void
a_sample_without_its_registers_has_no_frames(void)
{
	struct unwind_jobs jobs = {.count = 0};
	struct made made[2];

	make(&made[0], 0);
	make(&made[1], 5);
	add(&jobs, &made[0]);
	jobs.jobs[0].nregs = 2;
	add(&jobs, &made[1]);
	walk(&jobs);
	CU_ASSERT_EQUAL(jobs.jobs[0].nframes, 0);
	CU_ASSERT_EQUAL(jobs.jobs[0].end, UNWIND_BROKEN);
	CU_ASSERT(is_right(&jobs.jobs[1], 5));
	unwind_jobs_release(&jobs);
}

void suite_unwind_jobs(void);

void
suite_unwind_jobs(void)
{
	static const struct unit_case cases[] = {
		{"each_job_has_its_frames", each_job_has_its_frames},
		{"a_batch_can_be_filled_again", a_batch_can_be_filled_again},
		{"a_sample_without_its_registers_has_no_frames",
			a_sample_without_its_registers_has_no_frames},
		{NULL, NULL},
	};

	unit_suite("unwind/jobs", cases);
}
