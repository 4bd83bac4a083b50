#include "profile/fields.h"

#include "unit.h"

#include <math.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

void suite_profile_fields(void);

/* The bytes of a struct that no field has. */
static size_t
bytes_without_field(const unsigned char *covered, size_t size)
{
	size_t bytes = 0;

	for (size_t i = 0; i < size; i++)
		bytes += covered[i] == 0;
	return bytes;
}

/* What no file has stands in the table all the same, so that nobody forgets to ask where it goes.
 */
static void
every_member_of_a_run_is_a_field(void)
{
	unsigned char covered[sizeof(struct run)] = {0};

	for (const struct run_field *each = run_fields; each->field.name; each++)
		memset(covered + each->field.offset, 1, each->field.size);
	memset(covered + offsetof(struct run, counters), 1, sizeof(struct run_counters));
	/* Two bools before a uint32_t, and no other place to pad. */
	CU_ASSERT_TRUE(bytes_without_field(covered, sizeof(covered)) < alignof(struct run));
}

static void
columns_have_each_a_place_of_its_own(void)
{
	const struct run_field *columns[RUN_COLUMNS_MAX];
	const enum run_tables tables[] = {RUN_TABLE_PAGE, RUN_TABLE_TEXT};

	for (size_t k = 0; k < 2; k++) {
		size_t n = run_table_columns(tables[k], columns);

		CU_ASSERT_TRUE(n > 5);
		for (size_t i = 0; i < n; i++) {
			CU_ASSERT_PTR_NOT_NULL(columns[i]->column.heading);
			if (i > 0)
				CU_ASSERT_TRUE(
					columns[i]->column.place > columns[i - 1]->column.place);
		}
	}
}

static const struct run_field *
field_called(const char *name)
{
	const struct run_field *field = run_fields;

	while (strcmp(field->field.name, name) != 0)
		field++;
	return field;
}

static void
what_is_not_known_is_no_number(void)
{
	struct run run = {.program_cpus = 1, .steal_ns = 0, .sibling_ns = 5, .wall_ns = 100};

	CU_ASSERT_TRUE(isnan(run_field_value(field_called("pair"), &run)));
	CU_ASSERT_TRUE(isnan(run_field_value(field_called("sibling_ns"), &run)));
	CU_ASSERT_DOUBLE_EQUAL(run_field_value(field_called("steal_ns"), &run), 0, 0);
	run.sibling_cpus = 1;
	CU_ASSERT_DOUBLE_EQUAL(run_field_value(field_called("sibling_ns"), &run), 5, 0);
	CU_ASSERT_TRUE(isnan(run_column_value(field_called("wall_ns"), &run)));
	CU_ASSERT_DOUBLE_EQUAL(run_column_value(field_called("samples"), &run), 0, 0);
	run.measured = true;
	CU_ASSERT_DOUBLE_EQUAL(run_column_value(field_called("wall_ns"), &run), 100, 0);
}

void
suite_profile_fields(void)
{
	static const struct unit_case cases[] = {
		{"every_member_of_a_run_is_a_field", every_member_of_a_run_is_a_field},
		{"columns_have_each_a_place_of_its_own", columns_have_each_a_place_of_its_own},
		{"what_is_not_known_is_no_number", what_is_not_known_is_no_number},
		{NULL, NULL},
	};

	unit_suite("profile/fields", cases);
}
