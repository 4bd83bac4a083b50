#include "capture/backend.h"

#include "capture/capture_internal.h"
#include "process/file_watch.h"
#include "process/signals.h"

/* Each call that opens a file takes some times as long. */
#define TIMEOUT_FACTOR 4

static int
finish_nothing(
	void *context, const struct child *child, pid_t pid, struct run *run, struct err *err)
{
	(void)context;
	(void)child;
	(void)pid;
	(void)run;
	(void)err;
	return 0;
}

int
watch_files_with(const struct capture_request *request, const char *const *whole_env,
	struct run_files *files, struct err *err)
{
	struct capture_request watched = *request;
	struct driven driven = {.service = NULL};
	struct capture_result result = {.kept = false};

	*files = (struct run_files){0};
	if (signals_check(err) < 0)
		return -1;
	watched.file_watch = file_watch_begin(err);
	if (!watched.file_watch)
		return -1;
	const struct command command = {
		.request = &watched,
		.timeout_factor = TIMEOUT_FACTOR,
		.slowness = "while its files are watched, a program is slower",
		.finish = finish_nothing,
		.driven = &driven,
	};
	struct child_spec spec = command_spec(&command);

	if (whole_env) {
		spec.env = whole_env;
		spec.only_env = true;
	}
	int status = command_run(&command, &spec, &result, err);

	file_watch_end(watched.file_watch, files);
	return status;
}

int
capture_watch_files(const struct capture_request *request, struct run_files *files, struct err *err)
{
	return watch_files_with(request, NULL, files, err);
}
