#include "output/shard_file.h"

#include "output/replay_file.h"
#include "replay/record_file.h"
#include "shard_scene.h"

void suite_output_shard_file(void);

static void
write_shard(unsigned index, struct buf *file)
{
	struct shard_scene scene;
	struct err err = {0};

	shard_scene_init(&scene, 3);
	shard_scene_judge(&scene, index);
	CU_ASSERT_EQUAL_FATAL(shard_file_pack(&scene.report, file, &err), 0);
	shard_scene_release(&scene);
}

static void
unpack(const struct buf *file, struct buf *contents)
{
	struct record_contents record;
	struct err err = {0};

	CU_ASSERT_EQUAL_FATAL(
		record_unpack(&record_shard, "f", file->data, file->len, &record, &err), 0);
	*contents = record.bytes;
}

static void
the_plan_and_the_records_come_back(void)
{
	struct buf written = {0};
	struct buf contents = {0};
	struct shard_file file;
	struct replay_file replay;
	struct err err = {0};

	write_shard(1, &written);
	unpack(&written, &contents);
	CU_ASSERT_EQUAL_FATAL(shard_file_decode(&file, "f", &contents, &err), 0);
	CU_ASSERT(file.plan.index == 1 && file.plan.count == 3 && file.plan.nentries == 5);
	UNIT_STR_EQ(file.plan.entries[3].workload, "new");
	CU_ASSERT_EQUAL(file.plan.entries[3].shard, 1);
	UNIT_STR_EQ(file.settings, "5e77");
	UNIT_STR_EQ(file.commit, "fedcba9876543210fedcba9876543210fedcba98");
	UNIT_STR_EQ(file.machine.cpu_model, "Sample CPU 9000");
	CU_ASSERT_PTR_NULL(file.against);
	CU_ASSERT(file.started == 1795222800 && file.duration_s == 64);
	CU_ASSERT_EQUAL_FATAL(file.nrecords, 2);
	UNIT_STR_EQ(file.records[0].workload, "cjson_parse");
	UNIT_STR_EQ(file.records[1].workload, "new");
	CU_ASSERT_EQUAL_FATAL(
		replay_file_parse(&replay, "f", file.records[0].bytes, file.records[0].len, &err),
		0);
	CU_ASSERT_EQUAL(replay.judged.input.planned, SAMPLE_WORKLOADS);
	replay_file_release(&replay);
	shard_file_release(&file);
	buf_release(&written);
}

static void
a_workload_without_measurement_travels_with_its_error(void)
{
	struct buf written = {0};
	struct buf contents = {0};
	struct shard_file file;
	struct replay_file replay;
	struct err err = {0};

	write_shard(3, &written);
	unpack(&written, &contents);
	CU_ASSERT_EQUAL_FATAL(shard_file_decode(&file, "f", &contents, &err), 0);
	CU_ASSERT_EQUAL_FATAL(file.nrecords, 1);
	UNIT_STR_EQ(file.records[0].workload, "gone");
	CU_ASSERT_EQUAL_FATAL(
		replay_file_parse(&replay, "f", file.records[0].bytes, file.records[0].len, &err),
		0);
	UNIT_NEED(replay.judged.input.error);
	UNIT_CONTAINS(replay.judged.input.error, "exit code 3");
	replay_file_release(&replay);
	shard_file_release(&file);
	buf_release(&written);
}

static void
check_refused(const char *bytes, size_t len, const char *said)
{
	struct record_contents record;
	struct err err = {0};

	CU_ASSERT_EQUAL(record_unpack(&record_shard, "f", bytes, len, &record, &err), -1);
	CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
	UNIT_CONTAINS(err.text, said);
}

static void
other_files_and_versions_are_refused(void)
{
	static const struct {
		const char *line, *said;
	} cases[] = {
		{"profile_run-shard 99 0.1.0 1 1\n", "written by profile_run 0.1.0 in format 99"},
		{"profile_run-shard 1 99.0 1 1\n", "use one version of profile_run for all shards"},
		{"profile_run-replay 1 0.1.0 1 1\n", "not a shard file of profile_run"},
		{"profile_run-shards 1 0.1.0 1 1\n", "not a shard file of profile_run"},
		{"profile_run-shar", "not a shard file of profile_run"},
		{"{}", "REPORT/shard.bin"},
		{"", "not a shard file of profile_run"},
	};
	struct buf written = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_refused(cases[i].line, strlen(cases[i].line), cases[i].said);
	write_shard(2, &written);
	check_refused(written.data, written.len - 1, "cut off: ");
	written.data[written.len - 70]++;
	check_refused(written.data, written.len, "altered: its checksum");
	buf_release(&written);
}

/* The checksum of what somebody made on purpose is right. */
static void
truncated_and_changed_contents_do_no_harm(void)
{
	struct buf written = {0};
	struct buf contents = {0};
	size_t refused = 0;

	write_shard(2, &written);
	unpack(&written, &contents);
	for (size_t i = 0; i < contents.len; i++) {
		struct shard_file file;
		struct err err = {0};
		struct buf cut = {0};
		struct buf changed = {0};

		buf_put(&cut, contents.data, i);
		CU_ASSERT_EQUAL(shard_file_decode(&file, "f", &cut, &err), -1);
		CU_ASSERT_EQUAL(err.kind, ERR_INPUT);
		buf_put(&changed, contents.data, contents.len);
		changed.data[i]++;
		if (shard_file_decode(&file, "f", &changed, &err) == 0)
			shard_file_release(&file);
		else
			refused++;
	}
	CU_ASSERT(refused > 20);
	buf_release(&contents);
	buf_release(&written);
}

/* A plan with the names of other workloads, in another order, and one that has fewer of them. */
static void
records_that_the_plan_does_not_have_are_refused(void)
{
	static const struct {
		size_t i;
		struct shard_entry entry;
		const char *said;
	} cases[] = {
		{0, {"other", 1}, "a plan that is none"},
		{0, {"../../etc", 1}, "a plan that is none"},
		{0, {"cjson_parse", 0}, "a plan that is none"},
		{0, {"cjson", 1}, "its workloads are not those of its plan"},
		{0, {"cjson_parse", 2}, "its workloads are not those of its plan"},
		{3, {"new", 2}, "more workloads than its plan has"},
		{1, {"deep", 1}, "its workloads are not those of its plan"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shard_scene scene;
		struct shard_file file;
		struct buf written = {0};
		struct buf contents = {0};
		struct err err = {0};

		shard_scene_init(&scene, 3);
		shard_scene_judge(&scene, 1);
		scene.entries[cases[i].i] = cases[i].entry;
		CU_ASSERT_EQUAL(shard_file_pack(&scene.report, &written, &err), 0);
		unpack(&written, &contents);
		CU_ASSERT_EQUAL(shard_file_decode(&file, "f", &contents, &err), -1);
		UNIT_CONTAINS(err.text, cases[i].said);
		buf_release(&written);
		shard_scene_release(&scene);
	}
}

static void
settings_are_what_measuring_and_judging_depend_on(void)
{
	struct workload workloads[2] = {
		{.name = "a", .gate = gate_policy_defaults()},
		{.name = "b", .gate = gate_policy_defaults()},
	};
	const struct workload_list list = {.workloads = workloads, .nworkloads = 2};
	char first[SHA256_TEXT_SIZE];
	char other[SHA256_TEXT_SIZE];

	shard_settings(&list, GATE_STORED, NULL, first);
	shard_settings(&list, GATE_STORED, "main", other);
	UNIT_STR_EQ(first, other);
	workloads[0].capture.runs = 7;
	shard_settings(&list, GATE_STORED, NULL, other);
	CU_ASSERT_STRING_NOT_EQUAL(first, other);
	workloads[0].capture.runs = 0;
	workloads[1].gate.functions.fail = 0.3;
	shard_settings(&list, GATE_STORED, NULL, other);
	CU_ASSERT_STRING_NOT_EQUAL(first, other);
}

void
suite_output_shard_file(void)
{
	static const struct unit_case cases[] = {
		{"the_plan_and_the_records_come_back", the_plan_and_the_records_come_back},
		{"a_workload_without_measurement_travels_with_its_error",
			a_workload_without_measurement_travels_with_its_error},
		{"other_files_and_versions_are_refused", other_files_and_versions_are_refused},
		{"truncated_and_changed_contents_do_no_harm",
			truncated_and_changed_contents_do_no_harm},
		{"records_that_the_plan_does_not_have_are_refused",
			records_that_the_plan_does_not_have_are_refused},
		{"settings_are_what_measuring_and_judging_depend_on",
			settings_are_what_measuring_and_judging_depend_on},
		{NULL, NULL},
	};

	unit_suite("output/shard_file", cases);
}
