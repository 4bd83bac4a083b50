/*
 * Making the machine quieter: changes of its settings are planned, recorded in a file, made, and
 * restored.
 */
#include "machine/prepare.h"

#include "base/file.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/sysfs.h"
#include "machine/disturb.h"
#include "machine/machine.h"
#include "machine/prepare_internal.h"
#include "process/keeper.h"
#include "process/tree.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Settings are changed within milliseconds; a governor may take its time. */
#define LOCK_SECONDS 30
#define FILE_LIMIT ((size_t)4 * 1024 * 1024)

/* The folder; NULL if there is no place for one. free() it. */
static char *
folder(const char *root)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (*root || geteuid() == 0)
		return mem_printf("%s/run/profile_run", root);
	return runtime && *runtime == '/' ? file_join(runtime, "profile_run") : NULL;
}

/* A file that others could have written must not be trusted. */
static int
check_folder(const char *dir, struct err *err)
{
	struct stat info;

	if (lstat(dir, &info) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot inspect '%s'", dir);
	if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
		(info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return err_set(err, ERR_SYSTEM,
			"'%s' must be a folder that only this user can write to", dir);
	return 0;
}

static int
make_folder(const char *dir, struct err *err)
{
	int result = mkdir(dir, 0755);

	if (result < 0 && errno == ENOENT && file_make_dirs(dir, err) == 0)
		result = chmod(dir, 0755);
	if (result < 0 && errno == EEXIST)
		result = 0;
	return result < 0 ? err_set_errno(err, ERR_SYSTEM, errno, "cannot make '%s'", dir) : 0;
}

/* The file while it is open: for one process at a time. */
struct prepare_store {
	int lock; /* -1: not open */
	char *path;
	struct prepare_state state; /* empty where there is no file */
};

/* Closes the file, which stays as it was last written. */
static void
prepare_store_close(struct prepare_store *store)
{
	if (store->lock >= 0)
		close(store->lock);
	free(store->path);
	prepare_state_release(&store->state);
	*store = (struct prepare_store){.lock = -1};
}

static int
read_store(struct prepare_store *store, struct err *err)
{
	struct buf text = {0};

	if (!file_exists(store->path))
		return 0;
	int result = file_read(store->path, &text, FILE_LIMIT, err);

	if (result == 0)
		result = prepare_state_parse(
			&store->state, store->path, buf_text(&text), text.len, err);
	buf_release(&text);
	return result;
}

/*
 * Waits until no other process has the file open, and reads it. With `make` its folder is made;
 * without, the result is 0 where there is no folder. Else 1, or -1 on error. Only after 1 it needs
 * closing.
 */
static int
prepare_store_open(struct prepare_store *store, const char *root, bool make, struct err *err)
{
	char *dir = folder(root);
	int result = -1;

	*store = (struct prepare_store){.lock = -1};
	if (!make && (!dir || !file_is_dir(dir))) {
		free(dir);
		return 0;
	}
	if (!dir)
		return err_set(err, ERR_SYSTEM,
			"no folder to record the changed settings in: $XDG_RUNTIME_DIR is not "
			"set");
	if (make_folder(dir, err) == 0 && check_folder(dir, err) == 0) {
		char *lock = file_join(dir, "lock");

		store->path = file_join(dir, "prepared");
		store->lock = lock_file(lock, &(struct lock_wait){.seconds = LOCK_SECONDS}, err);
		free(lock);
		if (store->lock >= 0 && read_store(store, err) == 0)
			result = 1;
	}
	free(dir);
	if (result < 0)
		prepare_store_close(store);
	return result;
}

/* Writes the state; removes the file if nothing is changed. */
static int
prepare_store_write(const struct prepare_store *store, struct err *err)
{
	struct buf text = {0};

	if (store->state.nchanges == 0) {
		if (unlink(store->path) < 0 && errno != ENOENT)
			return err_set_errno(
				err, ERR_SYSTEM, errno, "cannot remove '%s'", store->path);
		return 0;
	}
	prepare_state_format(&store->state, &text);
	int result = file_write(store->path, buf_text(&text), text.len, err);

	buf_release(&text);
	return result;
}

#define NO_TURBO "/sys/devices/system/cpu/intel_pstate/no_turbo"
#define BOOST "/sys/devices/system/cpu/cpufreq/boost"
#define CONTROLLERS "/sys/fs/cgroup/cgroup.controllers"
#define SUBTREE "/sys/fs/cgroup/cgroup.subtree_control"

/* Steps: each inspects the machine and plans its changes; prepare_begin() makes them. */

/* The planned changes; a setting that already has the value is no change. */
struct prepare_plan {
	const char *root;            /* of /sys; "" but for tests */
	const cpu_set_t *program;    /* the CPUs that programs will run on */
	struct prepare_state wanted; /* its changes, in the order to make them */
	struct buf *notes;           /* why a step changes nothing: a line */
	struct buf text;             /* the settings once they are made: "turbo off, ..." */
};

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

static int
apply_value(const struct prepare_change *change, const char *root, struct buf *notes)
{
	char current[PREPARE_VALUE_MAX];
	int errnum = sysfs_write(root, change->path, change->now);

	if (errnum != 0) {
		buf_printf(notes, "%s could not be set to '%s': %s\n", change->path, change->now,
			strerror(errnum));
		return -1;
	}
	/* A list does not read as what was written. */
	if (change->kind != PREPARE_VALUE)
		return 0;
	sysfs_read(root, change->path, current, sizeof(current));
	if (strcmp(current, change->now) == 0)
		return 0;
	buf_printf(notes, "%s is '%.40s' though '%s' was written\n", change->path, current,
		change->now);
	return -1;
}

static int
apply_group(const struct prepare_change *change, const char *root, struct buf *notes)
{
	static const char *const files[] = {"cpuset.cpus", "cpuset.cpus.partition"};
	const char *const values[] = {change->now, "isolated"};
	char whole[PATH_MAX];
	char path[PREPARE_PATH_MAX + 32] = "";
	char current[PREPARE_VALUE_MAX] = "";
	int errnum = 0;

	snprintf(whole, sizeof(whole), "%s%s", root, change->path);
	if (mkdir(whole, 0755) < 0) {
		buf_printf(notes, "%s could not be made: %s\n", change->path, strerror(errno));
		return -1;
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && errnum == 0; i++) {
		snprintf(path, sizeof(path), "%s/%s", change->path, files[i]);
		errnum = sysfs_write(root, path, values[i]);
	}
	/* The kernel takes the word and says in the file itself why it is not so. */
	if (errnum == 0)
		sysfs_read(root, path, current, sizeof(current));
	if (errnum == 0 && strcmp(current, "isolated") == 0)
		return 0;
	buf_printf(notes, "CPUs %s stay in use: %s: %s\n", change->now, path,
		errnum != 0 ? strerror(errnum) : current);
	rmdir(whole);
	return -1;
}

/* Makes one change. -1, with the reason in `notes`, where it failed; then nothing has changed. */
static int
prepare_apply(const struct prepare_change *change, const char *root, struct buf *notes)
{
	if (change->kind == PREPARE_GROUP)
		return apply_group(change, root, notes);
	return apply_value(change, root, notes);
}

struct prepare {
	char *root;
	char *text;
	struct prepare_holder holder;
	bool holds; /* we stand in the file */
	struct keeper keeper;
};

/* Removes `holder` from the file, and restores everything if no other is left. */
static int
leave(const char *root, struct prepare_holder holder, struct buf *notes, struct err *err)
{
	struct prepare_store store;
	int opened = prepare_store_open(&store, root, false, err);

	if (opened <= 0)
		return opened;
	prepare_state_leave(&store.state, holder);
	if (store.state.nholders == 0)
		prepare_state_undo(&store.state, root, notes);
	int result = prepare_store_write(&store, err);

	prepare_store_close(&store);
	return result;
}

/* Waits until the process at the other end of the line has ended. */
static void
restore_at_end(int line, void *context)
{
	const struct prepare *prepare = context;
	struct err err = {0};
	struct buf notes = {0};
	char byte;

	while (read(line, &byte, 1) > 0 || errno == EINTR)
		errno = 0;
	leave(prepare->root, prepare->holder, &notes, &err);
}

/* Adds what the plan wants and the state does not have; returns where the new ones begin. */
static size_t
take_over(struct prepare_state *state, const struct prepare_plan *plan)
{
	size_t first = state->nchanges;

	for (size_t i = 0; i < plan->wanted.nchanges; i++)
		prepare_state_add(state, &plan->wanted.changes[i]);
	return first;
}

/* Those that fail are taken out again. */
static bool
make_changes(struct prepare_state *state, size_t first, const char *root, struct buf *notes)
{
	bool all = true;

	for (size_t i = first; i < state->nchanges;) {
		if (prepare_apply(&state->changes[i], root, notes) == 0) {
			i++;
			continue;
		}
		prepare_state_drop(state, i);
		all = false;
	}
	return all;
}

static int
begin(struct prepare *prepare, const struct prepare_options *options, struct prepare_plan *plan,
	struct prepare_store *store, struct err *err)
{
	struct prepare_state *state = &store->state;

	prepare_state_leave(state, prepare->holder);
	if (state->nholders == 0 && state->nchanges > 0) {
		buf_puts(plan->notes, "restored settings left behind by a killed profile_run\n");
		prepare_state_undo(state, plan->root, plan->notes);
	}
	for (prepare_step *const *step = prepare_steps; *step; step++)
		(*step)(plan);
	size_t first = take_over(state, plan);

	prepare_state_join(state, prepare->holder);
	/* Written before anything is changed, with a process ready to restore it. */
	if (prepare_store_write(store, err) < 0)
		return -1;
	if (state->nchanges == 0)
		return 0;
	prepare->holds = true;
	if (!options->unkept)
		keeper_start(&prepare->keeper, "restorer", restore_at_end, prepare);
	if (make_changes(state, first, plan->root, plan->notes))
		return 0;
	buf_clear(&plan->text);
	buf_puts(&plan->text, "in part only");
	return prepare_store_write(store, err);
}

struct prepare *
prepare_begin(const struct prepare_options *options, struct buf *notes)
{
	struct prepare *prepare = mem_zalloc(1, sizeof(*prepare));
	struct prepare_plan plan = {
		.root = options->root, .program = options->program, .notes = notes};
	struct prepare_store store = {.lock = -1};
	struct err err = {0};

	prepare->root = mem_strdup(options->root);
	prepare->keeper.line = -1;
	prepare->holder = (struct prepare_holder){
		.pid = getpid(),
		.start = tree_start_of(getpid()),
	};
	if (prepare->holder.start == 0) {
		buf_puts(notes, "nothing is prepared: /proc does not show this process\n");
	} else if (prepare_store_open(&store, options->root, true, &err) < 0 ||
		   begin(prepare, options, &plan, &store, &err) < 0) {
		buf_printf(notes, "nothing is prepared: %s\n", err.text);
		buf_clear(&plan.text);
	}
	prepare_store_close(&store);
	prepare->text =
		mem_strdup(plan.text.len > 0 ? buf_text(&plan.text) : "nothing could be changed");
	buf_release(&plan.text);
	prepare_state_release(&plan.wanted);
	return prepare;
}

const char *
prepare_text(const struct prepare *prepare)
{
	return prepare->text;
}

void
prepare_end(struct prepare *prepare, struct buf *notes)
{
	struct err err = {0};

	if (!prepare)
		return;
	if (prepare->holds && leave(prepare->root, prepare->holder, notes, &err) < 0)
		buf_printf(notes, "%s\n", err.text);
	keeper_stop(&prepare->keeper);
	free(prepare->root);
	free(prepare->text);
	free(prepare);
}

int
prepare_restore(const char *root, struct buf *notes, struct err *err)
{
	struct prepare_store store;
	int opened = prepare_store_open(&store, root, false, err);

	if (opened <= 0)
		return opened;
	struct prepare_state *state = &store.state;
	size_t nchanges = state->nchanges;

	prepare_state_leave(state, (struct prepare_holder){.pid = -1});
	if (nchanges > 0 && state->nholders > 0) {
		buf_printf(notes,
			"settings are changed by process %d, which is measuring and will restore them\n",
			(int)state->holders[0].pid);
	} else if (nchanges > 0) {
		buf_printf(notes,
			"restored settings left behind by a killed profile_run: %zu setting%s\n",
			nchanges, nchanges == 1 ? "" : "s");
		prepare_state_undo(state, root, notes);
	}
	int result = prepare_store_write(&store, err);

	prepare_store_close(&store);
	return result;
}
