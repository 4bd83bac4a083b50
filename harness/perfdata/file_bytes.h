/*
 * Bytes of a file that is being read, unaligned; every read is checked. Internal to the reader.
 */
#ifndef PERFDATA_FILE_BYTES_H
#define PERFDATA_FILE_BYTES_H

#include "perfdata/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct file_bytes {
	const char *at; /* borrowed from the file */
	size_t left;
};

/* Copies the next `count` bytes, or passes over them if `to` is NULL. */
static inline bool
file_bytes_take(struct file_bytes *bytes, void *to, size_t count)
{
	if (count > bytes->left)
		return false;
	if (to && count > 0)
		memcpy(to, bytes->at, count);
	bytes->at += count;
	bytes->left -= count;
	return true;
}

/* The rest as a terminated string; NULL if it is not terminated. */
static inline const char *
file_bytes_text(const struct file_bytes *bytes)
{
	return bytes->left > 0 && memchr(bytes->at, '\0', bytes->left) ? bytes->at : NULL;
}

/* Whether the section lies within `len` bytes. */
static inline bool
file_section_fits(struct file_section section, size_t len)
{
	return section.offset <= len && section.size <= len - section.offset;
}

#endif
