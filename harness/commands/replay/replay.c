#include "replay/replay.h"

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "output/first_screen.h"
#include "output/output.h"
#include "output/replay_file.h"
#include "replay/publish.h"
#include "replay/rejudge.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
read_file(struct rejudge *replay, const char *path, struct err *err)
{
	struct replay_file *file = mem_zalloc(1, sizeof(*file));

	if (replay_file_read(file, path, err) < 0) {
		free(file);
		return -1;
	}
	rejudge_add(replay, file);
	return 0;
}

/* Reads the replay.bin of each workload in a report folder. */
static int
read_folder(struct rejudge *replay, const char *folder, struct err *err)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int result = 0;

	if (!dir)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot read '%s'", folder);
	while (result == 0 && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		char *path = mem_printf("%s/%s/" REPLAY_FILE_NAME, folder, entry->d_name);

		if (file_exists(path))
			result = read_file(replay, path, err);
		free(path);
	}
	closedir(dir);
	if (result == 0 && replay->nfiles == 0) {
		err_set(err, ERR_INPUT, "'%s' has no WORKLOAD/" REPLAY_FILE_NAME, folder);
		return err_note(err, "expected the folder of a report, such as reports/latest");
	}
	return result;
}

static int
by_index(const void *a, const void *b)
{
	const struct replay_file *x = *(struct replay_file *const *)a;
	const struct replay_file *y = *(struct replay_file *const *)b;

	return (x->index > y->index) - (x->index < y->index);
}

/* Whether the files are one whole report: each of its workloads, once. */
static int
check_whole(struct rejudge *replay, const char *folder, struct err *err)
{
	size_t nfound = 0;

	assert(replay->files);
	qsort(replay->files, replay->nfiles, sizeof(struct replay_file *), by_index);
	const struct replay_file *first = replay->files[0];

	for (size_t i = 0; i < replay->nfiles; i++) {
		const struct replay_file *file = replay->files[i];

		if (file->report.started != first->report.started || file->count != first->count ||
			nfound > file->index ||
			strcmp(file->report.folder, first->report.folder) != 0)
			return err_set(err, ERR_INPUT, "'%s' mixes workloads of different reports",
				folder);
		nfound += file->index == nfound;
	}
	if (nfound == first->count)
		return 0;
	err_set(err, ERR_INPUT, "'%s' has %zu of the %zu workloads of its report", folder,
		replay->nfiles, first->count);
	return err_note(err, "a single WORKLOAD/" REPLAY_FILE_NAME " can be replayed alone");
}

static int
read_all(struct rejudge *replay, const char *path, struct err *err)
{
	if (file_is_dir(path)) {
		if (read_folder(replay, path, err) < 0)
			return -1;
		return check_whole(replay, path, err);
	}
	if (read_file(replay, path, err) < 0)
		return -1;
	if (replay->files[0]->count > 1)
		log_warn(
			"%s: one of %zu workloads, replayed alone: its tests are not corrected for those of the others",
			path, replay->files[0]->count);
	/* Nor are the tests scaled to the whole gate, since it is no shard now. */
	replay->files[0]->judged.input.planned = 0;
	return 0;
}

struct replay {
	struct rejudge rejudge;
};

struct replay *
replay_open(const char *path, struct err *err)
{
	struct replay *replay = mem_zalloc(1, sizeof(*replay));

	replay->rejudge.full = true;
	if (read_all(&replay->rejudge, path, err) < 0 || rejudge_make(&replay->rejudge, err) < 0) {
		replay_close(replay);
		return NULL;
	}
	return replay;
}

const struct report *
replay_report(const struct replay *replay)
{
	return &replay->rejudge.report;
}

void
replay_close(struct replay *replay)
{
	if (replay)
		rejudge_release(&replay->rejudge);
	free(replay);
}

int
replay_run(const struct replay_options *options, int *exit_code, struct buf *text, struct err *err)
{
	struct replay *replay = replay_open(options->path, err);

	if (!replay)
		return -1;
	struct report *report = &replay->rejudge.report;

	report->full = options->full;
	char *folder = publish_report(report, options->output_dir, options->reports_dir, err);
	int result = folder ? 0 : -1;

	if (folder) {
		log_info("the report is in '%s'", folder);
		*exit_code = report->exit_code;
		char *latest = options->output_dir ? NULL : publish_latest(folder);

		first_screen_write(report, latest ? latest : folder, text);
		free(latest);
	}
	free(folder);
	replay_close(replay);
	return result;
}

int
replay_write(const char *path, const struct report_output *output, struct buf *out, struct err *err)
{
	struct replay *replay = replay_open(path, err);

	if (!replay)
		return -1;
	output_write(output, replay_report(replay), out);
	replay_close(replay);
	return 0;
}
