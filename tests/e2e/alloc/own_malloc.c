/* A program with its own malloc. */
#include <stdlib.h>
#include <string.h>

static char pool[1 << 20];
static size_t used;

void *
malloc(size_t size)
{
	void *block = pool + used;

	used += (size + 15) / 16 * 16;
	return block;
}

void
free(void *block)
{
	(void)block;
}

void *
calloc(size_t count, size_t size)
{
	return malloc(count * size);
}

void *
realloc(void *block, size_t size)
{
	void *made = malloc(size);

	return block ? memcpy(made, block, size) : made;
}

int
main(void)
{
	char *text = malloc(100);

	memcpy(text, "its own", 8);
	return text[0] != 'i';
}
