/*
 * Functions of which a file has several variants, one of which it chooses as it is loaded: by
 * profile->variants, a line each, "NAME => FUNCTION": a frame's name, and the canonical one of the
 * function. It has those whose names do not say it themselves (cpu_variant.h).
 */
#ifndef PROFILE_VARIANT_NAMES_H
#define PROFILE_VARIANT_NAMES_H

#include "base/buf.h"
#include "base/text_map.h"
#include "profile/profile.h"

/* Between both names of a line. */
#define VARIANT_OF " => "

struct variant_names {
	struct text_map names;  /* the value is an index into `functions` */
	const char **functions; /* in the arena of `names`; a variant each */
};

/* All zeros has none. Adds those of a profile; a name that is there already stays as it is. */
void variant_names_add(struct variant_names *variants, const struct profile *profile);
void variant_names_release(struct variant_names *variants);

/* The function that a name is a variant of; NULL: of none that is known. */
const char *variant_names_find(const struct variant_names *variants, const char *name, size_t len);

/* The next line of profile->variants, as *lines is moved behind it; false at the end. */
struct variant_line {
	const char *name;
	size_t name_len;
	const char *function;
	size_t function_len;
};
bool variant_names_next(const char **lines, struct variant_line *line);

/* Appends all as lines. */
void variant_names_put(const struct variant_names *variants, struct buf *lines);

#endif
