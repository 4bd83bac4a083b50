#include "builds/changed_input.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "builds/inputs.h"
#include "builds/path_map.h"
#include "builds/program_files.h"
#include "builds/tree_text.h"
#include "format/figures.h"
#include "process/run_files.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Whether the file was read as data: it was only read, and is not a script. */
static bool
is_data(const struct run_file *file, const char *const *script_endings)
{
	const char *ending = strrchr(file_basename(file->path), '.');

	for (size_t i = 0; ending && script_endings && script_endings[i]; i++)
		if (strcmp(ending, script_endings[i]) == 0)
			return false;
	return file->uses == RUN_FILE_READ;
}

/* True also where a file cannot be read: then it is not known to differ. */
static bool
same_contents(const char *one, const char *other)
{
	char hashes[2][SHA256_TEXT_SIZE];
	struct err ignored = {0};

	return sha256_file(one, hashes[0], &ignored) < 0 ||
	       sha256_file(other, hashes[1], &ignored) < 0 || strcmp(hashes[0], hashes[1]) == 0;
}

static void
put_bytes(off_t bytes, const char *when, struct buf *out)
{
	format_count(out, (double)bytes);
	buf_printf(out, " B%s", when);
}

/* Appends the path and how the files differ; nothing where both are the same. */
static void
put_difference(const char *here, const char *there, struct buf *out)
{
	struct stat before;
	struct stat now;

	if (stat(here, &now) < 0 || !S_ISREG(now.st_mode))
		return;
	const bool is_new = stat(there, &before) < 0;

	if (!is_new && before.st_size == now.st_size && same_contents(here, there))
		return;
	buf_puts(out, path_from_here(here));
	buf_puts(out, " (");
	if (is_new) {
		put_bytes(now.st_size, ", not there before)", out);
	} else if (before.st_size == now.st_size) {
		put_bytes(now.st_size, ", other contents)", out);
	} else {
		put_bytes(before.st_size, " before, ", out);
		put_bytes(now.st_size, " now)", out);
	}
}

char *
changed_input_find(
	const struct build_side *side, const struct workload *here, const struct run_files *used)
{
	char *program = program_file(here, 0);
	const char *const *script_endings =
		program ? program_script_endings(here->run[0], program) : NULL;
	struct arena arena = {0};
	struct buf text = {0};

	for (size_t i = 0; i < used->count && text.len == 0; i++) {
		const struct run_file *file = &used->files[i];
		const char *there = side->map ? path_map_find(side->map, file->path, &arena) : NULL;

		if (there && is_data(file, script_endings) && !inputs_cover(here, file->path))
			put_difference(file->path, there, &text);
	}
	char *found = text.len > 0 ? mem_strdup(buf_text(&text)) : NULL;

	buf_release(&text);
	arena_release(&arena);
	free(program);
	return found;
}
