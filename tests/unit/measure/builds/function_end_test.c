#include "builds/function_end.h"

#include "unit.h"

#include <string.h>

void suite_builds_function_end(void);

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

/* The type or macro of the line with "HERE"; "": none. */
static const char *
definition_at(const char *text)
{
	static char name[DEFINITION_SIZE];
	uint32_t line = 1;

	name[0] = '\0';
	for (const char *at = text, *here = strstr(text, "HERE"); at < here; at++)
		line += *at == '\n';
	if (!definition_of(text, strlen(text), line, name))
		name[0] = '\0';
	return name;
}

static void
a_line_is_of_a_type_or_a_macro(void)
{
	UNIT_STR_EQ(definition_at("#define A(n) (n)\n\nstruct node {\n\tint HERE;\n};\n"),
		"struct node");
	UNIT_STR_EQ(definition_at("namespace n {\ntemplate <class T> struct Node : Base {\n"
				  "\tvoid f() {\n\t}\n\tT HERE = {};\n};\n}\n"),
		"struct Node");
	UNIT_STR_EQ(definition_at("typedef struct {\n\tint a;\n\tint HERE;\n} t;\n"), "struct");
	UNIT_STR_EQ(definition_at("type Row struct {\n\tHERE int\n}\n"), "struct Row");
	UNIT_STR_EQ(definition_at("pub enum Kind {\n    One,\n    HERE,\n}\n"), "enum Kind");
	UNIT_STR_EQ(definition_at("int a;\n#  define HERE 3\n"), "macro HERE");
	UNIT_STR_EQ(definition_at("#define ADD(a, b) \\\n\t((a) + \\\n\t(b)) /* HERE */\n"),
		"macro ADD");
	UNIT_STR_EQ(definition_at("int f(struct node *n)\n{\n\tint HERE;\n}\n"), "");
	UNIT_STR_EQ(definition_at("struct node {\n\t// HERE\n};\n"), "");
	UNIT_STR_EQ(definition_at("struct node {\n\tint HERE(void);\n};\n"), "");
	UNIT_STR_EQ(definition_at("int HERE;\n"), "");
	UNIT_STR_EQ(definition_at(""), "");
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

void
suite_builds_function_end(void)
{
	static const struct unit_case cases[] = {
		{"it_is_the_line_of_the_closing_brace", it_is_the_line_of_the_closing_brace},
		{"braces_in_texts_and_comments_do_not_count",
			braces_in_texts_and_comments_do_not_count},
		{"one_without_braces_ends_with_its_statement",
			one_without_braces_ends_with_its_statement},
		{"a_line_is_of_a_type_or_a_macro", a_line_is_of_a_type_or_a_macro},
		{"a_text_may_end_before", a_text_may_end_before},
		{NULL, NULL},
	};

	unit_suite("builds/function_end", cases);
}
