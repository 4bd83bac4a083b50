/*
 * The record of changed settings and its users: reading and writing it as text, and restoring the
 * settings.
 */
#include "machine/prepare_internal.h"

#include "base/mem.h"
#include "base/sysfs.h"
#include "process/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEADING "profile_run prepared 1"
#define LINE_MAX_BYTES 1024
/* More CPUs than there are, and more runs at the same time than anybody wants. */
#define CHANGES_MAX 8192
#define HOLDERS_MAX 1024

static const char *const kind_names[] = {
	[PREPARE_VALUE] = "value",
	[PREPARE_CONTROLLER] = "controller",
	[PREPARE_GROUP] = "group",
};

/* Where each kind may be. */
static const char *const kind_places[] = {
	[PREPARE_VALUE] = "/sys/devices/system/cpu/",
	[PREPARE_CONTROLLER] = "/sys/fs/cgroup/cgroup.subtree_control",
	[PREPARE_GROUP] = "/sys/fs/cgroup/profile_run.",
};

/* Words: nothing that would end a field or a line. */
static bool
is_word(const char *text, const char *more)
{
	if (*text == '\0')
		return false;
	for (; *text; text++) {
		bool plain = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
			     (*text >= '0' && *text <= '9') || strchr(more, *text);

		if (!plain)
			return false;
	}
	return true;
}

static bool
is_ours(const struct prepare_change *change)
{
	const char *place = kind_places[change->kind];
	const char *rest = change->path + strlen(place);

	if (strncmp(change->path, place, strlen(place)) != 0 || strstr(change->path, ".."))
		return false;
	if (change->kind == PREPARE_CONTROLLER
			? *rest != '\0'
			: !is_word(rest, change->kind == PREPARE_GROUP ? "" : "_-/."))
		return false;
	return is_word(change->now, "_,.+-") && is_word(change->before, "_,.+-");
}

const struct prepare_change *
prepare_state_find(const struct prepare_state *state, const char *path)
{
	for (size_t i = 0; i < state->nchanges; i++)
		if (strcmp(state->changes[i].path, path) == 0)
			return &state->changes[i];
	return NULL;
}

bool
prepare_state_add(struct prepare_state *state, const struct prepare_change *change)
{
	if (!is_ours(change) || state->nchanges >= CHANGES_MAX)
		return false;
	if (prepare_state_find(state, change->path))
		return true;
	state->changes = mem_grow(state->changes, &state->changes_capacity, state->nchanges + 1,
		sizeof(*state->changes));
	state->changes[state->nchanges++] = *change;
	return true;
}

void
prepare_state_drop(struct prepare_state *state, size_t change)
{
	memmove(&state->changes[change], &state->changes[change + 1],
		(state->nchanges - change - 1) * sizeof(*state->changes));
	state->nchanges--;
}

void
prepare_state_join(struct prepare_state *state, struct prepare_holder holder)
{
	state->holders = mem_grow(state->holders, &state->holders_capacity, state->nholders + 1,
		sizeof(*state->holders));
	state->holders[state->nholders++] = holder;
}

void
prepare_state_leave(struct prepare_state *state, struct prepare_holder holder)
{
	size_t kept = 0;

	for (size_t i = 0; i < state->nholders; i++) {
		const struct prepare_holder one = state->holders[i];
		bool is_it = one.pid == holder.pid && one.start == holder.start;

		if (!is_it && tree_start_of(one.pid) == one.start)
			state->holders[kept++] = one;
	}
	state->nholders = kept;
}

void
prepare_state_release(struct prepare_state *state)
{
	free(state->changes);
	free(state->holders);
	*state = (struct prepare_state){0};
}

static bool
parse_holder(struct prepare_state *state, const char *line)
{
	struct prepare_holder holder;
	long long pid;
	int end = -1;

	/* sscanf() takes a negative number for a large one. */
	if (strpbrk(line, "+-") ||
		sscanf(line, "holder %10lld %19" SCNu64 "%n", &pid, &holder.start, &end) != 2 ||
		end < 0 || line[end] != '\0' || pid <= 0 || pid > INT_MAX || holder.start == 0 ||
		state->nholders >= HOLDERS_MAX)
		return false;
	holder.pid = (pid_t)pid;
	prepare_state_join(state, holder);
	return true;
}

/* Moves the word at the begin of the line, which `end` ends. False where it does not fit. */
static bool
take_word(const char **line, char end, char *word, size_t size)
{
	const size_t len = strcspn(*line, " ");

	if (len == 0 || len >= size || (*line)[len] != end)
		return false;
	memcpy(word, *line, len);
	word[len] = '\0';
	*line += len + 1;
	return true;
}

static bool
parse_change(struct prepare_state *state, const char *line)
{
	struct prepare_change change;
	char kind[16];

	if (!take_word(&line, ' ', kind, sizeof(kind)) ||
		!take_word(&line, ' ', change.path, sizeof(change.path)) ||
		!take_word(&line, ' ', change.now, sizeof(change.now)) ||
		!take_word(&line, '\0', change.before, sizeof(change.before)))
		return false;
	for (size_t i = 0; i < sizeof(kind_names) / sizeof(kind_names[0]); i++) {
		if (strcmp(kind, kind_names[i]) != 0)
			continue;
		change.kind = (enum prepare_kind)i;
		return prepare_state_add(state, &change);
	}
	return false;
}

int
prepare_state_parse(struct prepare_state *state, const char *file, const char *text, size_t len,
	struct err *err)
{
	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t line_len = end ? (size_t)(end - text) - at : len - at;
		char line[LINE_MAX_BYTES] = "";
		struct location where = location_at(file, text, len, at);
		bool good = end && line_len < sizeof(line) && !memchr(text + at, '\0', line_len);

		if (good) {
			memcpy(line, text + at, line_len);
			good = at == 0 ? strcmp(line, HEADING) == 0
				       : parse_holder(state, line) || parse_change(state, line);
		}
		if (!good) {
			prepare_state_release(state);
			return err_set_at(err, &where, "%s",
				at == 0 ? "no settings that profile_run has changed"
					: "neither a holder nor a change of a setting");
		}
		at += line_len + 1;
	}
	return 0;
}

void
prepare_state_format(const struct prepare_state *state, struct buf *out)
{
	buf_puts(out, HEADING "\n");
	for (size_t i = 0; i < state->nholders; i++)
		buf_printf(out, "holder %d %" PRIu64 "\n", (int)state->holders[i].pid,
			state->holders[i].start);
	for (size_t i = 0; i < state->nchanges; i++) {
		const struct prepare_change *change = &state->changes[i];

		buf_printf(out, "%s %s %s %s\n", kind_names[change->kind], change->path,
			change->now, change->before);
	}
}

static void
undo_group(const char *root, const char *path, struct buf *notes)
{
	char whole[PATH_MAX];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	if (rmdir(whole) < 0 && errno != ENOENT)
		buf_printf(notes, "%s could not be removed: %s\n", path, strerror(errno));
}

static void
undo_value(const char *root, const struct prepare_change *change, struct buf *notes)
{
	char current[PREPARE_VALUE_MAX];

	/* A CPU that was taken away has no setting, and none to be put back. */
	if (!sysfs_read(root, change->path, current, sizeof(current)) ||
		strcmp(current, change->before) == 0)
		return;
	if (strcmp(current, change->now) != 0) {
		buf_printf(notes, "%s stays '%.40s': it was changed in the meantime\n",
			change->path, current);
		return;
	}
	int errnum = sysfs_write(root, change->path, change->before);

	if (errnum != 0)
		buf_printf(notes, "%s could not be set back to '%s': %s\n", change->path,
			change->before, strerror(errnum));
}

void
prepare_state_undo(struct prepare_state *state, const char *root, struct buf *notes)
{
	for (size_t i = state->nchanges; i-- > 0;) {
		const struct prepare_change *change = &state->changes[i];

		switch (change->kind) {
		case PREPARE_VALUE:
			undo_value(root, change, notes);
			break;
		case PREPARE_CONTROLLER:
			/* The kernel refuses where another group needs it by now. */
			sysfs_write(root, change->path, change->before);
			break;
		case PREPARE_GROUP:
			undo_group(root, change->path, notes);
			break;
		}
	}
	state->nchanges = 0;
}
