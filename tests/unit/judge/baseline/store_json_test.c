#include "baseline_fixture.h"

#include "base/buf.h"
#include "base/sha256.h"

void suite_baseline_store_json(void);

static void
edit(struct baseline_fixture *f, const char *name, const char *from, const char *to)
{
	char *path = file_join(f->folder, name);
	struct buf text = {0};
	struct buf edited = {0};

	CU_ASSERT_EQUAL_FATAL(file_read(path, &text, 1 << 20, &f->err), 0);
	const char *at = strstr(buf_text(&text), from);

	CU_ASSERT_PTR_NOT_NULL(at);
	if (!at) {
		printf("not in %s: %s\n", name, from);
		at = text.data;
	}
	buf_put(&edited, text.data, (size_t)(at - text.data));
	buf_puts(&edited, to);
	buf_puts(&edited, at + strlen(from));
	CU_ASSERT_EQUAL_FATAL(file_write(path, edited.data, edited.len, &f->err), 0);
	buf_release(&edited);
	buf_release(&text);
	free(path);
}

static void
each_wrong_field_is_named(void)
{
	static const struct {
		const char *from;
		const char *to;
		const char *says;
	} cases[] = {
		{"\"format_version\":\t2", "\"format_version\":\t3",
			"format_version: this program reads formats 1 and 2, the baseline has format 3"},
		{"\"format_version\":\t2", "\"format_version\":\t\"x\"",
			"format_version: expected the number"},
		{"\"frequency_hz\":\t4999", "\"frequency_hz\":\t-1",
			"baseline.json: frequency_hz: expected a number, not negative; found a number that does not fit"},
		{"\"metric\":\t\"cpu\"", "\"metric\":\t7",
			"metric: expected a short text; found a number"},
		{"\"metric\":\t\"cpu\"", "\"metrik\":\t\"cpu\"",
			"metric: expected a short text; found nothing"},
		{"\"metric\":\t\"cpu\"",
			"\"metric\":\t\"0123456789012345678901234567890123456789\"",
			"metric: expected a short text; found a text that does not fit"},
		/* One character too long. */
		{"\"metric\":\t\"cpu\"", "\"metric\":\t\"01234567890123456789012345678901\"",
			"metric: expected a short text; found a text that does not fit"},
		{"\"created\":\t\"2026", "\"created\":\t\"soon", "created: expected a time"},
		{"\"workload_hash\":\t\"aaa", "\"workload_hash\":\t\"xyz",
			"workload_hash: expected 64"},
		{"\"cpus\":\t2", "\"cpus\":\t2.5", "machine.cpus: expected a whole number"},
		{"\"period\":\t[200040, ", "\"period\":\t[200040, \"many\"], \"x\":\t[",
			"runs.period: expected 3 values"},
		{"\"period\":\t[200040, 200040", "\"period\":\t[200040, \"many\"",
			"runs.period[1]: expected a whole number"},
		{"\"lost\":\t[\"18446744073709551615\"", "\"lost\":\t[\"18446744073709551616\"",
			"runs.lost[0]: expected a whole number"},
		{"\"measured\":\t[true", "\"measured\":\t[1",
			"runs.measured[0]: expected true or false"},
		{"\"cost_total\":\t[", "\"cost_total\":\t[1e999, ",
			"runs.cost_total: expected 3 values"},
		{"\"session\":\t[0", "\"session\":\t[1",
			"runs.session[0]: expected a number below"},
		{"\"truncated_stacks\":\t[1", "\"truncated_stacks\":\t[\"x\"",
			"runs.truncated_stacks[0]: expected a whole number"},
		{"\"machine\":\t{", "\"machine\":\t[], \"x\":\t{",
			"machine: expected an object; found an array"},
		{"\"runs_stacks_sha256\":\t\"", "\"runs_stacks_sha256\":\t\"0",
			"runs_stacks_sha256: expected 64"},
		{"\"counters\":\t{", "\"counters\":\t[], \"x\":\t{",
			"counters: expected an object; found an array"},
		{"\"max_rss\":\t[", "\"max_rss\":\t[1, ",
			"counters.max_rss: expected 3 values, one per stored run; found 4"},
		{"\"write_bytes\":\t[null, 1", "\"write_bytes\":\t[null, -1",
			"counters.write_bytes[1]: expected a number, not negative, or null"},
		{"\"write_bytes\":\t[null", "\"write_bytes\":\t[\"x\"",
			"counters.write_bytes[0]: expected a number, not negative, or null"},
		{"\"files\":\t[", "\"files\":\t[3, ", "profile.files: expected an array of texts"},
		{"\"machine\":\t{", "\"machine\":\t", "this is not valid JSON"},
		{"\"format_version\":\t2", "\"format_version\":\t2147483648",
			"this program reads formats 1 and 2, the baseline has format 2147483648"},
		{"\"format_version\":\t2", "\"format_version\":\t4294967296",
			"format_version: expected the number of the format; found a number"},
		{"\"metric\":\t\"cpu\"", "\"metric\":\tnull",
			"metric: expected a short text; found null"},
		{"\"metric\":\t\"cpu\"", "\"metric\":\ttrue",
			"metric: expected a short text; found true or false"},
		{"\"metric\":\t\"cpu\"", "\"metric\":\t{}",
			"metric: expected a short text; found an object"},
		{"\"metric\":\t\"cpu\"", "\"metric\":\t\"c\\u0001\"",
			"metric: expected a short text; found a text that does not fit"},
		{"\"frequency_hz\":\t4999", "\"frequency_hz\":\t1e999",
			"frequency_hz: expected a number, not negative"},
		{"\"frequency_hz\":\t4999", "\"frequency_hz\":\t\"4999\"",
			"frequency_hz: expected a number, not negative"},
		{"\"created\":\t\"2026-01-01T00:00:00Z", "\"created\":\t\"2026-01-01T00:00:00Z ",
			"created: expected a time"},
		{"\"created\":\t\"2026-01-01", "\"created\":\t\"1969-12-31",
			"created: expected a time"},
		{"\"created\":\t\"2026-01-01T00:00:00Z\"", "\"created\":\t1767225600",
			"created: expected a time such as"},
		{"\"workload_hash\":\t\"a", "\"workload_hash\":\t\"", "workload_hash: expected 64"},
		{"\"workload_hash\":\t\"aaaaaaaaaaaaaaaaaaaaaaaa", "\"workload_hash\":\t\"",
			"workload_hash: expected 64 hexadecimal digits, or nothing between the quotes"},
		{"\"commit\":\t\"0", "\"commit\":\t\"",
			"commit: expected 40 or 64 hexadecimal digits, or nothing between the quotes"},
		{"\"cpus\":\t2", "\"cpus\":\t4294967296", "machine.cpus: expected a whole number"},
		{"\"cpus\":\t2", "\"cpus\":\t\"4294967296\"",
			"machine.cpus: expected a whole number"},
		{"\"cpus\":\t2", "\"cpus\":\t\"2x\"", "machine.cpus: expected a whole number"},
		{"\"cpus\":\t2", "\"cpus\":\t\" 2\"", "machine.cpus: expected a whole number"},
		{"\"cpus\":\t2", "\"cpus\":\t-1", "machine.cpus: expected a whole number"},
		{"\"lost\":\t[\"18446744073709551615\"", "\"lost\":\t[\"000000000000000000001\"",
			"runs.lost[0]: expected a whole number"},
		{"\"lost\":\t[\"18446744073709551615\"", "\"lost\":\t[9007199254740994",
			"runs.lost[0]: expected a whole number, not negative; found a number that does"},
		{"\"lost\":\t[\"18446744073709551615\"", "\"lost\":\t[true",
			"runs.lost[0]: expected a whole number, not negative; found true or false"},
		{"\"write_bytes\":\t[null", "\"write_bytes\":\t[1e999",
			"counters.write_bytes[0]: expected a number, not negative, or null"},
		{"\"session\":\t[0, 0, 0", "\"session\":\t[0, 0, 7",
			"runs.session[2]: expected a number below 'sessions' (1); found 7"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct baseline_fixture f;

		baseline_fixture_init(&f);
		CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
		edit(&f, "baseline.json", cases[i].from, cases[i].to);
		CU_ASSERT_EQUAL(baseline_fixture_read(&f), -1);
		CU_ASSERT(!f.found);
		UNIT_CONTAINS(f.err.text, cases[i].says);
		if (!strstr(f.err.text, cases[i].says))
			printf("%s\n", f.err.text);
		CU_ASSERT_EQUAL(err_exit_code(&f.err), 2);
		baseline_fixture_release(&f);
	}
}

/* The hash of the runs, as it is after they were edited. */
static void
edit_hash(struct baseline_fixture *f)
{
	char *path = file_join(f->folder, "runs.stacks");
	char hash[SHA256_TEXT_SIZE];
	char key[sizeof(hash) + 40];

	CU_ASSERT_EQUAL_FATAL(sha256_file(path, hash, &f->err), 0);
	snprintf(key, sizeof(key), "\"runs_stacks_sha256\":\t\"%s\", \"x\"", hash);
	edit(f, "baseline.json", "\"runs_stacks_sha256\"", key);
	free(path);
}

static void
expect_roots(const struct profile *profile, const char *first, const char *second)
{
	const struct ctree_node *nodes = profile->tree.nodes;
	const struct ctree_node *root = &nodes[nodes[CTREE_ROOT].first_child];

	UNIT_STR_EQ(profile_frame_name(profile, root->frame), first);
	UNIT_STR_EQ(profile_frame_name(profile, nodes[root->next_sibling].frame), second);
}

/* Other tools may have written it, with names of any length, in any order. */
static void
what_is_read_is_in_order_and_its_names_are_short(void)
{
	struct baseline_fixture f;
	char name[PROFILE_NAME_MAX + 40] = "";
	char unit[sizeof(name) + 40];

	baseline_fixture_init(&f);
	ctree_add(&f.profile.tree, 0,
		ctree_child(&f.profile.tree, CTREE_ROOT,
			profile_frame(&f.profile, "nail", 4, FRAME_USER)),
		1);
	profile_sort(&f.profile);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	expect_roots(&f.read.profile, "main", "nail");
	baseline_release(&f.read);
	edit(&f, "runs.stacks", "main", "zeta");
	edit_hash(&f);
	memset(name, 'u', sizeof(name) - 1);
	snprintf(unit, sizeof(unit), "\"cost_unit\":\t\"%s\", \"x\"", name);
	edit(&f, "baseline.json", "\"cost_unit\"", unit);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	UNIT_STR_EQ(f.err.text, "");
	expect_roots(&f.read.profile, "nail", "zeta");
	CU_ASSERT(strlen(strtab_str(&f.read.profile.strings, f.read.profile.cost_unit)) <=
		  PROFILE_NAME_MAX);
	baseline_release(&f.read);
	baseline_fixture_release(&f);
}

static void
files_that_ran_are_read_back(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	CU_ASSERT_STRING_EQUAL(strtab_str(&f.read.profile.strings, f.read.profile.files),
		"aa  bin/program\nbb */lib/libc.so.6\n");
	CU_ASSERT_STRING_EQUAL(
		strtab_str(&f.read.profile.strings, f.read.profile.cpu_choice), "libcrypto.so.3\n");
	CU_ASSERT_STRING_EQUAL(
		strtab_str(&f.read.profile.strings, f.read.profile.variants), "quick => add\n");
	CU_ASSERT_STRING_EQUAL(f.read.info.data_digest, f.info.data_digest);
	baseline_release(&f.read);
	baseline_fixture_release(&f);
}

/* As a file has it that was written before the fields were known. */
static void
later_fields_may_be_missing(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	edit(&f, "baseline.json", "\"truncated_stacks\"", "\"x\"");
	edit(&f, "baseline.json", "\"callgraph_why\"", "\"y\"");
	edit(&f, "baseline.json", "\"stack_bytes\"", "\"z\"");
	edit(&f, "baseline.json", "\"counters\"", "\"u\"");
	edit(&f, "baseline.json", "\"cpu_choice\"", "\"w\"");
	edit(&f, "baseline.json", "\"disturbed_runs\"", "\"v\"");
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	CU_ASSERT_EQUAL(f.read.info.disturbed_runs, 0);
	CU_ASSERT_EQUAL(f.read.profile.runs[0].truncated_stacks, 0);
	CU_ASSERT_EQUAL(f.read.profile.runs[0].broken_stacks, 2);
	CU_ASSERT_EQUAL(f.read.profile.callgraph_why, 0);
	CU_ASSERT_EQUAL(f.read.profile.stack_bytes, 0);
	CU_ASSERT_EQUAL(f.read.profile.cpu_choice, 0);
	CU_ASSERT_EQUAL(f.read.profile.runs[0].counters.known, 0);
	baseline_release(&f.read);
	baseline_fixture_release(&f);
}

static void
edited_runs_are_found_by_their_hash(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	edit(&f, "runs.stacks", "main", "mine");
	CU_ASSERT_EQUAL(baseline_fixture_read(&f), -1);
	UNIT_CONTAINS(f.err.text, "runs.stacks: this is not the file");
	UNIT_CONTAINS(f.err.text, "record the baseline again");
	baseline_fixture_release(&f);
}

/* Writes the document anew and expects an error. */
static void
check_document(struct baseline_fixture *f, const char *text, const char *says)
{
	char *path = file_join(f->folder, "baseline.json");

	f->err = (struct err){0};
	CU_ASSERT_EQUAL_FATAL(file_write(path, text, strlen(text), &f->err), 0);
	CU_ASSERT_EQUAL(baseline_fixture_read(f), -1);
	UNIT_CONTAINS(f->err.text, says);
	if (!strstr(f->err.text, says))
		printf("%s\n", f->err.text);
	UNIT_CONTAINS(f->err.text, "restore the file from the repository's history, or record");
	free(path);
}

static void
a_document_that_is_no_json_is_located(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	check_document(&f, "", "baseline.json:1:1: error: this is not valid JSON");
	check_document(&f, "{\n \"a\" 1}\n", "baseline.json:2:6: error: this is not valid JSON");
	check_document(&f, "{\n \"a\": 1", "baseline.json:2:7: error: this is not valid JSON");
	check_document(&f, "{\"format_version\":2}\n x\n",
		"baseline.json:2:2: error: this is not valid JSON");
	check_document(&f, "{\"format_version\":2}\n", "expected 64 hexadecimal digits");
	baseline_fixture_release(&f);
}

static void
a_document_that_is_no_object_is_an_error(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	edit(&f, "baseline.json", "{", "[{");
	edit(&f, "baseline.json", "\n}", "\n}]");
	CU_ASSERT_EQUAL(baseline_fixture_read(&f), -1);
	UNIT_CONTAINS(f.err.text, "baseline.json: expected an object; found an array");
	baseline_fixture_release(&f);
}

/* The largest and smallest values that a field takes, and texts that are known to be missing. */
static void
values_at_their_limits_are_read(void)
{
	struct baseline_fixture f;

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	edit(&f, "baseline.json", "\"cpus\":\t2", "\"cpus\":\t4294967295");
	edit(&f, "baseline.json", "\"lost\":\t[\"18446744073709551615\"",
		"\"lost\":\t[9007199254740992");
	edit(&f, "baseline.json", "\"frequency_hz\":\t4999", "\"frequency_hz\":\t0");
	edit(&f, "baseline.json", "\"write_bytes\":\t[null, 1", "\"write_bytes\":\t[null, 0");
	edit(&f, "baseline.json", "\"created\":\t\"2026-01-01T00:00:00Z",
		"\"created\":\t\"1970-01-01T00:00:01Z");
	edit(&f, "baseline.json", f.info.commit, f.info.workload_hash);
	edit(&f, "baseline.json", "\"metric\":\t\"cpu\"",
		"\"metric\":\t\"0123456789012345678901234567890\"");
	CU_ASSERT_EQUAL_FATAL(sizeof(f.info.metric), 32);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_read(&f), 0);
	CU_ASSERT_EQUAL(f.read.info.machine.cpus, UINT32_MAX);
	CU_ASSERT_EQUAL(f.read.profile.runs[0].lost, (uint64_t)1 << 53);
	CU_ASSERT_EQUAL(f.read.profile.runs[1].lost, UINT64_MAX);
	UNIT_NEAR(f.read.info.frequency_hz, 0, 0);
	UNIT_NEAR(counter_value(&f.read.profile.runs[1], COUNTER_WRITE_BYTES), 0, 0);
	CU_ASSERT_EQUAL(f.read.info.created, 1);
	UNIT_STR_EQ(f.read.info.commit, f.info.workload_hash);
	CU_ASSERT_EQUAL(strlen(f.read.info.metric), 31);
	baseline_release(&f.read);
	baseline_fixture_release(&f);
}

/* Nor are those that are computed from others. */
static void
counters_that_are_not_known_are_not_written(void)
{
	struct baseline_fixture f;
	struct buf text = {0};

	baseline_fixture_init(&f);
	counter_set(&f.profile.runs[0], COUNTER_USER_TIME, 5);
	CU_ASSERT_TRUE(counter_is_known(&f.profile, COUNTER_CPU_TIME));
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	char *path = file_join(f.folder, "baseline.json");

	CU_ASSERT_EQUAL_FATAL(file_read(path, &text, 1 << 20, &f.err), 0);
	const char *counters = strstr(buf_text(&text), "\"counters\":");

	UNIT_NEED(counters);
	for (enum counter_id id = 0; id < NCOUNTERS; id++) {
		char key[80];

		snprintf(key, sizeof(key), "\"%s\":", counter_kinds[id].name);
		CU_ASSERT_EQUAL(strstr(counters, key) != NULL, id == COUNTER_USER_TIME ||
								       id == COUNTER_MAX_RSS ||
								       id == COUNTER_WRITE_BYTES);
	}
	buf_release(&text);
	free(path);
	baseline_fixture_release(&f);
}

/* Cut at every byte: an error each time, and never a baseline. */
static void
truncated_json_is_never_read(void)
{
	struct baseline_fixture f;
	struct buf text = {0};

	baseline_fixture_init(&f);
	CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
	char *path = file_join(f.folder, "baseline.json");

	CU_ASSERT_EQUAL_FATAL(file_read(path, &text, 1 << 20, &f.err), 0);
	for (size_t len = 0; len + 2 < text.len; len += 13) {
		CU_ASSERT_EQUAL_FATAL(file_write(path, text.data, len, &f.err), 0);
		CU_ASSERT_EQUAL(baseline_fixture_read(&f), -1);
	}
	buf_release(&text);
	free(path);
	baseline_fixture_release(&f);
}

static void
half_a_baseline_is_an_error(void)
{
	static const char *const names[] = {"baseline.json", "runs.stacks"};

	for (size_t i = 0; i < 2; i++) {
		struct baseline_fixture f;

		baseline_fixture_init(&f);
		CU_ASSERT_EQUAL_FATAL(baseline_fixture_write(&f), 0);
		char *path = file_join(f.folder, names[i]);

		CU_ASSERT_EQUAL(remove(path), 0);
		CU_ASSERT_EQUAL(baseline_fixture_read(&f), -1);
		UNIT_CONTAINS(f.err.text, names[i]);
		free(path);
		baseline_fixture_release(&f);
	}
}

void
suite_baseline_store_json(void)
{
	static const struct unit_case cases[] = {
		{"each_wrong_field_is_named", each_wrong_field_is_named},
		{"what_is_read_is_in_order_and_its_names_are_short",
			what_is_read_is_in_order_and_its_names_are_short},
		{"files_that_ran_are_read_back", files_that_ran_are_read_back},
		{"later_fields_may_be_missing", later_fields_may_be_missing},
		{"edited_runs_are_found_by_their_hash", edited_runs_are_found_by_their_hash},
		{"a_document_that_is_no_json_is_located", a_document_that_is_no_json_is_located},
		{"a_document_that_is_no_object_is_an_error",
			a_document_that_is_no_object_is_an_error},
		{"values_at_their_limits_are_read", values_at_their_limits_are_read},
		{"counters_that_are_not_known_are_not_written",
			counters_that_are_not_known_are_not_written},
		{"truncated_json_is_never_read", truncated_json_is_never_read},
		{"half_a_baseline_is_an_error", half_a_baseline_is_an_error},
		{NULL, NULL},
	};

	unit_suite("baseline/store_json", cases);
}
