/* Allocates and frees. */
#include "quickest.h"

static void *volatile kept;

static inline long
once(void)
{
	kept = malloc(64);
	const long done = kept != NULL;

	free(kept);
	return done;
}
