#include "output/cause_text.h"

#include "format/name_fit.h"
#include "sample.h"

#include <math.h>

void suite_output_cause_text(void);

/* A comparison of some frames; none of its effects is known but where a test sets it. */
struct told {
	struct comparison comparison;
	struct causes causes;
	struct cause_lines lines;
	size_t columns;
};

static void
told_init(struct told *told)
{
	*told = (struct told){.columns = 72};
	profile_init(&told->comparison.profile);
	told->comparison.self = mem_zalloc(64, sizeof(struct effect));
	told->comparison.model.min_ratio_samples = 5;
	told->comparison.model.min_samples = 50;
	told->comparison.model.samples[MODEL_BEFORE] = 1000;
	told->comparison.model.samples[MODEL_AFTER] = 1000;
	told->comparison.profile.cost_unit =
		strtab_intern_str(&told->comparison.profile.strings, "ns");
	told->causes.domain_effect = sample_effect(0.001, -0.009, 0.011, NAN, NAN);
	told->causes.growth = 14e6;
}

static void
told_release(struct told *told)
{
	profile_release(&told->comparison.profile);
	free(told->comparison.self);
}

static frame_id
told_frame(struct told *told, const char *name)
{
	frame_id frame = profile_frame_text(&told->comparison.profile, name, strlen(name));

	told->comparison.nframes = told->comparison.profile.frames.nframes;
	return frame;
}

/* What is said with this label, "" where nothing is; the lines must be released. */
static const char *
said(struct told *told, const char *label)
{
	cause_lines_init(&told->lines, &told->comparison, told_frame(told, "parse_value"),
		&told->causes, told->columns);
	for (size_t i = 0; i < told->lines.nlines; i++) {
		if (strcmp(told->lines.lines[i].label, label) == 0)
			return told->lines.lines[i].text;
	}
	return "";
}

static void
check_said(struct told *told, const char *label, const char *expected)
{
	CU_ASSERT_STRING_EQUAL(said(told, label), expected);
	cause_lines_release(&told->lines);
}

static void
nothing_is_said_of_what_was_not_looked_for(void)
{
	struct told told;
	struct cause_lines lines;

	told_init(&told);
	cause_lines_init(&lines, &told.comparison, 0, NULL, 72);
	CU_ASSERT_EQUAL(lines.nlines, 0);
	cause_lines_release(&lines);
	cause_lines_init(&lines, &told.comparison, 1000, &told.causes, 72);
	CU_ASSERT_EQUAL(lines.nlines, 0);
	cause_lines_release(&lines);
	told_release(&told);
}

static void
each_move_has_its_sentence(void)
{
	struct told told;

	told_init(&told);
	told.causes.domain = "parse_value";
	told.causes.from = told_frame(&told, "parse_object");
	told.causes.from_gone = true;
	told.causes.moved = DOMAIN_CALLEES;
	check_said(&told, "moved",
		"Its cost moved here: parse_value with all it calls changed by +0.1 % [-0.9, 1.1]; "
		"likely parse_object, which is gone, was inlined into it.");
	told.causes.moved = DOMAIN_CALLER;
	told.causes.domain = "run";
	check_said(&told, "moved",
		"Its cost moved here: run with all it calls changed by +0.1 % [-0.9, 1.1]; likely "
		"parse_object, which is gone, became part of it.");
	told.causes.moved = DOMAIN_CLASS;
	told.causes.domain = "json::Parser";
	told.causes.from_gone = false;
	check_said(&told, "moved",
		"Its cost moved here: the functions of json::Parser together changed by +0.1 % "
		"[-0.9, 1.1]; likely parse_object lost what it took.");
	told.causes.moved = DOMAIN_FILE;
	told.causes.domain = "src/./parse.c";
	told.causes.from = 0;
	check_said(&told, "moved",
		"Its cost moved here: the functions of src/parse.c together changed by +0.1 % "
		"[-0.9, 1.1].");
	told.causes.moved = DOMAIN_NAMES;
	told.causes.domain = "parse_any";
	check_said(&told, "moved",
		"parse_any, which is gone, likely goes by this name now: the two together changed "
		"by +0.1 % [-0.9, 1.1].");
	told.causes.moved = DOMAIN_NONE;
	told.causes.domain = NULL;
	check_said(&told, "moved", "");
	told_release(&told);
}

static void
a_new_function_was_split_off(void)
{
	struct told told;

	told_init(&told);
	told.comparison.self[told_frame(&told, "parse_value")] =
		(struct effect){.after_weight = 200, .after_share = 0.2};
	told.causes.moved = DOMAIN_CALLER;
	told.causes.domain = "run";
	told.causes.from = told_frame(&told, "parse_object");
	check_said(&told, "moved",
		"Its cost moved here: run with all it calls changed by +0.1 % [-0.9, 1.1]; likely "
		"it was split off parse_object.");
	told.causes.from_gone = true;
	check_said(&told, "moved",
		"Its cost moved here: run with all it calls changed by +0.1 % [-0.9, 1.1]; likely "
		"parse_object, which is gone, became this.");
	told_release(&told);
}

static void
the_same_code_is_layout_where_no_change_reaches_it(void)
{
	struct told told;

	told_init(&told);
	check_said(&told, "layout", "");
	check_said(&told, "unreachable", "");
	told.causes.code = CODE_SAME;
	check_said(&told, "layout",
		"Its machine code is the same in both builds, addresses apart: layout, unless it is "
		"called more often or with other data. -falign-functions=64 -falign-loops=32 reduces "
		"it.");
	told.causes.unreachable = true;
	check_said(&told, "layout",
		"Its machine code is the same in both builds, addresses apart: layout. "
		"-falign-functions=64 -falign-loops=32 reduces it.");
	check_said(&told, "unreachable", "No function that changed is on any sampled path to it.");
	told.causes.code = CODE_CHANGED;
	check_said(&told, "code", "Its machine code changed.");
	told_release(&told);
}

static void
the_same_code_is_no_layout_where_it_does_more_or_its_caller_changed(void)
{
	struct told told;

	told_init(&told);
	told.causes.code = CODE_SAME;
	told.causes.changed_caller = told_frame(&told, "run");
	check_said(&told, "layout", "");
	check_said(&told, "code",
		"Its machine code is the same in both builds, addresses apart: it may be called more "
		"often, or with other data; the code of its caller run changed.");
	told.causes.instructions_before = 1000;
	told.causes.instructions_after = 1000;
	check_said(&told, "work",
		"It executes the same instructions (+0.0 %): cache or memory, not more work.");
	told.causes.changed_caller = 0;
	told.causes.unreachable = true;
	told.causes.instructions_after = 1500;
	check_said(&told, "layout", "");
	check_said(&told, "code",
		"Its machine code is the same in both builds, addresses apart: it is called more "
		"often, or with other data.");
	told_release(&told);
}

static void
more_work_is_told_from_slower_work(void)
{
	struct told told;

	told_init(&told);
	check_said(&told, "work", "");
	told.causes.instructions_before = 1e6;
	told.causes.instructions_after = 1.071e6;
	check_said(&told, "work", "It executes 7.1 % more instructions: more work.");
	told.causes.instructions_after = 1.0004e6;
	check_said(&told, "work",
		"It executes the same instructions (+0.0 %): layout, cache or memory, not more "
		"work.");
	told.causes.instructions_after = 0.9e6;
	check_said(&told, "work",
		"It executes 10.0 % fewer instructions: not more work, each takes longer.");
	told.causes.instructions_after = NAN;
	check_said(&told, "work", "");
	told_release(&told);
}

static void
stacks_and_neighbours_add_up_to_the_growth(void)
{
	struct told told;
	const frame_id frames[] = {told_frame((told_init(&told), &told), "main"),
		told_frame(&told, "run"), told_frame(&told, "parse_value")};

	told.causes.stacks[0] = (struct cause_stack){frames, 3, 10e6, 22.1e6};
	told.causes.nstacks = 1;
	told.causes.callers[0] = (struct cause_neighbour){frames[1], 20e6, 32e6};
	told.causes.ncallers = 1;
	told.causes.callees[0] =
		(struct cause_neighbour){told_frame(&told, "parse_string_[i]"), 0, 3e6};
	told.causes.callees[1] = (struct cause_neighbour){frames[0], 1e6, 2.5e6};
	told.causes.ncallees = 2;
	told.causes.before_calls = 30e6;
	told.causes.after_calls = 49e6;
	check_said(&told, "carried by", "main;run;parse_value +12.1 ms of +14.0 ms");
	check_said(&told, "by caller", "run +12.0 ms, others +2.00 ms");
	check_said(&told, "calls",
		"+19.0 ms with all it calls: own +14.0 ms, parse_string_[i] +3.00 ms, main +1.50 "
		"ms, others +500 us");
	told_release(&told);
}

/* The process's costs are not known: samples stand for them. */
static void
costs_without_a_unit_are_samples(void)
{
	struct told told;

	told_init(&told);
	told.comparison.profile.cost_unit = 0;
	const frame_id frame = told_frame(&told, "parse_value");

	told.causes.stacks[0] = (struct cause_stack){&frame, 1, 10, 22};
	told.causes.nstacks = 1;
	told.causes.growth = 12;
	check_said(&told, "carried by", "parse_value +12 samples of +12 samples");
	told_release(&told);
}

static void
a_deep_stack_keeps_its_ends(void)
{
	struct told told;
	frame_id frames[40];
	char name[16];

	told_init(&told);
	for (size_t i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "function_%zu", i);
		frames[i] = told_frame(&told, name);
	}
	told.causes.stacks[0] = (struct cause_stack){frames, 40, 10e6, 22.1e6};
	told.causes.nstacks = 1;
	told.columns = 60;
	check_said(&told, "carried by",
		"function_0;...;function_37;function_38;function_39 +12.1 ms of "
		"+14.0 ms");
	told.columns = 40;
	check_said(
		&told, "carried by", "function_0;...;function_38;function_39 +12.1 ms of +14.0 ms");
	told.causes.stacks[0].nframes = 3;
	check_said(&told, "carried by", "function_0;function_1;function_2 +12.1 ms of +14.0 ms");
	told_release(&told);
}

/* Wherever a name can stand; 64 KiB of it, and bytes that are no text. */
static void
hostile_names_are_fitted_and_plain(void)
{
	struct sample sample;
	struct cause_lines lines;
	struct buf all = {0};

	sample_init(&sample, true);
	struct comparison *comparison = &sample.judgements[0].comparison;
	frame_id giant = profile_frame_text(
		&comparison->profile, sample.template_name, strlen(sample.template_name));

	sample.frames[3] = giant;
	sample.causes.callers[0].frame = giant;
	sample.causes.from = giant;
	sample.causes.domain = sample.template_name;
	cause_lines_init(&lines, comparison, sample.findings[0].frame, &sample.causes, 72);
	CU_ASSERT(lines.nlines > 4);
	for (size_t i = 0; i < lines.nlines; i++) {
		CU_ASSERT(name_columns(lines.lines[i].text, strlen(lines.lines[i].text)) < 500);
		buf_puts(&all, lines.lines[i].text);
		CU_ASSERT_PTR_NULL(strchr(lines.lines[i].text, '\n'));
	}
	CU_ASSERT_TRUE(sample_is_plain(&all));
	CU_ASSERT_TRUE(sample_is_utf8(&all));
	cause_lines_release(&lines);
	sample_release(&sample);
	buf_release(&all);
}

static void
variants_that_differ_are_named(void)
{
	struct told told;

	told_init(&told);
	told.causes.variant_before = "avx2";
	told.causes.variant_after = "evex";
	check_said(&told, "variant", "evex here, avx2 in the baseline: chosen by the CPU.");
	told.causes.variant_before = NULL;
	check_said(&told, "variant", "");
	told_release(&told);
}

void
suite_output_cause_text(void)
{
	static const struct unit_case cases[] = {
		{"nothing_is_said_of_what_was_not_looked_for",
			nothing_is_said_of_what_was_not_looked_for},
		{"each_move_has_its_sentence", each_move_has_its_sentence},
		{"a_new_function_was_split_off", a_new_function_was_split_off},
		{"the_same_code_is_layout_where_no_change_reaches_it",
			the_same_code_is_layout_where_no_change_reaches_it},
		{"the_same_code_is_no_layout_where_it_does_more_or_its_caller_changed",
			the_same_code_is_no_layout_where_it_does_more_or_its_caller_changed},
		{"more_work_is_told_from_slower_work", more_work_is_told_from_slower_work},
		{"stacks_and_neighbours_add_up_to_the_growth",
			stacks_and_neighbours_add_up_to_the_growth},
		{"costs_without_a_unit_are_samples", costs_without_a_unit_are_samples},
		{"a_deep_stack_keeps_its_ends", a_deep_stack_keeps_its_ends},
		{"hostile_names_are_fitted_and_plain", hostile_names_are_fitted_and_plain},
		{"variants_that_differ_are_named", variants_that_differ_are_named},
		{NULL, NULL},
	};

	unit_suite("output/cause_text", cases);
}
