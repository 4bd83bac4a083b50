/*
 * Recognises the template of CPython's trampolines, whose copies in memory have no rows.
 */
#include "elf/elf_symbols.h"
#include "unwind/unwind_internal.h"

#include <string.h>

#define TEMPLATE "_Py_trampoline_func_start"
#define TEMPLATE_BYTES_MAX 16

uint32_t
trampoline_frame_bytes(const unsigned char *code, size_t len)
{
	static const unsigned char mark[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	static const unsigned char sub[] = {0x48, 0x83, 0xec};        /* sub $N, %rsp */
	size_t at = len > sizeof(mark) && memcmp(code, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;

	/* Behind it a call by register: 0xff with 2 in the middle bits of the next byte. */
	if (len - at < sizeof(sub) + 3 || memcmp(code + at, sub, sizeof(sub)) != 0)
		return 0;
	const unsigned char *rest = code + at + sizeof(sub);

	return rest[0] <= INT8_MAX && rest[0] % 16 == 8 && rest[1] == 0xff && rest[2] >> 3 == 032
		       ? rest[0]
		       : 0;
}

uint32_t
trampoline_find(const struct unwind_machine *machine, const struct elf_image *image)
{
	struct elf_symbols symbols;
	GElf_Sym sym;
	uint64_t offset;
	unsigned char code[TEMPLATE_BYTES_MAX];

	/* With a link register the template stores it in a frame record. */
	if (machine->has_link_register)
		return 0;
	elf_symbols_begin(&symbols, image, SHT_DYNSYM);
	while (elf_symbols_next(&symbols, &sym)) {
		const char *name =
			sym.st_shndx != SHN_UNDEF ? elf_symbols_name(&symbols, &sym) : NULL;

		if (name && strcmp(name, TEMPLATE) == 0)
			return elf_image_offset(image, sym.st_value, &offset)
				       ? trampoline_frame_bytes(
						 code, elf_image_code(image, offset + sizeof(code),
							       code, sizeof(code)))
				       : 0;
	}
	return 0;
}
