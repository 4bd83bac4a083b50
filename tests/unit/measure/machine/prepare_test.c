#include "machine/prepare.h"

#include "base/sysfs.h"
#include "machine_tree.h"
#include "unit.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void suite_machine_prepare(void);

#define CPU "/sys/devices/system/cpu"
#define GOVERNOR(policy) CPU "/cpufreq/policy" #policy "/scaling_governor"
#define TURBO CPU "/intel_pstate/no_turbo"
#define FILE_OF_CHANGES "run/profile_run/prepared"
#define KILLS 40

struct fixture {
	struct scratch scratch;
	struct prepare_options options;
	cpu_set_t program;
	struct buf said;
};

/* Four CPUs; 0 and 1 share their clock, 2 and 3 have one each. The program has 1 and 2. */
static void
fixture_init(struct fixture *fixture)
{
	static const char *const links[] = {"policy0", "policy0", "policy2", "policy3"};

	scratch_init(&fixture->scratch);
	fixture->said = (struct buf){0};
	machine_put(&fixture->scratch, GOVERNOR(0), "powersave\n");
	machine_put(&fixture->scratch, GOVERNOR(2), "schedutil\n");
	machine_put(&fixture->scratch, GOVERNOR(3), "ondemand\n");
	machine_put(&fixture->scratch, TURBO, "0\n");
	machine_put(&fixture->scratch, "/run/there", "\n");
	machine_put(&fixture->scratch, "/proc/stat",
		"cpu0 1 1 1 1 1 1 1 1\ncpu1 1 1 1 1 1 1 1 1\n"
		"cpu2 1 1 1 1 1 1 1 1\ncpu3 1 1 1 1 1 1 1 1\n");
	for (size_t cpu = 0; cpu < 4; cpu++) {
		char path[256];
		char target[64];

		snprintf(path, sizeof(path), CPU "/cpu%zu/online", cpu);
		machine_put(&fixture->scratch, path, "1\n");
		snprintf(path, sizeof(path), "%s" CPU "/cpu%zu/cpufreq", fixture->scratch.dir, cpu);
		snprintf(target, sizeof(target), "../cpufreq/%s", links[cpu]);
		if (symlink(target, path) < 0)
			abort();
	}
	CPU_ZERO(&fixture->program);
	CPU_SET(1, &fixture->program);
	CPU_SET(2, &fixture->program);
	fixture->options = (struct prepare_options){
		.root = fixture->scratch.dir, .program = &fixture->program, .unkept = true};
}

static void
fixture_release(struct fixture *fixture)
{
	buf_release(&fixture->said);
	scratch_release(&fixture->scratch);
}

static bool
holds(const struct fixture *fixture, const char *path, const char *value)
{
	char line[64];

	return sysfs_read(fixture->scratch.dir, path, line, sizeof(line)) &&
	       strcmp(line, value) == 0;
}

static bool
is_prepared(const struct fixture *fixture)
{
	return holds(fixture, GOVERNOR(0), "performance") &&
	       holds(fixture, GOVERNOR(2), "performance") &&
	       holds(fixture, GOVERNOR(3), "ondemand") && holds(fixture, TURBO, "1");
}

static bool
is_as_before(struct fixture *fixture)
{
	return holds(fixture, GOVERNOR(0), "powersave") &&
	       holds(fixture, GOVERNOR(2), "schedutil") &&
	       holds(fixture, GOVERNOR(3), "ondemand") && holds(fixture, TURBO, "0") &&
	       !file_exists(scratch_path(&fixture->scratch, FILE_OF_CHANGES));
}

static void
pause_ms(long ms)
{
	const struct timespec pause = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&pause, NULL);
}

/* A process that prepares, says so and lives on. */
static pid_t
start_other(struct fixture *fixture)
{
	int ready[2];
	char byte;

	if (pipe(ready) < 0)
		abort();
	pid_t pid = fork();

	if (pid == 0) {
		prepare_begin(&fixture->options, &fixture->said);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (read(ready[0], &byte, 1) != 1)
		abort();
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void
kill_other(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
the_end_puts_everything_back(void)
{
	struct fixture fixture;

	fixture_init(&fixture);
	struct prepare *prepare = prepare_begin(&fixture.options, &fixture.said);

	CU_ASSERT_TRUE(is_prepared(&fixture));
	UNIT_STR_EQ(prepare_text(prepare), "governor performance, turbo off");
	UNIT_STR_EQ(buf_text(&fixture.said), "");
	CU_ASSERT_TRUE(file_exists(scratch_path(&fixture.scratch, FILE_OF_CHANGES)));
	prepare_end(prepare, &fixture.said);
	CU_ASSERT_TRUE(is_as_before(&fixture));
	UNIT_STR_EQ(buf_text(&fixture.said), "");
	fixture_release(&fixture);
}

/* The governor of CPU 0 is that of CPU 1, and must not be read when it has been changed. */
static void
a_shared_setting_is_changed_once(void)
{
	struct fixture fixture;

	fixture_init(&fixture);
	CPU_SET(0, &fixture.program);
	struct prepare *prepare = prepare_begin(&fixture.options, &fixture.said);

	CU_ASSERT_TRUE(is_prepared(&fixture));
	prepare_end(prepare, &fixture.said);
	CU_ASSERT_TRUE(is_as_before(&fixture));
	fixture_release(&fixture);
}

/* It must not take what the first one has set for what was there. */
static void
the_last_of_several_runs_puts_back_what_was_before_the_first(void)
{
	struct fixture fixture;

	fixture_init(&fixture);
	pid_t first = start_other(&fixture);

	/* By another CPU of the same clock. */
	CPU_ZERO(&fixture.program);
	CPU_SET(0, &fixture.program);
	struct prepare *second = prepare_begin(&fixture.options, &fixture.said);
	struct prepare *none = NULL;

	CU_ASSERT_TRUE(is_prepared(&fixture));
	kill_other(first);
	prepare_end(none, &fixture.said);
	struct err err = {0};

	CU_ASSERT_EQUAL(prepare_restore(fixture.scratch.dir, &fixture.said, &err), 0);
	UNIT_CONTAINS(buf_text(&fixture.said), "which is measuring and will restore them\n");
	CU_ASSERT_TRUE(is_prepared(&fixture));
	prepare_end(second, &fixture.said);
	CU_ASSERT_TRUE(is_as_before(&fixture));
	fixture_release(&fixture);
}

static void
the_first_to_end_leaves_the_machine_to_the_others(void)
{
	struct fixture fixture;

	fixture_init(&fixture);
	struct prepare *first = prepare_begin(&fixture.options, &fixture.said);
	pid_t second = start_other(&fixture);
	struct err err = {0};

	prepare_end(first, &fixture.said);
	CU_ASSERT_TRUE(is_prepared(&fixture));
	kill_other(second);
	CU_ASSERT_EQUAL(prepare_restore(fixture.scratch.dir, &fixture.said, &err), 0);
	CU_ASSERT_TRUE(is_as_before(&fixture));
	fixture_release(&fixture);
}

static void
somebody_puts_back_what_a_killed_run_left(void)
{
	struct fixture fixture;

	fixture_init(&fixture);
	fixture.options.unkept = false;
	pid_t other = start_other(&fixture);

	CU_ASSERT_TRUE(is_prepared(&fixture));
	kill_other(other);
	for (int waited = 0; waited < 2000 && !is_as_before(&fixture); waited++)
		pause_ms(10);
	CU_ASSERT_TRUE(is_as_before(&fixture));
	fixture_release(&fixture);
}

static void
the_next_run_puts_back_what_nobody_did(void)
{
	struct fixture fixture;

	fixture_init(&fixture);
	kill_other(start_other(&fixture));
	CU_ASSERT_TRUE(is_prepared(&fixture));
	struct prepare *prepare = prepare_begin(&fixture.options, &fixture.said);

	UNIT_STR_EQ(
		buf_text(&fixture.said), "restored settings left behind by a killed profile_run\n");
	CU_ASSERT_TRUE(is_prepared(&fixture));
	prepare_end(prepare, &fixture.said);
	CU_ASSERT_TRUE(is_as_before(&fixture));
	fixture_release(&fixture);
}

static void
a_restore_by_hand_says_what_it_did(void)
{
	struct fixture fixture;
	struct err err = {0};

	fixture_init(&fixture);
	CU_ASSERT_EQUAL(prepare_restore(fixture.scratch.dir, &fixture.said, &err), 0);
	UNIT_STR_EQ(buf_text(&fixture.said), "");
	kill_other(start_other(&fixture));
	CU_ASSERT_EQUAL(prepare_restore(fixture.scratch.dir, &fixture.said, &err), 0);
	UNIT_STR_EQ(buf_text(&fixture.said),
		"restored settings left behind by a killed profile_run: 3 settings\n");
	CU_ASSERT_TRUE(is_as_before(&fixture));
	fixture_release(&fixture);
}

/* Whenever it is killed: between any two of its writes. */
static void
no_moment_to_be_killed_loses_a_setting(void)
{
	struct fixture fixture;
	struct err err = {0};

	fixture_init(&fixture);
	for (int i = 0; i < KILLS; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			for (;;)
				prepare_end(prepare_begin(&fixture.options, &fixture.said),
					&fixture.said);
		}
		const struct timespec pause = {.tv_nsec = 200000L * (i + 1)};

		nanosleep(&pause, NULL);
		kill_other(pid);
		CU_ASSERT_EQUAL(prepare_restore(fixture.scratch.dir, &fixture.said, &err), 0);
		CU_ASSERT_TRUE(is_as_before(&fixture));
	}
	fixture_release(&fixture);
}

static void
what_a_machine_does_not_have_is_said_and_no_error(void)
{
	struct fixture fixture;

	fixture_init(&fixture);
	CPU_ZERO(&fixture.program);
	CPU_SET(900, &fixture.program);
	unlink(scratch_path(&fixture.scratch, &TURBO[1]));
	struct prepare *prepare = prepare_begin(&fixture.options, &fixture.said);

	UNIT_STR_EQ(buf_text(&fixture.said),
		"no governor is set: this machine has no governor setting\n"
		"turbo stays as it is: this machine has no switch for it\n");
	UNIT_STR_EQ(prepare_text(prepare), "nothing could be changed");
	prepare_end(prepare, &fixture.said);
	CU_ASSERT_FALSE(file_exists(scratch_path(&fixture.scratch, FILE_OF_CHANGES)));
	fixture_release(&fixture);
}

static void
siblings_need_control_groups(void)
{
	struct fixture fixture;

	fixture_init(&fixture);
	machine_put(&fixture.scratch, CPU "/cpu2/topology/thread_siblings_list", "2-3\n");
	struct prepare *prepare = prepare_begin(&fixture.options, &fixture.said);

	UNIT_CONTAINS(buf_text(&fixture.said), "CPUs 3, threads of the program's cores, stay in "
					       "use: there is no cpuset");
	prepare_end(prepare, &fixture.said);
	CU_ASSERT_TRUE(is_as_before(&fixture));
	fixture_release(&fixture);
}

/* A folder of tests gets no files of its own: as where the kernel refuses the partition. */
static void
a_step_that_fails_leaves_nothing_of_it(void)
{
	struct fixture fixture;
	char group[64];

	fixture_init(&fixture);
	machine_put(&fixture.scratch, CPU "/cpu2/topology/thread_siblings_list", "2-3\n");
	machine_put(&fixture.scratch, "/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io\n");
	machine_put(&fixture.scratch, "/sys/fs/cgroup/cgroup.subtree_control", "cpu io\n");
	struct prepare *prepare = prepare_begin(&fixture.options, &fixture.said);

	UNIT_CONTAINS(buf_text(&fixture.said), "CPUs 3 stay in use: /sys/fs/cgroup/profile_run.");
	UNIT_STR_EQ(prepare_text(prepare), "in part only");
	CU_ASSERT_TRUE(is_prepared(&fixture));
	CU_ASSERT_TRUE(holds(&fixture, "/sys/fs/cgroup/cgroup.subtree_control", "+cpuset"));
	snprintf(group, sizeof(group), "sys/fs/cgroup/profile_run.%d", (int)getpid());
	CU_ASSERT_FALSE(file_exists(scratch_path(&fixture.scratch, group)));
	prepare_end(prepare, &fixture.said);
	CU_ASSERT_TRUE(is_as_before(&fixture));
	CU_ASSERT_TRUE(holds(&fixture, "/sys/fs/cgroup/cgroup.subtree_control", "-cpuset"));
	fixture_release(&fixture);
}

/* On two threads of one core, somebody has to be on the other one. */
static void
the_last_cpus_are_not_taken(void)
{
	struct fixture fixture;

	fixture_init(&fixture);
	machine_put(&fixture.scratch, "/proc/stat",
		"cpu1 1 1 1 1 1 1 1 1\ncpu2 1 1 1 1 1 1 1 1\n"
		"cpu3 1 1 1 1 1 1 1 1\n");
	machine_put(&fixture.scratch, CPU "/cpu2/topology/thread_siblings_list", "2-3\n");
	machine_put(&fixture.scratch, "/sys/fs/cgroup/cgroup.controllers", "cpuset\n");
	struct prepare *prepare = prepare_begin(&fixture.options, &fixture.said);

	UNIT_CONTAINS(buf_text(&fixture.said), "stay in use: there are no others\n");
	prepare_end(prepare, &fixture.said);
	fixture_release(&fixture);
}

static void
a_folder_that_others_can_write_to_is_not_believed(void)
{
	struct fixture fixture;

	fixture_init(&fixture);
	machine_put(&fixture.scratch, "/" FILE_OF_CHANGES,
		"profile_run prepared 1\nvalue " TURBO " 0 1\n");
	chmod(scratch_path(&fixture.scratch, "run/profile_run"), 0777);
	struct err err = {0};

	CU_ASSERT_EQUAL(prepare_restore(fixture.scratch.dir, &fixture.said, &err), -1);
	CU_ASSERT_TRUE(holds(&fixture, TURBO, "0"));
	struct prepare *prepare = prepare_begin(&fixture.options, &fixture.said);

	UNIT_CONTAINS(buf_text(&fixture.said), "nothing is prepared: ");
	CU_ASSERT_TRUE(holds(&fixture, TURBO, "0"));
	prepare_end(prepare, &fixture.said);
	fixture_release(&fixture);
}

static const struct unit_case cases[] = {
	{"the_end_puts_everything_back", the_end_puts_everything_back},
	{"a_shared_setting_is_changed_once", a_shared_setting_is_changed_once},
	{"the_last_of_several_runs_puts_back_what_was_before_the_first",
		the_last_of_several_runs_puts_back_what_was_before_the_first},
	{"the_first_to_end_leaves_the_machine_to_the_others",
		the_first_to_end_leaves_the_machine_to_the_others},
	{"somebody_puts_back_what_a_killed_run_left", somebody_puts_back_what_a_killed_run_left},
	{"the_next_run_puts_back_what_nobody_did", the_next_run_puts_back_what_nobody_did},
	{"a_restore_by_hand_says_what_it_did", a_restore_by_hand_says_what_it_did},
	{"no_moment_to_be_killed_loses_a_setting", no_moment_to_be_killed_loses_a_setting},
	{"what_a_machine_does_not_have_is_said_and_no_error",
		what_a_machine_does_not_have_is_said_and_no_error},
	{"siblings_need_control_groups", siblings_need_control_groups},
	{"a_step_that_fails_leaves_nothing_of_it", a_step_that_fails_leaves_nothing_of_it},
	{"the_last_cpus_are_not_taken", the_last_cpus_are_not_taken},
	{"a_folder_that_others_can_write_to_is_not_believed",
		a_folder_that_others_can_write_to_is_not_believed},
	{NULL, NULL},
};

void
suite_machine_prepare(void)
{
	unit_suite("machine/prepare", cases);
}
