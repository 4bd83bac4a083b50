#include "machine/prepare_internal.h"

#include "machine_tree.h"
#include "process/tree.h"
#include "unit.h"

#include <stdio.h>
#include <unistd.h>

void suite_machine_prepare_state(void);

#define GOVERNOR "/sys/devices/system/cpu/cpufreq/policy1/scaling_governor"
#define TURBO "/sys/devices/system/cpu/intel_pstate/no_turbo"

static const char whole[] = "profile_run prepared 1\n"
			    "holder 4711 123456\n"
			    "value " GOVERNOR " performance powersave\n"
			    "controller /sys/fs/cgroup/cgroup.subtree_control +cpuset -cpuset\n"
			    "group /sys/fs/cgroup/profile_run.4711 3,5-7 -\n";

static int
parse(struct prepare_state *state, const char *text, struct err *err)
{
	*state = (struct prepare_state){0};
	return prepare_state_parse(state, "prepared", text, strlen(text), err);
}

static void
what_is_written_is_read_again(void)
{
	struct prepare_state state;
	struct err err = {0};
	struct buf out = {0};

	CU_ASSERT_EQUAL(parse(&state, whole, &err), 0);
	CU_ASSERT_EQUAL(state.nholders, 1);
	CU_ASSERT_EQUAL(state.nchanges, 3);
	UNIT_STR_EQ(prepare_state_find(&state, GOVERNOR)->before, "powersave");
	prepare_state_format(&state, &out);
	UNIT_STR_EQ(buf_text(&out), whole);
	buf_release(&out);
	prepare_state_release(&state);
}

/* Root reads it: no other file may be named there. */
static void
only_our_settings_may_be_named(void)
{
	static const char *const bad[] = {
		"value /etc/passwd a b\n",
		"value /sys/devices/system/cpu/../../../../etc/passwd a b\n",
		"value /sys/devices/system/cpu/x\ty a b\n",
		"value /sys/devices/system/cpu/ a b\n",
		"value /sys/devices/system/cpu/x performance\n",
		"value /sys/devices/system/cpu/x performance power/save\n",
		"value /sys/devices/system/cpu/x performance powersave more\n",
		"value /sys/devices/system/cpu/x performance powersave \n",
		"value /sys/devices/system/cpu/x  performance powersave\n",
		"controller /sys/fs/cgroup/a/cgroup.subtree_control +cpuset -cpuset\n",
		"controller /sys/fs/cgroup/cgroup.subtree_controller +cpuset -cpuset\n",
		"group /sys/fs/cgroup/profile_run. 1 -\n",
		"group /sys/fs/cgroup/profile_run.1/x 1 -\n",
		"group /sys/fs/cgroup/other 1 -\n",
		"holder 0 5\n",
		"holder -3 5\n",
		"holder 3 0\n",
		"holder 3\n",
		"holder 3 4 5\n",
		"holder 3 -5\n",
		"else 1 2 3\n",
		"\n",
		"value /sys/devices/system/cpu/x performance powersave",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct prepare_state state;
		struct err err = {0};
		char text[512];

		snprintf(text, sizeof(text), "profile_run prepared 1\n%s", bad[i]);
		CU_ASSERT_EQUAL(parse(&state, text, &err), -1);
		UNIT_CONTAINS(err.text, "prepared:2:1: error: ");
		CU_ASSERT_EQUAL(state.nchanges + state.nholders, 0);
	}
}

static void
another_version_is_refused(void)
{
	struct prepare_state state;
	struct err err = {0};

	CU_ASSERT_EQUAL(parse(&state, "profile_run prepared 2\n", &err), -1);
	UNIT_CONTAINS(err.text, "prepared:1:1: error: ");
}

static void
the_first_to_change_a_setting_knows_what_was_there(void)
{
	struct prepare_state state = {0};
	struct prepare_change change = {
		.path = GOVERNOR, .now = "performance", .before = "powersave"};

	CU_ASSERT_TRUE(prepare_state_add(&state, &change));
	strcpy(change.before, "performance");
	CU_ASSERT_TRUE(prepare_state_add(&state, &change));
	CU_ASSERT_EQUAL(state.nchanges, 1);
	UNIT_STR_EQ(state.changes[0].before, "powersave");
	strcpy(change.path, "/etc/motd");
	CU_ASSERT_FALSE(prepare_state_add(&state, &change));
	prepare_state_drop(&state, 0);
	CU_ASSERT_PTR_NULL(prepare_state_find(&state, GOVERNOR));
	prepare_state_release(&state);
}

static void
the_dead_hold_nothing(void)
{
	struct prepare_state state = {0};
	const struct prepare_holder own = {getpid(), tree_start_of(getpid())};
	const struct prepare_holder before_us = {getpid(), own.start + 1};
	const struct prepare_holder parent = {getppid(), tree_start_of(getppid())};

	if (parent.start == 0) {
		unit_skip("/proc does not show the process that started this one");
		return;
	}
	prepare_state_join(&state, before_us);
	prepare_state_join(&state, own);
	prepare_state_join(&state, parent);
	prepare_state_leave(&state, own);
	CU_ASSERT_EQUAL(state.nholders, 1);
	CU_ASSERT_EQUAL(state.holders[0].pid, parent.pid);
	prepare_state_release(&state);
}

static void
what_somebody_else_has_set_is_left(void)
{
	struct scratch scratch;
	struct prepare_state state;
	struct err err = {0};
	struct buf said = {0};

	scratch_init(&scratch);
	machine_put(&scratch, GOVERNOR, "schedutil\n");
	machine_put(&scratch, TURBO, "1\n");
	CU_ASSERT_EQUAL(parse(&state,
				"profile_run prepared 1\nvalue " GOVERNOR
				" performance powersave\nvalue " TURBO " 1 0\n"
				"value /sys/devices/system/cpu/cpu9/none 1 0\n",
				&err),
		0);
	prepare_state_undo(&state, scratch.dir, &said);
	UNIT_STR_EQ(
		buf_text(&said), GOVERNOR " stays 'schedutil': it was changed in the meantime\n");
	CU_ASSERT_EQUAL(scratch_number(&scratch, &TURBO[1]), 0);
	CU_ASSERT_EQUAL(state.nchanges, 0);
	prepare_state_release(&state);
	scratch_release(&scratch);
	buf_release(&said);
}

static const struct unit_case cases[] = {
	{"what_is_written_is_read_again", what_is_written_is_read_again},
	{"only_our_settings_may_be_named", only_our_settings_may_be_named},
	{"another_version_is_refused", another_version_is_refused},
	{"the_first_to_change_a_setting_knows_what_was_there",
		the_first_to_change_a_setting_knows_what_was_there},
	{"the_dead_hold_nothing", the_dead_hold_nothing},
	{"what_somebody_else_has_set_is_left", what_somebody_else_has_set_is_left},
	{NULL, NULL},
};

void
suite_machine_prepare_state(void)
{
	unit_suite("machine/prepare_state", cases);
}
