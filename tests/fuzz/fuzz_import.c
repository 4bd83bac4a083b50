/* A history of another tool: any bytes. Entries that are read can be written as lines of ours. */
#include "history/import.h"

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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct history history;
	struct import_skipped skipped;
	struct buf out = {0};
	struct err err = {0};

	if (history_import_text(&history, "input", (const char *)data, size, &skipped, &err) < 0) {
		check(err.kind == ERR_INPUT && err.len > 0);
		return 0;
	}
	check(history.nfiles > 0);
	for (size_t i = 0; i < history.nfiles; i++) {
		const struct history_file *file = &history.files[i];

		check(file->nentries > 0);
		for (size_t k = 0; k < file->nentries; k++) {
			check(file->entries[k].cost > 0 && isfinite(file->entries[k].cost) &&
				file->entries[k].started > 0);
			history_entry_put(&file->entries[k], &out);
		}
	}
	buf_release(&out);
	history_release(&history);
	return 0;
}
