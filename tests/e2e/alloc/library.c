/* For loading.c; NAME is its function. */
#include <stdlib.h>

void *NAME(size_t bytes);

void *
NAME(size_t bytes)
{
	void *block = malloc(bytes);

	return block;
}
