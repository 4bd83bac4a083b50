#include "measurement/driver_latency.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "capture/backend.h"
#include "profile/latency.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int
driver_latency_begin(struct driver_latency *driver, const struct workload *workload,
	struct capture_request *request, struct err *err)
{
	*driver = (struct driver_latency){.workload = workload, .fd = -1};
	if (!workload->latency)
		return 0;
	/* Files get their times from the coarse clock. */
	clock_gettime(CLOCK_REALTIME_COARSE, &driver->start);
	if (workload->latency->file)
		return 0;
	driver->fd = memfd_create("output", MFD_CLOEXEC);
	if (driver->fd < 0)
		return err_set_errno(
			err, ERR_SYSTEM, errno, "a file in memory for what the driver prints");
	request->stdout_fd = driver->fd;
	return 0;
}

static bool
is_earlier(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* Checks that this run wrote the file, which may be left from an earlier run. */
static int
check_written(const struct driver_latency *driver, const char *path, struct err *err)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return err_set_errno(
			err, ERR_MEASURE, errno, "the latencies are to be in '%s'", path);
	if (is_earlier(&status.st_mtim, &driver->start))
		return err_set(err, ERR_MEASURE,
			"'%s' was not written by this run: its latencies are older", path);
	return 0;
}

static int
read_from(const char *path, const struct latency_source *source, struct latency *latency,
	struct err *err)
{
	struct buf text = {0};
	int status = file_read(path, &text, LATENCY_TEXT_MAX, err);

	if (status == 0)
		status = latency_read(source, buf_text(&text), text.len, latency, err);
	buf_release(&text);
	return status;
}

static int
read_file(const struct driver_latency *driver, struct latency *latency, struct err *err)
{
	const struct workload *workload = driver->workload;
	const struct latency_source *source = workload->latency;
	char *path = workload->cwd && source->file[0] != '/'
			     ? file_join(workload->cwd, source->file)
			     : mem_strdup(source->file);
	int status = check_written(driver, path, err);

	if (status == 0 && read_from(path, source, latency, err) < 0)
		status = err_note(err, "while reading '%s'", path);
	free(path);
	return status;
}

static int
read_output(const struct driver_latency *driver, struct latency *latency, struct err *err)
{
	const struct workload *workload = driver->workload;
	const char *program = workload->service ? workload->service->driver[0] : workload->run[0];
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", driver->fd);
	if (read_from(path, workload->latency, latency, err) == 0)
		return 0;
	return err_note(err, "while reading the output of '%s'", program);
}

int
driver_latency_take(const struct driver_latency *driver, const struct capture_request *request,
	struct run *run, struct err *err)
{
	const struct workload *workload = driver->workload;
	struct latency latency;

	if (!workload->latency)
		return 0;
	int status = driver->fd >= 0 ? read_output(driver, &latency, err)
				     : read_file(driver, &latency, err);

	if (status < 0)
		return -1;
	latency_put(&latency, request->event.counts_all, run);
	return 0;
}

void
driver_latency_end(struct driver_latency *driver)
{
	if (driver->fd >= 0)
		close(driver->fd);
	driver->fd = -1;
}
