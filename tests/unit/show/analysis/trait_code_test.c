#include "sample.h"

void suite_analysis_trait_code(void);

static void
a_bottleneck_is_reported_with_the_way_to_it(void)
{
	static const struct stack stacks[] = {
		{"app;_start;main;run;parse;scan", 40},
		{"app;_start;main;run;print;scan", 20},
		{"app;_start;main;run;print", 39},
		{"app;_start;main;run", 901},
		{NULL, 0},
	};
	static const struct stack most[] = {
		{"app;main;run;parse;scan", 70},
		{"app;main;run;print;scan", 30},
		{"app;main;run;emit;scan", 1},
		{NULL, 0},
	};

	check_trait(trait_bottleneck, stacks,
		"run is the primary bottleneck: 90.1 % of the samples are its own\n"
		"All of it is along app > main > run\n");
	check_trait(trait_bottleneck, most,
		"scan is the primary bottleneck: 100 % of the samples are its own\n"
		"Heaviest path, 69.3 % of it: app > main > run > parse > scan\n"
		"It divides in run: 69.3 % parse, 29.7 % print, 0.99 % 1 more\n"
		"By caller, of 3: 69.3 % parse, 29.7 % print, 0.99 % emit; the largest caller's part is "
		"69.3 % of the whole\n");
}

static void
just_under_a_tenth_is_no_bottleneck(void)
{
	static const struct stack stacks[] = {
		{"app;main;a", 99},
		{"app;main;[libx.so]", 901},
		{NULL, 0},
	};

	check_trait(trait_bottleneck, stacks, "");
}

static void
a_long_path_loses_its_middle(void)
{
	static const struct stack stacks[] = {
		{"app;a;b;c;d;e;f;g;h;i;j;k;leaf", 10},
		{NULL, 0},
	};

	check_trait(trait_bottleneck, stacks,
		"leaf is the primary bottleneck: 100 % of the samples are its own\n"
		"All of it is along app > a > b > c > ...4 more... > h > i > j > k > leaf\n");
}

static void
recursion_is_one_step_of_a_path(void)
{
	static const struct stack stacks[] = {
		{"app;main;walk;walk;walk;visit", 10},
		{"app;main;walk;visit", 10},
		{NULL, 0},
	};
	static const struct stack self[] = {
		{"app;main;fib;fib;fib", 10},
		{"app;main;fib;fib", 10},
		{NULL, 0},
	};

	check_trait(trait_bottleneck, stacks,
		"visit is the primary bottleneck: 100 % of the samples are its own\n"
		"Heaviest path, 50.0 % of it: app > main > walk > visit\n"
		"It divides in walk: 50.0 % visit, 50.0 % walk\n");
	check_trait(trait_bottleneck, self,
		"fib is the primary bottleneck: 100 % of the samples are its own\n"
		"All of it is along app > main > fib\n");
}

static void
what_is_inlined_belongs_to_the_bottleneck(void)
{
	static const struct stack stacks[] = {
		{"app;main;run", 10},
		{"app;main;run;step_[i];add_[i]", 70},
		{"app;main;run;step_[i];emit", 20},
		{NULL, 0},
	};

	check_trait(trait_bottleneck, stacks,
		"run is the primary bottleneck: 80.0 % of the samples are its own\n"
		"All of it is along app > main > run\n");
}

static void
a_subtree_is_reported_where_no_function_is_large(void)
{
	static const struct stack large[] = {
		{"app;main;x;parse;a", 9},
		{"app;main;x;parse;b", 9},
		{"app;main;x;parse;c", 9},
		{"app;main;x;parse;d", 9},
		{"app;main;x;parse;e", 9},
		{"app;main;f", 9},
		{"app;main;g", 9},
		{"app;main;h", 9},
		{"app;main;i", 9},
		{"app;main;j", 8},
		{"app;main;k", 8},
		{"app;main;l", 2},
		{NULL, 0},
	};
	struct stack most[13];

	check_trait(trait_subtree, large, "");
	memcpy(most, large, sizeof(most));
	most[5].frames = "app;main;x;parse;f";
	check_trait(trait_subtree, most,
		"No function is large by itself, but 54.5 % of the samples are below parse\n"
		"There they divide: 16.7 % a, 16.7 % b, 16.7 % c, 50.0 % 3 more\n"
		"The path to it: app > main > x > parse\n");
}

static void
a_utility_is_called_from_many_places(void)
{
	struct stack stacks[] = {
		{"app;main;a;memcmp", 2},
		{"app;main;b;memcmp", 1},
		{"app;main;c;memcmp", 1},
		{"app;main;d;memcmp", 1},
		{"app;main;e;step_[i];memcmp", 1},
		{"app;main;run", 94},
		{NULL, 0},
	};

	check_trait(trait_utility, stacks,
		"memcmp is called by 5 functions and has 6.0 % in all\n"
		"By caller, of 5: 33.3 % a, 16.7 % b, 16.7 % c, 33.3 % 2 more; the largest caller's part "
		"is 2.0 % of the whole\n");
	/* Too little, by too few, or nearly all by one. */
	stacks[5].weight = 200;
	check_trait(trait_utility, stacks, "");
	stacks[5].weight = 94;
	stacks[4].frames = "app;main;d;step_[i];memcmp";
	check_trait(trait_utility, stacks, "");
	stacks[4].frames = "app;main;e;step_[i];memcmp";
	stacks[0].weight = 8;
	check_trait(trait_utility, stacks, "");
}

/* As an interpreter recurs through the functions of its script: parts of a whole, not more. */
static void
a_sample_has_one_caller_however_deep_the_recursion(void)
{
	static const struct stack stacks[] = {
		{"app;main;f;eval;g;eval;eval;f;eval", 30},
		{"app;main;f;eval;g;eval", 25},
		{"app;main;h;eval;eval", 45},
		{NULL, 0},
	};

	check_trait(trait_bottleneck, stacks,
		"eval is the primary bottleneck: 100 % of the samples are its own\n"
		"Heaviest path, 55.0 % of it: app > main > f > eval\n"
		"It divides in main: 55.0 % f, 45.0 % h\n"
		"By caller, of 3: 45.0 % h, 30.0 % f, 25.0 % g; the largest caller's part is 45.0 % of "
		"the whole\n");
}

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
suite_analysis_trait_code(void)
{
	static const struct unit_case cases[] = {
		{"a_bottleneck_is_reported_with_the_way_to_it",
			a_bottleneck_is_reported_with_the_way_to_it},
		{"just_under_a_tenth_is_no_bottleneck", just_under_a_tenth_is_no_bottleneck},
		{"a_long_path_loses_its_middle", a_long_path_loses_its_middle},
		{"recursion_is_one_step_of_a_path", recursion_is_one_step_of_a_path},
		{"what_is_inlined_belongs_to_the_bottleneck",
			what_is_inlined_belongs_to_the_bottleneck},
		{"a_subtree_is_reported_where_no_function_is_large",
			a_subtree_is_reported_where_no_function_is_large},
		{"a_utility_is_called_from_many_places", a_utility_is_called_from_many_places},
		{"a_sample_has_one_caller_however_deep_the_recursion",
			a_sample_has_one_caller_however_deep_the_recursion},
		{"a_script_without_names_is_reported_with_advice",
			a_script_without_names_is_reported_with_advice},
		{"functions_of_a_script_divide_it", functions_of_a_script_divide_it},
		{NULL, NULL},
	};

	unit_suite("analysis/trait_code", cases);
}
