/* A loop of 10,000 requests of 100 bytes, and what EXTRA adds to each. */
#include <stdlib.h>

#ifndef EXTRA
#define EXTRA (void)0
#endif

static void *
parse(void)
{
	EXTRA;
	return malloc(100);
}

static void *
print(void)
{
	return malloc(100000);
}

int
main(void)
{
	for (int i = 0; i < 10000; i++)
		free(parse());
	free(print());
	return 0;
}
