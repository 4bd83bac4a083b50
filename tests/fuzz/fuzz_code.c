/*
 * Any bytes as a program file whose functions' code is compared with itself: nothing differs.
 */
#include "code/compare.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Symbols of a damaged file may all be as long as it is. */
#define NAMES_MAX 16

static int
open_copy(struct code_inventory *inventory, char *copy, size_t size)
{
	struct elf_image file;
	struct err ignored = {0};

	if (!elf_image_open_memory(&file, copy, size))
		return -1;
	return code_inventory_adopt(inventory, &file, NULL, &ignored);
}

static void
compare(struct code_inventory *before, struct code_inventory *after)
{
	for (size_t i = 1; i < before->names.nentries && i <= NAMES_MAX; i++) {
		const char *name = strtab_str(&before->names, (str_id)i);
		enum code_change change = code_compare(before, after, name);

		if (change != CODE_CHANGE_NONE && change != CODE_CHANGE_UNKNOWN)
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_inventory before;
	struct code_inventory after;
	char *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	if (size > 0)
		memcpy(copy, data, size);
	if (open_copy(&before, copy, size) == 0) {
		if (open_copy(&after, copy, size) == 0) {
			compare(&before, &after);
			code_inventory_close(&after);
		}
		code_inventory_close(&before);
	}
	free(copy);
	return 0;
}
