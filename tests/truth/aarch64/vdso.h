/* Finds a function of the vDSO, as a C library would (vdso(7)). */
#ifndef VDSO_H
#define VDSO_H

#include <elf.h>
#include <stdint.h>

#define AT_SYSINFO_EHDR_TAG 33

static inline int
same_text(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* `stack` is the stack pointer that the process began with: arguments, environment, vector. */
static inline const char *
vdso_image(const uint64_t *stack)
{
	stack += 1 + stack[0] + 1;
	while (*stack)
		stack++;
	for (stack++; stack[0]; stack += 2) {
		const char *image;

		/* The vector holds the address as a number. */
		__builtin_memcpy(&image, &stack[1], sizeof(image));
		if (stack[0] == AT_SYSINFO_EHDR_TAG)
			return image;
	}
	return 0;
}

static inline void *
vdso_find(const char *image, const char *name)
{
	const Elf64_Ehdr *header = (const void *)image;
	const Elf64_Phdr *part = (const void *)(image + header->e_phoff);
	const Elf64_Dyn *dynamic = 0;
	const Elf64_Sym *symbols = 0;
	const char *names = 0;
	const uint32_t *hash = 0;

	for (int i = 0; i < header->e_phnum; i++)
		if (part[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(image + part[i].p_offset);
	for (; dynamic && dynamic->d_tag; dynamic++) {
		const char *at = image + dynamic->d_un.d_ptr;

		if (dynamic->d_tag == DT_SYMTAB)
			symbols = (const void *)at;
		else if (dynamic->d_tag == DT_STRTAB)
			names = at;
		else if (dynamic->d_tag == DT_HASH)
			hash = (const void *)at;
	}
	for (uint32_t i = 0; symbols && names && hash && i < hash[1]; i++)
		if (same_text(names + symbols[i].st_name, name))
			return (void *)(image + symbols[i].st_value);
	return 0;
}

#endif
