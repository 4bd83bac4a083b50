#include "commands/crosscheck_tools.h"

#include "unit.h"

void suite_commands_crosscheck_tools(void);

static void
test_events(void)
{
	static const struct {
		const char *name;
		size_t len;
	} events[] = {{"cpu-clock:ppp", 9}, {"cpu-clock:pppH", 9}, {"cycles:P", 6}, {"cycles:u", 8},
		{"cpu-clock", 9}, {"sched:sched_switch", 18}, {"a:", 2}, {"", 0}};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		CU_ASSERT_EQUAL(crosscheck_event_len(events[i].name), events[i].len);
}

static const struct unit_case cases[] = {
	{"an_event_is_the_same_however_precise_its_addresses_are", test_events},
	{NULL, NULL},
};

void
suite_commands_crosscheck_tools(void)
{
	unit_suite("commands/crosscheck_tools", cases);
}
