/*
 * Makes entries of .eh_frame for code that has none, and adds them to the section: stubs of the
 * procedure linkage table, and functions of Go. They are a CIE for all, put_cie(), and an entry for
 * each function, which end_entry() completes.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "elf/elf_image.h"
#include "elf/go_table.h"
#include "elf/plt.h"
#include "unwind/unwind_internal.h"

#include <dwarf.h>
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
stub_kind_of(const struct elf_image *image, const GElf_Shdr *header)
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

/* Pads the entry that starts at `at` and writes its length (DWARF 5, section 7.24). */
static void
end_entry(struct buf *out, size_t at)
{
	while ((out->len - at) % 8 != 4)
		buf_putc(out, DW_CFA_nop);
	uint32_t length = (uint32_t)(out->len - at - sizeof(length));

	memcpy(out->data + at, &length, sizeof(length));
}

/* At a function's first instruction: the return address is on top of the stack or in a register. */
static void
put_cie(struct buf *out, const struct unwind_machine *machine)
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
	end_entry(out, at);
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
put_stubs(struct buf *out, const struct unwind_machine *machine, const struct elf_image *image,
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
		enum stub_kind kind = stub_kind_of(image, header);

		if (kind != STUB_PLAIN)
			put_lazy_rows(out, kind == STUB_LAZY_MARK ? 9 : 11);
	}
	end_entry(out, at);
}

/* Adds entries to the section: they refer to each other by distance, and can go anywhere. */
static void
append_entries(struct cfi_section *section, const struct buf *entries)
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
			put_cie(&out, machine);
		put_stubs(&out, machine, image, &header);
	}
	if (out.len > 0)
		append_entries(section, &out);
	buf_release(&out);
}

/* Rows of Go's functions, by the table that its own unwinder uses. */

/* Bytes that a table may become: real ones become some twice their size. */
#define ROWS_LEAST ((uint64_t)1 << 20)
#define ROWS_RATIO 16
/* No frame is larger: they are copied when the stack grows. */
#define FRAME_BYTES_MAX ((int64_t)1 << 30)

/* Whether nothing called it: the first function of a goroutine, or of a thread. */
static bool
is_outermost(const char *name)
{
	static const char *const names[] = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void
put_advance(struct buf *out, uint64_t bytes)
{
	if (bytes < 64) {
		buf_putc(out, (char)(DW_CFA_advance_loc | (int)bytes));
	} else if (bytes > 0) {
		buf_putc(out, DW_CFA_advance_loc4);
		buf_put_u32(out, (uint32_t)bytes);
	}
}

static void
put_uleb(struct buf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		buf_putc(out, (char)(value | 0x80));
	buf_putc(out, (char)value);
}

/*
 * The entry of a function; false, and nothing, where its part of the table is damaged. Its bytes
 * are taken from `left` in either case.
 */
static bool
put_go_function(struct buf *out, const struct go_table *table, const struct go_function *function,
	struct allowance *left)
{
	const size_t at = out->len;
	struct go_stack stack = go_stack_of(function);
	uint64_t pc = function->start;
	uint64_t told = function->start;

	buf_put_u32(out, 0);
	buf_put_u32(out, (uint32_t)out->len);
	buf_put_u64(out, function->start);
	buf_put_u64(out, function->end - function->start);
	if (is_outermost(function->name)) {
		buf_putc(out, DW_CFA_undefined);
		put_uleb(out, RIP);
	}
	for (; pc < function->end && go_stack_next(table, &stack); pc = stack.until) {
		if (stack.bytes < 0 || stack.bytes > FRAME_BYTES_MAX ||
			out->len - at > left->left) {
			allowance_take(left, out->len - at);
			out->len = at;
			return false;
		}
		put_advance(out, pc - told);
		told = pc;
		buf_putc(out, DW_CFA_def_cfa_offset);
		put_uleb(out, (uint64_t)stack.bytes + 8);
	}
	end_entry(out, at);
	allowance_take(left, out->len - at);
	return true;
}

bool
go_functions_add(const struct unwind_machine *machine, const struct elf_image *image,
	struct cfi_section *section)
{
	struct go_table table;
	struct go_function function;
	struct buf out = {0};
	bool any = false;

	if (machine->elf_machine != EM_X86_64 || !go_table_open(&table, image))
		return false;
	struct allowance left = allowance_of(ROWS_LEAST, table.len, ROWS_RATIO);

	put_cie(&out, machine);
	for (uint64_t i = 0; i < table.nfunctions && !allowance_is_used(&left) &&
			     section->len + out.len < CFI_SECTION_MAX / 2;
		i++)
		if (go_table_function(&table, i, &function) &&
			function.end - function.start <= UINT32_MAX)
			any |= put_go_function(&out, &table, &function, &left);
	if (any)
		append_entries(section, &out);
	buf_release(&out);
	return any;
}
