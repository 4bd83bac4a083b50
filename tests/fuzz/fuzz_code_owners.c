/*
 * CODEOWNERS: any bytes are read as one, and its own bytes as paths of files. An owner is text of
 * one line, and a pattern of a file's own path fits it.
 */
#include "base/mem.h"
#include "builds/code_owners.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PATH_BYTES 256

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_owners owners = {0};
	char *path = mem_zalloc(PATH_BYTES + 1, 1);

	code_owners_parse(&owners, (const char *)data, size);
	if (size > 0)
		memcpy(path, data, size < PATH_BYTES ? size : PATH_BYTES);
	if (strpbrk(code_owners_of(&owners, path), "\n\t\r"))
		abort();
	for (size_t i = 0; i < owners.count; i++) {
		const struct code_owners one = {.rules = &owners.rules[i], .count = 1};
		const char *pattern = owners.rules[i].pattern;

		/* Whatever "*" and "?" stand for, they can stand for themselves. */
		if (!owners.rules[i].is_folder && pattern[0] != '/' && !strstr(pattern, "**/") &&
			strlen(pattern) <= PATH_BYTES &&
			code_owners_of(&one, pattern) != owners.rules[i].owners)
			abort();
	}
	code_owners_release(&owners);
	free(path);
	return 0;
}
