/* Any text as a mangled name: what comes of it is bounded in length and in time. */
#include "elf/demangle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1);

	if (!name)
		abort();
	if (size > 0)
		memcpy(name, data, size);
	name[size] = '\0';

	char *text = demangle(name);

	if (text && strlen(text) > 65536)
		abort();
	free(text);
	free(name);
	return 0;
}
