#include "machine/prepare_steps.h"

#include "base/sysfs.h"
#include "machine/busy.h"
#include "machine/cpus.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_TURBO "/sys/devices/system/cpu/intel_pstate/no_turbo"
#define BOOST "/sys/devices/system/cpu/cpufreq/boost"
#define CONTROLLERS "/sys/fs/cgroup/cgroup.controllers"
#define SUBTREE "/sys/fs/cgroup/cgroup.subtree_control"

/* Plans the changes of one step. */
typedef void prepare_step(struct prepare_plan *plan);

/* The name without links, as several CPUs may share a setting; false if there is no such file. */
static bool
resolve(const char *root, const char *path, char resolved[PREPARE_PATH_MAX])
{
	char whole[PATH_MAX];
	char *real_root = realpath(*root ? root : "/", NULL);
	bool good = false;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	char *real = realpath(whole, NULL);

	if (real && real_root) {
		size_t cut = strcmp(real_root, "/") == 0 ? 0 : strlen(real_root);

		good = strlen(real) > cut && strncmp(real, real_root, cut) == 0 &&
		       strlen(real + cut) < PREPARE_PATH_MAX;
		if (good)
			memcpy(resolved, real + cut, strlen(real + cut) + 1);
	}
	free(real);
	free(real_root);
	return good;
}

static void
note_done(struct prepare_plan *plan, const char *what)
{
	buf_printf(&plan->text, "%s%s", plan->text.len > 0 ? ", " : "", what);
}

static void
add(struct prepare_plan *plan, enum prepare_kind kind, const char *path, const char *now,
	const char *before)
{
	struct prepare_change change = {.kind = kind};

	snprintf(change.path, sizeof(change.path), "%s", path);
	snprintf(change.now, sizeof(change.now), "%s", now);
	snprintf(change.before, sizeof(change.before), "%s", before);
	if (!prepare_state_add(&plan->wanted, &change))
		buf_printf(
			plan->notes, "%s is unchanged: its value '%s' is unknown\n", path, before);
}

static void
plan_governor(struct prepare_plan *plan)
{
	const char *root = plan->root;
	bool found = false;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		char path[PREPARE_PATH_MAX];
		char before[PREPARE_VALUE_MAX];

		if (!CPU_ISSET((size_t)cpu, plan->program))
			continue;
		snprintf(path, sizeof(path),
			"/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
		if (!resolve(root, path, path) || !sysfs_read(root, path, before, sizeof(before)))
			continue;
		found = true;
		if (strcmp(before, "performance") != 0)
			add(plan, PREPARE_VALUE, path, "performance", before);
	}
	if (found)
		note_done(plan, "governor performance");
	else
		buf_puts(plan->notes, "no governor is set: this machine has no governor setting\n");
}

static void
plan_turbo(struct prepare_plan *plan)
{
	static const struct {
		const char *path;
		const char *off;
	} switches[] = {{NO_TURBO, "1"}, {BOOST, "0"}};

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		char before[PREPARE_VALUE_MAX];

		if (!sysfs_read(plan->root, switches[i].path, before, sizeof(before)))
			continue;
		if (strcmp(before, switches[i].off) != 0)
			add(plan, PREPARE_VALUE, switches[i].path, switches[i].off, before);
		note_done(plan, "turbo off");
		return;
	}
	buf_puts(plan->notes, "turbo stays as it is: this machine has no switch for it\n");
}

/* Whether a CPU is left for everybody else, ourselves included. */
static bool
others_have_room(const struct prepare_plan *plan, const cpu_set_t *siblings)
{
	cpu_set_t all;
	cpu_set_t taken;

	busy_cpus(plan->root, &all);
	CPU_OR(&taken, plan->program, siblings);
	CPU_AND(&taken, &taken, &all);
	return CPU_COUNT(&taken) < CPU_COUNT(&all);
}

/* "cpuset cpu io" */
static bool
lists_cpuset(const char *root, const char *path)
{
	char list[1024];

	if (!sysfs_read(root, path, list, sizeof(list)))
		return false;
	for (char *rest = list, *name; (name = strtok_r(rest, " ", &rest));)
		if (strcmp(name, "cpuset") == 0)
			return true;
	return false;
}

/*
 * A partition of the siblings alone, with nobody in it: the kernel moves everybody else off them
 * (Documentation/admin-guide/cgroup-v2.rst, cpuset.cpus.partition), and the program stays where it
 * is.
 */
static void
plan_siblings(struct prepare_plan *plan)
{
	const char *root = plan->root;
	cpu_set_t siblings;
	char list[PREPARE_VALUE_MAX];
	char path[PREPARE_PATH_MAX];

	cpu_siblings(root, plan->program, &siblings);
	if (CPU_COUNT(&siblings) == 0)
		return;
	cpu_list_format(&siblings, list, sizeof(list));
	if (!others_have_room(plan, &siblings)) {
		buf_printf(plan->notes,
			"CPUs %s, threads of the program's cores, stay in use: there are no "
			"others\n",
			list);
		return;
	}
	if (!lists_cpuset(root, CONTROLLERS)) {
		buf_printf(plan->notes,
			"CPUs %s, threads of the program's cores, stay in use: there is no cpuset "
			"of control groups version 2\n",
			list);
		return;
	}
	if (!lists_cpuset(root, SUBTREE))
		add(plan, PREPARE_CONTROLLER, SUBTREE, "+cpuset", "-cpuset");
	snprintf(path, sizeof(path), "/sys/fs/cgroup/profile_run.%d", (int)getpid());
	add(plan, PREPARE_GROUP, path, list, "-");
	note_done(plan, "SMT siblings idle");
}

/* In the order in which they are taken; ends with NULL. */
static prepare_step *const prepare_steps[] = {
	plan_governor,
	plan_turbo,
	plan_siblings,
	NULL,
};

void
prepare_steps_plan(struct prepare_plan *plan)
{
	for (prepare_step *const *step = prepare_steps; *step; step++)
		(*step)(plan);
}
