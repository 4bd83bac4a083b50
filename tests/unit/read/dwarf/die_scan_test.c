/* One unit made by hand: functions in scopes, and what was inlined into them. */
#include "dwarf/dwarf_internal.h"

#include "base/buf.h"
#include "unit.h"

#include <dwarf.h>

void suite_dwarf_die_scan(void);

/* Kinds of entries; all but VARIABLE have children. */
enum {
	END,
	UNIT,
	NAMESPACE,
	CLASS,    /* sibling */
	FUNCTION, /* low, size */
	SITE,     /* low, size, line, origin */
	BLOCK,    /* nothing */
	CALL,     /* sibling */
	ABSTRACT, /* nothing: its code is elsewhere */
	VARIABLE, /* a byte */
};

static const unsigned char abbrevs[] = {UNIT, DW_TAG_compile_unit, 1, 0, 0, NAMESPACE,
	DW_TAG_namespace, 1, 0, 0, CLASS, DW_TAG_class_type, 1, DW_AT_sibling, DW_FORM_ref4, 0, 0,
	FUNCTION, DW_TAG_subprogram, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0,
	0, SITE, DW_TAG_inlined_subroutine, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
	DW_FORM_data4, DW_AT_call_line, DW_FORM_data1, DW_AT_abstract_origin, DW_FORM_ref1, 0, 0,
	BLOCK, DW_TAG_lexical_block, 1, 0, 0, CALL, DW_TAG_call_site, 1, DW_AT_sibling,
	DW_FORM_ref4, 0, 0, ABSTRACT, DW_TAG_subprogram, 1, 0, 0, VARIABLE, DW_TAG_variable, 0,
	DW_AT_decl_line, DW_FORM_data1, 0, 0, 0};

struct maker {
	struct buf info;
	struct debug_data data;
	struct debug_units units;
};

static void
begin(struct maker *maker)
{
	*maker = (struct maker){.units = {.count = 0}};
	maker->info = (struct buf){0};
	buf_put_u32(&maker->info, 0);
	buf_put(&maker->info, "\4\0\0\0\0\0\10", 7);
	buf_putc(&maker->info, UNIT);
}

/* Appends an entry without values; returns where it is. */
static uint32_t
put(struct maker *maker, char kind)
{
	buf_putc(&maker->info, kind);
	return (uint32_t)maker->info.len - 1;
}

/* One that says where its next sibling is; it is not known yet. */
static uint32_t
put_with_sibling(struct maker *maker, char kind)
{
	uint32_t die = put(maker, kind);

	buf_put_u32(&maker->info, 0);
	return die;
}

static void
set_sibling(struct maker *maker, uint32_t die, uint32_t sibling)
{
	memcpy(maker->info.data + die + 1, &sibling, sizeof(sibling));
}

static uint32_t
put_code(struct maker *maker, char kind, uint64_t low, uint32_t size)
{
	uint32_t die = put(maker, kind);

	buf_put_u64(&maker->info, low);
	buf_put_u32(&maker->info, size);
	return die;
}

static void
put_site(struct maker *maker, uint64_t low, uint32_t size, char line)
{
	put_code(maker, SITE, low, size);
	buf_putc(&maker->info, line);
	buf_putc(&maker->info, (char)(line + 100)); /* nothing is there */
}

/* The unit, in use. */
static struct debug_unit *
finish(struct maker *maker)
{
	uint32_t len = (uint32_t)maker->info.len - 4;

	memcpy(maker->info.data, &len, sizeof(len));
	maker->data.sections[DEBUG_INFO] =
		(struct debug_bytes){(const unsigned char *)maker->info.data, maker->info.len};
	maker->data.sections[DEBUG_ABBREV] = (struct debug_bytes){abbrevs, sizeof(abbrevs)};
	debug_data_grant(&maker->data);
	debug_units_read(&maker->units, &maker->data);
	CU_ASSERT_EQUAL_FATAL(maker->units.count, 1);
	CU_ASSERT_FATAL(debug_unit_use(&maker->units.units[0]));
	return &maker->units.units[0];
}

static void
release(struct maker *maker)
{
	debug_units_release(&maker->units);
	buf_release(&maker->info);
}

static void
test_functions(void)
{
	struct scan_functions found;
	struct maker maker;

	begin(&maker);
	put(&maker, NAMESPACE);
	uint32_t inner = put_code(&maker, FUNCTION, 0x1000, 0x10);
	uint32_t call = put_with_sibling(&maker, CALL);
	/* Nothing is looked for where no function can be. */
	put_code(&maker, FUNCTION, 0x7000, 0x10);
	put(&maker, END);
	put(&maker, END);
	set_sibling(&maker, call, put(&maker, END));
	put(&maker, END);
	put_code(&maker, FUNCTION, 0x3000, 0); /* without any code */
	put(&maker, END);
	put(&maker, ABSTRACT);
	put(&maker, END);
	uint32_t outer = put_code(&maker, FUNCTION, 0x2000, 0x10);
	put(&maker, END);
	put(&maker, END);

	CU_ASSERT(die_scan_unit(finish(&maker), &found, NULL));
	CU_ASSERT_EQUAL_FATAL(found.count, 2);
	CU_ASSERT_EQUAL(found.functions[0].die, inner);
	CU_ASSERT_EQUAL(found.functions[1].die, outer);
	CU_ASSERT_EQUAL_FATAL(found.spans.count, 2);
	CU_ASSERT_EQUAL(found.spans.spans[1].low, 0x2000);
	CU_ASSERT_EQUAL(found.spans.spans[1].item, 1);
	scan_functions_release(&found);
	release(&maker);
}

static void
test_sites(void)
{
	struct scan_sites found;
	struct maker maker;

	begin(&maker);
	uint32_t function = put_code(&maker, FUNCTION, 0x1000, 0x100);
	put(&maker, VARIABLE);
	buf_putc(&maker.info, 1);
	put(&maker, BLOCK);
	put_site(&maker, 0x1010, 0x20, 7);
	put(&maker, BLOCK);
	put_site(&maker, 0x1018, 8, 8);
	put(&maker, END);
	put(&maker, END);
	put(&maker, END);
	put(&maker, END);
	put_site(&maker, 0x1040, 8, 9);
	put(&maker, END);
	/* A function within has its own. */
	put_code(&maker, FUNCTION, 0x2000, 0x10);
	put_site(&maker, 0x2000, 8, 10);
	put(&maker, END);
	put(&maker, END);
	put(&maker, END);
	put(&maker, END);

	CU_ASSERT(die_scan_sites(finish(&maker), function, &found));
	CU_ASSERT_EQUAL_FATAL(found.count, 3);
	CU_ASSERT_EQUAL(found.sites[0].origin, 107);
	CU_ASSERT_EQUAL(found.sites[0].parent, SITE_NONE);
	CU_ASSERT_EQUAL(found.sites[0].call_line, 7);
	CU_ASSERT_EQUAL(found.sites[1].origin, 108);
	CU_ASSERT_EQUAL(found.sites[1].parent, 0);
	CU_ASSERT_EQUAL(found.sites[2].origin, 109);
	CU_ASSERT_EQUAL(found.sites[2].parent, SITE_NONE);
	CU_ASSERT_EQUAL(found.spans.count, 3);
	scan_sites_release(&found);
	release(&maker);
}

static void
test_scopes(void)
{
	struct scan_functions functions;
	struct scan_scopes found;
	struct maker maker;

	begin(&maker);
	uint32_t space = put(&maker, NAMESPACE);
	uint32_t class = put_with_sibling(&maker, CLASS);
	uint32_t method = put(&maker, ABSTRACT);
	put(&maker, END);
	put(&maker, END);
	uint32_t function = put(&maker, ABSTRACT);
	put(&maker, END);
	put(&maker, END);
	uint32_t outside = put(&maker, ABSTRACT);
	put(&maker, END);
	put(&maker, END);
	set_sibling(&maker, class, function);

	CU_ASSERT(die_scan_unit(finish(&maker), &functions, &found));
	CU_ASSERT_EQUAL(functions.count, 0);
	uint32_t around = scan_scopes_find(&found, method);

	CU_ASSERT_FATAL(around < found.count);
	CU_ASSERT_EQUAL(found.scopes[around].die, class);
	CU_ASSERT_FATAL(found.scopes[around].parent < found.count);
	CU_ASSERT_EQUAL(found.scopes[found.scopes[around].parent].die, space);
	around = scan_scopes_find(&found, function);
	CU_ASSERT_FATAL(around < found.count);
	CU_ASSERT_EQUAL(found.scopes[around].die, space);
	CU_ASSERT_EQUAL(scan_scopes_find(&found, outside), SITE_NONE);
	CU_ASSERT_EQUAL(scan_scopes_find(&found, space), SITE_NONE);
	CU_ASSERT_EQUAL(scan_scopes_find(&found, 0), SITE_NONE);
	scan_functions_release(&functions);
	scan_scopes_release(&found);
	release(&maker);
}

/* A sibling that lies behind would be read for ever. */
static void
test_backwards(void)
{
	struct scan_functions found;
	struct maker maker;

	begin(&maker);
	uint32_t call = put_with_sibling(&maker, CALL);
	put(&maker, END);
	put_code(&maker, FUNCTION, 0x1000, 0x10);
	put(&maker, END);
	put(&maker, END);
	set_sibling(&maker, call, call);
	CU_ASSERT(die_scan_unit(finish(&maker), &found, NULL));
	CU_ASSERT_EQUAL(found.count, 1);
	scan_functions_release(&found);
	release(&maker);
}

static void
test_damaged(void)
{
	struct scan_functions functions;
	struct scan_scopes scopes;
	struct scan_sites sites;
	struct maker maker;

	begin(&maker);
	uint32_t function = put_code(&maker, FUNCTION, 0x1000, 0x10);
	for (int i = 0; i < 2000; i++)
		put(&maker, BLOCK);
	put(&maker, 99); /* no such kind */

	struct debug_unit *unit = finish(&maker);

	CU_ASSERT(!die_scan_unit(unit, &functions, &scopes));
	CU_ASSERT(!die_scan_sites(unit, function, &sites));
	scan_functions_release(&functions);
	scan_scopes_release(&scopes);
	scan_sites_release(&sites);
	/* Nothing may be looked at any more. */
	maker.data.work = (struct allowance){0};
	CU_ASSERT(!die_scan_unit(unit, &functions, NULL));
	scan_functions_release(&functions);
	release(&maker);
}

void
suite_dwarf_die_scan(void)
{
	static const struct unit_case cases[] = {
		{"functions_with_code_are_found_in_their_scopes", test_functions},
		{"inlined_calls_know_the_one_that_they_are_part_of", test_sites},
		{"an_entry_s_scopes_are_those_that_it_stands_in", test_scopes},
		{"a_sibling_that_does_not_lie_ahead_is_not_followed", test_backwards},
		{"a_unit_that_is_damaged_or_too_deep_is_refused", test_damaged},
		{NULL, NULL},
	};

	unit_suite("dwarf/die_scan", cases);
}
