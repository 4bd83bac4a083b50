/*
 * This very program as a process whose addresses are resolved.
 */
#ifndef UNIT_SYMBOLS_OWN_MAPS_H
#define UNIT_SYMBOLS_OWN_MAPS_H

#include "symbols/symbolizer.h"
#include "unit.h"

#include <stdio.h>

/* What it is called there. */
#define OWN_PID 4711

/* Feeds the executable maps of this process as those of OWN_PID; `build_id` is given for each. */
static inline void
feed_own_maps_of(struct symbolizer *symbolizer, const unsigned char *build_id, size_t build_id_len)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[1024];

	CU_ASSERT_PTR_NOT_NULL_FATAL(maps);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start;
		unsigned long end;
		unsigned long offset;
		char flags[8];
		char path[512] = "";

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %511[^\n]", &start, &end, flags, &offset,
			    path) < 4 ||
			flags[2] != 'x')
			continue;
		struct symbol_map map = {
			.pid = OWN_PID,
			.start = start,
			.size = end - start,
			.file_offset = offset,
			.path = path,
			.build_id = build_id,
			.build_id_len = build_id_len,
		};

		symbolizer_map(symbolizer, &map);
	}
	fclose(maps);
}

static inline void
feed_own_maps(struct symbolizer *symbolizer)
{
	feed_own_maps_of(symbolizer, NULL, 0);
}

#endif
