/*
 * Files of the Firefox Profiler: what profiler.firefox.com and samply save, and the raw ones that
 * Firefox and `perf script report gecko` write. Tables, of each thread or shared by all, have the
 * stacks; a sample is a stack and a weight. All is read before stacks are put together, as tables
 * may follow what names their rows.
 *
 * Source: docs-developer/processed-profile-format.md, gecko-profile-format.md and
 * CHANGELOG-formats.md of github.com/firefox-devtools/profiler; versions up to 70.
 */
#include "base/err.h"
#include "base/json_pull.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "ingest/firefox_internal.h"
#include "ingest/ingest.h"
#include "ingest/ingest_internal.h"

#include <stdlib.h>
#include <string.h>

/* Our own files have the process at the root of each stack. */
#define OWN_PROGRAM "profile_run "
/* The file's word for times as weights. */
#define WEIGHT_TIMES "tracing-ms"

static bool
detect_firefox(const char *bytes, size_t len)
{
	static const char *const marks[] = {
		"\"preprocessedProfileVersion\"", "\"markerSchema\"", "\"stackTable\""};

	if (!json_file_begins(bytes, len))
		return false;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (memmem(bytes, len, marks[i], strlen(marks[i])))
			return true;
	return false;
}

static void
read_thread(struct firefox_reading *reading)
{
	struct json_pull *json = &reading->json;
	struct firefox_thread *thread;
	struct json_text key;

	reading->threads = mem_grow(reading->threads, &reading->threads_capacity,
		reading->nthreads + 1, sizeof(*reading->threads));
	thread = &reading->threads[reading->nthreads++];
	*thread = (struct firefox_thread){.name = NULL};
	if (!json_pull_object(json))
		return;
	while (json_pull_key(json, &key)) {
		if (json_text_is(key, "name")) {
			json_pull_text_dup(json, &thread->name);
		} else if (json_text_is(key, "processName")) {
			json_pull_text_dup(json, &thread->process);
		} else if (!firefox_take_table(json, key, reading->profile, &thread->tables)) {
			json_pull_skip(json);
		}
	}
}

static void
add_category(struct firefox_reading *reading, const char *name)
{
	struct firefox_category category = {.kind = FRAME_USER, .idle = strcmp(name, "Idle") == 0};

	if (strcmp(name, "Kernel") == 0)
		category.kind = FRAME_KERNEL;
	else if (strcmp(name, "JIT") == 0)
		category.kind = FRAME_JIT;
	else if (reading->own && strcmp(name, "Inlined") == 0)
		category.kind = FRAME_INLINED;
	else if (reading->own && strcmp(name, "Waiting") == 0)
		category.kind = FRAME_WAIT;
	reading->categories = mem_grow(reading->categories, &reading->categories_capacity,
		reading->ncategories + 1, sizeof(*reading->categories));
	reading->categories[reading->ncategories++] = category;
}

/* Those of the first process that has any: the processes of a file have the same. */
static void
read_categories(struct firefox_reading *reading)
{
	struct json_pull *json = &reading->json;
	struct buf name = {0};

	if (reading->ncategories > 0) {
		json_pull_skip(json);
		return;
	}
	if (!json_pull_list(json))
		return;
	while (firefox_next_name(json, &name))
		add_category(reading, buf_text(&name));
	buf_release(&name);
}

static bool
is_own(struct json_pull *json)
{
	struct json_text program;

	return json_pull_text(json, &program) &&
	       text_begins_within(program.at, program.len, OWN_PROGRAM);
}

/* What a category says depends on who wrote the file. */
static void
read_meta(struct firefox_reading *reading)
{
	static const char *const keys[] = {"importedFrom", "categories", NULL};
	struct json_fields fields = JSON_FIELDS(keys);
	struct json_pull *json = &reading->json;
	struct json_place categories = {0};
	bool has_categories = false;

	if (!json_pull_object(json))
		return;
	for (int key; (key = json_pull_field(json, &fields)) >= 0;) {
		if (key == 0) {
			reading->own = is_own(json);
		} else {
			has_categories = true;
			categories = json_pull_place(json);
			json_pull_skip(json);
		}
	}
	if (!has_categories || json_pull_failed(json))
		return;
	const struct json_place end = json_pull_place(json);

	json_pull_go(json, categories);
	read_categories(reading);
	json_pull_go(json, end);
}

static void
read_shared(struct firefox_reading *reading)
{
	struct json_pull *json = &reading->json;
	struct json_text key;

	if (!json_pull_object(json))
		return;
	while (json_pull_key(json, &key))
		if (!firefox_take_table(json, key, reading->profile, &reading->shared))
			json_pull_skip(json);
}

/* A process: the whole file, or in raw files one of those within it. */
static void
read_process(struct firefox_reading *reading) /* NOLINT(misc-no-recursion): as deep as the text */
{
	struct json_pull *json = &reading->json;
	struct json_text key;

	if (!json_pull_object(json))
		return;
	while (json_pull_key(json, &key)) {
		if (json_text_is(key, "meta")) {
			read_meta(reading);
		} else if (json_text_is(key, "shared")) {
			read_shared(reading);
		} else if (json_text_is(key, "threads")) {
			if (!json_pull_list(json))
				continue;
			reading->has_threads = true;
			while (json_pull_item(json))
				read_thread(reading);
		} else if (json_text_is(key, "processes")) {
			if (!json_pull_list(json))
				continue;
			while (json_pull_item(json))
				read_process(reading);
		} else if (!firefox_take_table(json, key, reading->profile, &reading->shared)) {
			json_pull_skip(json);
		}
	}
}

/* Threads whose weights are of another type than those of the first one are left out. */
static int
enter_threads(struct firefox_reading *reading, struct err *err)
{
	const char *type = NULL;
	size_t left_out = 0;
	double scale = 1;

	for (size_t i = 0; i < reading->nthreads; i++) {
		const struct firefox_thread *thread = &reading->threads[i];
		const str_id own_type = thread->tables.weight_type;
		const char *own = own_type != 0 ? strtab_str(&reading->profile->strings, own_type)
						: "samples";

		if (thread->tables.columns[SAMPLE_STACK].count == 0)
			continue;
		if (!type) {
			type = own;
			if (strcmp(type, WEIGHT_TIMES) == 0)
				scale = describe_unit(reading->profile, "ms", strlen("ms"));
			else
				describe_unit(reading->profile, type, strlen(type));
		}
		if (strcmp(type, own) != 0)
			left_out++;
		else if (firefox_enter_thread(reading, i, scale, err) < 0)
			return -1;
	}
	if (left_out > 0)
		log_warn("%s: left out: threads whose weights are no %s: %zu", reading->path, type,
			left_out);
	return 0;
}

static int
read_root(struct firefox_reading *reading, struct err *err)
{
	reading->column = profile_add_run(reading->profile);
	read_process(reading);
	if (json_pull_end(&reading->json, json_pull_failed(&reading->json) ? -1 : 0, JSON_FILE_MORE,
		    err) < 0)
		return -1;
	if (!reading->has_threads)
		return err_set(err, ERR_INPUT, "%s: has no list \"threads\"", reading->path);
	const int result = enter_threads(reading, err);

	if (result == 0 && reading->naddresses > 0)
		log_warn("%s: functions without a name, of which it has the address only: %zu; "
			 "profiler.firefox.com looks names up, and saves the file with them",
			reading->path, reading->naddresses);
	return result;
}

static int
read_firefox(struct profile *profile, const struct file_view *view, const char *path,
	const struct ingest_options *options, struct err *err)
{
	struct firefox_reading reading = {
		.profile = profile, .path = path, .tree_limit = tree_limit(profile, view->len)};

	(void)options;
	json_pull_init(&reading.json, path, view);
	const int result = read_root(&reading, err);

	json_pull_release(&reading.json);
	for (size_t i = 0; i < reading.nthreads; i++) {
		free(reading.threads[i].name);
		free(reading.threads[i].process);
		firefox_tables_release(&reading.threads[i].tables);
	}
	free(reading.threads);
	free(reading.categories);
	free(reading.shared_frames);
	free(reading.shared_nodes);
	free(reading.shared_idle);
	firefox_tables_release(&reading.shared);
	return result;
}

const struct input_format ingest_firefox = {
	.name = "firefox",
	.summary = "the JSON of the Firefox Profiler, samply and perf script report gecko",
	.detect = detect_firefox,
	.read = read_firefox,
	.labels = LABEL_BIT(LABEL_THREAD),
	.if_weightless = "it has no samples with stacks, or idle ones only: record for longer",
};
