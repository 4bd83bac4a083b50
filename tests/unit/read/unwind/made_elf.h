/*
 * ELF files made by hand, without the code they speak of: call frame information around programs of
 * the test's choice.
 */
#ifndef UNIT_UNWIND_MADE_ELF_H
#define UNIT_UNWIND_MADE_ELF_H

#include "base/buf.h"

#include <dwarf.h>
#include <elf.h>
#include <stdbool.h>
#include <string.h>

#define MADE_ELF_TEXT UINT64_C(0x100000)
#define MADE_ELF_TEXT_BYTES UINT64_C(0x80000)
/* Where the code would be in the file; it is never read, so it is not there. */
#define MADE_ELF_TEXT_OFFSET UINT64_C(0x10000000)
#define MADE_ELF_DATA UINT64_C(0x800000)

struct made_elf {
	struct buf bytes;   /* the file, once finished */
	struct buf section; /* .eh_frame or .debug_frame */
	bool debug_frame;
	bool signal; /* of functions whose CIE is still to come */
	size_t cie_at;
	unsigned return_column;
	const unsigned char *initial; /* NULL: as x86-64 has it */
	size_t initial_len;
	size_t sections_at; /* in the file */
};

static inline void
made_elf_init(struct made_elf *made)
{
	*made = (struct made_elf){.return_column = 16, .cie_at = SIZE_MAX};
	made->bytes = (struct buf){0};
	made->section = (struct buf){0};
}

static inline void
made_elf_release(struct made_elf *made)
{
	buf_release(&made->bytes);
	buf_release(&made->section);
}

/* Fills in the length of the entry at `at`, padded to 8 bytes. */
static inline void
made_elf_end_entry(struct made_elf *made, size_t at)
{
	while (made->section.len % 8 != 4)
		buf_putc(&made->section, DW_CFA_nop);
	uint32_t len = (uint32_t)(made->section.len - at - 4);

	memcpy(made->section.data + at, &len, sizeof(len));
}

/* Absolute addresses, code by 1, data by -8; those that follow belong to it. */
static inline void
made_elf_cie(struct made_elf *made)
{
	static const unsigned char x86_64[] = {DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1};
	struct buf *section = &made->section;
	size_t at = section->len;

	made->cie_at = at;
	buf_put_u32(section, 0);
	buf_put_u32(section, made->debug_frame ? UINT32_MAX : 0);
	buf_putc(section, 1);
	if (!made->debug_frame)
		buf_puts(section, made->signal ? "zRS" : "zR");
	buf_putc(section, '\0');
	buf_putc(section, 1);
	buf_putc(section, 0x78);
	buf_putc(section, (char)made->return_column);
	if (!made->debug_frame) {
		buf_putc(section, 1);
		buf_putc(section, DW_EH_PE_absptr);
	}
	if (made->initial)
		buf_put(section, made->initial, made->initial_len);
	else
		buf_put(section, x86_64, sizeof(x86_64));
	made_elf_end_entry(made, at);
}

static inline void
made_elf_function(struct made_elf *made, uint64_t start, uint64_t size,
	const unsigned char *program, size_t len)
{
	struct buf *section = &made->section;

	if (made->cie_at == SIZE_MAX)
		made_elf_cie(made);
	size_t at = section->len;

	buf_put_u32(section, 0);
	buf_put_u32(section, (uint32_t)(made->debug_frame ? made->cie_at : at + 4 - made->cie_at));
	buf_put_u64(section, start);
	buf_put_u64(section, size);
	if (!made->debug_frame)
		buf_putc(section, 0);
	buf_put(section, program, len);
	made_elf_end_entry(made, at);
}

static inline void
made_elf_put_section(struct buf *out, Elf64_Shdr header)
{
	buf_put(out, &header, sizeof(header));
}

/* The sections' offsets are their addresses: code, then data with the section and its header. */
static inline void
made_elf_finish(struct made_elf *made, int machine)
{
	static const char names[] = "\0.shstrtab\0.eh_frame\0.debug_frame";
	struct buf *out = &made->bytes;
	uint64_t data_at = 0x200;
	uint64_t hdr_at = (data_at + made->section.len + 16) & ~UINT64_C(7);
	uint64_t names_at = hdr_at + 16;

	made->sections_at = names_at + 64;
	Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				     ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = (Elf64_Half)machine,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_shoff = made->sections_at,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 1};
	Elf64_Phdr text = {.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = MADE_ELF_TEXT_OFFSET,
		.p_vaddr = MADE_ELF_TEXT,
		.p_filesz = MADE_ELF_TEXT_BYTES,
		.p_memsz = MADE_ELF_TEXT_BYTES};
	Elf64_Phdr data = {.p_type = PT_LOAD,
		.p_flags = PF_R,
		.p_offset = data_at,
		.p_vaddr = MADE_ELF_DATA,
		.p_filesz = names_at - data_at,
		.p_memsz = names_at - data_at};
	Elf64_Phdr hdr = {.p_type = PT_GNU_EH_FRAME,
		.p_flags = PF_R,
		.p_offset = hdr_at,
		.p_vaddr = MADE_ELF_DATA + (hdr_at - data_at),
		.p_filesz = 12,
		.p_memsz = 12};
	static const unsigned char hdr_bytes[] = {1, DW_EH_PE_udata8, DW_EH_PE_omit, DW_EH_PE_omit};

	buf_put(out, &header, sizeof(header));
	buf_put(out, &text, sizeof(text));
	buf_put(out, &data, sizeof(data));
	buf_put(out, &hdr, sizeof(hdr));
	buf_put_zeros(out, data_at - out->len);
	buf_put(out, made->section.data, made->section.len);
	buf_put_zeros(out, hdr_at - out->len);
	buf_put(out, hdr_bytes, sizeof(hdr_bytes));
	buf_put_u64(out, MADE_ELF_DATA);
	buf_put_zeros(out, names_at - out->len);
	buf_put(out, names, sizeof(names));
	buf_put_zeros(out, made->sections_at - out->len);
	made_elf_put_section(out, (Elf64_Shdr){0});
	made_elf_put_section(out, (Elf64_Shdr){.sh_name = 1,
					  .sh_type = SHT_STRTAB,
					  .sh_offset = names_at,
					  .sh_size = sizeof(names)});
	made_elf_put_section(out, (Elf64_Shdr){.sh_name = made->debug_frame ? 21 : 11,
					  .sh_type = SHT_PROGBITS,
					  .sh_addr = MADE_ELF_DATA,
					  .sh_offset = data_at,
					  .sh_size = made->section.len});
}

/* Bytes of the file ahead of its section headers. */
static inline size_t
made_elf_before_sections(const struct made_elf *made)
{
	return made->sections_at;
}

#endif
