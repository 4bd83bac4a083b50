#include "ingest/event_totals.h"

#include "base/buf.h"
#include "stderr_file.h"
#include "unit.h"

#include <string.h>

void suite_ingest_event_totals(void);

#define EVENTS_MAX 8

struct event_case {
	const char *name;
	double weight;
	uint64_t samples;
	uint32_t pmu;
	bool secondary;
};

/* The names of the events that are read, largest first, or the error. */
static void
expect(const struct event_case *cases, size_t count, const char *wanted, const char *expected)
{
	struct event_total totals[EVENTS_MAX] = {0};
	struct err err = {0};
	struct buf chosen = {0};
	size_t largest;

	for (size_t i = 0; i < count; i++)
		totals[i] = (struct event_total){.name = cases[i].name,
			.weight = cases[i].weight,
			.samples = cases[i].samples,
			.pmu = cases[i].pmu,
			.secondary = cases[i].secondary};
	if (event_totals_choose(totals, count, "f", wanted, &largest, &err) < 0) {
		buf_puts(&chosen, err.text);
	} else {
		buf_puts(&chosen, totals[largest].name);
		for (size_t i = 0; i < count; i++)
			if (totals[i].chosen && i != largest)
				buf_printf(&chosen, " %s", totals[i].name);
	}
	UNIT_STR_EQ(buf_text(&chosen), expected);
	buf_release(&chosen);
}

static void
names_are_exact_with_their_modifiers(void)
{
	static const struct event_case cases[] = {
		{"cpu-clock:u", 10, 10, 0, false},
		{"cpu-clock", 5, 5, 0, false},
		{"cycles:ppp", 1, 1, 0, false},
		{"sched:sched_switch", 1, 1, 0, false},
		{"faults:u", 1, 1, 0, false},
		{"faults:k", 1, 1, 0, false},
	};

	expect(cases, 6, "cpu-clock", "cpu-clock");
	expect(cases, 6, "cpu-clock:u", "cpu-clock:u");
	expect(cases, 6, "cycles", "cycles:ppp");
	expect(cases, 6, "sched:sched_switch", "sched:sched_switch");
	expect(cases, 6, "cpu-clock:k",
		"f: has no event 'cpu-clock:k'\n  note: its events are: cpu-clock:u, cpu-clock, "
		"cycles:ppp, sched:sched_switch, faults:u, faults:k");
	expect(cases, 6, "sched",
		"f: has no event 'sched'\n  note: its events are: cpu-clock:u, cpu-clock, cycles:ppp, "
		"sched:sched_switch, faults:u, faults:k");
	expect(cases, 6, "faults",
		"f: several of its events are 'faults': give one of them exactly\n  note: its events "
		"are: cpu-clock:u, cpu-clock, cycles:ppp, sched:sched_switch, faults:u, faults:k");
}

static void
the_largest_is_read_unless_one_is_wanted(void)
{
	static const struct event_case cases[] = {
		{"page-faults", 40, 400, 0, false},
		{"cpu-clock", 5000, 5, 0, false},
		{"offcpu-time", 9000, 9, 0, true},
		{"dummy:HG", 0, 0, 0, false},
	};

	expect(cases, 4, NULL, "cpu-clock");
	expect(cases + 2, 2, NULL, "offcpu-time");
	expect(cases + 3, 1, NULL, "dummy:HG");
}

static void
events_of_a_hybrid_cpu_are_one(void)
{
	static const struct event_case cases[] = {
		{"cpu_atom/cycles/P", 250, 1, 0, false},
		{"cpu_core/cycles/", 2000, 8, 0, false},
		{"cpu_atom/cycles/u", 9, 1, 0, false},
		{"cpu_core/instructions/", 2100, 9, 0, false},
		{"uncore_imc_0/cycles/", 2150, 9, 0, false},
	};

	expect(cases, 5, NULL, "cpu_core/cycles/ cpu_atom/cycles/P");
	expect(cases, 2, "cycles", "cpu_core/cycles/ cpu_atom/cycles/P");
	expect(cases, 5, "cycles:u", "cpu_atom/cycles/u");
	expect(cases, 5, "instructions", "cpu_core/instructions/");
	expect(cases, 5, "cpu_core/cycles/", "cpu_core/cycles/");
	expect(cases, 2, "cpu_atom/cycles/", "cpu_atom/cycles/P");
}

/* Older files name both kinds alike; events that are alike in all cannot be distinguished. */
static void
events_of_one_name_are_read_once_a_kind_of_cpu(void)
{
	static const struct event_case cases[] = {
		{"cycles", 250, 1, 4, false},
		{"cycles", 2000, 8, 10, false},
		{"cycles", 0, 0, 10, false},
		{"cycles", 2000, 8, 10, false},
	};

	expect(cases, 4, NULL, "cycles cycles");
	expect(cases + 1, 3, "cycles", "cycles");
}

static void
a_warning_has_all_events_with_their_totals(void)
{
	const struct event_total totals[] = {
		{.name = "cpu-clock:u", .weight = 12e6, .samples = 12, .chosen = true},
		{.name = "page-faults", .weight = 1000, .samples = 2},
		{.name = "cycles", .weight = 7, .samples = 7},
		{.name = "dummy"},
	};
	struct stderr_file file;
	char text[512];

	stderr_file_begin(&file);
	event_totals_warn(totals, 4, "f");
	event_totals_warn(totals, 1, "f");
	stderr_file_end(&file, text, sizeof(text));
	UNIT_STR_EQ(text,
		"profile_run: warning: f: the samples of cpu-clock:u are read; --event takes others: "
		"cpu-clock:u (12.0 ms in 12 samples), page-faults (1,000 in 2 samples), cycles (7 "
		"samples)\n");
}

void
suite_ingest_event_totals(void)
{
	static const struct unit_case cases[] = {
		{"names_are_exact_with_their_modifiers", names_are_exact_with_their_modifiers},
		{"the_largest_is_read_unless_one_is_wanted",
			the_largest_is_read_unless_one_is_wanted},
		{"events_of_a_hybrid_cpu_are_one", events_of_a_hybrid_cpu_are_one},
		{"events_of_one_name_are_read_once_a_kind_of_cpu",
			events_of_one_name_are_read_once_a_kind_of_cpu},
		{"a_warning_has_all_events_with_their_totals",
			a_warning_has_all_events_with_their_totals},
		{NULL, NULL},
	};

	unit_suite("ingest/event_totals", cases);
}
