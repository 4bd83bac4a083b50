/*
 * The code that processes have mapped, with the unwind rows of its files: there is one unchanging
 * copy for each state of an address space that a sample was taken in. Copies share what they have
 * in common.
 */
#ifndef INGEST_CODE_MAPS_H
#define INGEST_CODE_MAPS_H

#include "base/arena.h"
#include "base/map.h"
#include "symbols/spaces.h"
#include "symbols/symbolizer.h"
#include "unwind/unwind_machine.h"
#include "unwind/unwinder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ingest_cache;
struct file_rows;

/* A process's maps at a moment. */
struct code_space {
	struct space maps; /* as they were */
	struct unwind_space unwind;
};

/* At first all zeros but for the borrowed members. A symbolizer can have one of these only. */
struct code_maps {
	struct symbolizer *symbolizer; /* borrowed, as the others */
	struct ingest_cache *cache;
	const struct unwind_machine *machine;
	struct code_space **spaces; /* by space.id */
	size_t capacity;
	struct key_map by_file;  /* mapped files met so far, by their address */
	struct file_rows *files; /* by number in by_file; owned */
	size_t files_capacity;
	struct arena arena; /* of what is known of each mapping */
};

void code_maps_release(struct code_maps *maps);

/* The maps of `pid` as of now if code_maps_of() has made them, else NULL; changes nothing. */
const struct code_space *code_maps_made(const struct code_maps *maps, uint32_t pid);
/*
 * Whether code_maps_of(pid) needs no module that is not loaded yet. Where it loads modules, nothing
 * may be symbolized meanwhile.
 */
bool code_maps_are_loaded(const struct code_maps *maps, uint32_t pid);
/* The maps of `pid` as of now; NULL if nothing is known of it. Valid until the release. */
const struct code_space *code_maps_of(struct code_maps *maps, uint32_t pid);

/* The range of a map that was found in `space`, for symbolizing. */
struct symbol_range code_space_range(const struct code_space *space, const struct unwind_map *map);

/* Visits the files met so far that have rows, in no order. */
typedef void (*code_maps_visitor)(
	void *context, const char *path, const struct unwind_table *table);
void code_maps_each(const struct code_maps *maps, code_maps_visitor visit, void *context);

#endif
