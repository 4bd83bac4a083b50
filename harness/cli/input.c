#include "cli/input.h"

#include "base/file.h"
#include "ingest/ingest.h"

#include <string.h>

static int
find_root(const char *name, enum ingest_root *root, struct err *err)
{
	static const char *const names[] = {
		[INGEST_ROOT_THREAD] = "thread",
		[INGEST_ROOT_PROCESS] = "process",
		[INGEST_ROOT_PID] = "pid",
		[INGEST_ROOT_TID] = "tid",
	};

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0) {
			*root = (enum ingest_root)i;
			return 0;
		}
	}
	if (!name)
		return 0;
	return err_set(err, ERR_USAGE,
		"'--root %s': expected \"thread\", \"process\", \"pid\" or \"tid\"", name);
}

int
input_read(struct profile *profile, const char *path, const struct input_choice *choice,
	struct err *err)
{
	struct ingest_options options = {
		.event = choice->event,
		.comm = choice->comm,
		.pid = choice->pid,
		.tid = choice->tid,
		.no_inline = choice->no_inline,
		.no_marks = choice->no_marks,
		.condensed = choice->condensed,
	};

	if (find_root(choice->root, &options.root, err) < 0)
		return -1;
	options.cache = ingest_cache_new();
	ingest_cache_set_debuginfod(options.cache, choice->debuginfod);
	profile_init(profile);
	int result = ingest_file(profile, path, &options, err);

	if (result == 0) {
		ingest_cache_warn(options.cache);
		profile_sort(profile);
	} else {
		profile_release(profile);
	}
	ingest_cache_free(options.cache);
	return result;
}

int
input_write_result(struct buf *out, const char *path, struct err *err)
{
	int result = file_write(path, buf_text(out), out->len, err);

	buf_release(out);
	return result;
}
