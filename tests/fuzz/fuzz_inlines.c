/*
 * Any bytes as debug information: for each section its length in four bytes and its contents, of
 * the file itself, then of the one that it shares parts with, then of its .dwo file or a package of
 * them.
 */
#include "dwarf/inlines.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FRAMES_MAX 8

/* Takes the sections off the input, each copied so that a read beyond its end is seen. */
static void
take_sections(struct debug_data *sections, const uint8_t **data, size_t *size)
{
	*sections = (struct debug_data){0};
	for (int i = 0; i < DEBUG_NSECTIONS; i++) {
		uint32_t len = 0;

		if (*size < sizeof(len))
			return;
		memcpy(&len, *data, sizeof(len));
		*data += sizeof(len);
		*size -= sizeof(len);
		if (len > *size)
			len = (uint32_t)*size;
		unsigned char *copy = malloc(len ? len : 1);

		if (!copy)
			abort();
		memcpy(copy, *data, len);
		sections->sections[i] = (struct debug_bytes){copy, len};
		*data += len;
		*size -= len;
	}
}

static void
free_sections(struct debug_data *sections)
{
	for (int i = 0; i < DEBUG_NSECTIONS; i++)
		free((void *)sections->sections[i].start);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct inline_frame frames[FRAMES_MAX];
	struct debug_data own;
	struct debug_data shared;
	struct debug_data split;
	const char *first;
	size_t text = 0;

	take_sections(&own, &data, &size);
	take_sections(&shared, &data, &size);
	take_sections(&split, &data, &size);
	debug_data_grant(&own);
	debug_data_grant(&shared);
	debug_data_grant(&split);
	if (shared.sections[DEBUG_INFO].len > 0)
		own.alt = &shared;

	struct inlines *inlines = inlines_new(&own, &split);

	for (uint64_t address = 0; address < 0x1000; address += 3) {
		size_t count = inlines_find(inlines, address, frames, FRAMES_MAX);

		if (count > FRAMES_MAX)
			abort();
		for (size_t i = 0; i < count; i++) {
			text += frames[i].name ? strlen(frames[i].name) : 0;
			text += frames[i].file ? strlen(frames[i].file) : 0;
		}
	}
	if (inlines_missing(inlines, &first) > 0)
		text += strlen(first);
	inlines_close(inlines);
	free_sections(&own);
	free_sections(&shared);
	free_sections(&split);
	return text == SIZE_MAX;
}
