#include "ingest/script_internal.h"

#include "unit.h"

#include <stdio.h>

void suite_ingest_script_roots(void);

struct bench {
	struct profile profile;
	struct script_layout layout;
	struct script_roots roots;
	struct script_header header;
};

static void
bench_init(struct bench *bench, const struct ingest_options *options)
{
	static const struct ingest_options everything;

	profile_init(&bench->profile);
	bench->layout = (struct script_layout){0};
	script_roots_init(
		&bench->roots, &bench->profile, &bench->layout, options ? options : &everything);
}

static void
bench_release(struct bench *bench)
{
	script_roots_release(&bench->roots);
	profile_release(&bench->profile);
}

/* The root of a line that is a header. */
static node_id
root_of(struct bench *bench, const char *line)
{
	const struct line text = {line, strlen(line)};
	node_id root = 0;

	if (script_roots_parse(&bench->roots, text, &bench->header, &root))
		return root;
	CU_ASSERT(script_header_parse(text, &bench->layout, &bench->header));
	return script_roots_find(&bench->roots, text, &bench->header);
}

static const char *
name_of(struct bench *bench, const char *line)
{
	node_id root = root_of(bench, line);

	return root == SCRIPT_ROOT_NONE
		       ? "(none)"
		       : profile_frame_name(&bench->profile, bench->profile.tree.nodes[root].frame);
}

static bool
span_is(struct line span, const char *text)
{
	return span.len == strlen(text) && memcmp(span.at, text, span.len) == 0;
}

static void
the_root_is_the_thread_s_name(void)
{
	struct bench bench;

	bench_init(&bench, NULL);
	UNIT_STR_EQ(name_of(&bench, "my worker 12/34 [001] 1.5: 100 cycles:"), "my_worker");
	CU_ASSERT(span_is(bench.header.comm, "my worker"));
	UNIT_STR_EQ(name_of(&bench, "web 12/12 [001] 1.6: 100 cycles:"), "web");
	bench_release(&bench);
}

static void
a_line_that_begins_like_the_last_one_is_read_from_there(void)
{
	struct bench bench;

	bench_init(&bench, NULL);
	node_id first = root_of(&bench, "web 12 [001] 1.5: 100 cycles:");

	CU_ASSERT_EQUAL(root_of(&bench, "web 12 [000] 2.25: 7 page-faults:u:"), first);
	CU_ASSERT_EQUAL(bench.header.ids.len, 0);
	CU_ASSERT(span_is(bench.header.time, "2.25"));
	CU_ASSERT(span_is(bench.header.event, "page-faults:u"));
	bench_release(&bench);
}

/* "web 1" is how "web 12" begins, and how the thread "web 1" of another process does. */
static void
a_front_that_only_begins_alike_is_another(void)
{
	struct ingest_options options = {.by = {{{LABEL_TID, "tid"}}, 1}};
	struct bench bench;

	bench_init(&bench, &options);
	UNIT_STR_EQ(name_of(&bench, "web 1 1.5: cycles:"), "web-1/1");
	UNIT_STR_EQ(name_of(&bench, "web 12 1.5: cycles:"), "web-12/12");
	UNIT_STR_EQ(name_of(&bench, "web 1 1.5: cycles:"), "web-1/1");
	UNIT_STR_EQ(name_of(&bench, "web 1 7 1.5: cycles:"), "web_1-7/7");
	UNIT_STR_EQ(name_of(&bench, "web 1/2 1.5: cycles:"), "web-1/2");
	bench_release(&bench);
}

static void
other_lines_set_no_root(void)
{
	struct bench bench;
	node_id root = 77;

	bench_init(&bench, NULL);
	CU_ASSERT_FALSE(
		script_roots_parse(&bench.roots, (struct line){"what", 4}, &bench.header, &root));
	CU_ASSERT_EQUAL(root, 77);
	bench_release(&bench);
}

static void
all_that_is_asked_for_must_hold(void)
{
	struct ingest_options options = {.pid = 12, .tid = 34, .comm = "my_worker"};
	struct bench bench;

	bench_init(&bench, &options);
	UNIT_STR_EQ(name_of(&bench, "my worker 12/34 1.5: cycles:"), "my_worker");
	UNIT_STR_EQ(name_of(&bench, "my worker 12/35 1.5: cycles:"), "(none)");
	UNIT_STR_EQ(name_of(&bench, "my worker 13/34 1.5: cycles:"), "(none)");
	UNIT_STR_EQ(name_of(&bench, "worker 12/34 1.5: cycles:"), "(none)");
	/* Once more, where the answer is known. */
	UNIT_STR_EQ(name_of(&bench, "worker 12/34 1.5: cycles:"), "(none)");
	bench_release(&bench);
}

static void
one_number_is_the_thread_and_its_process(void)
{
	struct ingest_options options = {.pid = 12};
	struct bench bench;

	bench_init(&bench, &options);
	UNIT_STR_EQ(name_of(&bench, "web 12 1.5: cycles:"), "web");
	UNIT_STR_EQ(name_of(&bench, "web 13 1.5: cycles:"), "(none)");
	bench_release(&bench);
}

static void
a_process_is_named_after_its_first_thread(void)
{
	struct ingest_options options = {.by = {{{LABEL_PROCESS, "process"}}, 1}};
	struct bench bench;

	bench_init(&bench, &options);
	node_id pool = root_of(&bench, "pool 10/11 1.5: cycles:");
	node_id web = root_of(&bench, "web 10/10 1.6: cycles:");
	node_id lone = root_of(&bench, "pool 30/31 1.6: cycles:");

	CU_ASSERT_EQUAL(pool, web);
	CU_ASSERT_NOT_EQUAL(pool, lone);
	script_roots_name_processes(&bench.roots);
	UNIT_STR_EQ(
		profile_frame_name(&bench.profile, bench.profile.tree.nodes[pool].frame), "web");
	UNIT_STR_EQ(
		profile_frame_name(&bench.profile, bench.profile.tree.nodes[lone].frame), ":30");
	bench_release(&bench);
}

/* A program that execs keeps its number: what it is now called is what it is known by. */
static void
a_process_has_the_last_name_of_its_first_thread(void)
{
	struct ingest_options options = {.by = {{{LABEL_PROCESS, "process"}}, 1}};
	struct bench bench;

	bench_init(&bench, &options);
	node_id root = root_of(&bench, "sh 10/10 1.5: cycles:");

	CU_ASSERT_EQUAL(root_of(&bench, "web server 10/10 1.5: cycles:"), root);
	script_roots_name_processes(&bench.roots);
	UNIT_STR_EQ(profile_frame_name(&bench.profile, bench.profile.tree.nodes[root].frame),
		"web_server");
	bench_release(&bench);
}

/* Far more fronts than are kept: nothing of those that were forgotten is looked at again. */
static void
roots_survive_that_fronts_are_forgotten(void)
{
	struct ingest_options options = {.by = {{{LABEL_PID, "pid"}}, 1}};
	struct bench bench;
	char line[512];
	node_id first;

	bench_init(&bench, &options);
	first = root_of(&bench, "web 1/2 1.5: cycles:");
	for (unsigned i = 0; i < 60000; i++) {
		snprintf(line, sizeof(line), "web%*s1/%u 1.5: cycles:", 200, "", i + 3);
		CU_ASSERT_EQUAL_FATAL(root_of(&bench, line), first);
	}
	CU_ASSERT(text_map_bytes(&bench.roots.fronts) < (size_t)9 << 20);
	CU_ASSERT_EQUAL(root_of(&bench, "web 1/2 1.5: cycles:"), first);
	bench_release(&bench);
}

void
suite_ingest_script_roots(void)
{
	static const struct unit_case cases[] = {
		{"the_root_is_the_thread_s_name", the_root_is_the_thread_s_name},
		{"a_line_that_begins_like_the_last_one_is_read_from_there",
			a_line_that_begins_like_the_last_one_is_read_from_there},
		{"a_front_that_only_begins_alike_is_another",
			a_front_that_only_begins_alike_is_another},
		{"other_lines_set_no_root", other_lines_set_no_root},
		{"all_that_is_asked_for_must_hold", all_that_is_asked_for_must_hold},
		{"one_number_is_the_thread_and_its_process",
			one_number_is_the_thread_and_its_process},
		{"a_process_is_named_after_its_first_thread",
			a_process_is_named_after_its_first_thread},
		{"a_process_has_the_last_name_of_its_first_thread",
			a_process_has_the_last_name_of_its_first_thread},
		{"roots_survive_that_fronts_are_forgotten",
			roots_survive_that_fronts_are_forgotten},
		{NULL, NULL},
	};

	unit_suite("ingest/script_roots", cases);
}
