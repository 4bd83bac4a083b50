#include "builds/function_end.h"

#include "unit.h"

#include <string.h>

void suite_builds_go_functions(void);

static void
declarations_have_their_lines(void)
{
	static const char text[] = "// package no\npackage lex // it\n\nimport \"fmt\"\n\n"
				   "func Read(x interface{}) (y int) {\n\tif x {\n\t}\n}\n\n"
				   "func (s *Scanner[T]) next() { s.i++ }\n\n"
				   "func (Token) String() string {\n\tf := func() {\n\t}\n}\n"
				   "func total[T number](v []T) T {\n}\n"
				   "var f = func() {}\nfunc\nfunc (s *Broken\nfunc ";
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

void
suite_builds_go_functions(void)
{
	static const struct unit_case cases[] = {
		{"declarations_have_their_lines", declarations_have_their_lines},
		{"names_of_programs_lead_to_declarations", names_of_programs_lead_to_declarations},
		{NULL, NULL},
	};

	unit_suite("builds/go_functions", cases);
}
