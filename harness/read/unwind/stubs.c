#include "unwind/cfi.h"

#include "base/buf.h"
#include "base/mem.h"
#include "elf/plt.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* DWARF numbers of AMD64 and AArch64. */
#define RSP 7
#define RIP 16
#define SP 31
#define LR 30
/* For a stub that finds its function on its first call. */
#define LAZY_STUB_BYTES 16

/* How the stubs of a section of an x86-64 file touch the stack. */
enum stub_kind {
	STUB_PLAIN, /* a jump: the return address is on top */
	STUB_LAZY,  /* a number is pushed behind the jump, byte 11 of 16; the first stub pushes more
		     */
	STUB_LAZY_MARK, /* the same with a mark for indirect branches ahead: byte 9 */
};

static enum stub_kind
kind_of(const struct elf_image *image, const GElf_Shdr *header)
{
	static const unsigned char push[] = {0xff, 0x35};             /* push GOT+8(%rip) */
	static const unsigned char mark[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */
	unsigned char code[LAZY_STUB_BYTES + sizeof(mark)] = {0};

	if (header->sh_size < sizeof(code) || image->fd < 0 ||
		pread(image->fd, code, sizeof(code), (off_t)header->sh_offset) !=
			(ssize_t)sizeof(code) ||
		memcmp(code, push, sizeof(push)) != 0)
		return STUB_PLAIN;
	return memcmp(code + LAZY_STUB_BYTES, mark, sizeof(mark)) == 0 ? STUB_LAZY_MARK : STUB_LAZY;
}

void
cfi_end_entry(struct buf *out, size_t at)
{
	while ((out->len - at) % 8 != 4)
		buf_putc(out, DW_CFA_nop);
	uint32_t length = (uint32_t)(out->len - at - sizeof(length));

	memcpy(out->data + at, &length, sizeof(length));
}

void
cfi_put_cie(struct buf *out, const struct unwind_machine *machine)
{
	static const unsigned char on_stack[] = {
		RIP,
		DW_CFA_def_cfa,
		RSP,
		8,
		DW_CFA_offset | RIP,
		1,
	};
	static const unsigned char in_register[] = {
		LR,
		DW_CFA_def_cfa,
		SP,
		0,
	};
	/* Version 1, no augmentation, factors 1 and -8; the return address follows. */
	static const unsigned char start[] = {1, 0, 1, 0x78};
	size_t at = out->len;

	buf_put_u32(out, 0);
	buf_put_u32(out, 0);
	buf_put(out, start, sizeof(start));
	if (machine->has_link_register)
		buf_put(out, in_register, sizeof(in_register));
	else
		buf_put(out, on_stack, sizeof(on_stack));
	cfi_end_entry(out, at);
}

/* The stubs of a lazy section: the first is entered with two words, and pushes a third. */
static void
put_lazy_rows(struct buf *out, unsigned char pushed_at)
{
	const unsigned char rows[] = {
		DW_CFA_def_cfa_offset,
		16,
		DW_CFA_advance_loc | 6,
		DW_CFA_def_cfa_offset,
		24,
		DW_CFA_advance_loc | 10,
		/* rsp + 8 + ((rip & 15) >= pushed_at) * 8 */
		DW_CFA_def_cfa_expression,
		11,
		DW_OP_breg7,
		8,
		DW_OP_breg16,
		0,
		DW_OP_lit15,
		DW_OP_and,
		(unsigned char)(DW_OP_lit0 + pushed_at),
		DW_OP_ge,
		DW_OP_lit3,
		DW_OP_shl,
		DW_OP_plus,
	};

	buf_put(out, rows, sizeof(rows));
}

/* The first stub of AArch64 pushes the link register, and a register beside it. */
static void
put_first_rows(struct buf *out, const struct plt_shape *shape)
{
	const unsigned char rows[] = {
		DW_CFA_advance_loc | (unsigned char)shape->push_bytes,
		DW_CFA_def_cfa_offset,
		16,
		DW_CFA_offset | LR,
		1,
		DW_CFA_advance_loc | (unsigned char)(shape->first_bytes - shape->push_bytes),
		DW_CFA_def_cfa_offset,
		0,
		DW_CFA_restore | LR,
	};

	buf_put(out, rows, sizeof(rows));
}

static void
put_fde(struct buf *out, const struct unwind_machine *machine, const struct elf_image *image,
	const GElf_Shdr *header)
{
	size_t at = out->len;

	buf_put_u32(out, 0);
	buf_put_u32(out, (uint32_t)out->len);
	buf_put_u64(out, header->sh_addr);
	buf_put_u64(out, header->sh_size);
	if (machine->has_link_register) {
		struct plt_shape shape = plt_shape_of(image, header);

		if (shape.push_bytes > 0)
			put_first_rows(out, &shape);
	} else {
		enum stub_kind kind = kind_of(image, header);

		if (kind != STUB_PLAIN)
			put_lazy_rows(out, kind == STUB_LAZY_MARK ? 9 : 11);
	}
	cfi_end_entry(out, at);
}

void
cfi_append(struct cfi_section *section, const struct buf *entries)
{
	size_t at = section->len;

	/* An entry without a length ends the section: others go in its place. */
	if (at >= 4 && memcmp(section->bytes + at - 4, "\0\0\0\0", 4) == 0)
		at -= 4;
	section->owned = mem_resize(section->owned, at + entries->len + 4);
	memcpy((char *)section->owned + at, entries->data, entries->len);
	memset((char *)section->owned + at + entries->len, 0, 4);
	section->eh = true;
	section->bytes = section->owned;
	section->len = at + entries->len + 4;
}

void
stubs_add(const struct unwind_machine *machine, const struct elf_image *image,
	struct cfi_section *section)
{
	static const char *const names[] = {".plt", ".plt.got", ".plt.sec", ".iplt"};
	struct buf out = {0};

	if (section->len + 1024 > CFI_SECTION_MAX)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		GElf_Shdr header;

		if (!elf_image_section(image, names[i], SHT_NULL, &header) ||
			!(header.sh_flags & SHF_EXECINSTR) || header.sh_type == SHT_NOBITS ||
			header.sh_size == 0)
			continue;
		if (out.len == 0)
			cfi_put_cie(&out, machine);
		put_fde(&out, machine, image, &header);
	}
	if (out.len > 0) {
		cfi_append(section, &out);
	}
	buf_release(&out);
}
