/* The fields of baseline.json that do not belong to a profile. */
#include "baseline/baseline.h"

#include <stddef.h>

#define INFO(member) FIELD_OF(struct baseline_info, member)
#define MACHINE(member) FIELD_OF(struct machine, member)

const struct field info_fields[] = {
	{INFO(format_version), FIELD_U32, FIELD_STORED},
	{INFO(tool_version), FIELD_TEXT, FIELD_STORED},
	{INFO(workload), FIELD_TEXT, FIELD_STORED},
	{INFO(metric), FIELD_TEXT, FIELD_STORED},
	{INFO(event), FIELD_TEXT, FIELD_STORED},
	{INFO(frequency_hz), FIELD_DOUBLE, FIELD_STORED},
	{INFO(unit), FIELD_TEXT, FIELD_STORED},
	{INFO(machine_class), FIELD_TEXT, FIELD_STORED},
	{INFO(program_hash), FIELD_HASH, FIELD_STORED},
	{INFO(workload_hash), FIELD_HASH, FIELD_STORED},
	{INFO(commit), FIELD_COMMIT, FIELD_STORED},
	{INFO(working_tree), FIELD_TEXT, FIELD_STORED | FIELD_LATER | FIELD_UNJUDGED},
	{INFO(data_digest), FIELD_TEXT, FIELD_STORED | FIELD_LATER | FIELD_UNJUDGED},
	{INFO(created), FIELD_TIME, FIELD_STORED},
	{"sessions", offsetof(struct baseline_info, nsessions), sizeof(uint32_t), FIELD_U32,
		FIELD_STORED},
	{INFO(disturbed_runs), FIELD_U32, FIELD_STORED | FIELD_LATER | FIELD_UNJUDGED},
	{INFO(counts), FIELD_TEXT, FIELD_STORED | FIELD_LATER | FIELD_UNJUDGED},
	{NULL, 0, 0, FIELD_BOOL, 0},
};

const struct field machine_fields[] = {
	{MACHINE(arch), FIELD_TEXT, FIELD_STORED},
	{MACHINE(cpu_model), FIELD_TEXT, FIELD_STORED},
	{MACHINE(cpus), FIELD_U32, FIELD_STORED},
	{MACHINE(kernel), FIELD_TEXT, FIELD_STORED},
	{MACHINE(os), FIELD_TEXT, FIELD_STORED},
	{MACHINE(hypervisor), FIELD_TEXT, FIELD_STORED},
	{MACHINE(memory_gib), FIELD_DOUBLE, FIELD_STORED},
	{NULL, 0, 0, FIELD_BOOL, 0},
};
