/* A unit of DWARF 5 whose lists of ranges are damaged here and there. */
#include "dwarf/inlines.h"

#include "base/buf.h"
#include "unit.h"

#include <dwarf.h>

void suite_dwarf_inlines_ranges(void);

#define FRAMES_MAX 8

/* Kinds of entries. */
enum {
	END,
	UNIT,     /* list */
	FUNCTION, /* name, list */
	SITE,     /* list, line */
};

static const unsigned char abbrevs[] = {UNIT, DW_TAG_compile_unit, 1, DW_AT_ranges,
	DW_FORM_sec_offset, 0, 0, FUNCTION, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string,
	DW_AT_ranges, DW_FORM_sec_offset, 0, 0, SITE, DW_TAG_inlined_subroutine, 1, DW_AT_ranges,
	DW_FORM_sec_offset, DW_AT_call_line, DW_FORM_data1, 0, 0, 0};

struct maker {
	struct buf info;
	struct buf lists;
	struct debug_data data;
};

/* Appends a list of one range; `damaged` has one more, from an address that there is not. */
static uint32_t
put_list(struct maker *maker, uint64_t low, unsigned char bytes, bool damaged)
{
	uint32_t at = (uint32_t)maker->lists.len;

	buf_putc(&maker->lists, DW_RLE_start_length);
	buf_put_u64(&maker->lists, low);
	buf_putc(&maker->lists, (char)bytes);
	if (damaged)
		buf_put(&maker->lists, (char[]){DW_RLE_startx_length, 99, 1}, 3);
	buf_putc(&maker->lists, DW_RLE_end_of_list);
	return at;
}

static void
begin(struct maker *maker, bool damaged)
{
	*maker = (struct maker){0};
	maker->info = (struct buf){0};
	maker->lists = (struct buf){0};
	buf_put_zeros(&maker->lists, 12);
	buf_put_u32(&maker->info, 0);
	buf_put(&maker->info, (char[]){5, 0, DW_UT_compile, 8, 0, 0, 0, 0, UNIT}, 9);
	buf_put_u32(&maker->info, put_list(maker, 0x1000, 0x7f, damaged));
}

static void
put_function(struct maker *maker, const char *name, uint64_t low, bool damaged)
{
	buf_putc(&maker->info, FUNCTION);
	buf_put(&maker->info, name, strlen(name) + 1);
	buf_put_u32(&maker->info, put_list(maker, low, 0x20, damaged));
}

static void
put_site(struct maker *maker, uint64_t low, char line, bool damaged)
{
	buf_putc(&maker->info, SITE);
	buf_put_u32(&maker->info, put_list(maker, low, 4, damaged));
	buf_putc(&maker->info, line);
}

static struct inlines *
finish(struct maker *maker)
{
	buf_putc(&maker->info, END);

	uint32_t length = (uint32_t)maker->info.len - 4;

	memcpy(maker->info.data, &length, sizeof(length));
	maker->data.sections[DEBUG_INFO] =
		(struct debug_bytes){(const unsigned char *)maker->info.data, maker->info.len};
	maker->data.sections[DEBUG_RNGLISTS] =
		(struct debug_bytes){(const unsigned char *)maker->lists.data, maker->lists.len};
	maker->data.sections[DEBUG_ABBREV] = (struct debug_bytes){abbrevs, sizeof(abbrevs)};
	debug_data_grant(&maker->data);
	return inlines_new(&maker->data, NULL);
}

static void
release(struct maker *maker, struct inlines *inlines)
{
	inlines_close(inlines);
	buf_release(&maker->info);
	buf_release(&maker->lists);
}

/* The name of the function at `address`, and how many frames there are. */
static const char *
function_at(struct inlines *inlines, uint64_t address, size_t *count)
{
	struct inline_frame frames[FRAMES_MAX] = {0};

	*count = inlines_find(inlines, address, frames, FRAMES_MAX);
	return *count > 0 && frames[*count - 1].name ? frames[*count - 1].name : "";
}

static void
test_function(void)
{
	struct maker maker;
	size_t count;

	begin(&maker, false);
	put_function(&maker, "bad", 0x1000, true);
	put_site(&maker, 0x1004, 1, false);
	buf_put_zeros(&maker.info, 2);
	put_function(&maker, "good", 0x1020, false);
	put_site(&maker, 0x1024, 2, false);
	buf_put_zeros(&maker.info, 2);

	struct inlines *inlines = finish(&maker);

	UNIT_STR_EQ(function_at(inlines, 0x1024, &count), "good");
	CU_ASSERT_EQUAL(count, 2);
	UNIT_STR_EQ(function_at(inlines, 0x1004, &count), "");
	CU_ASSERT_EQUAL(count, 0);
	release(&maker, inlines);
}

static void
test_site(void)
{
	struct maker maker;
	size_t count;

	begin(&maker, false);
	put_function(&maker, "outer", 0x1000, false);
	put_site(&maker, 0x1004, 1, true);
	put_site(&maker, 0x1004, 2, false);
	buf_put_zeros(&maker.info, 2);
	put_site(&maker, 0x1008, 3, true);
	buf_putc(&maker.info, END);
	put_site(&maker, 0x100c, 4, false);
	buf_put_zeros(&maker.info, 2);

	struct inlines *inlines = finish(&maker);

	/* What is known of the one within tells of the one around it. */
	UNIT_STR_EQ(function_at(inlines, 0x1004, &count), "outer");
	CU_ASSERT_EQUAL(count, 3);
	UNIT_STR_EQ(function_at(inlines, 0x1008, &count), "outer");
	CU_ASSERT_EQUAL(count, 1);
	UNIT_STR_EQ(function_at(inlines, 0x100c, &count), "outer");
	CU_ASSERT_EQUAL(count, 2);
	release(&maker, inlines);
}

static void
test_unit(void)
{
	struct maker maker;
	size_t count;

	begin(&maker, true);
	put_function(&maker, "outer", 0x1020, false);
	put_site(&maker, 0x1024, 1, false);
	buf_put_zeros(&maker.info, 2);

	struct inlines *inlines = finish(&maker);

	UNIT_STR_EQ(function_at(inlines, 0x1024, &count), "outer");
	CU_ASSERT_EQUAL(count, 2);
	CU_ASSERT_EQUAL(function_at(inlines, 0x1010, &count)[0], '\0');
	release(&maker, inlines);
}

void
suite_dwarf_inlines_ranges(void)
{
	static const struct unit_case cases[] = {
		{"a_damaged_list_of_a_function_loses_that_function", test_function},
		{"a_damaged_list_of_a_call_loses_its_own_code_only", test_site},
		{"a_damaged_list_of_a_unit_leaves_its_functions_to_tell", test_unit},
		{NULL, NULL},
	};

	unit_suite("dwarf/inlines_ranges", cases);
}
