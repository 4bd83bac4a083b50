/* As many blocks of 24 bytes as its argument says, all live at one time. See
 * tests/e2e/alloc_test.sh. */
#include <stdlib.h>

int
main(int argc, char **argv)
{
	size_t nblocks = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	void **blocks = malloc((nblocks + 1) * sizeof(*blocks));

	for (size_t i = 0; i < nblocks; i++)
		blocks[i] = malloc(24);
	for (size_t i = 0; i < nblocks; i++)
		free(blocks[i]);
	free(blocks);
	return 0;
}
