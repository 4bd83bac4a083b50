/* A function in a library that the program is linked with: it is called through a stub. */
#include "calls.h"

#include "truth.h"

KEEP unsigned long
tiny(unsigned long value)
{
	return value * 3 + 1;
}
