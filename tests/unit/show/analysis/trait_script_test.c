#include "sample.h"

void suite_analysis_trait_script(void);

static void
a_script_without_names_is_reported_with_advice(void)
{
	static const struct stack stacks[] = {
		{"perl;main;Perl_runops_standard;Perl_pp_add", 3},
		{"perl;main;perl_parse", 1},
		{NULL, 0},
	};

	check_trait(trait_interpreter, stacks,
		"75.0 % of the samples are in the Perl interpreter, without the names of the "
		"script's functions\n"
		"To name them, use a profiler of Perl, such as perl -d:NYTProf\n");
	check_trait(trait_script, stacks, "");
}

/* A function has what it calls outside of the script, and recursion counts once. */
static void
functions_of_a_script_divide_it(void)
{
	static const struct stack stacks[] = {
		{"python3;py::main_[j];_PyEval_EvalFrameDefault", 10},
		{"python3;py::main_[j];_PyEval_EvalFrameDefault;py::fib_[j];"
		 "_PyEval_EvalFrameDefault;py::fib_[j];_PyEval_EvalFrameDefault;malloc",
			20},
		{"python3;py::main_[j];_PyEval_EvalFrameDefault;py::parse_[j];"
		 "_PyEval_EvalFrameDefault;dict_lookup",
			50},
		{"python3;Py_Initialize", 20},
		{NULL, 0},
	};
	static const struct stack compiled[] = {{"node;main;JS:*fib_[j]", 1}, {NULL, 0}};

	check_trait(trait_script, stacks,
		"py::parse_[j] is the largest function of the script: 50.0 % of the samples, calls "
		"that leave the script included\n"
		"By function of the script: 62.5 % py::parse_[j], 25.0 % py::fib_[j], 12.5 % "
		"py::main_[j]\n");
	check_trait(trait_interpreter, stacks, "");
	/* Compiled code has its own weight: other traits name it. */
	check_trait(trait_script, compiled, "");
}

void
suite_analysis_trait_script(void)
{
	static const struct unit_case cases[] = {
		{"a_script_without_names_is_reported_with_advice",
			a_script_without_names_is_reported_with_advice},
		{"functions_of_a_script_divide_it", functions_of_a_script_divide_it},
		{0},
	};

	unit_suite("analysis/trait_script", cases);
}
