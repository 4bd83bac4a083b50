/*
 * The sections of one file's debug information (DWARF), as bytes in memory.
 *
 * Why not through libdw: its accessors take some 100 ns an entry and attribute, and a unit of a C++
 * program has 100,000 entries. This reader takes 5 to 10 ns an entry.
 */
#ifndef DWARF_DEBUG_DATA_H
#define DWARF_DEBUG_DATA_H

#include "base/allowance.h"
#include "dwarf/cursor.h"
#include "elf/elf_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum debug_section {
	DEBUG_INFO,
	DEBUG_ABBREV,
	DEBUG_STR,
	DEBUG_LINE,
	DEBUG_LINE_STR,
	DEBUG_STR_OFFSETS,
	DEBUG_ADDR,
	DEBUG_RANGES,
	DEBUG_RNGLISTS,
	DEBUG_CU_INDEX, /* of packages of .dwo files only */
	DEBUG_NSECTIONS,
};

struct debug_bytes {
	const unsigned char *start;
	size_t len;
};

struct debug_data {
	struct debug_bytes sections[DEBUG_NSECTIONS];
	struct debug_data *alt; /* of the file to which dwz moved shared entries; NULL if none */
	/*
	 * Bytes that may still be read. A file can refer to the same megabytes from every one of
	 * its entries; loops take their work from here and stop where there is no more.
	 */
	struct allowance work;
	/*
	 * Bytes of memory for what is kept of the entries. Packed sections are twenty times the
	 * file, and an entry of a few bytes is kept in hundreds.
	 */
	struct allowance memory;
};

/*
 * Finds the sections of `image`, which must stay open as long as they are used; compressed ones are
 * decompressed. `split`: those of a .dwo file, or a package of them, whose names end so. False
 * where there is no .debug_info that can be read: of a linked file, and of this machine's byte
 * order.
 */
bool debug_data_read(struct debug_data *data, struct elf_image *image, bool split);
/*
 * Sets `work` and `memory` by the sizes of the sections: each byte may be read so many times, of
 * which compilers' output needs three. debug_data_read() sets `memory` by the size of the file.
 */
#define DEBUG_WORK_LEAST ((uint64_t)1 << 20)
#define DEBUG_LOOKS_MAX 16
#define DEBUG_MEMORY_LEAST ((uint64_t)4 << 20)
#define DEBUG_MEMORY_RATIO 16
void debug_data_grant(struct debug_data *data);
/* Takes `bytes` of work; false, and from then on, where there is no more. */
static inline bool
debug_data_work(struct debug_data *data, uint64_t bytes)
{
	return allowance_take(&data->work, bytes);
}

/* Takes `bytes` of memory; false, and from then on, where there is no more. */
static inline bool
debug_data_memory(struct debug_data *data, uint64_t bytes)
{
	return allowance_take(&data->memory, bytes);
}

/* The bytes of a section from `offset` on; failed where it lies outside. */
struct cursor debug_data_at(
	const struct debug_data *data, enum debug_section section, uint64_t offset);

uint64_t file_bytes(const struct elf_image *image);

#endif
