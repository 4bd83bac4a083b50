#include "gate/counted_instructions.h"

#include "base/file.h"
#include "measurement/measurement.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>

void suite_gate_counted_instructions(void);

static void
they_are_wanted_of_a_growth_where_the_policy_says_so(void)
{
	struct causes causes = {0};
	struct finding findings[] = {{.status = STATUS_WARN}, {.status = STATUS_PASS}};
	const struct workload workload = {.capture.metric = "cpu"};
	const struct workload other = {.capture.metric = "alloc"};
	struct gate_policy policy = {.decide = DECIDE_INSTRUCTIONS};
	struct test undecided = test_of(TEST_GROWTH, FINDING_TOTAL, "whole program");
	struct judgement judgement = {
		.compared = true,
		.input = {.workload = &workload, .policy = &policy, .mode = GATE_PAIRED},
		.verdict = {.findings = findings, .nfindings = 2, .nall = 2},
	};

	CU_ASSERT(!counted_instructions_wanted(&judgement));
	findings[1].causes = &causes;
	CU_ASSERT(!counted_instructions_wanted(&judgement));
	findings[1].status = STATUS_FAIL;
	CU_ASSERT(counted_instructions_wanted(&judgement));
	policy.decide = DECIDE_AUTO;
	CU_ASSERT(!counted_instructions_wanted(&judgement));
	undecided.decision.status = STATUS_INCONCLUSIVE;
	judgement.tests = &undecided;
	judgement.ntests = 1;
	/* A workload that fails is decided. */
	CU_ASSERT(!counted_instructions_wanted(&judgement));
	findings[1].status = STATUS_INCONCLUSIVE;
	CU_ASSERT(counted_instructions_wanted(&judgement));
	judgement.criteria.same_program = true;
	CU_ASSERT(!counted_instructions_wanted(&judgement));
	judgement.criteria.same_program = false;
	policy.decide = DECIDE_NONE;
	CU_ASSERT(!counted_instructions_wanted(&judgement));
	policy.decide = DECIDE_INSTRUCTIONS;
	judgement.input.mode = GATE_STORED;
	CU_ASSERT(!counted_instructions_wanted(&judgement));
	judgement.input.stored_counts = true;
	CU_ASSERT(counted_instructions_wanted(&judgement));
	judgement.input.stored_counts = false;
	judgement.input.mode = GATE_PAIRED;
	judgement.input.workload = &other;
	CU_ASSERT(!counted_instructions_wanted(&judgement));
}

static bool
compile(const char *dir, const char *name, int rounds)
{
	char command[768];

	snprintf(command, sizeof(command),
		"cd '%s' && echo 'static volatile int sink; __attribute__((noinline, noclone)) void "
		"spin(int n) { while (n--) sink += n; } __attribute__((alias(\"spin\"))) void turn(int n); void *memmove(void *, const void *, "
		"unsigned long); static char text[200]; int main(void) { spin(%d); for (int i = 0; "
		"i < 500; i++) memmove(text, text + 1, 100 + i %% 7); return 0; }' "
		">%s.c && cc -O1 -fno-builtin -g -o %s %s.c >/dev/null 2>&1 && valgrind --version >/dev/null "
		"2>&1",
		dir, rounds, name, name, name);
	/* NOLINTNEXTLINE(bugprone-command-processor): a fixed command in our own folder. */
	int status = system(command);

	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void
check_counts(struct counted_instructions *counts)
{
	struct comparison comparison = {0};
	struct instruction_counts by_frame;

	profile_init(&comparison.profile);
	frame_id spin = profile_frame(&comparison.profile, "spin", 4, FRAME_USER);
	frame_id turn = profile_frame(&comparison.profile, "turn", 4, FRAME_USER);
	frame_id copies = profile_frame(&comparison.profile, "memmove", 7, FRAME_USER);
	frame_id none = profile_frame(&comparison.profile, "none", 4, FRAME_USER);
	frame_id kernel = profile_frame(&comparison.profile, "spin", 4, FRAME_KERNEL);

	counted_instructions_by_frame(counts, &comparison, &by_frame);
	CU_ASSERT(by_frame.before[spin] > 1000);
	UNIT_NEAR(by_frame.after[spin] / by_frame.before[spin], 1.5, 0.01);
	/* Each of its names finds the count. */
	CU_ASSERT_EQUAL(by_frame.before[turn], by_frame.before[spin]);
	CU_ASSERT_EQUAL(by_frame.after[turn], by_frame.after[spin]);
	CU_ASSERT(by_frame.before[copies] > 1000 && by_frame.after[copies] > 1000);
	CU_ASSERT(by_frame.before[0] > by_frame.before[spin]);
	CU_ASSERT(by_frame.after[0] > by_frame.before[0]);
	CU_ASSERT(isnan(by_frame.before[none]) && isnan(by_frame.after[none]));
	CU_ASSERT(isnan(by_frame.before[kernel]) && isnan(by_frame.after[kernel]));
	instruction_counts_release(&by_frame);
	profile_release(&comparison.profile);
}

static void
a_function_of_half_as_many_rounds_more_has_half_as_many_more(void)
{
	const char *base[] = {"./base", NULL};
	const char *head[] = {"./head", NULL};
	const struct workload workload = {.name = "work"};
	struct err err = {0};
	char *dir;
	char *work;

	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&dir, &err), 0);
	work = file_join(dir, "work");
	CU_ASSERT_EQUAL(file_make_dirs(work, &err), 0);
	if (!compile(dir, "base", 10000) || !compile(dir, "head", 15000)) {
		unit_skip("the compiler or valgrind is missing");
	} else {
		struct measurement m = {.workload = &workload, .nsides = MEASURE_SIDES};

		m.cpus.reader = -1;
		m.sides[MEASURE_BASE].workload = (struct workload){.run = base, .cwd = dir};
		m.sides[MEASURE_CANDIDATE].workload = (struct workload){.run = head, .cwd = dir};
		struct counted_instructions *counts = counted_instructions_take(&m, dir, &err);

		if (!counts)
			printf("  %s\n", err.text);
		CU_ASSERT_PTR_NOT_NULL(counts);
		if (counts)
			check_counts(counts);
		counted_instructions_free(counts);
	}
	free(work);
	file_dir_abandon(dir);
}

static const struct unit_case cases[] = {
	{"they_are_wanted_of_a_growth_where_the_policy_says_so",
		they_are_wanted_of_a_growth_where_the_policy_says_so},
	{"a_function_of_half_as_many_rounds_more_has_half_as_many_more",
		a_function_of_half_as_many_rounds_more_has_half_as_many_more},
	{NULL, NULL},
};

void
suite_gate_counted_instructions(void)
{
	unit_suite("gate/counted_instructions", cases);
}
