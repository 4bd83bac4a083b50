#include "analysis/crosscheck_name.h"

#include "unit.h"

void suite_analysis_crosscheck_name(void);

static void
expect(const char *name, const char *common)
{
	char text[32] = "";
	const size_t len = crosscheck_common_name(name, text, sizeof(text));

	CU_ASSERT_EQUAL(len, strlen(common));
	UNIT_STR_EQ(text, common);
}

/* Names of glibc 2.36, as nm prints them for its debug file. */
static void
test_variants(void)
{
	expect("__memmove_avx512_unaligned_erms", "memmove");
	expect("__memcpy_avx_unaligned_erms", "memmove");
	expect("__mempcpy_evex_unaligned", "memmove");
	expect("__memset_avx2_unaligned_erms_rtm", "memset");
	expect("__memcmp_evex_movbe", "memcmp");
	expect("__memchr_evex512", "memchr");
	expect("__strcasecmp_l_sse42", "strcasecmp_l");
	expect("__strlen_sse2", "strlen");
	expect("__memmove_ssse3", "memmove");
	expect("__exp1_fma", "exp1");
	expect("__sin_fma4", "sin");
	expect("__memset_zva64", "memset");
	expect("__memcpy_thunderx2", "memmove");
	expect("__memset_generic", "memset");
}

static void
test_others(void)
{
	expect("", "");
	expect("_", "");
	expect("__", "");
	expect("memmove", "");
	expect("my_avx_function", "");
	expect("__libc_start_main", "");
	expect("__avx2", "");
	expect("___sse", "");
	expect("__read_ssettings", "");
	expect("__parse_average", "");
	expect("__Foo_avx2", "");
	expect("__ns::f_avx2(int)", "");
	/* Longer than there is room for. */
	expect("__a_name_of_more_than_thirty_bytes_avx2", "");
}

static void
test_events(void)
{
	static const struct {
		const char *name;
		size_t len;
	} events[] = {{"cpu-clock:ppp", 9}, {"cpu-clock:pppH", 9}, {"cycles:P", 6}, {"cycles:u", 8},
		{"cpu-clock", 9}, {"sched:sched_switch", 18}, {"a:", 2}, {"", 0}};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		CU_ASSERT_EQUAL(crosscheck_event_len(events[i].name), events[i].len);
}

static const struct unit_case cases[] = {
	{"variants_have_their_common_name", test_variants},
	{"other_names_stay", test_others},
	{"an_event_is_the_same_however_precise_its_addresses_are", test_events},
	{NULL, NULL},
};

void
suite_analysis_crosscheck_name(void)
{
	unit_suite("analysis/crosscheck_name", cases);
}
