/*
 * Which parts of program files grew: of a comparison of sizes (metric "size"), whose stacks are
 * file, section, namespace, template and symbol.
 */
#ifndef COMPARE_SIZE_GROWTH_H
#define COMPARE_SIZE_GROWTH_H

#include "base/buf.h"
#include "compare/comparison.h"

#include <stdbool.h>

/* Whether the costs compared are sizes of program files. */
bool size_growth_is_known(const struct comparison *comparison);

/*
 * Appends a line without a full stop for each of the sections that grew most: "5,120 B more in
 * .text: 3 instantiations of Sorter<...> (+4,900 B), parse_value (+220 B)".
 * Nothing where no section grew. The instantiations of a template are one part. Numbers are exact.
 */
void size_growth_put(const struct comparison *comparison, struct buf *out);

/* Appends the section of a stack, frames from the root on, or nothing: ".text". */
void size_growth_put_section(
	const struct comparison *comparison, const frame_id *frames, size_t count, struct buf *out);

#endif
