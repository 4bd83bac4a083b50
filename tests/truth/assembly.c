/* Phases: code written in assembly; see rows.S. */
#include "calls.h"

#include "truth.h"

#if defined(__x86_64__)

void rows_pushes(void);
void rows_other_register(void);
void rows_expression(void);
void rows_saved(void);
void rows_remember(int levels);
void rows_missing(void);

KEEP void
assembly(void)
{
	while (!enough())
		for (unsigned i = 0; i < 1000; i++) {
			rows_pushes();
			rows_other_register();
			rows_expression();
			rows_saved();
			rows_remember(3);
		}
}

KEEP void
assembly_plain(void)
{
	rows_missing();
	STAY();
}

#endif
