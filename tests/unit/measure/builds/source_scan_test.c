#include "builds/source_scan.h"

#include "unit.h"

#include <string.h>

void suite_builds_source_scan(void);

/* The line in which the function ends that is declared in the line with "HERE". */
static uint32_t
end_of(const char *text)
{
	uint32_t line = 1;

	for (const char *at = text, *here = strstr(text, "HERE"); at < here; at++)
		line += *at == '\n';
	return function_end(text, strlen(text), line);
}

static void
it_is_the_line_of_the_closing_brace(void)
{
	CU_ASSERT_EQUAL(
		end_of("static int\nHERE(int x)\n{\n\tif (x) {\n\t\tx++;\n\t}\n}\nint y;\n"), 7);
	CU_ASSERT_EQUAL(end_of("int a;\nint HERE(void) { return 1; }\nint b;\n"), 2);
	CU_ASSERT_EQUAL(
		end_of("func HERE(x interface{}) (y struct{}) {\n\treturn\n}\n\nvar z\n"), 3);
	CU_ASSERT_EQUAL(end_of("fn HERE<'a>(x: &'a str) -> &'a str {\n    x\n}\nfn g() {\n}\n"), 3);
	CU_ASSERT_EQUAL(end_of("HERE::HERE(int x) : a{x}, b{2} {\n\tc();\n}\nint d;\n"), 3);
	CU_ASSERT_EQUAL(
		end_of("\tstd::sort(a, b, [](int HERE, int y) {\n\t\treturn x;\n\t});\n\tf();\n"),
		3);
}

static void
braces_in_texts_and_comments_do_not_count(void)
{
	CU_ASSERT_EQUAL(
		end_of("int HERE(void)\n{\n\tputs(\"}\\\"}\"); // }\n\tc = '}'; d = '\\'';\n"
		       "\t/* }\n\t} */\n}\n"),
		7);
	CU_ASSERT_EQUAL(end_of("func HERE() {\n\ts := `}\n}\\`\n\tr := '\xc3\xa9'\n}\n"), 5);
	CU_ASSERT_EQUAL(end_of("int HERE(void) {\n\treturn 1'000'000;\n}\n"), 3);
}

static void
one_without_braces_ends_with_its_statement(void)
{
	CU_ASSERT_EQUAL(end_of("let f = |x| x + 1; // HERE\nlet g = 2;\n"), 1);
	CU_ASSERT_EQUAL(end_of("\tlines.map(|x| HERE\n\t\tx + 1);\n\tif (y) {\n\t}\n"), 2);
	/* The block around it ends. */
	CU_ASSERT_EQUAL(end_of("{\n\tlines.map(|x| HERE)\n}\nint z;\n"), 3);
}

static void
a_text_may_end_before(void)
{
	CU_ASSERT_EQUAL(function_end("", 0, 1), 1);
	CU_ASSERT_EQUAL(function_end("a\nb\n", 4, 9), 9);
	CU_ASSERT_EQUAL(end_of("int HERE(void)\n{\n\tif (x) {\n"), 1);
	CU_ASSERT_EQUAL(end_of("int HERE(void)\n{ \"\\"), 1);
	CU_ASSERT_EQUAL(end_of("int HERE(void)\n{ '\\"), 1);
}

static void
declarations_have_their_lines(void)
{
	static const char text[] = "// package no\npackage lex // it\n\nimport \"fmt\"\n\n"
				   "func Read(x interface{}) (y int) {\n\tif x {\n\t}\n}\n\n"
				   "func (s *Scanner[T]) next() { s.i++ }\n\n"
				   "func (Token) String() string {\n\tf := func() {\n\t}\n}\n"
				   "func total[T number](v []T) T {\n}\n"
				   "var f = func() {}\nfunc\nfunc (s *Broken\nfunc (s *T)\n"
				   "func (s *T) (x)\nfunc \nfunc () {}\nfunc ";
	static const struct go_function expected[] = {{"lex.Read", 6, 9},
		{"lex.(*Scanner).next", 11, 11}, {"lex.Token.String", 13, 16},
		{"lex.total", 17, 18}};
	struct go_functions found;
	struct arena arena = {0};

	go_functions_read(&found, text, sizeof(text) - 1, &arena);
	CU_ASSERT_EQUAL_FATAL(found.count, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < found.count; i++) {
		UNIT_STR_EQ(found.functions[i].name, expected[i].name);
		CU_ASSERT_EQUAL(found.functions[i].first, expected[i].first);
		CU_ASSERT_EQUAL(found.functions[i].last, expected[i].last);
	}
	go_functions_release(&found);
	go_functions_read(&found, "", 0, &arena);
	CU_ASSERT_EQUAL(found.count, 0);
	go_functions_release(&found);
	arena_release(&arena);
}

static void
names_of_programs_lead_to_declarations(void)
{
	static const char *const names[][2] = {{"main.main", "main.main"},
		{"main.main.func1", "main.main"}, {"main.main.func2.1", "main.main"},
		{"main.functional", "main.functional"},
		{"example.com/tool/lex.(*Scanner).next", "lex.(*Scanner).next"},
		{"tool/lex.(*Scanner[go.shape.int_0]).next.func1", "lex.(*Scanner).next"},
		{"main.total[example.com/a/b.T,int]", "main.total"},
		{"main.Token.String-fm", "main.Token.String"}, {"odd]name[", "odd]name"}, {"", ""}};
	struct buf out = {0};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		go_function_name(names[i][0], &out);
		UNIT_STR_EQ(buf_text(&out), names[i][1]);
	}
	buf_release(&out);
}

static const struct unit_case cases[] = {
	{"it_is_the_line_of_the_closing_brace", it_is_the_line_of_the_closing_brace},
	{"braces_in_texts_and_comments_do_not_count", braces_in_texts_and_comments_do_not_count},
	{"one_without_braces_ends_with_its_statement", one_without_braces_ends_with_its_statement},
	{"a_text_may_end_before", a_text_may_end_before},
	{"declarations_have_their_lines", declarations_have_their_lines},
	{"names_of_programs_lead_to_declarations", names_of_programs_lead_to_declarations},
	{NULL, NULL},
};

void
suite_builds_source_scan(void)
{
	unit_suite("builds/source_scan", cases);
}
