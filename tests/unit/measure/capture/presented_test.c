#include "capture/capture_internal.h"

#include "unit.h"

void suite_capture_presented(void);

#define VENDOR "vendor 756e6547 49656e69 6c65746e\n"

static const char *
set_of(const char *text)
{
	static char name[PRESENTED_SIZE];

	presented_name(text, name);
	UNIT_NEED(strrchr(name, '-'));
	*strrchr(name, '-') = '\0';
	return name;
}

static void
a_processor_is_named_by_its_largest_vectors(void)
{
	UNIT_STR_EQ(set_of(VENDOR "cpuid 1 0 306c3 0 7ffafbff bfebfbff\ncpuid 7 0 0 427aa 0 0\n"),
		"avx2");
	UNIT_STR_EQ(
		set_of(VENDOR "cpuid 1 0 206a7 0 1fbae3ff bfebfbff\ncpuid 7 0 0 0 0 0\n"), "avx");
	UNIT_STR_EQ(set_of(VENDOR "cpuid 1 0 106a5 0 100223 bfebfbff\n"), "sse4.2");
	UNIT_STR_EQ(set_of(VENDOR "cpuid 1 0 6f6 0 2001 bfebfbff\n"), "sse2");
	UNIT_STR_EQ(
		set_of(VENDOR "cpuid 1 0 50654 0 7ffafbff bfebfbff\ncpuid 7 0 0 d39ffffb 0 0\n"),
		"avx512");
	UNIT_STR_EQ(set_of("hwcap 10 11fff\n"), "features");
}

static void
each_feature_makes_another_name(void)
{
	char one[PRESENTED_SIZE];
	char other[PRESENTED_SIZE];

	presented_name(VENDOR "cpuid 7 0 0 427aa 0 0\n", one);
	presented_name(VENDOR "cpuid 7 0 0 427ab 0 0\n", other);
	CU_ASSERT_STRING_NOT_EQUAL(one, other);
	presented_name(VENDOR "cpuid 7 0 0 427aa 0 0\n", other);
	UNIT_STR_EQ(one, other);
}

static void
a_simulator_that_does_nothing_presents_this_processor(void)
{
	static const char *const simulator[] = {"env", NULL};
	char name[PRESENTED_SIZE];
	char again[PRESENTED_SIZE];
	struct err err = {0};

	CU_ASSERT_EQUAL(presented_ask(simulator, name, &err), 0);
	CU_ASSERT_EQUAL(presented_ask(simulator, again, &err), 0);
	UNIT_STR_EQ(name, again);
}

static void
a_simulator_that_fails_is_an_error(void)
{
	static const char *const simulator[] = {"false", NULL};
	char name[PRESENTED_SIZE];
	struct err err = {0};

#if defined(__x86_64__) || defined(__aarch64__)
	CU_ASSERT_EQUAL(presented_ask(simulator, name, &err), -1);
	UNIT_CONTAINS(err.text, "'false' cannot run a program");
#else
	CU_ASSERT_EQUAL(presented_ask(simulator, name, &err), 0);
#endif
}

void
suite_capture_presented(void)
{
	static const struct unit_case cases[] = {
		{"a_processor_is_named_by_its_largest_vectors",
			a_processor_is_named_by_its_largest_vectors},
		{"each_feature_makes_another_name", each_feature_makes_another_name},
		{"a_simulator_that_does_nothing_presents_this_processor",
			a_simulator_that_does_nothing_presents_this_processor},
		{"a_simulator_that_fails_is_an_error", a_simulator_that_fails_is_an_error},
		{NULL, NULL},
	};

	unit_suite("capture/presented", cases);
}
