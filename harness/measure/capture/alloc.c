/*
 * The alloc backend: every allocation is counted, by a shared object (shim/) that is loaded into
 * the program and its children ahead of the C library. It needs no rights.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "capture/backend.h"
#include "capture/capture_internal.h"
#include "process/process.h"
#include "profile/counters.h"
#include "shim/shim.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/*
 * Why a program's allocations cannot be counted, as far as its file tells.
 */

/* What a Go program's build information begins with (Go: debug/buildinfo). */
static const char go_mark[] = "\xff Go buildinf:";

/* The loader that an ELF program of this machine names; NULL where it has none. */
static const char *
find_loader(const struct file_view *view)
{
	Elf64_Ehdr head;
	Elf64_Phdr segment;

	memcpy(&head, view->data, sizeof(head));
	for (size_t i = 0; i < head.e_phnum; i++) {
		uint64_t at = head.e_phoff + i * sizeof(segment);

		if (at > view->len || view->len - at < sizeof(segment))
			return NULL;
		memcpy(&segment, view->data + at, sizeof(segment));
		if (segment.p_type != PT_INTERP)
			continue;
		if (segment.p_filesz == 0 || segment.p_offset > view->len ||
			view->len - segment.p_offset < segment.p_filesz ||
			view->data[segment.p_offset + segment.p_filesz - 1] != '\0')
			return NULL;
		return view->data + segment.p_offset;
	}
	return NULL;
}

static int
refuse_program(const char *path, const char *reason, const char *instead, struct err *err)
{
	err_set(err, ERR_MEASURE, "allocations of '%s' cannot be counted: %s", path, reason);
	return err_note(err, "%s", instead);
}

static int
check_elf(const struct file_view *view, const char *path, struct err *err)
{
	const char *loader;

	if (view->data[EI_CLASS] != ELFCLASS64)
		return refuse_program(path, "it is a 32-bit program",
			"build it for 64 bits, or measure its CPU time", err);
	loader = find_loader(view);
	if (memmem(view->data, view->len, go_mark, sizeof(go_mark) - 1))
		return refuse_program(path, "it is a Go program, whose memory is Go's own",
			"Go's own profiles show it: runtime/pprof, with -memprofilerate 1 every "
			"allocation",
			err);
	if (!loader)
		return refuse_program(path,
			"it is linked statically, so that nothing can be loaded before its malloc",
			"link it dynamically for this measurement, or measure its CPU time or "
			"instructions",
			err);
	return 0;
}

/* With another user's rights, or more than ours, the loader ignores LD_PRELOAD (ld.so(8)). */
static int
check_rights(const char *path, struct err *err)
{
	struct stat info;
	bool raised;

	if (stat(path, &info) < 0)
		return 0;
	raised = ((info.st_mode & S_ISUID) && info.st_uid != geteuid()) ||
		 ((info.st_mode & S_ISGID) && (info.st_mode & S_IXGRP) && info.st_gid != getegid());
	if (!raised && geteuid() != 0)
		raised = getxattr(path, "security.capability", NULL, 0) > 0;
	if (!raised)
		return 0;
	return refuse_program(path,
		"it runs with the rights of another user or with capabilities (setuid)",
		"measure a copy of the file without them, or run profile_run as that user", err);
}

int
alloc_check_program(
	const char *const *argv, const char *const *env, const char *cwd, struct err *err)
{
	struct err ignored = {.kind = ERR_NONE};
	char *path = find_program(argv[0], env, cwd);
	struct file_view view;
	int result = 0;

	if (path && file_view_open(&view, path, &ignored) == 0) {
		if (view.len >= sizeof(Elf64_Ehdr) && memcmp(view.data, ELFMAG, SELFMAG) == 0)
			result = check_elf(&view, path, err);
		file_view_close(&view);
	}
	if (path && result == 0)
		result = check_rights(path, err);
	free(path);
	return result;
}

/* A program that only allocates takes a few times as long. */
#define TIMEOUT_FACTOR 5
#define TRIAL_TIMEOUT_S 10

/* capture_event.config: only requests are counted. */
#define CONFIG_TOTALS 1

static const char *const trial_argv[] = {"/bin/sh", "-c", ":", NULL};

/* One run in the making. */
struct alloc_run {
	const struct capture_request *request;
	char *dir;        /* where the files go */
	const char **env; /* the request's, and: */
	char *folder;     /* ALLOC_FOLDER_VARIABLE=DIR */
	char *preload;    /* LD_PRELOAD=... */
	uint64_t harness_start_ns;
};

/*
 * The name of the shim, for LD_PRELOAD. It is in memory, so that no folder has to allow programs to
 * be loaded from it, and its name has neither spaces nor colons, which would end it.
 */
static const char *
shim_path(struct err *err)
{
	static char path[64];

	if (path[0])
		return path;
	int fd = memfd_create("profile_run-alloc.so", MFD_CLOEXEC);

	if (fd < 0) {
		err_set_errno(err, ERR_SYSTEM, errno, "a file in memory for the allocation shim");
		return NULL;
	}
	if (file_put(fd, shim_alloc, shim_alloc_bytes, "the allocation shim", err) < 0) {
		close(fd);
		return NULL;
	}
	/* Open as long as we run: for all programs that are started meanwhile. */
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
	return path;
}

/* The event of that name, with or without "alloc:"; ALLOC_EVENTS where there is none. */
static enum alloc_event
find_event(const char *name)
{
	const size_t prefix = strlen("alloc:");

	if (strcmp(name, "auto") == 0)
		return ALLOC_EVENT_BYTES;
	for (unsigned i = 0; i < ALLOC_EVENTS; i++)
		if (strcmp(name, alloc_event_names[i]) == 0 ||
			strcmp(name, alloc_event_names[i] + prefix) == 0)
			return (enum alloc_event)i;
	return ALLOC_EVENTS;
}

static const char *
preloaded_before(const struct capture_request *request)
{
	static const char name[] = "LD_PRELOAD=";
	const char *found = getenv("LD_PRELOAD");

	for (const char *const *at = request->env; at && *at; at++)
		if (strncmp(*at, name, sizeof(name) - 1) == 0)
			found = *at + sizeof(name) - 1;
	return found && *found ? found : NULL;
}

/* The shim is first: an allocator that is preloaded, too, is the one behind it. */
static int
make_environment(struct alloc_run *run, struct err *err)
{
	const struct capture_request *request = run->request;
	const char *shim = shim_path(err);
	const char *before = preloaded_before(request);
	size_t n = 0;

	if (!shim)
		return -1;
	while (request->env && request->env[n])
		n++;
	run->env = mem_zalloc(n + 4, sizeof(*run->env));
	if (n > 0)
		memcpy(run->env, request->env, n * sizeof(*run->env));
	run->preload =
		mem_printf("LD_PRELOAD=%s%s%s", shim, before ? ":" : "", before ? before : "");
	run->folder = mem_printf(ALLOC_FOLDER_VARIABLE "=%s", run->dir);
	run->env[n++] = run->preload;
	run->env[n++] = run->folder;
	if (request->event.config == CONFIG_TOTALS)
		run->env[n] = ALLOC_TOTALS_VARIABLE "=1";
	return 0;
}

static int
explain_none(const struct alloc_totals *totals, const char *name, struct err *err)
{
	if (!totals->first_seen) {
		err_set(err, ERR_MEASURE,
			"allocations of '%s' cannot be counted: the allocation shim was not loaded",
			name);
		return err_note(err, "is LD_PRELOAD removed by the program that starts it, or is "
				     "it another user's or in another container?");
	}
	err_set(err, ERR_MEASURE, "'%s' allocated nothing through the C library", name);
	if (totals->overridden)
		return err_note(err, "it has its own malloc, linked into the program: link "
				     "that allocator as a shared library to count it");
	return err_note(err, "allocators of its own, on memory from mmap(), are not seen");
}

static int
finish(void *context, const struct child *child, pid_t pid, struct run *counts, struct err *err)
{
	const struct alloc_run *run = context;
	const struct capture_request *request = run->request;
	const enum alloc_event event = find_event(request->event.name);
	struct alloc_totals totals;

	if (alloc_files_join(
		    run->dir, pid, request->argv, event, request->perfdata_path, &totals, err) < 0)
		return err_note(err, "while reading the allocations of '%s'", request->argv[0]);
	if (totals.events[ALLOC_EVENT_COUNT] <= 0)
		return explain_none(&totals, request->argv[0], err);
	tally_counted(child, totals.events[event], run->harness_start_ns, counts);
	counts->lost = totals.not_counted;
	counter_set(counts, COUNTER_ALLOC_COUNT, totals.events[ALLOC_EVENT_COUNT]);
	if (request->event.config != CONFIG_TOTALS) {
		counter_set(counts, COUNTER_ALLOC_PEAK, totals.events[ALLOC_EVENT_PEAK]);
		counter_set(counts, COUNTER_ALLOC_LIVE, totals.events[ALLOC_EVENT_LIVE]);
	}
	return 0;
}

static int
run_program(struct alloc_run *run, struct capture_result *result, struct err *err)
{
	struct companions companions;
	const struct command command = {
		.request = run->request,
		.timeout_factor = TIMEOUT_FACTOR,
		.slowness = "each allocation is counted",
		.finish = finish,
		.context = run,
		.companions = &companions,
	};
	struct child_spec spec = command_spec(&command);

	spec.env = run->env;
	return command_run(&command, &spec, result, err);
}

static int
alloc_run(const struct capture_request *request, struct capture_result *result, struct err *err)
{
	struct alloc_run run = {.request = request, .harness_start_ns = clock_own_cpu_ns()};

	if (!request->perfdata_path)
		return capture_perf.run(request, result, err);
	memset(result, 0, sizeof(*result));
	if (signals_check(err) < 0)
		return -1;
	if (!request->argv)
		return err_set(err, ERR_USAGE,
			"allocations are counted of programs that are started for it, not of "
			"processes that run already");
	if (alloc_check_program(request->argv, request->env, request->cwd, err) < 0)
		return -1;
	run.dir = left_files_make(request->perfdata_path, err);
	int status = run.dir ? make_environment(&run, err) : -1;

	if (status == 0)
		status = run_program(&run, result, err);
	left_files_remove(run.dir);
	free(run.env);
	free(run.folder);
	free(run.preload);
	return status;
}

/* Counts a shell that does nothing. */
static int
try_shim(const struct capture_event *event, struct err *err)
{
	struct capture_result result;
	char *dir;

	if (file_dir_scratch(&dir, err) < 0)
		return -1;
	char *path = file_join(dir, "perf.data");
	const struct capture_request request = {
		.argv = trial_argv,
		.event = *event,
		.reader_cpu = -1,
		.timeout_s = TRIAL_TIMEOUT_S,
		.perfdata_path = path,
	};
	int status = alloc_run(&request, &result, err);

	free(path);
	file_dir_abandon(dir);
	return status;
}

static int
choose_alloc(const char *metric, const char *wanted, struct capture_event *event, struct err *err)
{
	const enum alloc_event found = find_event(wanted);

	(void)metric;
	if (found == ALLOC_EVENTS)
		return err_set(err, ERR_USAGE,
			"the metric 'alloc' has no event '%s': expected auto, alloc:bytes, "
			"alloc:peak, alloc:live or alloc:count",
			wanted);
	*event = (struct capture_event){.rate_hz = 1e9, .counts_all = true, .own_stacks = true};
	snprintf(event->name, sizeof(event->name), "%s", alloc_event_names[found]);
	snprintf(event->reason, sizeof(event->reason), "each allocation is counted");
	/* Asked for by name, these need not know what is freed. */
	if (strcmp(wanted, "auto") != 0 &&
		(found == ALLOC_EVENT_BYTES || found == ALLOC_EVENT_COUNT))
		event->config = CONFIG_TOTALS;
	if (try_shim(event, err) == 0)
		return 0;
	return err->kind == ERR_INTERRUPTED
		       ? -1
		       : err_note(err, "the metric 'alloc' preloads a library into the program");
}

static const char *const alloc_metrics[] = {"alloc", NULL};

const struct capture_backend capture_alloc = {
	.name = "alloc",
	.summary = "counts every allocation by stack, through a library that is preloaded",
	.metrics = alloc_metrics,
	.choose = choose_alloc,
	.run = alloc_run,
};

/* Whether allocations can be counted, by counting a shell's. */
void
alloc_probe(const struct probe_context *context, struct probe_result *result)
{
	struct capture_event event;
	struct err err = {.kind = ERR_NONE};
	bool good = choose_alloc("alloc", "auto", &event, &err) == 0;

	(void)context;
	SAY(result->found, "%.200s", good ? "a preloaded library counts allocations" : err.text);
	probe_conclude(result, good ? PROBE_OK : PROBE_MISSING,
		good ? "`metric: alloc` works, for dynamically linked programs"
		     : "`metric: alloc` is not available",
		"programs here must be dynamically linked with glibc, and may use LD_PRELOAD");
}
