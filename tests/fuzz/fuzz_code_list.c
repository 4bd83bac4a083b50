/*
 * code.txt beside a baseline, the machine code of a program's functions: any bytes. Every function
 * that is read is found again by its place in the order.
 */
#include "code/code_list.h"
#include "code/inventory.h"

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
check_list(const struct code_list *list)
{
	check(list->name[0] && list->digest[0]);
	check(strlen(list->digest) < sizeof(list->digest));
	for (size_t i = 0; i < list->nfunctions; i++) {
		const struct code_listed *function = &list->functions[i];

		check(function->name >> CODE_KNOWN_BITS == 0);
		check(function->code >> CODE_KNOWN_BITS == 0);
		check(i == 0 || list->functions[i - 1].name < function->name);
	}
	/* Most names are of none: the search ends and gives one of the list, or nothing. */
	const struct code_known known = code_list_known(list, list->name);

	check(known.complete == list->complete);
	check(known.found || known.hash == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct code_lists lists;
	struct err err = {0};
	size_t lines = 0;

	if (code_lists_read(&lists, "code.txt", (const char *)data, size, &err) < 0) {
		check(err.kind == ERR_INPUT && strncmp(err.text, "code.txt:", 9) == 0);
	} else {
		check(strlen(lists.program_hash) < sizeof(lists.program_hash));
		for (size_t i = 0; i < lists.nlists; i++) {
			check_list(&lists.lists[i]);
			check(code_lists_find(&lists, lists.lists[i].name) != NULL);
			lines += 1 + lists.lists[i].nfunctions;
		}
		/* Each list and each function takes a line. */
		for (size_t i = 0; i < size && lines > 0; i++)
			lines -= data[i] == '\n';
		check(lines == 0);
	}
	code_lists_release(&lists);
	return 0;
}
