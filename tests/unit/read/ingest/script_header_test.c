#include "ingest/script_internal.h"

#include "unit.h"

#include <stdlib.h>

void suite_ingest_script_header(void);

static const struct script_layout unknown;

static struct line
span(const char *text)
{
	return (struct line){text, strlen(text)};
}

static bool
span_eq(struct line got, const char *expected)
{
	return got.len == strlen(expected) && memcmp(got.at, expected, got.len) == 0;
}

static void
test_headers(void)
{
	struct script_header header;

	CU_ASSERT(script_header_parse(
		span("sqlite3  8420  1381.362126:     200040 cpu-clock:ppp: "), &unknown, &header));
	CU_ASSERT(span_eq(header.comm, "sqlite3"));
	CU_ASSERT(span_eq(header.event, "cpu-clock:ppp"));
	CU_ASSERT(header.is_certain);
	CU_ASSERT(span_eq(header.time, "1381.362126"));
	CU_ASSERT(span_eq(header.ids, "8420"));
	CU_ASSERT(script_header_parse(
		span("my worker 2 12/34 [001] d..1. 5.5: cycles:u:"), &unknown, &header));
	CU_ASSERT(span_eq(header.comm, "my worker 2"));
	CU_ASSERT(span_eq(header.event, "cycles:u"));
	CU_ASSERT(script_header_parse(span("java    12 cycles: "), &unknown, &header));
	CU_ASSERT(span_eq(header.comm, "java"));
	CU_ASSERT(span_eq(header.event, "cycles"));
	CU_ASSERT_FALSE(
		script_header_parse(span("main;parse 12"), &unknown, &header) && header.is_certain);
	CU_ASSERT_FALSE(script_header_parse(span("no number here"), &unknown, &header) &&
			header.is_certain);
	CU_ASSERT_FALSE(script_header_parse(span(""), &unknown, &header));
}

static void
test_single_line(void)
{
	struct script_header header;
	struct script_frame frame;

	struct line text;

	CU_ASSERT(script_header_parse(
		span("  xz  9  1.5:  100 cpu-clock:   7f10 lzma_code+0x10 (/usr/lib/liblzma.so)"),
		&unknown, &header));
	CU_ASSERT(span_eq(header.comm, "xz"));
	CU_ASSERT_EQUAL(script_rest_parse(header.rest, header.event, &text), SCRIPT_REST_FRAME);
	CU_ASSERT(script_frame_parse(text, &unknown, &frame));
	CU_ASSERT(span_eq(frame.name, "lzma_code"));
}

static void
test_known_front(void)
{
	struct script_header header;

	CU_ASSERT(script_header_parse_rest(
		span("a b  12/34 [001]  5.25:  100 cycles:u: "), strlen("a b  12/34"), &header));
	CU_ASSERT(span_eq(header.time, "5.25"));
	CU_ASSERT(span_eq(header.event, "cycles:u"));
	CU_ASSERT(script_header_parse_rest(span("a 1 5.5: cycles:"), 3, &header));
	/* Another number, or more of the same one: the front is not the one that is known. */
	CU_ASSERT_FALSE(script_header_parse_rest(span("a 1 2 5.5: cycles:"), 3, &header));
	CU_ASSERT_FALSE(script_header_parse_rest(span("a 12 5.5: cycles:"), 3, &header));
	CU_ASSERT_FALSE(script_header_parse_rest(span("a 15.5: 5.5: cycles:"), 3, &header));
	CU_ASSERT_FALSE(script_header_parse_rest(span("a 1 d..1. 5.5: cycles:"), 3, &header));
	CU_ASSERT_FALSE(script_header_parse_rest(span("a 1"), 3, &header));
}

void
suite_ingest_script_header(void)
{
	static const struct unit_case cases[] = {
		{"headers_give_comm_time_and_event", test_headers},
		{"a_sample_without_chain_has_its_frame_in_the_header", test_single_line},
		{"a_front_that_is_known_is_not_read_again", test_known_front},
		{NULL, NULL},
	};

	unit_suite("ingest/script_header", cases);
}
