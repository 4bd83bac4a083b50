#include "symbols/module.h"

#include "base/file.h"
#include "base/mem.h"
#include "dwarf/inlines.h"
#include "elf/call_site.h"
#include "elf/debug_file.h"
#include "elf/elf_image.h"
#include "elf/elf_packed.h"

bool
module_open_debug(
	const struct module *module, const struct elf_image *image, struct elf_image *debug)
{
	return debug_file_open(debug, image, module->root, module->path) ||
	       (module->debug && elf_image_open(debug, module->debug));
}

/* Opens the file that the names were read from, unless it changed since. */
static bool
open_code(const struct module *module, struct elf_image *image)
{
	if (!module->code || !elf_image_open(image, module->code))
		return false;
	if (elf_image_is_same_file(&module->code_seen, &image->seen))
		return true;
	elf_image_close(image);
	return false;
}

bool
module_open(const struct module *module, struct elf_image *image, struct elf_image *debug)
{
	if (!open_code(module, image))
		return false;
	if (!module_open_debug(module, image, debug))
		*debug = (struct elf_image){.fd = -1};
	/* Expand the one that has the debug information. */
	elf_packed_expand(debug->elf ? debug : image);
	return true;
}

/* The file is opened anew each time: few addresses are the start of a function. */
bool
module_call_ends_at(const struct module *module, uint64_t offset)
{
	unsigned char code[CALL_SITE_BYTES];
	struct elf_image image;
	GElf_Ehdr header;
	bool result = false;

	if (!open_code(module, &image))
		return false;
	if (gelf_getehdr(image.elf, &header)) {
		size_t len = elf_image_code(&image, offset, code, sizeof(code));

		result = call_site_ends(header.e_machine, code, len);
	}
	elf_image_close(&image);
	return result;
}

static void
open_inlines(struct module *module)
{
	struct elf_image image;
	struct elf_image debug;

	module->inlines_tried = true;
	if (!module_open(module, &image, &debug))
		return;
	module->places.loaded = image.loaded;
	module->places.nloaded = image.nloaded;
	image.loaded = NULL;
	image.nloaded = 0;
	if (debug.elf) {
		elf_image_close(&image);
		image = debug;
	}
	module->inlines = inlines_open(&image, module->code, module->root);
}

size_t
module_inlined(struct module *module, uint64_t offset, struct inline_frame *frames, size_t max)
{
	uint64_t address;

	if (!module->inlines_tried)
		open_inlines(module);
	if (!module->inlines || !elf_image_address(&module->places, offset, &address))
		return 0;
	return inlines_find(module->inlines, address, frames, max);
}

char *
module_take_note(struct module *module)
{
	const char *first = NULL;
	size_t count = 0;

	if (module->inlines && !module->inlines_noted)
		count = inlines_missing(module->inlines, &first);
	if (count == 0)
		return NULL;
	module->inlines_noted = true;
	const char *name = file_basename(module->path);

	if (count == 1)
		return mem_printf(
			"%s: a unit's .dwo file is missing or of another build: %s", name, first);
	return mem_printf("%s: %zu units' .dwo files are missing or of another build, first: %s",
		name, count, first);
}

void
module_release(struct module *module)
{
	symtab_release(&module->tab);
	inlines_close(module->inlines);
	elf_image_close(&module->places);
}
