#include "elf/demangle.h"

#include "unit.h"

void suite_elf_java_name(void);

static void
check(const char *name, const char *expected)
{
	struct buf text = {0};

	CU_ASSERT_EQUAL(java_name(name, &text), expected[0] != '\0');
	UNIT_STR_EQ(buf_text(&text), expected);
	buf_release(&text);
}

/* As `java -XX:+DumpPerfMapAtExit` writes the same methods. */
static void
test_methods(void)
{
	check("LTruth;seven(D)V", "void Truth.seven(double)");
	check("LTruth;main([Ljava/lang/String;)V", "void Truth.main(java.lang.String[])");
	check("Lorg/a/B;add([[IJLjava/util/List;Z)[B",
		"byte[] org.a.B.add(int[][], long, java.util.List, boolean)");
	check("Ljava/lang/Object;<init>()V", "void java.lang.Object.<init>()");
	check("La/B$C;lambda$run$0(CSF)La/B$C;", "a.B$C a.B$C.lambda$run$0(char, short, float)");
}

static void
test_others(void)
{
	check("", "");
	check("L", "");
	check("Interpreter", "");
	check("StubRoutines (1)", "");
	check("LazyCompile:*f a.js:1", "");
	check("void Truth.seven(double)", "");
	check("LTruth;seven", "");
	check("LTruth;seven(D", "");
	check("LTruth;seven(D)", "");
	check("LTruth;seven(D)VV", "");
	check("LTruth;seven(Q)V", "");
	check("LTruth;(D)V", "");
	check("L;seven(D)V", "");
	check("LTruth;seven(Ljava/lang)V;)V", "");
	check("LTruth;seven([)V", "");
	check("Lseven(LTruth;)V", "");
}

void
suite_elf_java_name(void)
{
	static const struct unit_case cases[] = {
		{"methods_are_named_as_the_jvm_names_them", test_methods},
		{"other_names_are_not_changed", test_others},
		{NULL, NULL},
	};

	unit_suite("elf/java_name", cases);
}
