/* A library to be loaded at run time, built twice with other names. */
#include "truth.h"

#ifndef LIBRARY_WORK
#define LIBRARY_WORK library_work
#endif

void library_entry(bool (*is_enough)(void));
void LIBRARY_WORK(void);

static volatile unsigned long library_sink;

KEEP void
LIBRARY_WORK(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		library_sink = library_sink * 3 + i;
	FRAME();
}

KEEP void
library_entry(bool (*is_enough)(void))
{
	if (!is_enough())
		LIBRARY_WORK();
	STAY();
}
