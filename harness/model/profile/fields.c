#include "profile/fields.h"

#include "profile/disturbance.h"
#include "profile/incomplete.h"
#include "profile/weights.h"

#include <math.h>

#define PROFILE(member) FIELD_OF(struct profile, member)
#define RUN(member) FIELD_OF(struct run, member)
#define IN_BOTH (FIELD_STORED | FIELD_REPORTED)
#define IN_BOTH_LATER (IN_BOTH | FIELD_LATER)
#define DISTURBANCE (FIELD_STORED | FIELD_LATER | FIELD_DISTURBANCE)
#define PAGE RUN_TABLE_PAGE
#define TEXT RUN_TABLE_TEXT

/* Workload, event, metric and frequency of a baseline are among what is known of it as a whole. */
const struct field profile_fields[] = {
	{PROFILE(workload), FIELD_STR_ID, FIELD_FOLDED},
	{PROFILE(command), FIELD_STR_ID, FIELD_FOLDED | FIELD_STORED},
	{PROFILE(metric), FIELD_STR_ID, FIELD_FOLDED | FIELD_WEIGHTS},
	{PROFILE(event), FIELD_STR_ID, FIELD_FOLDED | FIELD_WEIGHTS},
	{PROFILE(unit), FIELD_STR_ID, FIELD_FOLDED | FIELD_WEIGHTS | FIELD_STORED},
	{PROFILE(weight), FIELD_STR_ID, FIELD_FOLDED | FIELD_WEIGHTS | FIELD_UNJUDGED},
	{PROFILE(cost_unit), FIELD_STR_ID, FIELD_STORED},
	{PROFILE(callgraph), FIELD_STR_ID, FIELD_FOLDED | FIELD_STORED},
	{PROFILE(callgraph_why), FIELD_STR_ID, FIELD_STORED | FIELD_LATER},
	{PROFILE(stack_bytes), FIELD_U32, FIELD_STORED | FIELD_LATER},
	{PROFILE(host), FIELD_STR_ID, FIELD_STORED},
	{PROFILE(operations), FIELD_STR_ID, FIELD_FOLDED | FIELD_UNJUDGED},
	{PROFILE(files), FIELD_LINES, FIELD_STORED | FIELD_LATER},
	{PROFILE(code), FIELD_LINES, FIELD_STORED | FIELD_LATER | FIELD_UNJUDGED},
	{PROFILE(cpu_choice), FIELD_LINES, FIELD_STORED | FIELD_LATER | FIELD_UNJUDGED},
	{PROFILE(variants), FIELD_LINES, FIELD_STORED | FIELD_LATER | FIELD_UNJUDGED},
	{PROFILE(by), FIELD_STR_ID, FIELD_UNJUDGED},
	{PROFILE(frequency_hz), FIELD_DOUBLE, 0},
	{PROFILE(started), FIELD_TIME, FIELD_STORED},
	{PROFILE(duration_s), FIELD_DOUBLE, FIELD_STORED},
	{NULL, 0, 0, FIELD_BOOL, 0},
};

static double
broken_otherwise(const struct run *run)
{
	return (double)(run->broken_stacks - incomplete_truncated(run));
}

static double
truncated(const struct run *run)
{
	return (double)incomplete_truncated(run);
}

static double
stolen_share(const struct run *run)
{
	return disturbance_share(run, DISTURBANCE_STEAL);
}

static double
others_share(const struct run *run)
{
	return disturbance_share(run, DISTURBANCE_OTHERS);
}

/* clang-format off */
const struct run_field run_fields[] = {
	{.field = {RUN(session), FIELD_U32, IN_BOTH}},
	{.field = {RUN(measured), FIELD_BOOL, IN_BOTH}},
	{.field = {RUN(delivered), FIELD_BOOL, 0}},
	{.field = {RUN(pair), FIELD_U32, FIELD_REPORTED}, .zero_is_unknown = true},
	{.field = {RUN(stage), FIELD_U32, FIELD_REPORTED}},
	{.field = {RUN(executions), FIELD_U64, IN_BOTH_LATER}, .zero_is_unknown = true},
	{.field = {RUN(cost_total), FIELD_DOUBLE, IN_BOTH}},
	{.field = {RUN(cpu_ns), FIELD_U64, IN_BOTH}, .unit = "ns",
		.column = {PAGE | TEXT, 1, "CPU time", NULL}},
	{.field = {RUN(wall_ns), FIELD_U64, IN_BOTH}, .unit = "ns",
		.column = {PAGE | TEXT, 2, "wall time", NULL}},
	{.field = {RUN(period), FIELD_U64, IN_BOTH}},
	{.field = {RUN(expected_samples), FIELD_DOUBLE, IN_BOTH},
		.column = {PAGE | TEXT, 4, "expected", NULL}},
	{.field = {RUN(samples), FIELD_U64, IN_BOTH}, .column = {PAGE | TEXT, 3, "samples", NULL}},
	{.field = {RUN(effective_samples), FIELD_DOUBLE, FIELD_UNJUDGED},
		.zero_is_unknown = true},
	{.field = {RUN(lost), FIELD_U64, IN_BOTH}, .column = {PAGE | TEXT, 5, "lost", NULL}},
	{.field = {RUN(throttled), FIELD_U64, IN_BOTH},
		.column = {PAGE | TEXT, 6, "throttled", NULL}},
	{.field = {RUN(broken_stacks), FIELD_U64, IN_BOTH},
		.column = {PAGE, 7, "broken stacks", broken_otherwise}},
	{.field = {RUN(truncated_stacks), FIELD_U64, IN_BOTH_LATER},
		.column = {PAGE, 8, "truncated stacks", truncated}},
	{.field = {RUN(unknown_frames), FIELD_U64, IN_BOTH}, .column = {PAGE, 9, "unknown", NULL}},
	{.field = {RUN(context_switches), FIELD_U64, IN_BOTH},
		.column = {TEXT, 12, "switches", NULL}},
	{.field = {RUN(migrations), FIELD_U64, IN_BOTH}},
	{.field = {RUN(harness_cpu_ns), FIELD_U64, IN_BOTH}, .unit = "ns",
		.column = {TEXT, 13, "own CPU", NULL}},
	{.field = {RUN(program_cpus), FIELD_U32, DISTURBANCE}},
	{.field = {RUN(sibling_cpus), FIELD_U32, DISTURBANCE}},
	{.field = {RUN(outside_cpus), FIELD_U32, DISTURBANCE}},
	{.field = {RUN(steal_ns), FIELD_U64, DISTURBANCE}, .unit = "ratio",
		.column = {PAGE, 11, "hypervisor", stolen_share}},
	{.field = {RUN(others_ns), FIELD_U64, DISTURBANCE}, .unit = "ratio",
		.column = {PAGE, 10, "other processes", others_share}},
	{.field = {RUN(sibling_ns), FIELD_U64, DISTURBANCE},
		.cpus = offsetof(struct run, sibling_cpus)},
	{.field = {RUN(outside_ns), FIELD_U64, DISTURBANCE},
		.cpus = offsetof(struct run, outside_cpus)},
	{.field = {RUN(pressure_ns), FIELD_U64, DISTURBANCE}, .zero_is_unknown = true},
	{.field = {RUN(begin_mhz), FIELD_DOUBLE, DISTURBANCE}, .zero_is_unknown = true},
	{.field = {RUN(end_mhz), FIELD_DOUBLE, DISTURBANCE}, .zero_is_unknown = true},
	{.field = {NULL, 0, 0, FIELD_BOOL, 0}},
};
/* clang-format on */

double
field_number(const struct field *field, const void *from)
{
	const void *at = (const char *)from + field->offset;

	switch (field->type) {
	case FIELD_BOOL:
		return *(const bool *)at;
	case FIELD_U32:
		return *(const uint32_t *)at;
	case FIELD_U64:
		return (double)*(const uint64_t *)at;
	case FIELD_DOUBLE:
		return *(const double *)at;
	case FIELD_TIME:
		return (double)*(const int64_t *)at;
	case FIELD_TEXT:
	case FIELD_HASH:
	case FIELD_COMMIT:
	case FIELD_STR_ID:
	case FIELD_LINES:
		break;
	}
	return NAN;
}

str_id *
field_string(const struct field *field, const struct profile *profile)
{
	return (str_id *)((char *)profile + field->offset);
}

double
run_field_value(const struct run_field *field, const struct run *run)
{
	double value = field_number(&field->field, run);

	if (field->zero_is_unknown && value == 0)
		return NAN;
	if (field->cpus > 0 && *(const uint32_t *)((const char *)run + field->cpus) == 0)
		return NAN;
	return value;
}

size_t
run_table_columns(enum run_tables table, const struct run_field *columns[RUN_COLUMNS_MAX])
{
	size_t n = 0;

	for (unsigned place = 1; place <= RUN_COLUMNS_MAX; place++) {
		for (const struct run_field *field = run_fields; field->field.name; field++) {
			if (field->column.place == place && (field->column.tables & table))
				columns[n++] = field;
		}
	}
	return n;
}

static bool
is_samples(const struct run_field *column)
{
	return column->field.offset == offsetof(struct run, samples);
}

double
run_column_value(const struct run_field *column, const struct run *run)
{
	if (!run->measured && !is_samples(column))
		return NAN;
	return column->column.derive ? column->column.derive(run) : run_field_value(column, run);
}

const char *
run_column_heading(const struct run_field *column, const struct profile *profile)
{
	return is_samples(column) && weights_are_counted(profile) ? weights_noun(profile)
								  : column->column.heading;
}
