#include "gate/counted_work.h"

#include "gate/stacked_bench.h"

#include <math.h>

void suite_gate_counted_work(void);

/* Instructions before and after of one function. */
struct counted {
	const char *name;
	double before;
	double after;
};

/* A workload with a function of the kernel, and the work that it has. */
struct kernel_bench {
	struct bench bench;
	struct code_states code;
	const struct counted_work *work;
};

static void
kernel_bench_init(
	struct kernel_bench *kernel, const struct stacked *stacks, const struct counted *counted)
{
	struct judgement *judgement = &kernel->bench.judgement;
	struct instruction_counts counts = {0};

	stacked_init(&kernel->bench, stacks);
	judge_tests(&judgement, 1);
	const struct comparison *comparison = &judgement->comparison;

	kernel->code = code_where(comparison, "");
	counts.nframes = comparison->nframes;
	counts.before = mem_zalloc(counts.nframes, sizeof(*counts.before));
	counts.after = mem_zalloc(counts.nframes, sizeof(*counts.after));
	struct test test = {.kind = TEST_GROWTH};

	for (frame_id frame = 0; frame < counts.nframes; frame++) {
		const char *name = frame ? profile_frame_name(&comparison->profile, frame) : "";

		counts.before[frame] = counts.after[frame] = NAN;
		for (const struct counted *c = counted; c->name; c++) {
			if (strcmp(c->name, name) == 0) {
				counts.before[frame] = c->before;
				counts.after[frame] = c->after;
			}
		}
		if (strcmp(name, "copy") == 0)
			test.frame = frame;
	}
	judgement->input.instructions = &counts;
	kernel->work = counted_work_of(judgement, &test, &kernel->code);
	judgement->input.instructions = NULL;
	instruction_counts_release(&counts);
}

static void
kernel_bench_release(struct kernel_bench *kernel)
{
	free(kernel->code.by_frame);
	bench_release(&kernel->bench);
}

static const struct stacked one_caller[] = {{"prog;main;read;entry_[k];copy_[k]", 3000, 3900},
	{"prog;main;write;entry_[k];copy_[k]", 500, 500}, {"prog;main;run", 9000, 9000},
	{NULL, 0, 0}};

static void
a_function_of_the_kernel_has_the_work_of_its_nearest_caller(void)
{
	static const struct counted counted[] = {{"", 1e6, 1e6 + 300}, {"read", 1000, 1300},
		{"main", 1e5, 1e5}, {"write", 100, 100}, {NULL, 0, 0}};
	struct kernel_bench kernel;

	kernel_bench_init(&kernel, one_caller, counted);
	CU_ASSERT_PTR_NOT_NULL(kernel.work);
	if (kernel.work) {
		UNIT_NEAR(kernel.work->change, 0.3, 1e-9);
		UNIT_STR_EQ(kernel.work->caller, "read");
	}
	kernel_bench_release(&kernel);
}

/* As many calls may each ask for more. */
static void
the_same_calls_are_the_same_work_only_of_the_same_program(void)
{
	static const struct counted same[] = {{"", 1e6, 1e6}, {"read", 1000, 1000}, {NULL, 0, 0}};
	static const struct counted more[] = {{"", 1e6, 1.1e6}, {"read", 1000, 1000}, {NULL, 0, 0}};
	struct kernel_bench kernel;

	kernel_bench_init(&kernel, one_caller, same);
	CU_ASSERT(kernel.work && kernel.work->same_code);
	kernel_bench_release(&kernel);
	kernel_bench_init(&kernel, one_caller, more);
	CU_ASSERT(kernel.work && !kernel.work->same_code);
	kernel_bench_release(&kernel);
}

static void
where_no_caller_has_most_of_it_nothing_was_counted(void)
{
	static const struct stacked two_callers[] = {{"prog;main;read;copy_[k]", 2000, 2600},
		{"prog;main;write;copy_[k]", 2600, 2000}, {"prog;copy_[k]", 100, 100},
		{NULL, 0, 0}};
	static const struct counted counted[] = {
		{"", 1e6, 1e6}, {"read", 1000, 1300}, {"write", 1000, 1000}, {NULL, 0, 0}};
	struct kernel_bench kernel;

	kernel_bench_init(&kernel, two_callers, counted);
	CU_ASSERT_PTR_NULL(kernel.work);
	kernel_bench_release(&kernel);
}

void
suite_gate_counted_work(void)
{
	static const struct unit_case cases[] = {
		{"a_function_of_the_kernel_has_the_work_of_its_nearest_caller",
			a_function_of_the_kernel_has_the_work_of_its_nearest_caller},
		{"the_same_calls_are_the_same_work_only_of_the_same_program",
			the_same_calls_are_the_same_work_only_of_the_same_program},
		{"where_no_caller_has_most_of_it_nothing_was_counted",
			where_no_caller_has_most_of_it_nothing_was_counted},
		{NULL, NULL},
	};

	unit_suite("gate/counted_work", cases);
}
