#include "baseline/store_fields.h"

#include "baseline/store.h"

#define INFO_TEXT(name, type)                                            \
	{                                                                \
#name, type, offsetof(struct baseline_info, name),       \
			sizeof(((struct baseline_info *)0)->name), false \
	}
#define INFO(name, type)                                                    \
	{                                                                   \
#name, type, offsetof(struct baseline_info, name), 0, false \
	}
#define MACHINE_TEXT(name)                                         \
	{                                                          \
#name, FIELD_TEXT, offsetof(struct machine, name), \
			sizeof(((struct machine *)0)->name), false \
	}
#define PROFILE(name, type)                                           \
	{                                                             \
#name, type, offsetof(struct profile, name), 0, false \
	}
#define RUN(name, type)                                           \
	{                                                         \
#name, type, offsetof(struct run, name), 0, false \
	}
/* Not in files of earlier versions: "" or 0 then. */
#define PROFILE_LATER(name, type)                                    \
	{                                                            \
#name, type, offsetof(struct profile, name), 0, true \
	}
#define RUN_LATER(name, type)                                    \
	{                                                        \
#name, type, offsetof(struct run, name), 0, true \
	}
#define END                                   \
	{                                     \
		NULL, FIELD_TEXT, 0, 0, false \
	}

const struct field info_fields[] = {
	INFO(format_version, FIELD_INT),
	INFO_TEXT(tool_version, FIELD_TEXT),
	INFO_TEXT(workload, FIELD_TEXT),
	INFO_TEXT(metric, FIELD_TEXT),
	INFO_TEXT(event, FIELD_TEXT),
	INFO(frequency_hz, FIELD_DOUBLE),
	INFO_TEXT(unit, FIELD_TEXT),
	INFO_TEXT(machine_class, FIELD_TEXT),
	INFO_TEXT(program_hash, FIELD_HASH),
	INFO_TEXT(workload_hash, FIELD_HASH),
	INFO_TEXT(commit, FIELD_TEXT),
	INFO(created, FIELD_TIME),
	{"occasions", FIELD_U32, offsetof(struct baseline_info, noccasions), 0, false},
	END,
};

const struct field machine_fields[] = {
	MACHINE_TEXT(arch),
	MACHINE_TEXT(cpu_model),
	{"cpus", FIELD_U32, offsetof(struct machine, cpus), 0, false},
	MACHINE_TEXT(kernel),
	MACHINE_TEXT(os),
	MACHINE_TEXT(hypervisor),
	{"memory_gib", FIELD_DOUBLE, offsetof(struct machine, memory_gib), 0, false},
	END,
};

const struct field profile_fields[] = {
	PROFILE(command, FIELD_STR_ID),
	PROFILE(unit, FIELD_STR_ID),
	PROFILE(cost_unit, FIELD_STR_ID),
	PROFILE(callgraph, FIELD_STR_ID),
	PROFILE_LATER(callgraph_why, FIELD_STR_ID),
	PROFILE_LATER(stack_bytes, FIELD_U32),
	PROFILE(host, FIELD_STR_ID),
	PROFILE(started, FIELD_TIME),
	PROFILE(duration_s, FIELD_DOUBLE),
	END,
};

const struct field run_fields[] = {
	RUN(occasion, FIELD_U32),
	RUN(measured, FIELD_BOOL),
	RUN(cost_total, FIELD_DOUBLE),
	RUN(cpu_ns, FIELD_U64),
	RUN(wall_ns, FIELD_U64),
	RUN(period, FIELD_U64),
	RUN(expected_samples, FIELD_DOUBLE),
	RUN(samples, FIELD_U64),
	RUN(lost, FIELD_U64),
	RUN(throttled, FIELD_U64),
	RUN(broken_stacks, FIELD_U64),
	RUN_LATER(truncated_stacks, FIELD_U64),
	RUN(unknown_frames, FIELD_U64),
	RUN(context_switches, FIELD_U64),
	RUN(migrations, FIELD_U64),
	RUN(harness_cpu_ns, FIELD_U64),
	RUN_LATER(program_cpus, FIELD_U32),
	RUN_LATER(sibling_cpus, FIELD_U32),
	RUN_LATER(outside_cpus, FIELD_U32),
	RUN_LATER(steal_ns, FIELD_U64),
	RUN_LATER(others_ns, FIELD_U64),
	RUN_LATER(sibling_ns, FIELD_U64),
	RUN_LATER(outside_ns, FIELD_U64),
	RUN_LATER(pressure_ns, FIELD_U64),
	RUN_LATER(begin_mhz, FIELD_DOUBLE),
	RUN_LATER(end_mhz, FIELD_DOUBLE),
	END,
};
