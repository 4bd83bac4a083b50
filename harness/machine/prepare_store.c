#include "machine/prepare_store.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_LIMIT ((size_t)4 * 1024 * 1024)
/* Settings are changed within milliseconds; a governor may take its time. */
#define LOCK_SECONDS 30

/* The folder; NULL if there is no place for one. free() it. */
static char *
folder(const char *root)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	if (*root || geteuid() == 0)
		return mem_printf("%s/run/profile_run", root);
	return runtime && *runtime == '/' ? file_join(runtime, "profile_run") : NULL;
}

/* What others could have written there must not be believed. */
static int
check_folder(const char *dir, struct err *err)
{
	struct stat info;

	if (lstat(dir, &info) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot look at '%s'", dir);
	if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
		(info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return err_set(
			err, ERR_SYSTEM, "'%s' is no folder that only this user can write to", dir);
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

int
prepare_store_open(
	struct prepare_store *store, const char *root, bool make, bool *is_there, struct err *err)
{
	char *dir = folder(root);
	int result = -1;

	*store = (struct prepare_store){.lock = -1};
	*is_there = dir && file_is_dir(dir);
	if (!make && !*is_there) {
		free(dir);
		return 0;
	}
	if (!dir)
		return err_set(err, ERR_SYSTEM,
			"there is no place to write down what is changed: $XDG_RUNTIME_DIR is not "
			"set");
	if (make_folder(dir, err) == 0 && check_folder(dir, err) == 0) {
		char *lock = file_join(dir, "lock");

		*is_there = true;
		store->path = file_join(dir, "prepared");
		store->lock = file_lock(lock, LOCK_SECONDS, err);
		free(lock);
		result = store->lock < 0 ? -1 : 0;
	}
	free(dir);
	if (result < 0)
		prepare_store_close(store);
	return result;
}

int
prepare_store_read(const struct prepare_store *store, struct prepare_state *state, struct err *err)
{
	struct buf text;

	*state = (struct prepare_state){0};
	if (!file_exists(store->path))
		return 0;
	buf_init(&text);
	int result = file_read(store->path, &text, FILE_LIMIT, err);

	if (result == 0)
		result = prepare_state_parse(state, store->path, buf_text(&text), text.len, err);
	buf_release(&text);
	return result;
}

int
prepare_store_write(
	const struct prepare_store *store, const struct prepare_state *state, struct err *err)
{
	struct buf text;

	if (state->nchanges == 0) {
		if (unlink(store->path) < 0 && errno != ENOENT)
			return err_set_errno(
				err, ERR_SYSTEM, errno, "cannot remove '%s'", store->path);
		return 0;
	}
	buf_init(&text);
	prepare_state_format(state, &text);
	int result = file_write(store->path, buf_text(&text), text.len, err);

	buf_release(&text);
	return result;
}

void
prepare_store_close(struct prepare_store *store)
{
	if (store->lock >= 0)
		close(store->lock);
	store->lock = -1;
	free(store->path);
	store->path = NULL;
}
