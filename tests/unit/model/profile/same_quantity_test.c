#include "profile/weights.h"

#include "unit.h"

#include <string.h>

void suite_profile_same_quantity(void);

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
suite_profile_same_quantity(void)
{
	static const struct unit_case cases[] = {
		{"samples_are_of_their_event", samples_are_of_their_event},
		{"other_weights_are_of_their_unit_and_metric",
			other_weights_are_of_their_unit_and_metric},
		{"an_error_names_both", an_error_names_both},
		{"an_error_says_how_samples_can_be_counted_on_both_sides",
			an_error_says_how_samples_can_be_counted_on_both_sides},
		{NULL, NULL},
	};

	unit_suite("profile/same_quantity", cases);
}
