/* A file of a history: any bytes. What is read is in order and is written so that it reads back. */
#include "base/log.h"
#include "history/history_files.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good)
{
	if (!good)
		abort();
}

static void
check_entry(const struct history_entry *entry)
{
	check(entry->started > 0 && entry->cost > 0 && isfinite(entry->cost));
	check(entry->paired ? entry->ratio > 0 : isnan(entry->ratio));
	check(entry->commit && entry->metric && entry->unit && entry->against && entry->version &&
		entry->report && entry->function);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct history_file file = {0};
	struct history_file again = {0};
	struct buf first = {0};
	struct buf second = {0};
	struct err err = {0};

	log_set_level(LOG_ERROR);
	if (history_file_parse(&file, "input", (const char *)data, size, &arena, &err) < 0) {
		check(err.kind == ERR_INPUT && err.len > 0);
	} else {
		for (size_t i = 0; i < file.nentries; i++) {
			check_entry(&file.entries[i]);
			check(i == 0 ||
				history_entry_compare(&file.entries[i - 1], &file.entries[i]) < 0);
		}
		history_file_put(&file, &first);
		check(history_file_parse(
			      &again, "written", buf_text(&first), first.len, &arena, &err) == 0);
		history_file_put(&again, &second);
		check(strcmp(buf_text(&first), buf_text(&second)) == 0);
	}
	history_file_release(&file);
	history_file_release(&again);
	buf_release(&first);
	buf_release(&second);
	arena_release(&arena);
	return 0;
}
