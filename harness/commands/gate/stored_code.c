#include "gate/stored_code.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"
#include "baseline/store.h"
#include "builds/path_map.h"
#include "profile/canonical.h"
#include "profile/files.h"

#include <stdlib.h>
#include <string.h>

/* The names of the sampled functions, canonical; NULL-ended, in `arena`. */
static const char *const *
list_sampled(const struct profile *profile, struct arena *arena)
{
	const char **names =
		arena_alloc(arena, (profile->frames.nframes + 1) * sizeof(const char *));
	struct buf canonical = {0};
	size_t count = 0;

	for (frame_id id = 1; id < profile->frames.nframes; id++) {
		const char *name = profile_frame_name(profile, id);

		if (profile->frames.frames[id].kind != FRAME_USER)
			continue;
		names[count++] = canonical_name(name, strlen(name), &canonical)
					 ? arena_strdup(arena, buf_text(&canonical))
					 : name;
	}
	names[count] = NULL;
	buf_release(&canonical);
	return names;
}

/* The path of a file of that name in a build (NULL: the working tree); in `arena`. */
static const char *
path_in(const struct build_side *side, const char *name, struct arena *arena)
{
	char *root = realpath(".", NULL);
	const char *here = root ? arena_printf(arena, "%s/%s", root, name) : name;
	const char *there = side && side->map ? path_map_find(side->map, here, arena) : NULL;

	free(root);
	return there ? there : here;
}

/* Appends the text that is stored; nothing where no file can be read. */
static void
make_text(const struct build_side *side, const struct profile *profile, const char *program_hash,
	const char *commit, struct buf *text)
{
	const char *lines = strtab_str(&profile->strings, profile->code);
	struct arena arena = {0};
	const char *const *sampled = list_sampled(profile, &arena);
	struct profile_file file;

	while (profile_files_next(&lines, &file)) {
		const char *name = arena_dup(&arena, file.name, file.name_len);
		const char *digest = arena_dup(&arena, file.hash, file.hash_len);
		struct err problem = {0};

		if (text->len == 0)
			code_lists_put(text, program_hash, commit);
		if (code_list_put(text, path_in(side, name, &arena), name, digest, canonical_name,
			    sampled, &problem) < 0)
			log_debug("the code of %s is not stored: %s", name, problem.text);
	}
	arena_release(&arena);
}

int
stored_code_write(const char *folder, const struct build_side *side, const struct profile *profile,
	const char *program_hash, const char *commit, struct err *err)
{
	struct buf text = {0};
	int result = 0;

	make_text(side, profile, program_hash, commit, &text);
	if (text.len > 0)
		result = baseline_write_code(folder, &text, err);
	buf_release(&text);
	return result;
}

/* Reads the lists. *found: there are some. To be released in any case. */
static int
load(const char *folder, struct code_lists *lists, bool *found, struct err *err)
{
	char *path = baseline_code_path(folder);
	struct buf text = {0};

	*lists = (struct code_lists){0};
	int result = baseline_read_code(&text, folder, found, err);

	if (result == 0 && *found)
		result = code_lists_read(lists, path, buf_text(&text), text.len, err);
	if (result < 0)
		err_note(err,
			"restore the file from the repository's history, or write it again with "
			"'profile_run baseline update --counts'");
	buf_release(&text);
	free(path);
	return result;
}

bool
stored_code_read(const char *folder, struct code_lists *lists)
{
	struct err problem = {0};
	bool found = false;

	if (load(folder, lists, &found, &problem) == 0)
		return found;
	log_warn("%s", problem.text);
	return false;
}

int
stored_code_check(const char *folder, struct err *err)
{
	struct code_lists lists;
	bool found = false;
	const int result = load(folder, &lists, &found, err);

	code_lists_release(&lists);
	return result;
}

bool
stored_code_is_of(const struct code_lists *lists, const struct code_list *list,
	const struct profile *before, const char *program_hash)
{
	const struct profile_file wanted = {.name = list->name, .name_len = strlen(list->name)};
	struct profile_file stored;

	if (profile_files_find(strtab_str(&before->strings, before->code), &wanted, &stored))
		return stored.hash_len == strlen(list->digest) &&
		       memcmp(stored.hash, list->digest, stored.hash_len) == 0;
	return strcmp(lists->program_hash, program_hash) == 0;
}
