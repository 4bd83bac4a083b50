#include "unwind/unwind_internal.h"

#include "base/buf.h"
#include "base/file.h"
#include "unit.h"
#include "unwind/made_elf.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void suite_unwind_cfi_rows(void);

#define ADDRESS UINT64_C(0x10000)

static struct buf section;

/* Begins an entry: a length of 4 or 12 bytes that end_entry() fills in. */
static size_t
begin_entry(bool wide)
{
	size_t at = section.len;

	if (wide) {
		buf_put_u32(&section, UINT32_MAX);
		buf_put_u64(&section, 0);
	} else {
		buf_put_u32(&section, 0);
	}
	return at;
}

static void
end_entry(size_t at, bool wide)
{
	uint64_t len = section.len - at - (wide ? 12 : 4);

	if (wide)
		memcpy(section.data + at + 4, &len, 8);
	else
		memcpy(section.data + at, &len, 4);
}

static void
put_cie(const char *letters, const unsigned char *data, size_t len)
{
	size_t at = begin_entry(false);

	buf_put_u32(&section, 0);
	buf_putc(&section, 1);
	buf_put(&section, letters, strlen(letters) + 1);
	if (strcmp(letters, "eh") == 0)
		buf_put_u64(&section, 0x1234);
	buf_put(&section, "\x04\x78\x10", 3);
	if (*letters == 'z') {
		buf_putc(&section, (char)len);
		buf_put(&section, data, len);
	}
	buf_puts(&section, "\x0c\x07\x08");
	end_entry(at, false);
}

/* A function of the CIE at position 0. */
static void
put_fde(const void *addresses, size_t len, bool sized)
{
	size_t at = begin_entry(false);

	buf_put_u32(&section, (uint32_t)(at + 4));
	buf_put(&section, addresses, len);
	if (sized) {
		/* Data of its own: an LSDA. */
		buf_putc(&section, 4);
		buf_put_u32(&section, 0xeeeeeeee);
	}
	buf_putc(&section, DW_CFA_nop);
	end_entry(at, false);
}

static bool
read_first(struct cfi_fde *fde, const struct cfi_cie **cie, bool eh)
{
	static struct cfi_reader reader;
	static struct cfi_section its;

	its = (struct cfi_section){.bytes = (const unsigned char *)section.data,
		.len = section.len,
		.address = ADDRESS,
		.eh = eh};
	reader = (struct cfi_reader){.section = &its};
	if (!cfi_next(&reader, fde, cie))
		return false;
	return cfi_read(&reader, fde->at, fde, cie);
}

static void
check_encoding(uint8_t encoding, const void *addresses, size_t len, bool known, uint64_t start)
{
	struct cfi_fde fde;
	const struct cfi_cie *cie;

	section = (struct buf){0};
	put_cie("zR", &encoding, 1);
	put_fde(addresses, len, true);
	CU_ASSERT_EQUAL(read_first(&fde, &cie, true), known);
	if (known) {
		CU_ASSERT_EQUAL(fde.start, start);
		CU_ASSERT_EQUAL(fde.size, 0x20);
		CU_ASSERT_EQUAL(cursor_left(&fde.instructions), 1);
	}
	buf_release(&section);
}

static void
test_encodings(void)
{
	const uint64_t wide[] = {0x1122334455667788, 0x20};
	const int32_t narrow[] = {-0x100, 0x20};
	const uint16_t half[] = {0xfff0, 0x20};
	/* The CIE takes 20 bytes, and the address is 8 bytes into the next entry. */
	const uint64_t here = ADDRESS + 28;

	check_encoding(DW_EH_PE_absptr, wide, sizeof(wide), true, wide[0]);
	check_encoding(DW_EH_PE_udata8, wide, sizeof(wide), true, wide[0]);
	check_encoding(DW_EH_PE_pcrel | DW_EH_PE_sdata8, wide, sizeof(wide), true, here + wide[0]);
	check_encoding(
		DW_EH_PE_pcrel | DW_EH_PE_sdata4, narrow, sizeof(narrow), true, here - 0x100);
	check_encoding(DW_EH_PE_udata4, narrow, sizeof(narrow), true, 0xffffff00);
	check_encoding(DW_EH_PE_pcrel | DW_EH_PE_sdata2, half, sizeof(half), true, here - 16);
	check_encoding(DW_EH_PE_udata2, half, sizeof(half), true, 0xfff0);
	check_encoding(DW_EH_PE_uleb128, "\xac\x02\x20", 3, true, 300);
	check_encoding(DW_EH_PE_pcrel | DW_EH_PE_sleb128, "\x7f\x20", 2, true, here - 1);
	/* These depend on what the program does. */
	check_encoding(DW_EH_PE_indirect | DW_EH_PE_pcrel, wide, sizeof(wide), false, 0);
	check_encoding(DW_EH_PE_textrel | DW_EH_PE_udata8, wide, sizeof(wide), false, 0);
	check_encoding(DW_EH_PE_omit, wide, sizeof(wide), false, 0);
	check_encoding(0x0d, wide, sizeof(wide), false, 0);
	check_encoding(DW_EH_PE_absptr, wide, 8, false, 0);
}

static void
check_letters(const char *letters, const char *data, size_t len, bool known, bool signal)
{
	const uint64_t addresses[] = {0x5000, 0x20};
	struct cfi_fde fde;
	const struct cfi_cie *cie;

	section = (struct buf){0};
	put_cie(letters, (const unsigned char *)data, len);
	put_fde(addresses, sizeof(addresses), *letters == 'z');
	CU_ASSERT_EQUAL(read_first(&fde, &cie, true), known);
	if (known) {
		CU_ASSERT_EQUAL(fde.start, 0x5000);
		CU_ASSERT_EQUAL(cie->signal, signal);
		CU_ASSERT_EQUAL(cie->return_column, 16);
		CU_ASSERT_EQUAL(cie->code_factor, 4);
		CU_ASSERT_EQUAL(cie->data_factor, -8);
		CU_ASSERT_EQUAL(cursor_left(&cie->instructions), 3);
	}
	buf_release(&section);
}

static void
test_augmentations(void)
{
	check_letters("", "", 0, true, false);
	check_letters("eh", "", 0, true, false);
	check_letters("z", "", 0, true, false);
	check_letters("zR", "\0", 1, true, false);
	check_letters("zRS", "\0", 1, true, true);
	check_letters("zSR", "\0", 1, true, true);
	check_letters("zRB", "\0", 1, true, false);
	check_letters("zPLR", "\x03....\x1b\0", 7, true, false);
	check_letters("zLPR", "\x1b\x9b....\0", 7, true, false);
	check_letters("zPR", "\x0d....\0", 6, false, false);
	check_letters("zX", "..", 2, false, false);
	check_letters("zR", "", 0, false, false);
	check_letters("armcc+", "", 0, false, false);
	check_letters("zRSSSSSSSSSSSSSSSSSSSSSSSSSSS", "\0", 1, false, false);
}

static void
put_debug_cie(unsigned version, bool wide, unsigned address_bytes)
{
	size_t at = begin_entry(wide);

	if (wide)
		buf_put_u64(&section, UINT64_MAX);
	else
		buf_put_u32(&section, UINT32_MAX);
	buf_putc(&section, (char)version);
	buf_putc(&section, '\0');
	if (version == 4) {
		buf_putc(&section, (char)address_bytes);
		buf_putc(&section, 0);
	}
	buf_puts(&section, "\x01\x7c\x1e\x0c\x1f");
	buf_putc(&section, 0);
	end_entry(at, wide);
	at = begin_entry(wide);
	if (wide)
		buf_put_u64(&section, 0);
	else
		buf_put_u32(&section, 0);
	buf_put_u64(&section, 0x7000);
	buf_put_u64(&section, 0x30);
	buf_puts(&section, "\x0e\x10");
	end_entry(at, wide);
}

static void
check_debug(unsigned version, bool wide, unsigned address_bytes, bool known)
{
	struct cfi_fde fde;
	const struct cfi_cie *cie;

	section = (struct buf){0};
	put_debug_cie(version, wide, address_bytes);
	CU_ASSERT_EQUAL(read_first(&fde, &cie, false), known);
	if (known) {
		CU_ASSERT_EQUAL(fde.start, 0x7000);
		CU_ASSERT_EQUAL(fde.size, 0x30);
		CU_ASSERT_EQUAL(cursor_left(&fde.instructions), 2);
		CU_ASSERT_EQUAL(cie->return_column, 30);
		CU_ASSERT_EQUAL(cie->data_factor, -4);
	}
	buf_release(&section);
}

static void
test_debug_frame(void)
{
	check_debug(1, false, 8, true);
	check_debug(3, false, 8, true);
	check_debug(4, false, 8, true);
	check_debug(4, true, 8, true);
	check_debug(3, true, 8, true);
	check_debug(4, false, 4, false);
	check_debug(2, false, 8, false);
}

static void
test_hostile_lengths(void)
{
	struct cfi_fde fde;
	const struct cfi_cie *cie;
	const uint64_t addresses[] = {0x5000, 0x20};

	section = (struct buf){0};
	put_cie("", NULL, 0);
	/* An end in the middle is stepped over. */
	buf_put_u32(&section, 0);
	put_fde(addresses, sizeof(addresses), false);
	CU_ASSERT_TRUE(read_first(&fde, &cie, true));
	/* Every shorter section, and every byte changed, ends without a read beyond. */
	for (size_t len = 0; len < section.len; len++) {
		char *copy = section.data;
		size_t whole = section.len;

		section.len = len;
		CU_ASSERT_FALSE(read_first(&fde, &cie, true) &&
				fde.instructions.end > (const unsigned char *)copy + len);
		section.len = whole;
		section.data[len] ^= (char)0xff;
		(void)read_first(&fde, &cie, true);
		section.data[len] ^= (char)0xff;
	}
	buf_release(&section);
}

static void
make(struct made_elf *made, bool debug_frame)
{
	made_elf_init(made);
	made->debug_frame = debug_frame;
	for (uint64_t i = 0; i < 200; i++)
		made_elf_function(made, MADE_ELF_TEXT + i * 16, 16, NULL, 0);
	made_elf_finish(made, EM_X86_64);
}

static void
test_memory(void)
{
	struct made_elf made;
	struct elf_image image;
	struct cfi_section loaded;

	make(&made, false);
	CU_ASSERT_TRUE_FATAL(elf_image_open_memory(&image, made.bytes.data, made.bytes.len));
	CU_ASSERT_FALSE(cfi_load_debug_frame(&image, &loaded));
	CU_ASSERT_TRUE_FATAL(cfi_load_eh_frame(&image, &loaded));
	elf_image_close(&image);
	CU_ASSERT_EQUAL(loaded.address, MADE_ELF_DATA);
	CU_ASSERT_EQUAL_FATAL(loaded.len, made.section.len);
	CU_ASSERT_EQUAL(memcmp(loaded.bytes, made.section.data, loaded.len), 0);
	cfi_unload(&loaded);
	made_elf_release(&made);
}

/* Memory that ends within the section: what is there is read. */
static void
test_cut_short(void)
{
	struct made_elf made;
	struct elf_image image;
	struct cfi_section loaded;

	make(&made, false);
	CU_ASSERT_TRUE_FATAL(
		elf_image_open_memory(&image, made.bytes.data, made_elf_before_sections(&made)));
	CU_ASSERT_TRUE_FATAL(cfi_load_eh_frame(&image, &loaded));
	CU_ASSERT(loaded.len >= made.section.len);
	cfi_unload(&loaded);
	elf_image_close(&image);
	/* And where even the header of the table is gone, nothing. */
	CU_ASSERT_TRUE_FATAL(elf_image_open_memory(&image, made.bytes.data, 0x300));
	CU_ASSERT_FALSE(cfi_load_eh_frame(&image, &loaded));
	elf_image_close(&image);
	made_elf_release(&made);
}

/* Has libelf compress the section of the file at `path`. */
static bool
compress(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_RDWR, NULL);
	Elf_Scn *scn = elf ? elf_getscn(elf, 2) : NULL;
	bool done = scn && elf_compress(scn, ELFCOMPRESS_ZLIB, ELF_CHF_FORCE) == 1 &&
		    elf_update(elf, ELF_C_WRITE) > 0;

	elf_end(elf);
	close(fd);
	return done;
}

static void
test_compressed(void)
{
	struct made_elf made;
	struct elf_image image;
	struct cfi_section loaded;
	struct err err = {0};
	char *dir;

	make(&made, true);
	CU_ASSERT_EQUAL_FATAL(file_dir_scratch(&dir, &err), 0);
	char *path = file_join(dir, "debug");

	CU_ASSERT_EQUAL_FATAL(file_write(path, made.bytes.data, made.bytes.len, &err), 0);
	for (unsigned round = 0; round < 2; round++) {
		CU_ASSERT_TRUE_FATAL(elf_image_open(&image, path));
		CU_ASSERT_TRUE_FATAL(cfi_load_debug_frame(&image, &loaded));
		CU_ASSERT_EQUAL_FATAL(loaded.len, made.section.len);
		CU_ASSERT_EQUAL(memcmp(loaded.bytes, made.section.data, loaded.len), 0);
		cfi_unload(&loaded);
		elf_image_close(&image);
		if (round == 0 && !compress(path)) {
			unit_skip("libelf cannot compress sections");
			break;
		}
	}
	free(path);
	file_dir_abandon(dir);
	made_elf_release(&made);
}

/* One program an instruction: what compilers seldom write is not in the files that libdw checks. */

#define START UINT64_C(0x4000)

static struct saves saves;
static struct cfi_rows rows;

/* Runs `program` behind: CFA is rsp + 8, the return address is at the CFA - 8, rbx at the CFA - 16.
 */
static void
run(const unsigned char *program, size_t len)
{
	static unsigned char bytes[256];
	static const unsigned char initial[] = {
		DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1, DW_CFA_offset | 3, 2};
	struct cfi_section loaded = {.bytes = bytes, .len = sizeof(bytes), .eh = true};
	struct cfi_cie cie = {
		.usable = true, .return_column = 16, .code_factor = 2, .data_factor = -8};
	struct cfi_fde fde = {.start = START, .size = 0x100};
	struct cfi_program its = {unwind_machine_find("x86_64"), &loaded, &cie, &fde};

	memcpy(bytes, initial, sizeof(initial));
	memcpy(bytes + 32, program, len);
	cie.instructions = (struct cursor){bytes, bytes + sizeof(initial), false};
	fde.instructions = (struct cursor){bytes + 32, bytes + 32 + len, false};
	cfi_rows_run(&its, &saves, &rows);
}

#define RUN(...) \
	run((const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__}))

/* The rule about `reg` in row `i`; NULL if there is none. */
static const struct unwind_rule *
rule(size_t i, unsigned reg)
{
	const struct unwind_saves *set = saves_get(&saves, rows.rows[i].saves);

	for (size_t k = 0; k < set->nrules; k++) {
		if (set->rules[k].reg == reg)
			return &set->rules[k];
	}
	return NULL;
}

static void
check_rule(size_t i, unsigned reg, enum unwind_rule_kind kind, int32_t value)
{
	CU_ASSERT_FATAL(i < rows.count);
	const struct unwind_rule *its = rule(i, reg);

	CU_ASSERT_PTR_NOT_NULL(its);
	if (!its)
		return;
	CU_ASSERT_EQUAL(its->kind, kind);
	CU_ASSERT_EQUAL(its->value, value);
}

static bool
is_kept(size_t i, unsigned reg)
{
	return saves_get(&saves, rows.rows[i].saves)->kept >> reg & 1;
}

static bool
is_undefined(size_t i, unsigned reg)
{
	return saves_get(&saves, rows.rows[i].saves)->undefined >> reg & 1;
}

static void
test_locations(void)
{
	RUN(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc1, 2,
		DW_CFA_def_cfa_offset, 24, DW_CFA_advance_loc2, 3, 0, DW_CFA_def_cfa_offset, 32,
		DW_CFA_advance_loc4, 4, 0, 0, 0, DW_CFA_def_cfa_offset, 40, DW_CFA_set_loc, 0x50,
		0x40, 0, 0, 0, 0, 0, 0, DW_CFA_def_cfa_offset, 48, DW_CFA_advance_loc2, 0, 1,
		DW_CFA_def_cfa_offset, 56);
	CU_ASSERT_EQUAL_FATAL(rows.count, 6);
	static const uint32_t starts[] = {0, 2, 6, 12, 20, 0x50};

	for (size_t i = 0; i < 6; i++) {
		CU_ASSERT_EQUAL(rows.rows[i].start, starts[i]);
		CU_ASSERT_EQUAL(rows.rows[i].cfa_value, (int)(8 + 8 * i));
	}
	/* Rows that are the same are one. */
	RUN(DW_CFA_advance_loc | 1, DW_CFA_nop, DW_CFA_advance_loc | 1, DW_CFA_GNU_args_size, 0x80,
		1, DW_CFA_advance_loc | 0, 0x2d, 0x2c);
	CU_ASSERT_EQUAL(rows.count, 1);
	/* Backwards is nowhere. */
	RUN(DW_CFA_advance_loc | 4, DW_CFA_set_loc, 0, 0x40, 0, 0, 0, 0, 0, 0);
	CU_ASSERT_EQUAL(rows.rows[rows.count - 1].cfa_kind, UNWIND_CFA_NONE);
}

static void
test_cfa(void)
{
	RUN(DW_CFA_def_cfa_register, 6);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_reg, 6);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_value, 8);
	RUN(DW_CFA_def_cfa_sf, 10, 0x7e);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_reg, 10);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_value, 16);
	RUN(DW_CFA_def_cfa_offset_sf, 0x7d);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_value, 24);
	RUN(DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_EXPRESSION);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_value, 33);
	/* An offset of an expression means nothing; nor does a register that is not followed. */
	RUN(DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8, DW_CFA_def_cfa_offset, 8);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_NONE);
	RUN(DW_CFA_def_cfa, 60, 8);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_NONE);
	RUN(DW_CFA_def_cfa_offset, 0xff, 0xff, 0xff, 0xff, 0x7f);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_NONE);
}

static void
test_rules(void)
{
	RUN(DW_CFA_nop);
	check_rule(0, 16, UNWIND_AT_CFA, -8);
	check_rule(0, 3, UNWIND_AT_CFA, -16);
	CU_ASSERT_TRUE(is_kept(0, 6) && is_kept(0, 12) && !is_kept(0, 0) && !is_kept(0, 3));
	RUN(DW_CFA_offset_extended, 12, 3, DW_CFA_offset_extended_sf, 13, 0x7e,
		DW_CFA_GNU_negative_offset_extended, 14, 2, DW_CFA_val_offset, 15, 4,
		DW_CFA_val_offset_sf, 7, 0x7f, DW_CFA_register, 6, 11);
	check_rule(0, 12, UNWIND_AT_CFA, -24);
	check_rule(0, 13, UNWIND_AT_CFA, 16);
	check_rule(0, 14, UNWIND_AT_CFA, 16);
	check_rule(0, 15, UNWIND_CFA_PLUS, -32);
	check_rule(0, 7, UNWIND_CFA_PLUS, 8);
	check_rule(0, 6, UNWIND_IN_REGISTER, 11);
	CU_ASSERT_FALSE(saves_get(&saves, rows.rows[0].saves)->all_at_cfa);
	RUN(DW_CFA_expression, 6, 1, DW_OP_lit1, DW_CFA_val_expression, 0, 1, DW_OP_lit2);
	check_rule(0, 6, UNWIND_AT_EXPRESSION, 34);
	check_rule(0, 0, UNWIND_EXPRESSION, 38);
	RUN(DW_CFA_undefined, 16, DW_CFA_same_value, 0, DW_CFA_undefined, 6);
	CU_ASSERT_TRUE(is_undefined(0, 16) && is_undefined(0, 6) && is_kept(0, 0));
	CU_ASSERT_PTR_NULL(rule(0, 16));
	/* Too far away, or in a register that is not followed. */
	RUN(DW_CFA_offset | 6, 0xff, 0xff, 0xff, 0xff, 0x7f, DW_CFA_register, 12, 70);
	CU_ASSERT_TRUE(is_undefined(0, 6) && is_undefined(0, 12));
	/* Vector registers are read and left out. */
	RUN(DW_CFA_offset_extended, 40, 1, DW_CFA_same_value, 0xff, 0x7f, DW_CFA_restore | 50);
	CU_ASSERT_EQUAL(saves_get(&saves, rows.rows[0].saves)->nrules, 2);
}

static void
test_states(void)
{
	RUN(DW_CFA_remember_state, DW_CFA_def_cfa, 6, 16, DW_CFA_offset | 6, 2,
		DW_CFA_advance_loc | 1, DW_CFA_restore_state, DW_CFA_advance_loc | 1,
		DW_CFA_same_value, 3, DW_CFA_advance_loc | 1, DW_CFA_restore | 3,
		DW_CFA_advance_loc | 1, DW_CFA_undefined, 16, DW_CFA_advance_loc | 1,
		DW_CFA_restore_extended, 16);
	CU_ASSERT_EQUAL_FATAL(rows.count, 6);
	check_rule(0, 6, UNWIND_AT_CFA, -16);
	CU_ASSERT_EQUAL(rows.rows[1].cfa_reg, 7);
	CU_ASSERT_PTR_NULL(rule(1, 6));
	CU_ASSERT_TRUE(is_kept(2, 3));
	check_rule(3, 3, UNWIND_AT_CFA, -16);
	CU_ASSERT_TRUE(is_undefined(4, 16));
	check_rule(5, 16, UNWIND_AT_CFA, -8);
	CU_ASSERT_EQUAL(rows.rows[5].saves, rows.rows[1].saves);
	/* More is restored than was remembered. */
	RUN(DW_CFA_advance_loc | 1, DW_CFA_restore_state);
	CU_ASSERT_EQUAL(rows.rows[1].cfa_kind, UNWIND_CFA_NONE);
}

static void
test_what_cannot_be_followed(void)
{
	unsigned char deep[40];

	/* What comes before stays. */
	RUN(DW_CFA_advance_loc | 8, 0x3e);
	CU_ASSERT_EQUAL_FATAL(rows.count, 2);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_REGISTER);
	CU_ASSERT_EQUAL(rows.rows[1].start, 16);
	CU_ASSERT_EQUAL(rows.rows[1].cfa_kind, UNWIND_CFA_NONE);
	RUN(DW_CFA_def_cfa_expression, 0x7f, DW_OP_lit1);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_NONE);
	RUN(DW_CFA_offset | 3, 0x80);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_NONE);
	memset(deep, DW_CFA_remember_state, sizeof(deep));
	run(deep, sizeof(deep));
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_NONE);
	/* Behind the function's end nothing matters any more. */
	RUN(DW_CFA_advance_loc2, 0x80, 0, 0x3e);
	CU_ASSERT_EQUAL_FATAL(rows.count, 1);
	CU_ASSERT_EQUAL(rows.rows[0].cfa_kind, UNWIND_CFA_REGISTER);
}

static void
with_saves(void (*test)(void))
{
	saves = (struct saves){.limit_bytes = 1 << 20};
	rows = (struct cfi_rows){0};
	test();
	free(rows.rows);
	saves_release(&saves);
}

#define CASE(name)                       \
	static void run_##name(void)     \
	{                                \
		with_saves(test_##name); \
	}

CASE(locations)
CASE(cfa)
CASE(rules)
CASE(states)
CASE(what_cannot_be_followed)

void
suite_unwind_cfi_rows(void)
{
	static const struct unit_case cases[] = {
		{"addresses_in_all_encodings", test_encodings},
		{"augmentations_are_understood_or_refused", test_augmentations},
		{"debug_frame_of_all_versions", test_debug_frame},
		{"lengths_are_not_trusted", test_hostile_lengths},
		{"a_section_is_copied", test_memory},
		{"memory_that_ends_early_is_read_as_far_as_it_goes", test_cut_short},
		{"a_compressed_section_is_unpacked", test_compressed},
		{"rows_start_at_their_locations", run_locations},
		{"the_cfa_is_a_register_or_an_expression", run_cfa},
		{"registers_have_all_kinds_of_rules", run_rules},
		{"states_are_remembered_and_restored", run_states},
		{"what_cannot_be_followed_ends_the_rows", run_what_cannot_be_followed},
		{0},
	};

	unit_suite("unwind/cfi_rows", cases);
}
