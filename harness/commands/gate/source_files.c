#include "gate/source_files.h"

#include "base/file.h"
#include "base/mem.h"
#include "builds/diff_hunks.h"
#include "builds/git.h"
#include "builds/source_paths.h"
#include "builds/source_scan.h"

#include <stdlib.h>
#include <string.h>

/* Larger files are not read. */
#define SOURCE_BYTES_MAX ((size_t)16 << 20)

void
source_files_read(const struct source_files *files, const char *path, struct buf *text)
{
	struct err ignored = {0};
	char *whole = file_join(files->top, path);

	if (file_read(whole, text, SOURCE_BYTES_MAX, &ignored) < 0)
		buf_clear(text);
	free(whole);
}

bool
source_is_go(const char *path, size_t len)
{
	return len > 3 && strcmp(path + len - 3, ".go") == 0;
}

/* Whether the functions of a Go file were read. */
static bool
is_go_file(const struct source_files *files, const char *path)
{
	for (size_t i = 0; i < files->ngo_files; i++)
		if (strcmp(files->go_files[i].path, path) == 0)
			return true;
	return false;
}

/* Reads the functions of the Go files with changed lines. */
static void
read_go_files(struct source_files *files)
{
	for (size_t i = 0; i < files->lines.count; i++) {
		const char *path = files->lines.ranges[i].path;
		struct buf text = {0};

		if (!source_is_go(path, strlen(path)) || is_go_file(files, path))
			continue;
		files->go_files = mem_grow(files->go_files, &files->go_capacity,
			files->ngo_files + 1, sizeof(*files->go_files));
		struct go_file *file = &files->go_files[files->ngo_files++];

		file->path = path;
		source_files_read(files, path, &text);
		go_functions_read(&file->functions, buf_text(&text), text.len, &files->arena);
		buf_release(&text);
	}
}

void
source_files_find_added(struct source_files *files, size_t first)
{
	const size_t n = files->names.nentries - first;
	const char **names = mem_zalloc(n + 1, 2 * sizeof(*names));
	const char **paths = names + n + 1;

	for (size_t i = 0; i < n; i++)
		names[i] = strtab_str(&files->names, (str_id)(first + i));
	source_paths(names, n, files->head, &files->arena, paths);
	files->sources =
		mem_grow(files->sources, &files->capacity, first + n, sizeof(*files->sources));
	for (size_t i = files->nsources; i < first + n; i++)
		files->sources[i] = (struct source){.path = i >= first ? paths[i - first] : NULL};
	files->nsources = first + n;
	for (size_t i = first; i < first + n; i++)
		for (size_t k = 0; k < files->lines.count && files->sources[i].path; k++)
			if (strcmp(files->lines.ranges[k].path, files->sources[i].path) == 0)
				files->sources[i].changed = true;
	free(names);
}

void
source_files_find(struct source_files *files, const struct profile *profile)
{
	const size_t first = files->names.nentries;

	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const str_id file = profile->frames.frames[id].file;

		if (file)
			strtab_intern(&files->names, strtab_str(&profile->strings, file),
				strtab_len(&profile->strings, file));
	}
	source_files_find_added(files, first);
}

struct source *
source_files_of(
	struct source_files *files, const struct profile *profile, const struct frame *frame)
{
	const str_id name =
		frame->file ? strtab_find(&files->names, strtab_str(&profile->strings, frame->file),
				      strtab_len(&profile->strings, frame->file))
			    : 0;

	return name && name < files->nsources ? &files->sources[name] : NULL;
}

const struct buf *
source_files_text(const struct source_files *files, struct source *source)
{
	if (!source->tried)
		source_files_read(files, source->path, &source->text);
	source->tried = true;
	return &source->text;
}

bool
source_files_init(struct source_files *files, const char *base, const char *head)
{
	*files = (struct source_files){0};
	changed_lines_read(&files->lines, base);
	files->top = files->lines.count > 0 ? git_top() : NULL;
	if (!files->top) {
		changed_lines_release(&files->lines);
		return false;
	}
	memccpy(files->head, head, '\0', sizeof(files->head) - 1);
	strtab_init(&files->names);
	read_go_files(files);
	return true;
}

void
source_files_release(struct source_files *files)
{
	for (size_t i = 0; i < files->nsources; i++)
		buf_release(&files->sources[i].text);
	for (size_t i = 0; i < files->ngo_files; i++)
		go_functions_release(&files->go_files[i].functions);
	free(files->go_files);
	free(files->sources);
	strtab_release(&files->names);
	changed_lines_release(&files->lines);
	arena_release(&files->arena);
	free(files->top);
}
