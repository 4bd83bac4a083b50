#include "machine/prepare_change.h"

#include "base/sysfs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int
prepare_apply(const struct prepare_change *change, const char *root, struct buf *notes)
{
	if (change->kind == PREPARE_GROUP)
		return apply_group(change, root, notes);
	return apply_value(change, root, notes);
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
