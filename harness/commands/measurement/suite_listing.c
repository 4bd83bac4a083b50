#include "measurement/suite_listing.h"

#include "base/buf.h"
#include "base/log.h"
#include "base/text.h"
#include "builds/program.h"
#include "process/process.h"
#include "spec/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* A file in memory that takes so many bytes and no more: a program may print without an end. */
static int
open_bounded(struct err *err)
{
	const int fd = memfd_create("list", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && ftruncate(fd, (off_t)SUITE_TEXT_MAX) == 0 &&
		fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) == 0)
		return fd;
	err_set_errno(err, ERR_SYSTEM, errno, "a file in memory for the list of benchmarks");
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Reads what was written: the offset is the program's. */
static int
read_written(int fd, struct buf *text, struct err *err)
{
	const off_t len = lseek(fd, 0, SEEK_CUR);

	if (len < 0 || len >= (off_t)SUITE_TEXT_MAX)
		return err_set(err, ERR_MEASURE,
			"the list of benchmarks has %zu MiB or more, at most that many are read",
			SUITE_TEXT_MAX >> 20);
	buf_reserve(text, (size_t)len);
	for (off_t at = 0; at < len;) {
		char bytes[65536];
		const ssize_t got = pread(fd, bytes, sizeof(bytes), at);

		if (got <= 0)
			return err_set_errno(
				err, ERR_SYSTEM, errno, "cannot read the list of benchmarks");
		const size_t kept = got < len - at ? (size_t)got : (size_t)(len - at);

		buf_put(text, bytes, kept);
		at += (off_t)kept;
	}
	return 0;
}

/* Runs a command that lists; *failed has how it ended, if that is no success. */
static int
run_list(const struct workload *workload, const char *const *command, struct buf *text,
	struct err *failed, struct err *err)
{
	struct child child;
	const int fd = open_bounded(err);
	const struct child_spec spec = {
		.argv = command,
		.env = workload->env,
		.cwd = workload->cwd,
		.stdin_path = workload->stdin_path,
		.exit_codes = workload->exit_codes,
		.output = CHILD_KEEP,
		.stdout_fd = fd,
	};

	if (fd < 0)
		return -1;
	int result = process_run(
		&child, &spec, "the list of benchmarks", program_build_limit_s(workload), err);

	if (result == 0 && child_judge(&child, command[0], failed) < 0)
		err_note(failed, "while listing the benchmarks of '%s'", workload->name);
	if (result == 0)
		result = read_written(fd, text, err);
	close(fd);
	return result;
}

/* Lists the benchmarks of a suite that is built. *older: the preset's probe failed. */
static int
list_benchmarks(const struct workload *workload, struct suite_listing *listing, bool *older,
	struct err *err)
{
	const struct suite *suite = workload->suite;
	const struct suite_preset *preset = suite->by_hand ? NULL : suite->preset;
	struct arena arena = {0};
	struct buf text = {0};
	struct err failed = {0};
	const bool probes = preset && preset->probe;

	*older = false;
	int result = run_list(workload, suite_list_command(suite, workload->run, probes, &arena),
		&text, &failed, err);

	if (result == 0 && probes && failed.kind != ERR_NONE) {
		*older = true;
		failed = (struct err){0};
		buf_clear(&text);
		result = run_list(workload, suite_list_command(suite, workload->run, false, &arena),
			&text, &failed, err);
	}
	if (result == 0)
		result = (preset ? preset->list : suite_list_lines)(
			listing, buf_text(&text), text.len, err);
	/* A benchmark that fails may end the list with a failure; it is judged by itself. */
	if (result == 0 && failed.kind != ERR_NONE &&
		!(preset && preset->list_may_fail && listing->count > 0)) {
		*err = failed;
		result = -1;
	}
	buf_release(&text);
	arena_release(&arena);
	return result;
}

/* Builds a suite and lists its benchmarks. */
static int
build_and_list(
	struct workload *workload, struct suite_listing *listing, bool *older, struct err *err)
{
	clock_gettime(CLOCK_REALTIME_COARSE, &workload->built_from);
	if (program_build(workload, NULL, err) < 0)
		return -1;
	clock_gettime(CLOCK_REALTIME_COARSE, &workload->built_to);
	log_step("%s: listing benchmarks", workload->name);
	return list_benchmarks(workload, listing, older, err);
}

/* Sets `unlisted` of a suite: it is an error of this workload. */
static void
set_unlisted(struct workload *suite, const struct err *err)
{
	suite->unlisted = arena_strdup(&suite->arena, err->text);
	suite->built_to = (struct timespec){0};
}

/* The first entry of a list that is a suite still to be listed; its length: there is none. */
static size_t
find_suite(const struct workload_list *list)
{
	size_t i = 0;

	while (i < list->nworkloads && (!list->workloads[i].suite || list->workloads[i].unit ||
					       list->workloads[i].unlisted))
		i++;
	return i;
}

/* Expands all entries of the suite's file: there is one for each metric. */
static void
expand_file(struct workload_list *list, const struct workload *first,
	const struct suite_listing *listing, bool older, const struct err *failure)
{
	const char *path = first->path;
	const struct timespec from = first->built_from;
	const struct timespec to = first->built_to;

	for (size_t i; (i = find_suite(list)) < list->nworkloads &&
		       strcmp(list->workloads[i].path, path) == 0;) {
		struct workload *suite = &list->workloads[i];
		struct err err = *failure;

		suite->built_from = from;
		suite->built_to = to;
		if (err.kind == ERR_NONE)
			workload_list_expand(list, i, listing, older, &err);
		if (err.kind != ERR_NONE)
			set_unlisted(&list->workloads[i], &err);
	}
}

int
suites_list(struct workload_list *list, struct err *err)
{
	for (size_t i; (i = find_suite(list)) < list->nworkloads;) {
		struct workload *suite = &list->workloads[i];
		struct suite_listing listing = {0};
		struct buf lacking = {0};
		struct err failure = {0};
		bool older = false;

		/* What is missing is found again, and told, when the gate begins. */
		if (program_lacks(suite, &lacking))
			err_set(&failure, ERR_MEASURE, "%s", buf_text(&lacking));
		else
			build_and_list(suite, &listing, &older, &failure);
		buf_release(&lacking);
		if (failure.kind == ERR_INTERRUPTED) {
			*err = failure;
			suite_listing_release(&listing);
			return -1;
		}
		expand_file(list, suite, &listing, older, &failure);
		suite_listing_release(&listing);
	}
	return 0;
}

bool
suite_has_folder(const struct workload *workload, const char *stored_name)
{
	const size_t len = strlen(workload->file_name);

	return workload->suite && strncmp(stored_name, workload->file_name, len) == 0 &&
	       stored_name[len] == UNIT_FOLDER_MARK;
}

/* The suite in a list, all of whose chosen benchmarks are in it, that this baseline is of. */
static const struct workload *
find_suite_of(const struct workload_list *list, const char *stored_name)
{
	for (size_t i = 0; i < list->nsuites; i++)
		if (!list->suites[i].benchmarks && !list->suites[i].suite->include &&
			!list->suites[i].suite->exclude &&
			suite_has_folder(&list->suites[i], stored_name))
			return &list->suites[i];
	return NULL;
}

void
suites_warn_of_vanished(const struct workload_list *list, const struct baseline_list *stored)
{
	for (size_t e = 0; e < stored->nentries; e++) {
		const char *name = stored->entries[e].workload;
		const struct workload *suite = find_suite_of(list, name);
		bool there = !suite;

		for (size_t i = 0; i < list->nworkloads && !there; i++)
			there = strcmp(list->workloads[i].stored_name, name) == 0;
		if (!there)
			log_warn("%s: a benchmark with a baseline is no longer listed: '%s'; if it "
				 "was removed, remove that, too",
				suite->name, stored->entries[e].folder);
	}
}

int
suite_list_other(const struct workload *unit, const struct build_side *base,
	struct suite_listing *listing, struct err *err)
{
	const struct suite *suite = unit->suite;
	struct workload here = *unit;
	struct workload there;
	struct arena arena = {0};
	bool older;

	if (!suite->by_hand && suite->preset->list_runs)
		return err_set(err, ERR_MEASURE, "a list executes all benchmarks");
	here.run = unit->unit->suite_run;
	here.unit = NULL;
	const int result = build_side_workload(base, &here, &there, NULL, &arena, err) < 0
				   ? -1
				   : list_benchmarks(&there, listing, &older, err);

	arena_release(&arena);
	return result;
}

void
suite_warn_of_removed(const struct workload *unit, const struct build_side *base)
{
	const struct suite *suite = unit->suite;
	struct suite_listing listing = {0};
	struct err ignored = {0};

	if (unit->benchmarks)
		return;
	if (suite_list_other(unit, base, &listing, &ignored) < 0)
		log_debug("%s: %s", unit->name, ignored.text);
	for (size_t i = 0; i < listing.count; i++)
		if (suite_chooses(suite, listing.names[i]) &&
			!bsearch(&listing.names[i], suite->names, suite->nnames,
				sizeof(*suite->names), text_order))
			log_warn("%s/%s: %s lists this benchmark, the working tree does not",
				unit->file_name, listing.names[i], base->name);
	suite_listing_release(&listing);
}

int
suites_refuse(const struct workload_list *list, const char *verb, struct err *err)
{
	for (size_t i = 0; i < list->nworkloads; i++)
		if (list->workloads[i].suite)
			return err_set(err, ERR_USAGE,
				"'%s' is a suite, of which '%s' cannot take the benchmarks: write a "
				"workload of the one that is meant",
				list->workloads[i].name, verb);
	return 0;
}
