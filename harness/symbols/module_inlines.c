#include "symbols/module_inlines.h"

#include "base/file.h"
#include "base/mem.h"
#include "symbols/module.h"

#include <stdlib.h>

/* Where a part of the file is in memory: debug files do not say it of the file they belong to. */
struct segment {
	uint64_t offset;
	uint64_t bytes;
	uint64_t address;
};

struct module_inlines {
	struct inlines *inlines; /* NULL: nothing to be had */
	struct segment *segments;
	size_t nsegments;
	bool noted;
};

static void
read_segments(struct module_inlines *inlines, const struct elf_image *image)
{
	GElf_Phdr header;

	inlines->segments = mem_zalloc(image->nheaders + 1, sizeof(*inlines->segments));
	for (size_t i = 0; i < image->nheaders; i++)
		if (gelf_getphdr(image->elf, (int)i, &header) && header.p_type == PT_LOAD)
			inlines->segments[inlines->nsegments++] =
				(struct segment){header.p_offset, header.p_filesz, header.p_vaddr};
}

static struct module_inlines *
open_inlines(struct module *module)
{
	struct module_inlines *inlines = mem_zalloc(1, sizeof(*inlines));
	struct elf_image image;
	struct elf_image debug;

	if (!module_open(module, &image, &debug))
		return inlines;
	read_segments(inlines, &image);
	if (debug.elf) {
		inlines->inlines = inlines_open(&debug, module->code, module->root);
		elf_image_close(&image);
	} else {
		inlines->inlines = inlines_open(&image, module->code, module->root);
	}
	return inlines;
}

size_t
module_inlines_find(struct module *module, uint64_t offset, struct inline_frame *frames, size_t max)
{
	if (!module->inlines)
		module->inlines = open_inlines(module);
	for (size_t i = 0; module->inlines->inlines && i < module->inlines->nsegments; i++) {
		const struct segment *segment = &module->inlines->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->bytes)
			return inlines_find(module->inlines->inlines,
				offset - segment->offset + segment->address, frames, max);
	}
	return 0;
}

char *
module_inlines_note(struct module *module)
{
	struct module_inlines *inlines = module->inlines;
	const char *first = NULL;
	size_t count = 0;

	if (inlines && inlines->inlines && !inlines->noted)
		count = inlines_missing(inlines->inlines, &first);
	if (count == 0)
		return NULL;
	inlines->noted = true;
	const char *name = file_basename(module->path);

	if (count == 1)
		return mem_printf(
			"%s: a unit's .dwo file is missing or of another build: %s", name, first);
	return mem_printf("%s: %zu units' .dwo files are missing or of another build, first: %s",
		name, count, first);
}

void
module_inlines_close(struct module_inlines *inlines)
{
	if (!inlines)
		return;
	inlines_close(inlines->inlines);
	free(inlines->segments);
	free(inlines);
}
