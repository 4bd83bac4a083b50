#include "elf/vdso.h"

#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

/* Bytes of the image: the kernel puts the section headers at its very end. */
static size_t
image_bytes(const char *image)
{
	Elf64_Ehdr header;

	memcpy(&header, image, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	return (size_t)header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
}

bool
vdso_open(struct elf_image *image)
{
	/* The auxiliary vector holds the address as a number. */
	uintptr_t address = getauxval(AT_SYSINFO_EHDR);
	char *bytes;

	memcpy(&bytes, &address, sizeof(bytes));
	size_t len = bytes ? image_bytes(bytes) : 0;

	return len > 0 && elf_image_open_memory(image, bytes, len);
}

void
vdso_symbols(struct symtab *tab)
{
	struct elf_image image;

	if (vdso_open(&image)) {
		if (elf_image_symbols(&image, &image, SHT_SYMTAB, tab) == 0)
			elf_image_symbols(&image, &image, SHT_DYNSYM, tab);
		elf_image_close(&image);
	}
	symtab_settle(tab, false);
}
