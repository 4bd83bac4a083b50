#include "shim/frame_module.h"

#include "shim/system.h"

#include <link.h>
#include <string.h>

/* The first fields of a .eh_frame_hdr with a table that can be searched, as all linkers write it.
 */
struct table_head {
	uint8_t version;
	uint8_t frame_encoding; /* 0x1b: relative to itself, 4 bytes */
	uint8_t count_encoding; /* 0x03: 4 bytes */
	uint8_t table_encoding; /* 0x3b: relative to the table, 4 bytes */
	int32_t frame;
	uint32_t count;
};

struct table_row {
	int32_t start; /* of a function, and its entry: from the table's head on */
	int32_t entry;
};

struct search {
	uintptr_t pc;
	struct frame_module *module;
	bool found;
};

static void
take_segment(struct search *search, const struct dl_phdr_info *info, const ElfW(Phdr) * segment)
{
	uintptr_t start = info->dlpi_addr + segment->p_vaddr;
	struct frame_module *module = search->module;

	if (segment->p_type == PT_GNU_EH_FRAME) {
		module->table = system_memory(start);
		module->table_bytes = segment->p_memsz;
	} else if (segment->p_type == PT_LOAD && search->pc >= start &&
		   search->pc < start + segment->p_memsz) {
		module->start = start;
		module->end = start + segment->p_memsz;
		search->found = true;
	}
}

static int
look_into(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;

	(void)size;
	*search->module = (struct frame_module){0};
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		take_segment(search, info, &info->dlpi_phdr[i]);
	return search->found;
}

bool
frame_module_find(uintptr_t pc, struct frame_module *module)
{
	struct search search = {pc, module, false};

	/* The loader's lock is held only while its list is read, never while constructors run. */
	dl_iterate_phdr(look_into, &search);
	return search.found;
}

static int
take_unloaded(struct dl_phdr_info *info, size_t size, void *context)
{
	uint64_t *unloaded = context;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs))
		*unloaded = info->dlpi_subs;
	return 1;
}

uint64_t
frame_modules_unloaded(void)
{
	uint64_t unloaded = 0;

	dl_iterate_phdr(take_unloaded, &unloaded);
	return unloaded;
}

const unsigned char *
frame_entry_find(const struct frame_module *module, uintptr_t pc)
{
	const unsigned char *base = module->table;
	struct table_head head;

	if (!base || module->table_bytes < sizeof(head))
		return NULL;
	memcpy(&head, base, sizeof(head));
	if (head.version != 1 || head.count_encoding != 0x03 || head.table_encoding != 0x3b ||
		head.count > (module->table_bytes - sizeof(head)) / sizeof(struct table_row))
		return NULL;
	const struct table_row *rows = (const struct table_row *)(base + sizeof(head));
	intptr_t wanted = (intptr_t)(pc - (uintptr_t)base);
	size_t low = 0;
	size_t high = head.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle].start <= wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? base + rows[low - 1].entry : NULL;
}
