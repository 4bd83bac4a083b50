#include "gate/finding_changes.h"

#include "base/mem.h"
#include "unit.h"

#include <string.h>

void suite_gate_finding_changes(void);

#define FILE_HEAD(path) "diff --git\n+++ b/" path "\n"
/* A hunk of one line. */
#define HUNK(line) "@@ -" line " +" line " @@\n-a\n+b\n"

static const char diff[] = FILE_HEAD("other.c") HUNK("5") FILE_HEAD("app.c") HUNK("3") HUNK("15")
	HUNK("25") HUNK("35") HUNK("45") FILE_HEAD("app.h") HUNK("7") HUNK("9");

/* A finding about parse(), which calls read() and is called by main(). */
struct place {
	struct comparison comparison;
	struct causes causes;
	frame_id stack[2];
	struct source_extent extents[4];
	struct diff_hunks hunks;
	const char *names[4];
	struct finding_difference difference;
	struct finding_function function;
	struct report_changes changes;
	struct arena arena;
};

static frame_id
frame_of(struct place *place, const char *name)
{
	return profile_frame_text(&place->comparison.profile, name, strlen(name));
}

static void
place_init(struct place *place)
{
	static const char *const names[] = {"parse", "read", "main", "rest"};

	*place = (struct place){0};
	profile_init(&place->comparison.profile);
	for (uint32_t i = 0; i < 4; i++) {
		place->extents[i] = (struct source_extent){
			"app.c", 10 * i + 10, 10 * i + 19, frame_of(place, names[i])};
		place->names[i] = names[i];
	}
	place->stack[0] = frame_of(place, "main");
	place->stack[1] = frame_of(place, "parse");
	place->causes = (struct causes){.stacks = {{place->stack, 2, 0, 0}},
		.nstacks = 1,
		.callees = {{frame_of(place, "read"), 0, 0}},
		.ncallees = 1};
	diff_hunks_parse(&place->hunks, diff, strlen(diff));
	place->difference = (struct finding_difference){.commit = "",
		.hunks = &place->hunks,
		.functions = {place->extents, 4, 4},
		.names = place->names};
	place->function = (struct finding_function){
		.comparison = &place->comparison,
		.frame = place->stack[1],
		.causes = &place->causes,
		.marked_path = "app.h",
		.marked_line = 9,
	};
}

static void
place_release(struct place *place)
{
	profile_release(&place->comparison.profile);
	diff_hunks_release(&place->hunks);
	arena_release(&place->arena);
}

static void
the_hunks_of_the_function_come_first(void)
{
	static const struct {
		const char *path;
		const char *function;
		enum hunk_place place;
		uint32_t line;
	} expected[] = {{"app.c", "parse", HUNK_OWN, 15}, {"app.h", NULL, HUNK_OWN, 7},
		{"app.h", NULL, HUNK_MARKED, 9}, {"app.c", "read", HUNK_CALLED, 25},
		{"app.c", "main", HUNK_CALLER, 35}, {"other.c", NULL, HUNK_OTHER, 5},
		{"app.c", NULL, HUNK_OTHER, 3}, {"app.c", "rest", HUNK_OTHER, 45}};
	/* A line of an inlined function has weight in it. */
	const struct finding_line inlined = {"app.h", 7};
	struct place place;

	place_init(&place);
	finding_changes_put_hunks(
		&place.changes, &place.difference, &place.function, &inlined, 1, &place.arena);
	CU_ASSERT_TRUE(place.changes.kept);
	CU_ASSERT_EQUAL_FATAL(place.changes.nhunks, 8);
	CU_ASSERT_EQUAL(place.changes.hunks_left_out, 0);
	for (size_t i = 0; i < 8; i++) {
		const struct report_hunk *hunk = &place.changes.hunks[i];

		CU_ASSERT_EQUAL(hunk->place, expected[i].place);
		UNIT_STR_EQ(hunk->path, expected[i].path);
		CU_ASSERT_EQUAL(hunk->line, expected[i].line);
		UNIT_STR_EQ(hunk->function ? hunk->function : "",
			expected[i].function ? expected[i].function : "");
		UNIT_STR_EQ(hunk->text, "-a\n+b\n");
	}
	place_release(&place);
}

static void
without_a_commit_the_reason_is_kept(void)
{
	struct place place;

	place_init(&place);
	diff_hunks_release(&place.hunks);
	finding_changes_put_hunks(
		&place.changes, &place.difference, &place.function, NULL, 0, &place.arena);
	UNIT_STR_EQ(place.changes.no_hunks, "the commit of the side before is not known");
	place_release(&place);
}

/* An instruction; `same`: the index of the one after it. */
static struct annotation_instruction
instruction(const char *text, uint32_t same)
{
	return (struct annotation_instruction){.function = "parse", .text = text, .same = same};
}

static void
changed_instructions_stand_in_the_order_of_the_code(void)
{
	struct annotation_instruction before[] = {instruction("push rbp", 0),
		instruction("mov edx, 0x1e", 1), instruction("div ecx", UINT32_MAX),
		instruction("jmp 0x10 <parse+0x3>", 3)};
	struct annotation_instruction after[] = {instruction("push rbp", UINT32_MAX),
		instruction("mov edx, 0x82", UINT32_MAX), instruction("imul eax, eax", UINT32_MAX),
		instruction("jmp 0x20 <parse+0x7>", UINT32_MAX)};
	struct annotate_result result = {
		.annotation.nsides = 2, .code = {{before, 4, 4, NULL, 0}, {after, 4, 4, NULL, 0}}};
	struct report_changes changes = {0};
	struct arena arena = {0};

	finding_changes_put_code(&changes, &result, &arena);
	UNIT_STR_EQ(changes.code, "-mov edx, 0x1e\n+mov edx, 0x82\n-div ecx\n+imul eax, eax\n");
	CU_ASSERT_PTR_NULL(changes.no_code);
	result.code[0].count = 0;
	finding_changes_put_code(&changes, &result, &arena);
	UNIT_CONTAINS(changes.no_code, "could not be read");
	arena_release(&arena);
}

static void
of_many_instructions_the_heaviest_are_kept(void)
{
	static struct annotation_instruction after[100];
	struct annotation_cell cell = {.instruction = 70, .self = {0, 5}};
	struct annotation_instruction before[] = {instruction("ret", UINT32_MAX)};
	struct annotate_result result = {.annotation.nsides = 2,
		.rows = {.cells = &cell, .ncells = 1},
		.code = {{before, 1, 1, NULL, 0}, {after, 100, 100, NULL, 0}}};
	struct report_changes changes = {0};
	struct arena arena = {0};

	for (size_t i = 0; i < 100; i++)
		after[i] = instruction(arena_printf(&arena, "op %zu", i), UINT32_MAX);
	finding_changes_put_code(&changes, &result, &arena);
	UNIT_CONTAINS(changes.code, "+op 70\n");
	CU_ASSERT_EQUAL(changes.code_left_out, 81);
	arena_release(&arena);
}

void
suite_gate_finding_changes(void)
{
	static const struct unit_case cases[] = {
		{"the_hunks_of_the_function_come_first", the_hunks_of_the_function_come_first},
		{"without_a_commit_the_reason_is_kept", without_a_commit_the_reason_is_kept},
		{"changed_instructions_stand_in_the_order_of_the_code",
			changed_instructions_stand_in_the_order_of_the_code},
		{"of_many_instructions_the_heaviest_are_kept",
			of_many_instructions_the_heaviest_are_kept},
		{NULL, NULL},
	};

	unit_suite("gate/finding_changes", cases);
}
