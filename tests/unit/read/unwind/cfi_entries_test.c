#include "unwind/unwind_internal.h"

#include "base/buf.h"
#include "unit.h"

#include <dwarf.h>
#include <string.h>

void suite_unwind_cfi_entries(void);

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

void
suite_unwind_cfi_entries(void)
{
	static const struct unit_case cases[] = {
		{"addresses_in_all_encodings", test_encodings},
		{"augmentations_are_understood_or_refused", test_augmentations},
		{"debug_frame_of_all_versions", test_debug_frame},
		{"lengths_are_not_trusted", test_hostile_lengths},
		{0},
	};

	unit_suite("unwind/cfi_entries", cases);
}
