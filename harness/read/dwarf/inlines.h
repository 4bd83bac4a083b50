/*
 * The functions at an address, inlined ones included, by the debug information (DWARF) of one
 * module.
 *
 * Everything is read when it is needed first: the ranges of the units at the start, the functions
 * of a unit and its table of lines at the first address in it, what was inlined into a function at
 * the first address in that, and names when they are returned.
 */
#ifndef DWARF_INLINES_H
#define DWARF_INLINES_H

#include "dwarf/debug_data.h"
#include "elf/elf_image.h"

struct inlines;

struct inline_frame {
	const char *name; /* NULL if not known; strings live as long as the struct inlines */
	const char *file; /* path of the source that declares it; NULL if not known */
	uint32_t line;    /* of the declaration, or of the first code; 0 if not known */
	uint32_t at_line; /* in it: of the address, or of the call that was inlined; 0: not known */
};

/*
 * Takes over `image` and closes it in the end. NULL where it has no debug information that can be
 * read; then it is closed at once. `program` is the path of the program that it is of, beside which
 * PROGRAM.dwp and .dwo files may be; NULL if not known. `root` is the folder below which the paths
 * of other .dwo files are; "": they are of this system.
 */
struct inlines *inlines_open(struct elf_image *image, const char *program, const char *root);
/*
 * For data that is not in a file; `data` (and data->alt) must live as long, and so must `split`:
 * the sections of a .dwo file or of a package of them, NULL if there is none.
 */
struct inlines *inlines_new(struct debug_data *data, struct debug_data *split);
void inlines_close(struct inlines *inlines);

/*
 * The functions at `address`, innermost first; the last one has the code, those before were inlined
 * into it. Fills at most `max` (at least 1), leaving out the innermost of more. Returns how many; 0
 * where nothing is known. A frame of which only `at_line` is known stands for code without
 * function.
 */
size_t inlines_find(
	struct inlines *inlines, uint64_t address, struct inline_frame *frames, size_t max);

/*
 * The functions that are inlined anywhere into the one that has the code at `address`, once for
 * each call and without `at_line`. Fills at most `max` and returns how many; 0 where nothing is
 * known.
 */
size_t inlines_within(
	struct inlines *inlines, uint64_t address, struct inline_frame *frames, size_t max);

/*
 * How many units used so far have a .dwo file that is missing or was not made with the program;
 * *first is where the first of them should be, borrowed until inlines_close().
 */
size_t inlines_missing(const struct inlines *inlines, const char **first);

#endif
