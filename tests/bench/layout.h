/* Hot functions for layout.sh, in C or C++: each walks `data` a few thousand times over. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define LAYOUT_BYTES 1024

struct layout_hot {
	const char *name;
	uint64_t (*run)(const unsigned char *data, size_t len, unsigned rounds);
	unsigned rounds; /* for about a millisecond */
};

#ifdef __cplusplus
extern "C"
#else
extern
#endif
	const struct layout_hot layout_hot[]; /* ends with a NULL name */

#endif
