#include "profile/interpreter.h"

#include "profile/folded.h"
#include "unit.h"

#include <string.h>

void suite_profile_interpreter(void);

/* What is said of a folded profile. */
static void
check(const char *folded, const char *expected)
{
	struct profile profile;
	struct err err = {0};
	struct buf text = {0};

	profile_init(&profile);
	CU_ASSERT_EQUAL_FATAL(folded_read(&profile, "t", folded, strlen(folded), &err), 0);
	interpreter_put(&profile, &text);
	UNIT_STR_EQ(buf_text(&text), expected);
	buf_release(&text);
	profile_release(&profile);
}

static void
a_script_without_names_is_reported_with_what_names_it(void)
{
	check("python3;main;_PyEval_EvalFrameDefault;dict_lookup 5\n"
	      "python3;main;_PyEval_EvalFrameDefault 75\n"
	      "python3;main;Py_Initialize 20\n",
		"80.0 % of the samples are in the Python interpreter, without the names of the "
		"script's functions; to name them, run Python 3.12 or later with -X perf or "
		"PYTHONPERFSUPPORT=1");
	/* A compiler's part of the function, and the larger of two. */
	check("sh;perl;Perl_runops_standard.part.0;Perl_pp_add 60\n"
	      "sh;python3;_PyEval_EvalFrameDefault 40\n",
		"60.0 % of the samples are in the Perl interpreter, without the names of the "
		"script's functions; to name them, use a profiler of Perl, such as perl "
		"-d:NYTProf");
}

static void
names_that_are_there_are_not_asked_for(void)
{
	check("python3;main;_PyEval_EvalFrameDefault 10\n"
	      "python3;main;py::f:a.py_[j];_PyEval_EvalFrameDefault;dict_lookup 90\n",
		"");
	/* Code of a just-in-time compiler without a name is none. */
	check("node;Builtins_InterpreterEntryTrampoline;[anon]_[j] 100\n",
		"100 % of the samples are in the JavaScript interpreter, without the names of the "
		"script's functions; to name them, run node with --perf-basic-prof "
		"--interpreted-frames-native-stack");
	/* Names may be among what is missing. */
	check("python3;[broken];_PyEval_EvalFrameDefault 60\n"
	      "python3;main;_PyEval_EvalFrameDefault 40\n",
		"");
}

static void
other_programs_are_not_scripts(void)
{
	check("app;main;work 81\napp;main;lua_pcallk 19\n", "");
	check("app;main;execute_exactly 100\n", "");
}

static void
a_process_is_of_the_language_that_its_name_begins_with(void)
{
	UNIT_CONTAINS(interpreter_advice("python3.12"), "-X perf");
	UNIT_CONTAINS(interpreter_advice("ruby"), "--yjit-perf");
	UNIT_CONTAINS(interpreter_advice("luajit"), "luajit -jp=fl");
	CU_ASSERT_PTR_NULL(interpreter_advice("lua5.4"));
	CU_ASSERT_PTR_NULL(interpreter_advice("perl"));
	CU_ASSERT_PTR_NULL(interpreter_advice(""));
}

void
suite_profile_interpreter(void)
{
	static const struct unit_case cases[] = {
		{"a_script_without_names_is_reported_with_what_names_it",
			a_script_without_names_is_reported_with_what_names_it},
		{"names_that_are_there_are_not_asked_for", names_that_are_there_are_not_asked_for},
		{"other_programs_are_not_scripts", other_programs_are_not_scripts},
		{"a_process_is_of_the_language_that_its_name_begins_with",
			a_process_is_of_the_language_that_its_name_begins_with},
		{0},
	};

	unit_suite("profile/interpreter", cases);
}
