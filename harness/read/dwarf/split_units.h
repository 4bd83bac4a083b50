/*
 * Units whose entries are not in the program (-gsplit-dwarf): a skeleton is left there, which says
 * where its code and its lines are, and names a .dwo file that has the rest. Many .dwo files can be
 * packed into one beside the program, PROGRAM.dwp.
 *
 * A file is taken only if its id is the skeleton's. Source: DWARF 5,
 * sections 3.1.2, 7.3.2 and 7.3.5; for DWARF 4, the extension that GCC and clang share,
 * https://gcc.gnu.org/wiki/DebugFission and DebugFissionDWP.
 */
#ifndef DWARF_SPLIT_UNITS_H
#define DWARF_SPLIT_UNITS_H

#include "base/map.h"
#include "dwarf/debug_unit.h"
#include "elf/elf_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct split_file;

struct split_units {
	char *program;            /* owned path, beside which files may be; NULL: none */
	char *root;               /* owned; the paths in skeletons are below it */
	struct debug_data *given; /* borrowed: used in place of files; NULL: files are */
	struct debug_data package;
	struct elf_image image; /* of `package` */
	bool package_tried;
	struct split_file *files; /* owned list */
	uint64_t file_bytes;      /* of .dwo files that were read */
	uint64_t again_bytes;     /* ... of those that had been read before */
	struct key_map inodes;    /* of all of them */
	size_t nmissing;
	char *first_missing; /* owned path; NULL: none is missing */
};

/* `program` and `given` may be NULL; see struct split_units. */
void split_units_init(
	struct split_units *split, const char *program, const char *root, struct debug_data *given);
void split_units_release(struct split_units *split);

/*
 * The unit that has the entries of `skeleton`, which has been opened: in use, and as long as
 * `split` lives. NULL where there is none that matches: that is counted, so call it once for each.
 */
struct debug_unit *split_units_find(struct split_units *split, struct debug_unit *skeleton);

/*
 * Makes `part` the sections of `package` as the unit of `id` has them, by its index
 * (.debug_cu_index): slices of some, and the whole of .debug_str. False where it is not there, or a
 * slice lies outside of its section.
 */
bool split_units_slice(const struct debug_data *package, uint64_t id, struct debug_data *part);

#endif
