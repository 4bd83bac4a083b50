#include "ingest/ingest.h"

#include "folded_check.h"
#include "unit.h"

#include <string.h>

void suite_ingest_ingest_gprof(void);

#define HEAD                                                           \
	"Flat profile:\n\nEach sample counts as 0.01 seconds.\n"       \
	"  %   cumulative   self              self     total       \n" \
	" time   seconds   seconds    calls  ms/call  ms/call  name    \n"

static int
read_text(const char *text, const struct ingest_options *options, struct profile *profile,
	struct err *err)
{
	const struct file_view view = {.data = text, .len = strlen(text)};

	*err = (struct err){.kind = ERR_NONE};
	profile_init(profile);
	return ingest_gprof.read(profile, &view, "flat.txt", options, err);
}

static void
expect(const char *text, const struct ingest_options *options, const char *folded)
{
	struct profile profile;
	struct err err;

	CU_ASSERT(ingest_find_format(text, strlen(text)) == &ingest_gprof);
	CU_ASSERT_EQUAL_FATAL(read_text(text, options, &profile, &err), 0);
	folded_check(&profile, folded);
	profile_release(&profile);
}

static const struct ingest_options plain;

static void
test_samples(void)
{
	struct profile profile;
	struct err err;

	expect(HEAD " 49.22      1.14     1.14  2000000   570.92   570.92  half\n"
		    " 31.52      1.87     0.73                             main\n"
		    "  0.00      1.87     0.00        1     0.00     0.00  never\n"
		    "\n %         the percentage of the total\n",
		&plain, "(program);half 114\n(program);main 73\n");
	expect("\xef\xbb\xbf" HEAD " 49.22      1.14     1.14  2000000   570.92   570.92  half\r\n",
		&plain, "(program);half 114\n");
	/* Numbers that are wider than their columns, and the end of a page. */
	expect("\n" HEAD "100.00 1234567.00 1234567.00 12345678901     0.00     0.00  f\n\f\nx\n",
		&plain, "(program);f 123456700\n");
	CU_ASSERT_EQUAL_FATAL(
		read_text(HEAD "100.00 1.00 0.50        1 0.00 0.00 f\n", &plain, &profile, &err),
		0);
	UNIT_NEAR(profile.frequency_hz, 100, 1e-9);
	UNIT_NEAR(profile.runs[0].cost_total, 0.5e9, 1e-3);
	UNIT_STR_EQ(strtab_str(&profile.strings, profile.metric), "cpu");
	profile_release(&profile);
}

static void
test_names(void)
{
	static const struct ingest_options shortened = {.short_names = true};
	static const char text[] = HEAD
		" 50.00      1.00     1.00        3     1.00     1.00  int ns::f<int>(int, char)\n"
		" 50.00      2.00     1.00                             ns::S::operator()(long) const\n";

	expect(text, &plain,
		"(program);int ns::f<int>(int, char) 100\n"
		"(program);ns::S::operator()(long) const 100\n");
	expect(text, &shortened, "(program);ns::S::operator() 100\n(program);ns::f<int> 100\n");
}

static void
expect_error(const char *text, const char *part)
{
	struct profile profile;
	struct err err;

	CU_ASSERT_EQUAL(read_text(text, &plain, &profile, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
	UNIT_CONTAINS(err.text, part);
	profile_release(&profile);
}

static void
test_errors(void)
{
	expect_error("Flat profile:\n", "without its table of functions");
	expect_error(
		"Flat profile:\n time seconds name\n", "without the line \"Each sample counts as");
	expect_error("Flat profile:\nEach sample counts as 0 seconds.\n",
		"flat.txt:2:23: error: expected");
	expect_error("Flat profile:\nEach sample counts as 2 bytes.\n",
		"flat.txt:2:23: error: expected");
	expect_error(
		"Flat profile:\nEach sample counts as 1e-12 seconds.\n", "expected the seconds");
	expect_error(HEAD, "flat.txt: holds no samples");
	expect_error("Flat profile:\nf 1\n" HEAD, "flat.txt:2:1: error: expected the heading");
	expect_error(HEAD " 50.00      1.00     1.00                             f\n\nx\n" HEAD,
		"flat.txt:9:1: error: expected one flat profile");
	expect_error(
		"Flat profile:\n\nEach sample counts as 0.01 seconds.\n no time accumulated\n\n"
		"  %   cumulative   self              self     total\n"
		" time   seconds   seconds    calls  Ts/call  Ts/call  name\n"
		"  0.00      0.00     0.00        1     0.00     0.00  f\n",
		"flat.txt: holds no samples");
	expect_error(
		HEAD "  0.00      0.00     0.00        1     0.00     0.00  f\n", "run for longer");
	expect_error(
		HEAD " 49.22      1.14     half\n", "flat.txt:6:22: error: expected a function's");
	expect_error(HEAD " 49.22      1.14     -1 half\n", "three numbers");
	expect_error(HEAD " 49.22      1.14     inf half\n", "three numbers");
	expect_error(HEAD " 49.22      1.14     1e300 half\n", "three numbers");
	expect_error(
		HEAD " 49.22      1.14     1.14  2000000   half\n", "expected the number of calls");
	expect_error(HEAD " 49.22      1.14     1.14  2000000   1.00  1.00\n", "expected a name");
	expect_error(HEAD " 49.22      1.14     1.14\n", "expected the number of calls");
}

static void
test_others(void)
{
	static const char *const others[] = {
		"", "\n", "Flat profile", "Flat profile: x\n", "a Flat profile:\n", "f 1\n"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		CU_ASSERT(!ingest_gprof.detect(others[i], strlen(others[i])));
}

static const struct unit_case cases[] = {
	{"times_are_numbers_of_samples", test_samples},
	{"names_have_blanks_and_parameters", test_names},
	{"errors_point_at_the_place", test_errors},
	{"other_text_is_not_taken", test_others},
	{NULL, NULL},
};

void
suite_ingest_ingest_gprof(void)
{
	unit_suite("ingest/ingest_gprof", cases);
}
