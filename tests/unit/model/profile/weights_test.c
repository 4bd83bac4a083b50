#include "profile/weights.h"

#include "unit.h"

#include <string.h>

void suite_profile_weights(void);

static void
a_profile_that_says_nothing_has_samples(void)
{
	struct profile profile;

	profile_init(&profile);
	CU_ASSERT(weights_are_samples(&profile));
	CU_ASSERT(!weights_are_counted(&profile));
	UNIT_STR_EQ(weights_noun(&profile), "samples");
	profile.unit = strtab_intern_str(&profile.strings, "samples");
	CU_ASSERT(weights_are_samples(&profile));
	profile_release(&profile);
}

static bool
is_counted(const char *metric, const char *unit)
{
	struct profile profile;

	profile_init(&profile);
	profile.metric = strtab_intern_str(&profile.strings, metric);
	profile.unit = strtab_intern_str(&profile.strings, unit);
	const bool counted = weights_are_counted(&profile);

	CU_ASSERT_EQUAL(weights_are_syscalls(&profile), counted && strcmp(unit, "calls") == 0);
	profile.weight = strtab_intern_str(&profile.strings, WEIGHT_PERIOD);
	CU_ASSERT_FALSE(weights_are_counted(&profile));
	profile_release(&profile);
	return counted;
}

static void
a_counted_metric_in_its_unit_is_exact(void)
{
	CU_ASSERT_TRUE(is_counted("instructions", "instructions"));
	CU_ASSERT_TRUE(is_counted("alloc", "bytes"));
	CU_ASSERT_TRUE(is_counted("alloc", "allocations"));
	CU_ASSERT_TRUE(is_counted("syscalls", "calls"));
	CU_ASSERT_TRUE(is_counted("io", "calls"));
}

/* A heap that was sampled has bytes, too; the machine's counter of instructions is sampled. */
static void
a_unit_alone_is_not_exact(void)
{
	CU_ASSERT_FALSE(is_counted("", "instructions"));
	CU_ASSERT_FALSE(is_counted("", "bytes"));
	CU_ASSERT_FALSE(is_counted("", "calls"));
	CU_ASSERT_FALSE(is_counted("cpu", "instructions"));
	CU_ASSERT_FALSE(is_counted("instructions", "samples"));
	CU_ASSERT_FALSE(is_counted("alloc", "calls"));
	CU_ASSERT_FALSE(is_counted("offcpu", "ns"));
	CU_ASSERT_FALSE(is_counted("faults", "faults"));
}

static void
clocks_and_cycles_sample_cpu_time(void)
{
	static const char *const times[] = {
		"", "cpu-clock:ppp", "cycles:u", "cpu_core/cycles/", "samples", "cpu"};
	static const char *const others[] = {"page-faults", "context-switches", "cache-misses",
		"stalled-cycles-frontend", "instructions"};
	struct profile profile;

	profile_init(&profile);
	CU_ASSERT(!weights_sample_cpu_time(&profile));
	profile.frequency_hz = 99;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		profile.event = strtab_intern_str(&profile.strings, times[i]);
		CU_ASSERT(weights_sample_cpu_time(&profile));
	}
	profile.unit = strtab_intern_str(&profile.strings, "bytes");
	CU_ASSERT(!weights_sample_cpu_time(&profile));
	profile.unit = 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		profile.event = strtab_intern_str(&profile.strings, others[i]);
		CU_ASSERT(!weights_sample_cpu_time(&profile));
	}
	profile_release(&profile);
}

struct weights_case {
	const char *unit;
	const char *metric;
	const char *event;
};

static void
make(struct profile *profile, const struct weights_case *of)
{
	profile_init(profile);
	profile->unit = strtab_intern_str(&profile->strings, of->unit);
	profile->metric = strtab_intern_str(&profile->strings, of->metric);
	profile->event = strtab_intern_str(&profile->strings, of->event);
}

static void
expect(struct weights_case a, struct weights_case b, bool same)
{
	struct profile sides[2];

	make(&sides[0], &a);
	make(&sides[1], &b);
	CU_ASSERT_EQUAL(quantity_is_same(&sides[0], &sides[1]), same);
	CU_ASSERT_EQUAL(quantity_is_same(&sides[1], &sides[0]), same);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static void
samples_are_of_their_event(void)
{
	expect((struct weights_case){"", "", ""}, (struct weights_case){"samples", "", "cycles"},
		true);
	expect((struct weights_case){"samples", "cpu", "cpu-clock:u"},
		(struct weights_case){"samples", "cpu", "cpu_core/cycles/P"}, true);
	expect((struct weights_case){"samples", "", "faults"},
		(struct weights_case){"samples", "page-faults", "page-faults:u"}, true);
	expect((struct weights_case){"samples", "", "page-faults"},
		(struct weights_case){"samples", "cpu", "cpu-clock"}, false);
	expect((struct weights_case){"samples", "", "sched:sched_switch"},
		(struct weights_case){"samples", "", "sched:sched_waking"}, false);
}

static void
other_weights_are_of_their_unit_and_metric(void)
{
	expect((struct weights_case){"ns", "", ""}, (struct weights_case){"", "", ""}, false);
	expect((struct weights_case){"ns", "cpu", "cpu"}, (struct weights_case){"ns", "", ""},
		true);
	expect((struct weights_case){"ns", "offcpu", ""}, (struct weights_case){"ns", "cpu", ""},
		false);
	expect((struct weights_case){"bytes", "alloc", ""},
		(struct weights_case){"allocations", "alloc", ""}, false);
	expect((struct weights_case){"bytes", "", "alloc_space"},
		(struct weights_case){"bytes", "", "inuse_space"}, false);
	expect((struct weights_case){"cycles", "cpu", "cpu_core/cycles/P"},
		(struct weights_case){"cycles", "cpu", "cycles:u"}, true);
	expect((struct weights_case){"cycles", "cpu", "cycles"},
		(struct weights_case){"samples", "cpu", "cpu-clock"}, false);
}

static void
an_error_names_both(void)
{
	struct profile sides[2];
	struct err err = {0};

	make(&sides[0], &(struct weights_case){"ns", "offcpu", ""});
	make(&sides[1], &(struct weights_case){"", "", ""});
	CU_ASSERT_EQUAL(quantity_check(&sides[0], "a", &sides[1], "b", false, &err), -1);
	UNIT_STR_EQ(err.text,
		"different quantities: the weights of a are in ns of offcpu, those of b in samples (no "
		"unit is stated)\n"
		"  note: if the weights of b are in ns, a first line '# unit: ns' in it says so\n"
		"  note: '--force-units' compares the numbers as they are");
	CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

static void
an_error_says_how_samples_can_be_counted_on_both_sides(void)
{
	struct profile sides[2];
	struct err err = {0};

	make(&sides[0], &(struct weights_case){"ns", "", "cpu-clock"});
	sides[0].weight = strtab_intern_str(&sides[0].strings, WEIGHT_PERIOD);
	make(&sides[1], &(struct weights_case){"samples", "", "cpu-clock"});
	CU_ASSERT_EQUAL(quantity_check(&sides[0], "a", &sides[1], "b", false, &err), -1);
	UNIT_STR_EQ(err.text,
		"different quantities: the weights of a are in ns of cpu-clock, those of b in samples "
		"of cpu-clock\n"
		"  note: samples weigh their periods on one side only: '--weight samples' counts them "
		"on both, where the input has them\n"
		"  note: '--force-units' compares the numbers as they are");
	profile_release(&sides[0]);
	profile_release(&sides[1]);
}

void
suite_profile_weights(void)
{
	static const struct unit_case cases[] = {
		{"a_profile_that_says_nothing_has_samples",
			a_profile_that_says_nothing_has_samples},
		{"a_counted_metric_in_its_unit_is_exact", a_counted_metric_in_its_unit_is_exact},
		{"a_unit_alone_is_not_exact", a_unit_alone_is_not_exact},
		{"clocks_and_cycles_sample_cpu_time", clocks_and_cycles_sample_cpu_time},
		{"samples_are_of_their_event", samples_are_of_their_event},
		{"other_weights_are_of_their_unit_and_metric",
			other_weights_are_of_their_unit_and_metric},
		{"an_error_names_both", an_error_names_both},
		{"an_error_says_how_samples_can_be_counted_on_both_sides",
			an_error_says_how_samples_can_be_counted_on_both_sides},
		{NULL, NULL},
	};

	unit_suite("profile/weights", cases);
}
