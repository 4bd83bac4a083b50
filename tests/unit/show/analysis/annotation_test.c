#include "annotation_side.h"
#include "unit.h"

void suite_analysis_annotation(void);

static void
expect_row(const struct annotation_rows *rows, size_t row, const char *path, uint32_t line)
{
	CU_ASSERT_FATAL(row < rows->count);
	UNIT_STR_EQ(rows->files.all[rows->rows[row].file].path, path);
	CU_ASSERT_EQUAL(rows->rows[row].line, line);
}

struct expected {
	const char *path;
	uint32_t line;
	double self[2];
};

/* The rows of two sides, which end here. */
static void
expect_both(struct side *sides, const struct expected expected[2])
{
	const struct annotation annotation = sides_annotation(sides, 2);
	struct annotation_rows rows;

	annotation_rows_init(&rows, &annotation);
	CU_ASSERT_EQUAL_FATAL(rows.count, 2);
	for (size_t i = 0; i < 2; i++) {
		expect_row(&rows, i, expected[i].path, expected[i].line);
		CU_ASSERT_EQUAL(rows.rows[i].self[0], expected[i].self[0]);
		CU_ASSERT_EQUAL(rows.rows[i].self[1], expected[i].self[1]);
	}
	annotation_rows_release(&rows);
	sides_end(sides, 2);
}

static void
files_of_one_name_are_not_one_file(void)
{
	struct side side;
	struct annotation_rows rows;

	side_begin(&side, "src/f.c", 1);
	side_add(&side, "src/list.h", 7, 4);
	side_add(&side, "lib/list.h", 7, 2);

	const struct annotation annotation = sides_annotation(&side, 1);

	annotation_rows_init(&rows, &annotation);
	CU_ASSERT_EQUAL_FATAL(rows.count, 2);
	expect_row(&rows, 0, "src/list.h", 7);
	CU_ASSERT_EQUAL(rows.rows[0].self[0], 4);
	expect_row(&rows, 1, "lib/list.h", 7);
	CU_ASSERT_EQUAL(rows.rows[1].self[0], 2);
	annotation_rows_release(&rows);
	sides_end(&side, 1);
}

static void
a_file_is_found_in_the_folder_of_another_build(void)
{
	struct side sides[2];

	side_begin(&sides[0], "/old/src/f.c", 1);
	side_add(&sides[0], "/old/lib/list.h", 7, 2);
	side_add(&sides[0], "/old/src/list.h", 7, 4);
	side_begin(&sides[1], "/new/src/f.c", 1);
	side_add(&sides[1], "/new/src/list.h", 7, 8);
	side_add(&sides[1], "/new/lib/list.h", 7, 2);

	expect_both(sides, (struct expected[]){
				   {"/new/src/list.h", 7, {4, 8}}, {"/new/lib/list.h", 7, {2, 2}}});
}

static void
the_functions_file_may_be_renamed(void)
{
	struct side sides[2];

	side_begin(&sides[0], "src/before.c", 20);
	side_add(&sides[0], "src/before.c", 22, 4);
	side_add(&sides[0], "src/list.h", 7, 2);
	side_begin(&sides[1], "src/after.cc", 30);
	side_add(&sides[1], "src/list.h", 7, 3);
	side_add(&sides[1], "src/after.cc", 32, 5);

	expect_both(sides,
		(struct expected[]){{"src/after.cc", 32, {4, 5}}, {"src/list.h", 7, {2, 3}}});
}

/* Ten lines were added ahead of f, none to the header that is inlined into it. */
static void
only_the_lines_of_the_functions_file_move_with_it(void)
{
	struct side sides[2];

	side_begin(&sides[0], "/old/f.c", 20);
	side_add(&sides[0], "/old/f.c", 22, 4);
	side_add(&sides[0], "/old/list.h", 7, 2);
	side_begin(&sides[1], "/new/f.c", 30);
	side_add(&sides[1], "/new/f.c", 32, 4);
	side_add(&sides[1], "/new/list.h", 7, 2);

	expect_both(
		sides, (struct expected[]){{"/new/f.c", 32, {4, 4}}, {"/new/list.h", 7, {2, 2}}});
}

static void
add_code(struct side *side, uint32_t line, uint64_t offset, double weight)
{
	const struct line_place place = {
		.file = "f.c", .line = line, .module = "prog", .offset = offset};

	line_weights_begin(&side->weights, weight);
	line_weights_add(&side->weights, &place, weight, true);
}

/* Among three instructions before the second is gone after, and the third is the second one there.
 */
static void
an_instruction_has_the_weight_of_the_same_one_before(void)
{
	static const struct annotation_instruction before[] = {
		{.bytes = 4, .offset = 16, .text = "add", .same = 0},
		{.bytes = 4, .offset = 20, .text = "div", .same = UINT32_MAX},
		{.bytes = 4, .offset = 24, .text = "sub", .same = 1},
	};
	static const struct annotation_instruction after[] = {
		{.bytes = 4, .offset = 116, .text = "add", .same = UINT32_MAX},
		{.bytes = 4, .offset = 120, .text = "sub", .same = UINT32_MAX},
	};
	static const struct annotation_cell expected[] = {
		{.row = 0, .instruction = 0, .self = {5, 7}},
		{.row = 1, .instruction = 1, .self = {3, 0}}};
	struct side sides[2];

	side_begin(&sides[0], "f.c", 20);
	add_code(&sides[0], 22, 16, 2);
	/* Inside of it. */
	add_code(&sides[0], 22, 18, 3);
	add_code(&sides[0], 22, 20, 9);
	add_code(&sides[0], 23, 24, 3);
	side_begin(&sides[1], "f.c", 30);
	add_code(&sides[1], 32, 116, 7);
	add_code(&sides[1], 33, 400, 1);

	struct annotation annotation = sides_annotation(sides, 2);
	struct annotation_rows rows;

	annotation.code[0] = (struct annotation_code){before, 3};
	annotation.code[1] = (struct annotation_code){after, 2};
	annotation_rows_init(&rows, &annotation);
	CU_ASSERT_EQUAL_FATAL(rows.count, 2);
	CU_ASSERT_EQUAL_FATAL(rows.ncells, 2);
	for (size_t i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(rows.cells[i].row, expected[i].row);
		CU_ASSERT_EQUAL(rows.cells[i].instruction, expected[i].instruction);
		CU_ASSERT_EQUAL(rows.cells[i].self[0], expected[i].self[0]);
		CU_ASSERT_EQUAL(rows.cells[i].self[1], expected[i].self[1]);
	}
	annotation_rows_release(&rows);
	sides_end(sides, 2);
}

void
suite_analysis_annotation(void)
{
	static const struct unit_case cases[] = {
		{"files_of_one_name_are_not_one_file", files_of_one_name_are_not_one_file},
		{"a_file_is_found_in_the_folder_of_another_build",
			a_file_is_found_in_the_folder_of_another_build},
		{"the_functions_file_may_be_renamed", the_functions_file_may_be_renamed},
		{"only_the_lines_of_the_functions_file_move_with_it",
			only_the_lines_of_the_functions_file_move_with_it},
		{"an_instruction_has_the_weight_of_the_same_one_before",
			an_instruction_has_the_weight_of_the_same_one_before},
		{NULL, NULL},
	};

	unit_suite("analysis/annotation", cases);
}
