/*
 * The output of a benchmark suite: the first byte chooses the format. Entries that are read can be
 * written as lines of a history, and read back.
 */
#include "base/log.h"
#include "history/import_suite.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good)
{
	if (!good)
		abort();
}

static void
check_file(const struct history_file *file)
{
	struct history_file again = {0};
	struct arena arena = {0};
	struct buf out = {0};
	struct err err = {0};
	char *name = history_file_name(file->workload);

	check(name && file->nentries > 0);
	for (size_t i = 0; i < file->nentries; i++) {
		const struct history_entry *entry = &file->entries[i];

		check(entry->cost > 0 && isfinite(entry->cost) && entry->started > 0);
		check(!(entry->error < 0));
	}
	history_file_put(file, &out);
	check(history_file_parse(&again, "written", buf_text(&out), out.len, &arena, &err) == 0);
	check(again.nentries == file->nentries);
	history_file_release(&again);
	arena_release(&arena);
	buf_release(&out);
	free(name);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *const *formats = import_suite_formats();
	size_t nformats = 0;
	struct history history;
	struct import_skipped skipped;
	struct err err = {0};

	log_set_level(LOG_ERROR);
	while (formats[nformats])
		nformats++;
	check(nformats > 0);
	const struct import_suite suite = {
		.format = formats[size > 0 ? data[0] % nformats : 0],
		.name = "input",
		.machine_class = "m",
		.benchmark = "b",
		.else_commit = "",
		.else_started = 1000,
		.link = "",
	};
	const size_t from = size > 0;

	if (import_suite_text(
		    &history, &suite, (const char *)data + from, size - from, &skipped, &err) < 0) {
		check(err.kind == ERR_INPUT && err.len > 0);
		return 0;
	}
	check(history.nfiles > 0);
	for (size_t i = 0; i < history.nfiles; i++)
		check_file(&history.files[i]);
	history_release(&history);
	return 0;
}
