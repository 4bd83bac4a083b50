#include "machine/quiet.h"

#include "base/clock.h"
#include "base/log.h"
#include "machine/busy.h"
#include "process/signals.h"

#include <time.h>

#define BUSY_SHARE 0.05
#define QUIET_SECONDS 3

/* How much of a second `cpus` were at work, ours or others'; -1 if not known. */
static double
busy_second(const cpu_set_t *cpus)
{
	const struct timespec second = {.tv_sec = 1};
	struct busy_times before;
	struct busy_times after;

	if (busy_times_read("", &cpus, 1, &before) < 0)
		return -1;
	nanosleep(&second, NULL);
	if (busy_times_read("", &cpus, 1, &after) < 0 || after.all_ns <= before.all_ns)
		return -1;
	return 1 -
	       (double)(after.idle_ns - before.idle_ns) / (double)(after.all_ns - before.all_ns);
}

int
quiet_wait(double timeout_s, struct err *err)
{
	double deadline = clock_seconds() + timeout_s;
	cpu_set_t cpus;
	int seconds = 0;

	busy_cpus("", &cpus);
	while (seconds < QUIET_SECONDS && clock_seconds() < deadline) {
		double busy = busy_second(&cpus);

		if (signals_check(err) < 0)
			return -1;
		if (busy < 0)
			return 0;
		seconds = busy <= BUSY_SHARE ? seconds + 1 : 0;
		log_progress("waiting for a quiet machine: its CPUs are %.0f %% busy", 100 * busy);
	}
	log_progress_end();
	if (timeout_s > 0 && seconds < QUIET_SECONDS)
		log_warn("the machine did not become quiet in time; measuring anyway");
	return 0;
}
