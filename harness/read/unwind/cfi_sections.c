/*
 * The sections of an ELF file that have call frame information, and the entries that are made for
 * code without any: stubs of the procedure linkage table, and functions of Go.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "dwarf/cursor.h"
#include "elf/elf_image.h"
#include "elf/go_table.h"
#include "elf/plt.h"
#include "unwind/unwind_internal.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* .eh_frame_hdr up to its table: version, three encodings, an address. */
#define HDR_BYTES_MAX 16

/* Bytes of the whole file. */
static uint64_t
file_size(const struct elf_image *image)
{
	struct stat status;
	size_t size = 0;

	if (image->fd >= 0)
		return fstat(image->fd, &status) == 0 ? (uint64_t)status.st_size : 0;
	return elf_rawfile(image->elf, &size) ? size : 0;
}

/* Copies `len` bytes at `offset`; NULL where the file does not have them. free() the copy. */
static unsigned char *
copy_bytes(const struct elf_image *image, uint64_t offset, uint64_t len)
{
	uint64_t size = file_size(image);
	uint64_t done = 0;

	if (len == 0 || len > CFI_SECTION_MAX || offset > size || len > size - offset)
		return NULL;
	unsigned char *bytes = mem_zalloc((size_t)len, 1);

	if (image->fd < 0) {
		memcpy(bytes, elf_rawfile(image->elf, NULL) + offset, (size_t)len);
		return bytes;
	}
	while (done < len) {
		ssize_t got = pread(
			image->fd, bytes + done, (size_t)(len - done), (off_t)(offset + done));

		if (got <= 0) {
			free(bytes);
			return NULL;
		}
		done += (uint64_t)got;
	}
	return bytes;
}

static bool
take_bytes(struct cfi_section *section, unsigned char *bytes, uint64_t len)
{
	section->bytes = bytes;
	section->owned = bytes;
	section->len = bytes ? (size_t)len : 0;
	return bytes != NULL;
}

/* Where `address` is in the file, and how much of its segment is from there on. */
static bool
find_in_file(const struct elf_image *image, uint64_t address, uint64_t *offset, uint64_t *len)
{
	GElf_Phdr header;

	for (size_t i = 0; i < image->nheaders; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_LOAD ||
			address < header.p_vaddr || address - header.p_vaddr >= header.p_filesz)
			continue;
		*offset = address - header.p_vaddr + header.p_offset;
		*len = header.p_filesz - (address - header.p_vaddr);
		return true;
	}
	return false;
}

/* The address of .eh_frame, as .eh_frame_hdr has it (LSB Core 5.0, section 10.6.2). */
static bool
read_hdr(const struct elf_image *image, const GElf_Phdr *header, uint64_t *address)
{
	uint64_t len = header->p_filesz < HDR_BYTES_MAX ? header->p_filesz : HDR_BYTES_MAX;
	struct cfi_section hdr = {.address = header->p_vaddr};

	if (!take_bytes(&hdr, copy_bytes(image, header->p_offset, len), len))
		return false;
	struct cursor cursor = {hdr.bytes, hdr.bytes + hdr.len, false};
	bool known = cursor_fixed(&cursor, 1) == 1;
	uint8_t encoding = (uint8_t)cursor_fixed(&cursor, 1);

	/* How the table is written does not matter: entries are read one by one. */
	(void)cursor_fixed(&cursor, 2);
	known = known && cfi_address(&hdr, &cursor, encoding, address);
	cfi_unload(&hdr);
	return known;
}

static bool
load_by_program_header(const struct elf_image *image, struct cfi_section *section)
{
	GElf_Phdr header;
	uint64_t offset;
	uint64_t len;
	uint64_t size = file_size(image);

	for (size_t i = 0; i < image->nheaders; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_GNU_EH_FRAME)
			continue;
		if (!read_hdr(image, &header, &section->address) ||
			!find_in_file(image, section->address, &offset, &len) || offset >= size)
			return false;
		if (len > size - offset)
			len = size - offset;
		return take_bytes(section, copy_bytes(image, offset, len), len);
	}
	return false;
}

bool
cfi_load_eh_frame(const struct elf_image *image, struct cfi_section *section)
{
	GElf_Shdr header;

	*section = (struct cfi_section){.eh = true};
	if (elf_image_section(image, ".eh_frame", SHT_NULL, &header) &&
		header.sh_type != SHT_NOBITS && !(header.sh_flags & SHF_COMPRESSED)) {
		section->address = header.sh_addr;
		if (take_bytes(section, copy_bytes(image, header.sh_offset, header.sh_size),
			    header.sh_size))
			return true;
	}
	return load_by_program_header(image, section);
}

bool
cfi_load_debug_frame(struct elf_image *image, struct cfi_section *section)
{
	GElf_Shdr header;
	GElf_Chdr compressed;
	Elf_Scn *scn = elf_image_section(image, ".debug_frame", SHT_NULL, &header);

	*section = (struct cfi_section){.eh = false};
	if (!scn || header.sh_type == SHT_NOBITS)
		return false;
	if (!(header.sh_flags & SHF_COMPRESSED))
		return take_bytes(section, copy_bytes(image, header.sh_offset, header.sh_size),
			header.sh_size);
	if (!gelf_getchdr(scn, &compressed) || compressed.ch_size > CFI_SECTION_MAX ||
		!allowance_take(&image->unpacking, compressed.ch_size) ||
		elf_compress(scn, 0, 0) < 0)
		return false;
	Elf_Data *data = elf_rawdata(scn, NULL);

	if (!data || !data->d_buf || data->d_size == 0 || data->d_size > CFI_SECTION_MAX)
		return false;
	return take_bytes(
		section, (unsigned char *)mem_dup(data->d_buf, data->d_size), data->d_size);
}

void
cfi_unload(struct cfi_section *section)
{
	free(section->owned);
	section->owned = NULL;
	section->bytes = NULL;
	section->len = 0;
}

/*
 * Entries of .eh_frame that we make ourselves: one for all, cfi_put_cie(), then those of functions,
 * each ended by cfi_end_entry().
 */

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
cfi_end_entry(struct buf *out, size_t at)
{
	while ((out->len - at) % 8 != 4)
		buf_putc(out, DW_CFA_nop);
	uint32_t length = (uint32_t)(out->len - at - sizeof(length));

	memcpy(out->data + at, &length, sizeof(length));
}

/* At a function's first instruction: the return address is on top of the stack or in a register. */
static void
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
	cfi_end_entry(out, at);
}

/* Adds entries to the section: they refer to each other by distance, and can go anywhere. */
static void
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
		put_stubs(&out, machine, image, &header);
	}
	if (out.len > 0) {
		cfi_append(section, &out);
	}
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
	cfi_end_entry(out, at);
	allowance_take(left, out->len - at);
	return true;
}

/*
 * Appends entries for the functions of a Go program without .debug_frame, by its own table
 * (elf/go_table.h). False where it has none, or the machine is not x86-64: on others frame pointers
 * are tried.
 */
static bool
go_rows_add(const struct unwind_machine *machine, const struct elf_image *image,
	struct cfi_section *section)
{
	struct go_table table;
	struct go_function function;
	struct buf out = {0};
	bool any = false;

	if (machine->elf_machine != EM_X86_64 || !go_table_open(&table, image))
		return false;
	struct allowance left = allowance_of(ROWS_LEAST, table.len, ROWS_RATIO);

	cfi_put_cie(&out, machine);
	for (uint64_t i = 0; i < table.nfunctions && !allowance_is_used(&left) &&
			     section->len + out.len < CFI_SECTION_MAX / 2;
		i++)
		if (go_table_function(&table, i, &function) &&
			function.end - function.start <= UINT32_MAX)
			any |= put_go_function(&out, &table, &function, &left);
	if (any)
		cfi_append(section, &out);
	buf_release(&out);
	return any;
}

static bool
is_of_machine(const struct unwind_machine *machine, const struct elf_image *image)
{
	GElf_Ehdr header;
	unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	return gelf_getehdr(image->elf, &header) && header.e_machine == machine->elf_machine &&
	       header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == order;
}

bool
cfi_load(const struct unwind_machine *machine, struct elf_image *image, struct elf_image *debug,
	struct cfi_section *eh, struct cfi_section *own)
{
	if (!is_of_machine(machine, image))
		return false;
	bool found = cfi_load_eh_frame(image, eh);

	stubs_add(machine, image, eh);
	found |= eh->len > 0;
	found |= cfi_load_debug_frame(image, own) ||
		 (debug && debug->elf && is_of_machine(machine, debug) &&
			 cfi_load_debug_frame(debug, own)) ||
		 go_rows_add(machine, image, eh);
	return found;
}
