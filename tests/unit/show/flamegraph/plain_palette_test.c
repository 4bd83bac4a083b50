#include "flamegraph/plain_palette.h"

#include "unit.h"

void suite_flamegraph_plain_palette(void);

static frame_id
add(struct profile *profile, const char *name, enum frame_kind kind, const char *module,
	double weight)
{
	frame_id frame = profile_frame(profile, name, strlen(name), kind);
	node_id node = ctree_child(&profile->tree, CTREE_ROOT, frame);

	profile->frames.frames[frame].module = strtab_intern_str(&profile->strings, module);
	ctree_add(&profile->tree, 0, node, weight);
	return frame;
}

static void
build(struct profile *profile)
{
	profile_init(profile);
	profile_add_run(profile);
}

static void
kinds_have_hues_of_their_own(void)
{
	struct profile profile;
	struct flamegraph_palette palette;
	char class[3];

	build(&profile);
	const struct {
		frame_id frame;
		char letter;
	} expected[] = {
		{add(&profile, "main", FRAME_USER, "/bin/app", 1), 'u'},
		{add(&profile, "malloc", FRAME_USER, "/lib/libc.so.6", 1), 'l'},
		{add(&profile, "tiny", FRAME_INLINED, "/bin/app", 1), 'i'},
		{add(&profile, "jitted", FRAME_JIT, "", 1), 'j'},
		{add(&profile, "sys_read", FRAME_KERNEL, "[kernel.kallsyms]", 1), 'k'},
		{add(&profile, "[unknown]", FRAME_USER, "", 1), 'x'},
		{add(&profile, FRAME_BROKEN, FRAME_USER, "", 1), 'z'},
		{0, 'z'},
	};

	flamegraph_palette_init(
		&palette, &profile, &(struct flamegraph_options){.colours = FLAMEGRAPH_BY_KIND});
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		flamegraph_palette_class(&palette, expected[i].frame, class);
		CU_ASSERT_EQUAL(class[0], expected[i].letter);
		CU_ASSERT_EQUAL(
			palette.hues[flamegraph_palette_hue(&palette, expected[i].frame)].letter,
			expected[i].letter);
	}
	flamegraph_palette_release(&palette);
	profile_release(&profile);
}

static void
the_heaviest_modules_have_hues_and_the_rest_shares_one(void)
{
	struct profile profile;
	struct flamegraph_palette palette;
	frame_id frames[9];

	build(&profile);
	for (int i = 0; i < 9; i++) {
		char name[] = {'f', (char)('0' + i), '\0'};
		char module[] = "/lib/a.so";

		module[5] = (char)('a' + i);
		frames[i] = add(&profile, name, FRAME_USER, module, i == 8 ? 100 : 10 - i);
	}
	frame_id kernel = add(&profile, "sys_read", FRAME_KERNEL, "[kernel.kallsyms]", 1000);

	flamegraph_palette_init(
		&palette, &profile, &(struct flamegraph_options){.colours = FLAMEGRAPH_BY_MODULE});
	CU_ASSERT_EQUAL(flamegraph_palette_hue(&palette, frames[8]), 0);
	CU_ASSERT_STRING_EQUAL(palette.hues[0].meaning, "i.so");
	CU_ASSERT_EQUAL(flamegraph_palette_hue(&palette, frames[0]), 1);
	CU_ASSERT_STRING_EQUAL(palette.hues[1].meaning, "a.so");
	CU_ASSERT_EQUAL(palette.hues[flamegraph_palette_hue(&palette, frames[6])].letter, 'x');
	CU_ASSERT_EQUAL(palette.hues[flamegraph_palette_hue(&palette, frames[7])].letter, 'x');
	CU_ASSERT_EQUAL(palette.hues[flamegraph_palette_hue(&palette, kernel)].letter, 'k');
	flamegraph_palette_release(&palette);
	profile_release(&profile);
}

static void
no_module_known_is_one_hue(void)
{
	struct profile profile;
	struct flamegraph_palette palette;

	build(&profile);
	frame_id frame = add(&profile, "main", FRAME_USER, "", 1);

	flamegraph_palette_init(
		&palette, &profile, &(struct flamegraph_options){.colours = FLAMEGRAPH_BY_MODULE});
	CU_ASSERT_STRING_EQUAL(palette.hues[flamegraph_palette_hue(&palette, frame)].meaning,
		"other or unknown module");
	flamegraph_palette_release(&palette);
	profile_release(&profile);
}

static void
a_name_has_the_same_shade_in_every_picture(void)
{
	struct profile profile;
	struct flamegraph_palette palette;
	char class[3];

	build(&profile);
	add(&profile, "other", FRAME_USER, "", 1);
	frame_id frame = add(&profile, "main", FRAME_USER, "", 1);

	flamegraph_palette_init(
		&palette, &profile, &(struct flamegraph_options){.colours = FLAMEGRAPH_HOT});
	flamegraph_palette_class(&palette, frame, class);
	CU_ASSERT_STRING_EQUAL(class, "h8");
	flamegraph_palette_release(&palette);
	flamegraph_palette_init(
		&palette, &profile, &(struct flamegraph_options){.colours = FLAMEGRAPH_MONO});
	flamegraph_palette_class(&palette, frame, class);
	CU_ASSERT_STRING_EQUAL(class, "x3");
	flamegraph_palette_release(&palette);
	profile_release(&profile);
}

static void
coverage_has_a_colour_for_each_state(void)
{
	static const char *const expected[] = {"s1", "g2", "g4", "x"};
	struct profile profile;
	struct flamegraph_palette palette;
	unsigned char states[COVERAGE_STATES + 2] = {0};
	char class[3];

	build(&profile);
	for (unsigned char state = 0; state < COVERAGE_STATES; state++) {
		const char name[] = {(char)('a' + state), '\0'};

		states[add(&profile, name, FRAME_USER, "", 1)] = state;
	}
	flamegraph_palette_init(&palette, &profile,
		&(struct flamegraph_options){.colours = FLAMEGRAPH_BY_COVERAGE, .states = states});
	for (frame_id frame = 1; frame <= COVERAGE_STATES; frame++) {
		flamegraph_palette_class(&palette, frame, class);
		CU_ASSERT_NSTRING_EQUAL(class, expected[frame - 1], strlen(expected[frame - 1]));
	}
	flamegraph_palette_class(&palette, 0, class);
	CU_ASSERT_STRING_EQUAL(class, "z");
	flamegraph_palette_release(&palette);
	profile_release(&profile);
}

void
suite_flamegraph_plain_palette(void)
{
#define CASE(name)          \
	{                   \
#name, name \
	}
	static const struct unit_case cases[] = {
		CASE(kinds_have_hues_of_their_own),
		CASE(the_heaviest_modules_have_hues_and_the_rest_shares_one),
		CASE(no_module_known_is_one_hue),
		CASE(a_name_has_the_same_shade_in_every_picture),
		CASE(coverage_has_a_colour_for_each_state),
		{NULL, NULL},
	};
#undef CASE

	unit_suite("flamegraph/plain_palette", cases);
}
