/*
 * Any bytes as a program file: its symbols, the stubs, the small table within it, its packed
 * sections, and, for a file as a whole, whatever packed it.
 */
#include "elf/elf_image.h"
#include "elf/elf_packed.h"
#include "elf/elf_symbols.h"
#include "elf/plt.h"

#include "base/file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Looks up every address that a symbol says it is at, and reads every name. */
static void
walk(struct symtab *tab)
{
	size_t bytes = 0;

	symtab_finish(tab, false);
	for (size_t i = 0; i < tab->count; i++) {
		struct symtab_entry *entry = symtab_find(tab, tab->entries[i].start);

		if (!entry)
			abort();
		/* Names are demangled one by one: few of them are ever asked for. */
		bytes += strlen(i < 64 ? symtab_name(tab, entry) : entry->name);
	}
	if (bytes == SIZE_MAX)
		abort();
}

static void
read_image(struct elf_image *image)
{
	unsigned char code[16];
	struct elf_image mini;
	struct symtab tab;
	struct buf texts = {0};
	uint64_t offset;

	elf_put_dynamic(image, DT_NEEDED, &texts);
	elf_put_dynamic(image, DT_RUNPATH, &texts);
	buf_release(&texts);
	free(elf_interpreter(image));
	tab = (struct symtab){0};
	elf_image_symbols(image, image, SHT_SYMTAB, &tab);
	elf_image_symbols(image, image, SHT_DYNSYM, &tab);
	walk(&tab);
	elf_image_labels(image, image, &tab);
	plt_symbols(image, &tab);
	symtab_index(&tab);
	symtab_release(&tab);
	for (uint64_t at = 0; at < 8192; at += 64)
		if (elf_image_code(image, at, code, sizeof(code)) > sizeof(code))
			abort();
	if (elf_packed_open_mini(&mini, image)) {
		tab = (struct symtab){0};
		elf_image_symbols(&mini, image, SHT_SYMTAB, &tab);
		walk(&tab);
		symtab_release(&tab);
		elf_image_close(&mini);
	}
	if (elf_image_place(image, 4096, 4096))
		elf_image_offset(image, 4096, &offset);
	elf_packed_expand(image);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_image image;
	struct err ignored = {0};
	char path[64];
	char *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	if (size > 0)
		memcpy(copy, data, size);
	if (elf_image_open_memory(&image, copy, size)) {
		read_image(&image);
		elf_image_close(&image);
	}
	free(copy);

	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (file_put(fd, data, size, path, &ignored) == 0 && elf_packed_open(&image, path)) {
		read_image(&image);
		elf_image_close(&image);
	}
	close(fd);
	return 0;
}
