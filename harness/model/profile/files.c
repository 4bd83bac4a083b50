#include "profile/files.h"

#include <string.h>

bool
profile_files_next(const char **lines, struct profile_file *file)
{
	const char *end;

	for (; (end = strchr(*lines, '\n')); *lines = end + 1) {
		const char *line = *lines;
		size_t hash_len = strcspn(line, " ");

		/* "HASH  NAME" */
		if (line + hash_len + 2 >= end)
			continue;
		*file = (struct profile_file){
			.hash = line,
			.hash_len = hash_len,
			.name = line + hash_len + 2,
			.name_len = (size_t)(end - line) - hash_len - 2,
			.sampled = line[hash_len + 1] == '*',
		};
		*lines = end + 1;
		return true;
	}
	return false;
}

bool
profile_files_find(const char *lines, const struct profile_file *wanted, struct profile_file *found)
{
	while (profile_files_next(&lines, found)) {
		if (found->name_len == wanted->name_len &&
			memcmp(found->name, wanted->name, wanted->name_len) == 0)
			return true;
	}
	return false;
}

bool
profile_file_is_known(const struct profile_file *file)
{
	return file->hash_len != strlen(PROFILE_FILE_UNKNOWN) ||
	       memcmp(file->hash, PROFILE_FILE_UNKNOWN, file->hash_len) != 0;
}

bool
profile_file_is_same(const struct profile_file *a, const struct profile_file *b)
{
	return profile_file_is_known(a) && a->hash_len == b->hash_len &&
	       memcmp(a->hash, b->hash, a->hash_len) == 0;
}

bool
profile_file_is_built_again(
	const char *code_before, const char *code_after, const struct profile_file *wanted)
{
	struct profile_file one;
	struct profile_file other;

	return profile_files_find(code_before, wanted, &one) &&
	       profile_files_find(code_after, wanted, &other) && profile_file_is_same(&one, &other);
}
