#include "builds/used_files.h"

#include "base/arena.h"
#include "base/sha256.h"
#include "builds/inputs.h"
#include "builds/path_map.h"
#include "code/program_digest.h"
#include "process/run_files.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef int hasher(
	const char *path, const char *const *folders, char hash[SHA256_TEXT_SIZE], struct err *err);

static int
hash_contents(
	const char *path, const char *const *folders, char hash[SHA256_TEXT_SIZE], struct err *err)
{
	(void)folders;
	return sha256_file(path, hash, err);
}

static bool
agree(hasher *hash, const char *one, const char *other, const char *const *folders)
{
	char hashes[2][SHA256_TEXT_SIZE];
	struct err ignored = {0};

	return hash(one, folders, hashes[0], &ignored) == 0 &&
	       hash(other, folders, hashes[1], &ignored) == 0 && strcmp(hashes[0], hashes[1]) == 0;
}

/* Whether the files of one run agree with those at the paths that `map` gives them. */
static bool
all_agree(const struct run_files *files, const struct path_map *map, const struct workload *here,
	const char *const *folders)
{
	struct arena arena = {0};
	bool same = true;

	for (size_t i = 0; i < files->count && same; i++) {
		const struct run_file *file = &files->files[i];
		const char *other = path_map_find(map, file->path, &arena);

		if (!other || file->uses == RUN_FILE_WRITTEN || inputs_cover(here, file->path) ||
			inputs_cover(here, other))
			continue;
		same = agree(hash_contents, file->path, other, folders) ||
		       ((file->uses & (RUN_FILE_EXECUTED | RUN_FILE_MAPPED)) &&
			       agree(program_digest, file->path, other, folders));
	}
	arena_release(&arena);
	return same;
}

bool
used_files_agree(const struct build_side *base, const struct workload *here,
	const struct run_files *candidate, const struct run_files *other)
{
	if (!candidate->known || !other->known || !base->map || !base->back || !base->root)
		return false;
	char *root = realpath(base->root, NULL);
	char *folder = realpath(".", NULL);
	const char *const folders[] = {root, folder, NULL};
	const bool same = root && folder && all_agree(candidate, base->map, here, folders) &&
			  all_agree(other, base->back, here, folders);

	free(root);
	free(folder);
	return same;
}
