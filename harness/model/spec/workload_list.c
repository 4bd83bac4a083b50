/*
 * Lists of workloads: finds the files of those that a command names, by path, folder, name or
 * metric, and reads each once.
 */
#include "spec/workload.h"

#include "base/buf.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "profile/metric.h"
#include "spec/sections_internal.h"
#include "spec/suggest.h"
#include "spec/waivers.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The length of the name without .yaml or .yml; 0 if it ends in neither. */
static size_t
stem_len(const char *name)
{
	size_t len = strlen(name);

	if (len > 5 && strcmp(name + len - 5, ".yaml") == 0)
		return len - 5;
	if (len > 4 && strcmp(name + len - 4, ".yml") == 0)
		return len - 4;
	return 0;
}

bool
workload_is_file_name(const char *name)
{
	return name[0] != '.' && stem_len(name) > 0;
}

static int
is_listed(const struct dirent *entry)
{
	return workload_is_file_name(entry->d_name);
}

static void
entries_release(struct dirent **entries, int count)
{
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
}

/* Adds it, which becomes the list's. */
static int
add_workload(struct workload_list *list, struct workload *added, struct err *err)
{
	for (size_t i = 0; i < list->nworkloads; i++) {
		if (strcmp(list->workloads[i].name, added->name) != 0)
			continue;
		err_set(err, ERR_INPUT,
			"two workloads are named '%s': '%s' and '%s'; rename one of them",
			added->name, list->workloads[i].path, added->path);
		workload_release(added);
		return -1;
	}
	size_t capacity = list->nworkloads;

	list->workloads = mem_grow(
		list->workloads, &capacity, list->nworkloads + 1, sizeof(*list->workloads));
	list->workloads[list->nworkloads++] = *added;
	return 0;
}

static bool
has_metric(const struct workload *workload, const char *metric)
{
	for (size_t i = 0; workload->measured && workload->measured[i]; i++) {
		if (strcmp(workload->measured[i], metric) == 0)
			return true;
	}
	return strcmp(workload->capture.metric, metric) == 0;
}

/* Adds what the file measures: all of it, or with `only` one metric. */
static int
add_file(struct workload_list *list, const char *path, const char *only,
	const struct config *config, struct err *err)
{
	struct workload_source source = {.path = path, .config = config};
	struct workload first;

	if (workload_read_from(&first, &source, err) < 0)
		return -1;
	if (only && !has_metric(&first, only)) {
		err_set(err, ERR_INPUT, "the workload '%s' does not measure '%s'", first.name,
			only);
		err_note(err, "add it to 'measure' in '%s'", path);
		workload_release(&first);
		return -1;
	}
	const char *const *measured = first.measured;
	bool takes_first = !only || strcmp(first.capture.metric, only) == 0;
	int result = takes_first ? add_workload(list, &first, err) : 0;

	for (size_t i = 1; result == 0 && measured && measured[i]; i++) {
		struct workload further;

		if (only && strcmp(measured[i], only) != 0)
			continue;
		source.metric = measured[i];
		result = workload_read_from(&further, &source, err);
		if (result == 0)
			result = add_workload(list, &further, err);
	}
	if (!takes_first)
		workload_release(&first);
	return result;
}

static int
add_folder(struct workload_list *list, const char *folder, const struct config *config,
	struct err *err)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_listed, alphasort);
	int result = 0;

	if (count < 0)
		result = err_set_errno(
			err, ERR_INPUT, errno, "cannot read the folder of workloads '%s'", folder);
	else if (count == 0)
		result = err_set(err, ERR_INPUT,
			"there is no workload in '%s': expected files NAME.yaml there", folder);
	if (count <= 0 && folder == config->workloads_dir)
		err_note(err, "'profile_run init' writes a first workload and a configuration");
	for (int i = 0; result == 0 && i < count; i++) {
		char *path = file_join(folder, entries[i]->d_name);

		result = add_file(list, path, NULL, config, err);
		free(path);
	}
	entries_release(entries, count);
	return result;
}

static int
refuse_missing(const char *name, const struct config *config, struct err *err)
{
	struct dirent **entries = NULL;
	int count = scandir(config->workloads_dir, &entries, is_listed, alphasort);
	const char **names = mem_zalloc(count > 0 ? (size_t)count : 1, sizeof(*names));
	struct buf known = {0};

	for (int i = 0; i < count; i++) {
		entries[i]->d_name[stem_len(entries[i]->d_name)] = '\0';
		names[i] = entries[i]->d_name;
		buf_printf(&known, "%s%s", i > 0 ? ", " : "", names[i]);
	}
	const char *nearest = suggest_nearest(name, names, count > 0 ? (size_t)count : 0);

	err_set(err, ERR_INPUT,
		"there is no workload '%s': no such file or folder, and no '%s/%s.yaml'", name,
		config->workloads_dir, name);
	if (nearest)
		err_note(err, "did you mean '%s'?", nearest);
	if (count > 0)
		err_note(err, "known: %s", buf_text(&known));
	buf_release(&known);
	free(names);
	entries_release(entries, count);
	return -1;
}

/* The file of a workload that is given by its bare name; NULL if there is none. */
static char *
find_by_name(const char *name, const struct config *config)
{
	static const char *const endings[] = {".yaml", ".yml"};

	for (size_t i = 0; i < 2; i++) {
		char *path = mem_printf("%s/%s%s", config->workloads_dir, name, endings[i]);

		if (file_exists(path))
			return path;
		free(path);
	}
	return NULL;
}

/* "NAME.METRIC": the file of NAME, and *metric; NULL if it is not that. */
static char *
find_by_metric(const char *name, const struct config *config, const char **metric)
{
	const char *dot = strrchr(name, '.');

	if (!dot || !metric_find(dot + 1))
		return NULL;
	char *stem = mem_printf("%.*s", (int)(dot - name), name);
	char *found = find_by_name(stem, config);

	free(stem);
	*metric = dot + 1;
	return found;
}

/* "NAME/BENCHMARK": the file of NAME, and *benchmark; NULL if it is not that. */
static char *
find_by_benchmark(const char *name, const struct config *config, const char **benchmark)
{
	const char *slash = strchr(name, '/');

	if (!slash || !slash[1])
		return NULL;
	char *stem = mem_printf("%.*s", (int)(slash - name), name);
	char *found = find_by_name(stem, config);

	free(stem);
	*benchmark = slash + 1;
	return found;
}

/* Adds a benchmark to those of a suite that are wanted; the name is the suite's arena's. */
static void
want_benchmark(struct workload *suite, const char *benchmark)
{
	size_t count = 0;

	while (suite->benchmarks && suite->benchmarks[count])
		count++;
	const char **all = arena_alloc(&suite->arena, (count + 2) * sizeof(*all));

	if (count > 0)
		memcpy(all, suite->benchmarks, count * sizeof(*all));
	all[count] = benchmark;
	all[count + 1] = NULL;
	suite->benchmarks = all;
}

/* Adds one benchmark of a suite, which may have a metric behind it. */
static int
add_benchmark(struct workload_list *list, const char *path, const char *benchmark,
	const struct config *config, struct err *err)
{
	const char *dot = strrchr(benchmark, '.');
	const char *only = dot && metric_find(dot + 1) ? dot + 1 : NULL;
	const int len = only ? (int)(dot - benchmark) : (int)strlen(benchmark);
	const size_t first = list->nworkloads;
	bool is_there = false;

	for (size_t i = 0; i < first; i++) {
		struct workload *suite = &list->workloads[i];

		if (strcmp(suite->path, path) != 0 ||
			(only && strcmp(suite->capture.metric, only) != 0))
			continue;
		is_there = true;
		if (suite->benchmarks)
			want_benchmark(suite, arena_printf(&suite->arena, "%.*s", len, benchmark));
	}
	if (is_there)
		return 0;
	if (add_file(list, path, only, config, err) < 0)
		return -1;
	for (size_t i = first; i < list->nworkloads; i++) {
		struct workload *suite = &list->workloads[i];

		if (!suite->suite)
			return err_set(err, ERR_INPUT,
				"the workload '%s' is no suite: it has no benchmark '%s'",
				suite->name, benchmark);
		want_benchmark(suite, arena_printf(&suite->arena, "%.*s", len, benchmark));
	}
	return 0;
}

static int
add_path(struct workload_list *list, const char *path, const struct config *config, struct err *err)
{
	const char *only = NULL;

	if (file_is_dir(path))
		return add_folder(list, path, config, err);
	/* A program with the workload's name, often in the same folder, is not meant. */
	const char *benchmark = NULL;
	char *of_suite = file_exists(path) ? NULL : find_by_benchmark(path, config, &benchmark);

	if (of_suite) {
		const int added = add_benchmark(list, of_suite, benchmark, config, err);

		free(of_suite);
		return added;
	}
	bool is_path = strchr(path, '/') || stem_len(path) > 0;
	char *found = is_path ? NULL : find_by_name(path, config);
	int result;

	if (!is_path && !found && !file_exists(path))
		found = find_by_metric(path, config, &only);
	if (found)
		result = add_file(list, found, only, config, err);
	else if (is_path || file_exists(path))
		result = add_file(list, path, NULL, config, err);
	else
		result = refuse_missing(path, config, err);
	free(found);
	return result;
}

static int
compare_workloads(const void *a, const void *b)
{
	return strcmp(((const struct workload *)a)->name, ((const struct workload *)b)->name);
}

int
workload_list_read(struct workload_list *list, const char *const *paths, size_t npaths,
	const struct config *config, struct err *err)
{
	int result = 0;

	*list = (struct workload_list){0};
	if (npaths == 0)
		result = add_folder(list, config->workloads_dir, config, err);
	for (size_t i = 0; result == 0 && i < npaths; i++)
		result = add_path(list, paths[i], config, err);
	if (result < 0) {
		workload_list_release(list);
		return -1;
	}
	qsort(list->workloads, list->nworkloads, sizeof(*list->workloads), compare_workloads);
	return 0;
}

/*
 * Makes the workload of a benchmark. It borrows what the suite has; its own arena has the rest.
 */
static void
make_unit(struct workload *unit, const struct workload *suite, const char *benchmark, bool older)
{
	*unit = *suite;
	unit->arena = (struct arena){0};
	const char *of_metric = suite->name + strlen(suite->file_name);
	struct suite_unit *made = arena_alloc(&unit->arena, sizeof(*made));

	*made = (struct suite_unit){
		.suite = suite->suite,
		.suite_run = suite->run,
		.benchmark = arena_strdup(&unit->arena, benchmark),
	};
	unit->unit = made;
	const char *plain = arena_printf(&unit->arena, "%s/%s", suite->file_name, benchmark);

	unit->name = arena_printf(&unit->arena, "%s%s", plain, of_metric);
	unit->folder = unit_folder(unit->name, &unit->arena);
	unit->stored_name = unit_folder(plain, &unit->arena);
	unit->run = suite_run_command(suite->run, older, made, &unit->arena);
	waivers_select(&unit->gate, &unit->arena, unit->name);
	workload_hash_work(unit);
}

/* Two names that are one on disk: made up by the program, as the names have hashes. */
static int
check_folders(const struct workload_list *list, struct err *err)
{
	for (size_t i = 0; i < list->nworkloads; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(list->workloads[i].folder, list->workloads[k].folder) == 0)
				return err_set(err, ERR_MEASURE,
					"'%s' and '%s' would have the same folder",
					list->workloads[k].name, list->workloads[i].name);
	return 0;
}

static bool
is_chosen(const struct workload *suite, const char *benchmark)
{
	if (!suite->benchmarks)
		return suite_chooses(suite->suite, benchmark);
	for (const char *const *at = suite->benchmarks; *at; at++)
		if (strcmp(*at, benchmark) == 0)
			return true;
	return false;
}

static size_t
count_chosen(const struct workload *suite, const struct suite_listing *listing)
{
	size_t count = 0;

	for (size_t i = 0; i < listing->count; i++)
		count += is_chosen(suite, listing->names[i]);
	return count;
}

/* Says why no benchmark, or so many, cannot be measured. */
static int
refuse_count(const struct workload *suite, size_t listed, size_t chosen, struct err *err)
{
	if (chosen > 0)
		return err_set(err, ERR_MEASURE,
			"the suite has %zu benchmarks, at most %d are measured: choose some by "
			"'include' and 'exclude'",
			chosen, SUITE_UNITS_MAX);
	if (listed == 0)
		return err_set(err, ERR_MEASURE, "the suite lists no benchmark");
	if (suite->benchmarks)
		return err_set(err, ERR_MEASURE,
			"none of the %zu benchmarks that the suite lists is '%s'", listed,
			suite->benchmarks[0]);
	return err_set(err, ERR_MEASURE,
		"'include' and 'exclude' choose none of the %zu benchmarks that the suite lists",
		listed);
}

/* Keeps the names of a suite, by which another build's list is compared. */
static void
keep_names(struct workload *suite, const struct suite_listing *listing)
{
	const char **names = arena_alloc(&suite->arena, (listing->count + 1) * sizeof(*names));

	for (size_t i = 0; i < listing->count; i++)
		names[i] = arena_strdup(&suite->arena, listing->names[i]);
	qsort(names, listing->count, sizeof(*names), text_order);
	suite->suite->names = names;
	suite->suite->nnames = listing->count;
}

int
workload_list_expand(struct workload_list *list, size_t at, const struct suite_listing *listing,
	bool older, struct err *err)
{
	struct workload suite = list->workloads[at];
	const size_t chosen = count_chosen(&suite, listing);

	if (chosen == 0 || chosen > SUITE_UNITS_MAX)
		return refuse_count(&suite, listing->count, chosen, err);
	keep_names(&suite, listing);
	list->workloads[at] = suite;
	struct workload_list made = {
		.workloads = mem_zalloc(list->nworkloads + chosen, sizeof(*made.workloads))};

	for (size_t i = 0; i < listing->count; i++)
		if (is_chosen(&suite, listing->names[i]))
			make_unit(&made.workloads[made.nworkloads++], &suite, listing->names[i],
				older);
	if (check_folders(&made, err) < 0) {
		workload_list_release(&made);
		return -1;
	}
	for (size_t i = 0; i < list->nworkloads; i++)
		if (i != at)
			made.workloads[made.nworkloads++] = list->workloads[i];
	qsort(made.workloads, made.nworkloads, sizeof(*made.workloads), compare_workloads);
	free(list->workloads);
	list->workloads = made.workloads;
	list->nworkloads = made.nworkloads;
	size_t capacity = list->nsuites;

	list->suites = mem_grow(list->suites, &capacity, list->nsuites + 1, sizeof(*list->suites));
	list->suites[list->nsuites++] = suite;
	return 0;
}

void
workload_list_release(struct workload_list *list)
{
	for (size_t i = 0; i < list->nworkloads; i++)
		workload_release(&list->workloads[i]);
	for (size_t i = 0; i < list->nsuites; i++)
		workload_release(&list->suites[i]);
	free(list->workloads);
	free(list->suites);
	*list = (struct workload_list){0};
}

/* A workload of another folder than that of the configuration is named by its file. */
static bool
is_known_by_name(const struct config *config, const struct workload *workload)
{
	const size_t len = strlen(config->workloads_dir);

	return workload->file_name && strncmp(workload->path, config->workloads_dir, len) == 0 &&
	       workload->path[len] == '/' &&
	       strlen(workload->file_name) == stem_len(workload->path + len + 1) &&
	       strncmp(workload->path + len + 1, workload->file_name,
		       strlen(workload->file_name)) == 0;
}

void
config_put_update(const struct config *config, const char *option, const struct workload *workload,
	struct buf *out)
{
	buf_printf(out, "profile_run baseline update%s%s", option, config->options);
	if (!workload)
		return;
	buf_putc(out, ' ');
	escape_shell_word(
		out, is_known_by_name(config, workload) ? workload->name : workload->path);
}
