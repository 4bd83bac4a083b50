/*
 * Reads the memory maps of this process, /proc/self/maps (proc_pid_maps(5)), without allocating.
 */
#ifndef SHIM_MAPS_H
#define SHIM_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct maps_line {
	uintptr_t start;
	uintptr_t end;
	bool writable;
	bool executable;
	const char *text; /* without its newline */
	size_t len;
};

/* Calls `take` with each line, until it returns false. */
void maps_each(bool (*take)(void *context, const struct maps_line *line), void *context);

#endif
