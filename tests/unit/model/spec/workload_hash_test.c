#include "spec_fixture.h"

#include <stdbool.h>
#include <string.h>

void suite_spec_workload_hash(void);

static void
hash_of(const char *text, char hash[65])
{
	struct spec_fixture f;

	spec_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(spec_fixture_workload(&f, text), 0);
	memcpy(hash, f.workload.hash, 65);
	workload_release(&f.workload);
	spec_fixture_release(&f);
}

static bool
same_hash(const char *a, const char *b)
{
	char hash_a[65];
	char hash_b[65];

	hash_of(a, hash_a);
	hash_of(b, hash_b);
	CU_ASSERT_EQUAL(strlen(hash_a), 64);
	return strcmp(hash_a, hash_b) == 0;
}

static void
what_alters_the_work_alters_the_hash(void)
{
	static const char *const changes[] = {
		"name: a\nrun: [x, y, z]\n",
		"name: a\nrun: [x, \"y z\"]\n",
		"name: a\nrun: [x, y]\nenv: {A: b}\n",
		"name: a\nrun: [x, y]\nstdin: f\n",
		"name: a\nrun: [x, y]\ncwd: f\n",
		"name: a\nrun: [x, y]\nsetup: f\n",
		"name: a\nrun: [x, y]\ncapture: {event: cycles}\n",
		"name: a\nrun: [x, y]\ncapture: {pin: none}\n",
		"name: a\nrun: [x, y]\ncapture: {thread: worker 1}\n",
		"name: a\nrun: [x, y]\ncapture: {phases: pipe}\n",
		"name: a\nrun: [x, y]\ncapture: {callgraph: none}\n",
		"name: a\nrun: [x, y]\ncapture: {stack: 8KiB}\n",
		"name: a\nrun: [x, y]\ncapture: {stack: 16KiB}\n",
		"name: a\nrun: [d]\nservice: {start: [x, y], ready: {tcp: 1}}\n",
		"name: a\nrun: [d, e]\nservice: {start: [x, y], ready: {tcp: 1}}\n",
		"name: a\nrun: [d]\nservice: {start: [x, y], ready: {tcp: 1}, needs: [{start: [z], ready: {tcp: 2}}]}\n",
	};
	size_t count = sizeof(changes) / sizeof(changes[0]);

	for (size_t i = 0; i < count; i++) {
		CU_ASSERT(!same_hash("name: a\nrun: [x, y]\n", changes[i]));
		for (size_t j = 0; j < i; j++)
			CU_ASSERT(!same_hash(changes[i], changes[j]));
	}
}

static void
what_only_alters_the_measuring_does_not(void)
{
	CU_ASSERT(same_hash("name: a\nrun: [x, y]\n",
		"name: b\nsummary: s\nbuild: make\nteardown: t\nrun:\n  - x\n  - 'y'\n"
		"capture: {stack: auto, runs: 20, timeout: 5s, warmup: 3, frequency: 99}\n"
		"gate: {total: {fail: 50%}}\n"));
	CU_ASSERT(same_hash(
		"name: a\nrun: x\nenv: {A: 1, B: 2}\n", "name: a\nrun: x\nenv: {B: 2, A: 1}\n"));
}

void
suite_spec_workload_hash(void)
{
	static const struct unit_case cases[] = {
		{"what_alters_the_work_alters_the_hash", what_alters_the_work_alters_the_hash},
		{"what_only_alters_the_measuring_does_not",
			what_only_alters_the_measuring_does_not},
		{NULL, NULL},
	};

	unit_suite("spec/workload_hash", cases);
}
