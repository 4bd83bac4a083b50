/* Any bytes as Go's table of functions: all that is found in it lies in it. */
#include "elf/go_table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct go_table table;
	struct go_function function;
	/* For this very size, for what finds reads beyond it. */
	unsigned char *bytes = malloc(size + (size == 0));

	if (!bytes)
		abort();
	if (size > 0)
		memcpy(bytes, data, size);
	const bool known = go_table_parse(&table, bytes, size);

	for (uint64_t i = 0; known && i < table.nfunctions && i < 1000; i++) {
		if (!go_table_function(&table, i, &function))
			continue;
		const char *end = (const char *)bytes + size;

		if (function.name < (const char *)bytes ||
			function.name + strlen(function.name) >= end ||
			function.end <= function.start)
			abort();
		struct go_stack stack = go_stack_of(&function);

		while (go_stack_next(&table, &stack))
			if (stack.at > bytes + size)
				abort();
	}
	free(bytes);
	return 0;
}
