/* Requests of known number and size: 1,008 of 1,028,100 bytes. See tests/e2e/alloc_test.sh. */
#include <malloc.h>
#include <stdlib.h>

static void *kept[1000];

static inline __attribute__((always_inline)) void
take(size_t i)
{
	kept[i] = malloc(24);
}

/* 1,000 requests of 24,000 bytes; main() frees 800 of them. */
__attribute__((noinline)) static void
many(void)
{
	for (size_t i = 0; i < 1000; i++)
		take(i);
}

/* 3 requests of 1,000,600 bytes; at most 1,000,000 are live at one time. */
__attribute__((noinline)) static void
resize(void)
{
	void *block = malloc(100);

	block = realloc(block, 500);
	block = reallocarray(block, 1000, 1000);
	free(block);
}

/* 5 requests of 3,500 bytes. */
__attribute__((noinline)) static void
aligned(void)
{
	void *block = NULL;

	free(aligned_alloc(64, 640));
	if (posix_memalign(&block, 64, 1000) == 0)
		free(block);
	free(memalign(64, 500));
	free(valloc(360));
	free(calloc(20, 50));
}

int
main(void)
{
	many();
	resize();
	aligned();
	for (size_t i = 0; i < 800; i++)
		free(kept[i]);
	return 0;
}
