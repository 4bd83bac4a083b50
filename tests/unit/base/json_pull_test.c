#include "base/json_pull.h"

#include "base/mem.h"

#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_base_json_pull(void);

struct text {
	struct file_view view;
	struct json_pull json;
};

static void
begin(struct text *text, const char *bytes, size_t len)
{
	text->view = (struct file_view){.data = bytes, .len = len};
	json_pull_init(&text->json, "x.json", &text->view);
}

static void
expect_text(const char *bytes, const char *expected, size_t len)
{
	struct json_text taken = {"", 0};
	struct text text;
	struct err err = {0};

	begin(&text, bytes, strlen(bytes));
	CU_ASSERT(json_pull_text(&text.json, &taken));
	CU_ASSERT_EQUAL_FATAL(taken.len, len);
	CU_ASSERT_EQUAL(memcmp(taken.at, expected, len), 0);
	CU_ASSERT_EQUAL(json_pull_end(&text.json, 0, "more", &err), 0);
	json_pull_release(&text.json);
}

/* `where` is "line:column: error: ..." */
static void
refuses_bytes(const char *bytes, size_t len, const char *where)
{
	char expected[512];
	struct text text;
	struct err err = {0};

	begin(&text, bytes, len);
	json_pull_skip(&text.json);
	CU_ASSERT_EQUAL(json_pull_end(&text.json, 0, "more", &err), -1);
	snprintf(expected, sizeof(expected), "x.json:%s\n", where);
	if (strncmp(err.text, expected, strlen(expected)) != 0)
		printf("  | %s\n  | %s", err.text, expected);
	CU_ASSERT_EQUAL(strncmp(err.text, expected, strlen(expected)), 0);
	json_pull_release(&text.json);
}

static void
refuses(const char *bytes, const char *where)
{
	refuses_bytes(bytes, strlen(bytes), where);
}

static void
test_texts(void)
{
	struct json_text taken;
	struct text text;

	expect_text("\"\"", "", 0);
	expect_text("\xef\xbb\xbf \"ab\"\r\n\t ", "ab", 2);
	expect_text("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
	expect_text(
		"\"a\\u00e9\\u20AC\\ud83d\\ude00z\"", "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z", 11);
	/* As they are, whatever they are. */
	expect_text("\"\xff\x01\"", "\xff\x01", 2);
	/* They end as those of C. */
	expect_text("\"a\\u0000b\"", "a", 1);
	begin(&text, "\"a\0b\"", 5);
	CU_ASSERT(json_pull_text(&text.json, &taken));
	CU_ASSERT_EQUAL(taken.len, 1);
	/* Without an escape there is no copy. */
	CU_ASSERT_PTR_EQUAL(taken.at, text.view.data + 1);
}

static void
test_numbers(void)
{
	static const char *const numbers[] = {"0", "-0", "7", "-12", "123456789012345",
		"1234567890123456", "9007199254740993", "18446744073709551616", "0.1", "-2.5e-3",
		"1E+22", "1e23", "3.14159265358979323846", "123456789012345678901234567890e-10",
		"2.2250738585072011e-308", "4.9e-324", "1e-400", "1e400", "-1e400", "1e99999999999",
		"0.000000000000000000000000000001", "8.5e-1", "9007199254740992e22"};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const double expected = strtod(numbers[i], NULL);
		double number = NAN;
		struct text text;
		struct err err = {0};

		begin(&text, numbers[i], strlen(numbers[i]));
		CU_ASSERT(json_pull_number(&text.json, &number));
		CU_ASSERT_EQUAL(number, expected);
		CU_ASSERT_EQUAL(signbit(number), signbit(expected));
		CU_ASSERT_EQUAL(json_pull_end(&text.json, 0, "more", &err), 0);
		json_pull_release(&text.json);
	}
}

/* 99 where it is no whole number below 50. */
static uint64_t
whole_of(const char *bytes)
{
	uint64_t number = 99;
	struct text text;
	struct err err = {0};

	begin(&text, bytes, strlen(bytes));
	CU_ASSERT_EQUAL(json_pull_whole(&text.json, 50, &number), number != 99);
	CU_ASSERT_EQUAL(json_pull_end(&text.json, 0, "more", &err), 0);
	json_pull_release(&text.json);
	return number;
}

static void
test_whole_numbers(void)
{
	CU_ASSERT_EQUAL(whole_of("0"), 0);
	CU_ASSERT_EQUAL(whole_of(" 49 "), 49);
	CU_ASSERT_EQUAL(whole_of("4.9e1"), 49);
	CU_ASSERT_EQUAL(whole_of("3.0"), 3);
	CU_ASSERT_EQUAL(whole_of("-0"), 0);
	CU_ASSERT_EQUAL(whole_of("50"), 99);
	CU_ASSERT_EQUAL(whole_of("-1"), 99);
	CU_ASSERT_EQUAL(whole_of("1.5"), 99);
	CU_ASSERT_EQUAL(whole_of("18446744073709551617"), 99);
	CU_ASSERT_EQUAL(whole_of("1e400"), 99);
	CU_ASSERT_EQUAL(whole_of("\"1\""), 99);
	CU_ASSERT_EQUAL(whole_of("[1,{\"a\":[]}]"), 99);
}

static void
test_kinds(void)
{
	static const char bytes[] = "[1,\"a\",[2],{\"b\":3},true,false,null]";
	double number = 9;
	struct json_text taken = {"unset", 5};
	struct text text;
	struct err err = {0};
	unsigned items = 0;

	for (unsigned wanted = 0; wanted < 3; wanted++) {
		begin(&text, bytes, strlen(bytes));
		CU_ASSERT(json_pull_list(&text.json));
		for (items = 0; json_pull_item(&text.json); items++) {
			if (wanted == 0) {
				CU_ASSERT_EQUAL(json_pull_number(&text.json, &number), items == 0);
			} else if (wanted == 1) {
				CU_ASSERT_EQUAL(json_pull_text(&text.json, &taken), items == 1);
			} else {
				json_pull_skip(&text.json);
			}
		}
		CU_ASSERT_EQUAL(items, 7);
		CU_ASSERT_EQUAL(json_pull_end(&text.json, 0, "more", &err), 0);
	}
	CU_ASSERT_EQUAL(number, 1);
	CU_ASSERT(json_text_is(taken, "a"));
	CU_ASSERT(!json_text_is(taken, "ab"));
	CU_ASSERT(!json_text_is(taken, ""));
}

static void
test_fields(void)
{
	static const char *const keys[] = {"a", "b", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	double numbers[2] = {0, 0};
	struct text text;
	struct err err = {0};
	static const char bytes[] =
		"{\"b\":1,\"x\":{\"a\":[9]},\"\\u0061\":2,\"a\":3,\"b\":\"4\",\"ab\":5,\"\":6}";

	begin(&text, bytes, strlen(bytes));
	CU_ASSERT(json_pull_object(&text.json));
	for (int key; (key = json_pull_field(&text.json, &fields)) >= 0;)
		json_pull_number(&text.json, &numbers[key]);
	CU_ASSERT_EQUAL(numbers[0], 2);
	CU_ASSERT_EQUAL(numbers[1], 1);
	CU_ASSERT(json_fields_has(&fields, 0));
	CU_ASSERT_EQUAL(json_pull_end(&text.json, 0, "more", &err), 0);
	json_pull_release(&text.json);
}

static void
test_places(void)
{
	static const char bytes[] = "[[1,2],3]";
	double sum = 0;
	double number;
	struct text text;
	struct err err = {0};

	begin(&text, bytes, strlen(bytes));
	CU_ASSERT(json_pull_list(&text.json));
	CU_ASSERT(json_pull_item(&text.json));
	const struct json_place first = json_pull_place(&text.json);

	json_pull_skip(&text.json);
	CU_ASSERT(json_pull_item(&text.json));
	const struct json_place second = json_pull_place(&text.json);

	json_pull_go(&text.json, first);
	CU_ASSERT(json_pull_list(&text.json));
	while (json_pull_item(&text.json))
		if (json_pull_number(&text.json, &number))
			sum += number;
	json_pull_go(&text.json, second);
	CU_ASSERT(json_pull_number(&text.json, &number));
	CU_ASSERT_EQUAL(sum * 10 + number, 33);
	CU_ASSERT(!json_pull_item(&text.json));
	CU_ASSERT_EQUAL(json_pull_end(&text.json, 0, "more", &err), 0);
}

#define NOT_JSON "error: this is not JSON: "

static void
test_errors(void)
{
	refuses("", "1:1: " NOT_JSON "expected a value");
	refuses("\n nul", "2:2: " NOT_JSON "expected a value");
	refuses("[1,]", "1:4: " NOT_JSON "expected a value");
	refuses("[1 2]", "1:4: " NOT_JSON "expected ',' or ']'");
	refuses("[1,2", "1:5: " NOT_JSON "expected ',' or ']'");
	refuses("[", "1:2: " NOT_JSON "expected a value");
	refuses("[}", "1:2: " NOT_JSON "expected a value");
	refuses("{]", "1:2: " NOT_JSON "expected a key in quotes");
	refuses("{\"a\":1,}", "1:8: " NOT_JSON "expected a key in quotes");
	refuses("{\"a\" 1}", "1:6: " NOT_JSON "expected ':' behind the key");
	refuses("{\"a\":1 \"b\":2}", "1:8: " NOT_JSON "expected ',' or '}'");
	refuses("{\"a\":1", "1:7: " NOT_JSON "expected ',' or '}'");
	refuses("[\n\"a", "2:1: " NOT_JSON "this text has no closing quote");
	refuses("\"a\\\"", "1:1: " NOT_JSON "this text has no closing quote");
	refuses("\"a\\x\"", "1:3: " NOT_JSON "there is no such escape");
	refuses("\"\\u12g4\"", "1:2: " NOT_JSON "expected four hexadecimal digits behind \\u");
	refuses("\"\\u12\"", "1:2: " NOT_JSON "expected four hexadecimal digits behind \\u");
	refuses("\"\\ud800\"", "1:2: " NOT_JSON "a surrogate without its other half");
	refuses("\"\\ud800\\u0041\"", "1:2: " NOT_JSON "a surrogate without its other half");
	refuses("\"\\udc00\\ud800\"", "1:2: " NOT_JSON "a surrogate without its other half");
	refuses("[01]", "1:3: " NOT_JSON "expected ',' or ']'");
	refuses("[-]", "1:3: " NOT_JSON "expected a digit");
	refuses("[1.]", "1:4: " NOT_JSON "expected a digit");
	refuses("[1e+]", "1:5: " NOT_JSON "expected a digit");
	refuses("[+1]", "1:2: " NOT_JSON "expected a value");
	refuses("[.5]", "1:2: " NOT_JSON "expected a value");
	refuses("[NaN]", "1:2: " NOT_JSON "expected a value");
	refuses("1 2", "1:3: error: more");
	refuses_bytes("[1\0]", 4, "1:3: " NOT_JSON "expected ',' or ']'");
	/* A vertical tab is no blank. */
	refuses("[1\v]", "1:3: " NOT_JSON "expected ',' or ']'");
}

/* `depth` times "[" and then "]". */
static char *
nested(size_t depth)
{
	char *text = mem_zalloc(1, 2 * depth + 1);

	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	return text;
}

static void
test_depth(void)
{
	char *most = nested(JSON_PULL_DEPTH_MAX);
	char *more = nested(1000000);
	struct text text;
	struct err err = {0};
	size_t depth = 0;

	begin(&text, most, strlen(most));
	json_pull_skip(&text.json);
	CU_ASSERT_EQUAL(json_pull_end(&text.json, 0, "more", &err), 0);
	begin(&text, more, strlen(more));
	while (json_pull_list(&text.json) && json_pull_item(&text.json))
		depth++;
	CU_ASSERT_EQUAL(depth, JSON_PULL_DEPTH_MAX);
	refuses(more, "1:1001: " NOT_JSON "its lists and objects are more than 1000 levels deep");
	free(most);
	free(more);
}

/* Whoever reads on gets nothing, and the first error stays. */
static void
test_after_an_error(void)
{
	struct json_text taken;
	struct text text;
	struct err err = {0};
	double number;
	uint64_t whole;

	begin(&text, "[x, 1]", 6);
	CU_ASSERT(json_pull_list(&text.json));
	CU_ASSERT(json_pull_item(&text.json));
	const struct json_place place = json_pull_place(&text.json);

	json_pull_skip(&text.json);
	CU_ASSERT(json_pull_failed(&text.json));
	json_pull_go(&text.json, place);
	CU_ASSERT(!json_pull_item(&text.json));
	CU_ASSERT(!json_pull_key(&text.json, &taken));
	CU_ASSERT(!json_pull_text(&text.json, &taken));
	CU_ASSERT(!json_pull_number(&text.json, &number));
	CU_ASSERT(!json_pull_whole(&text.json, 9, &whole));
	CU_ASSERT(!json_pull_list(&text.json));
	CU_ASSERT(!json_pull_object(&text.json));
	CU_ASSERT_EQUAL(json_pull_end(&text.json, -1, "more", &err), -1);
	UNIT_CONTAINS(err.text, "x.json:1:2: " NOT_JSON "expected a value");
}

static const struct unit_case cases[] = {
	{"texts_are_the_files_own_but_for_escapes", test_texts},
	{"numbers_are_those_of_strtod", test_numbers},
	{"whole_numbers_have_a_limit", test_whole_numbers},
	{"values_of_another_kind_are_skipped", test_kinds},
	{"of_equal_keys_the_first_counts", test_fields},
	{"a_value_can_be_read_later", test_places},
	{"errors_have_line_and_column", test_errors},
	{"the_depth_is_limited", test_depth},
	{"after_an_error_there_is_nothing", test_after_an_error},
	{NULL, NULL},
};

void
suite_base_json_pull(void)
{
	unit_suite("base/json_pull", cases);
}
