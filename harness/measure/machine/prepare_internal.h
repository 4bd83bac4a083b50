/*
 * The settings that prepare.c has changed, and the processes that use them: kept in a file that
 * outlives these processes, so that a later one can restore the settings.
 *
 *     profile_run prepared 1
 *     holder 4711 123456
 *     value /sys/devices/system/cpu/cpufreq/policy1/scaling_governor performance powersave
 *     controller /sys/fs/cgroup/cgroup.subtree_control +cpuset -cpuset
 *     group /sys/fs/cgroup/profile_run.4711 3 -
 *
 * A holder is a process with its start time; a change has its path, the value set and the value
 * before. Changes are in the order in which they were made. Only paths that profile_run changes are
 * accepted: write access to the file cannot make root write elsewhere.
 */
#ifndef MACHINE_PREPARE_INTERNAL_H
#define MACHINE_PREPARE_INTERNAL_H

#include "base/buf.h"
#include "base/err.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PREPARE_PATH_MAX 192
#define PREPARE_VALUE_MAX 192

enum prepare_kind {
	PREPARE_VALUE,      /* a setting that holds one word */
	PREPARE_CONTROLLER, /* a list, to which +NAME adds and from which -NAME takes away */
	PREPARE_GROUP,      /* a control group: a folder that was made, and its CPUs */
};

struct prepare_change {
	enum prepare_kind kind;
	char path[PREPARE_PATH_MAX]; /* without the root */
	char now[PREPARE_VALUE_MAX];
	char before[PREPARE_VALUE_MAX];
};

struct prepare_holder {
	pid_t pid;
	uint64_t start; /* tree_start_of() */
};

struct prepare_state {
	struct prepare_change *changes; /* owned */
	size_t nchanges;
	size_t changes_capacity;
	struct prepare_holder *holders; /* owned */
	size_t nholders;
	size_t holders_capacity;
};

/* `state` is empty before; `file` is for messages. On error the state is empty. */
int prepare_state_parse(struct prepare_state *state, const char *file, const char *text, size_t len,
	struct err *err);
void prepare_state_format(const struct prepare_state *state, struct buf *out);
void prepare_state_release(struct prepare_state *state);

/* False if the file may not have such a change; true also if it has the path already. */
bool prepare_state_add(struct prepare_state *state, const struct prepare_change *change);
/* The change of this path; NULL if there is none. */
const struct prepare_change *prepare_state_find(
	const struct prepare_state *state, const char *path);
/* Removes the change of this number. */
void prepare_state_drop(struct prepare_state *state, size_t change);
/* Adds a holder. */
void prepare_state_join(struct prepare_state *state, struct prepare_holder holder);
/* Removes the holder, and all dead ones. */
void prepare_state_leave(struct prepare_state *state, struct prepare_holder holder);

/*
 * Restores all settings, the last change first, and empties the list of changes. Settings that
 * somebody else has changed in the meantime are left as they are. These and failures are noted, a
 * line each.
 */
void prepare_state_undo(struct prepare_state *state, const char *root, struct buf *notes);

#endif
