/*
 * Trying events on this process itself: it uses CPU time until samples come, or a time limit is
 * reached.
 */
#include "perf_event/trial.h"

#include "base/clock.h"
#include "perf_event/ring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNT_NS UINT64_C(5000000)
#define SAMPLE_NS UINT64_C(15000000)
#define TRIES 3
/* A starved process must not try for ever. */
#define WALL_NS UINT64_C(1000000000)
#define TRIAL_HZ 1000
#define RING_BYTES ((size_t)64 * 1024)
/* So small that the buffer holds all samples of a trial. */
#define STACK_BYTES 1024
#define TOUCH_PAGES ((size_t)16)

/* CPU time of a trial. */
struct spent {
	uint64_t all_ns;
	uint64_t user_ns; /* of what is done without the kernel */
};

/*
 * Work of several kinds, so that each event has something to count. A page that is touched can cost
 * a hundred times as much in a virtual machine as elsewhere, all of it in the kernel.
 */
static void __attribute__((noinline)) work(volatile uint64_t *state, struct spent *spent)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t start = clock_own_cpu_ns();

	for (unsigned i = 0; i < 400000; i++)
		*state = *state * 6364136223846793005U + 1442695040888963407U;
	spent->user_ns += clock_own_cpu_ns() - start;
	char *pages = mmap(NULL, TOUCH_PAGES * page_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return;
	for (size_t i = 0; i < TOUCH_PAGES; i++)
		pages[i * page_bytes] = (char)*state;
	munmap(pages, TOUCH_PAGES * page_bytes);
}

/* A function between, for its own call chain. */
static struct spent __attribute__((noinline)) spin(uint64_t user_ns)
{
	struct spent spent = {0};
	uint64_t wall_end = clock_ns() + WALL_NS;
	uint64_t start = clock_own_cpu_ns();
	volatile uint64_t state = start;

	while (spent.user_ns < user_ns && clock_ns() < wall_end)
		work(&state, &spent);
	spent.all_ns = clock_own_cpu_ns() - start;
	return spent;
}

static void
self_attr(const struct event_kind *kind, uint64_t period, bool kernel, struct perf_event_attr *attr)
{
	struct capture_event event = {
		.type = kind->type,
		.config = kind->config,
		.kernel = kernel,
	};

	event_attr(attr, &event, period, 0, true);
	/* An event of all CPUs cannot both be inherited and have a buffer. */
	attr->inherit = 0;
}

static int
open_self(const struct event_kind *kind, uint64_t period, bool kernel)
{
	struct perf_event_attr attr;

	self_attr(kind, period, kernel, &attr);
	return event_open(&attr, 0, -1);
}

/* First without samples: the rate of the event. */
static int
count_units(const struct event_kind *kind, struct trial *trial)
{
	const uint64_t never = UINT64_C(1) << 60;
	uint64_t value[2]; /* the count and, as event_attr() asks for it, the id */

	trial->kernel = true;
	int fd = open_self(kind, never, true);

	if (fd < 0 && (errno == EACCES || errno == EPERM)) {
		trial->kernel = false;
		fd = open_self(kind, never, false);
	}
	if (fd < 0) {
		trial->errnum = errno;
		return -1;
	}
	if (kind->is_clock) {
		close(fd);
		trial->units_hz = 1e9;
		return 0;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	const struct spent spent = spin(COUNT_NS);

	if (read(fd, value, sizeof(value)) != sizeof(value))
		value[0] = 0;
	close(fd);
	trial->units_hz = (double)value[0] / (double)spent.all_ns * 1e9;
	return 0;
}

static uint64_t
trial_period(const struct trial *trial)
{
	double period = trial->units_hz / TRIAL_HZ;

	return period < 1 ? 1 : (uint64_t)period;
}

/* Counts what comes of act() under the event; 0, or why it could not be done, and at what. */
static int
record(const struct perf_event_attr *attr, void (*act)(void *context), void *context,
	struct ring_counts *counts, bool *opened)
{
	struct err err = {0};
	struct ring ring;
	int fd = event_open(attr, 0, -1);

	*opened = fd >= 0;
	if (fd < 0)
		return errno;
	if (ring_map(&ring, fd, RING_BYTES) < 0) {
		int errnum = errno;

		close(fd);
		return errnum;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	act(context);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	ring_drain(&ring, &(struct ring_drain){.counts = counts, .attr = attr}, &err);
	ring_unmap(&ring);
	close(fd);
	return 0;
}

int
trial_record(const char *name, const struct perf_event_attr *attr, void (*act)(void *context),
	void *context, struct ring_counts *counts, struct err *err)
{
	struct perf_event_attr own = *attr;
	bool opened;

	*counts = (struct ring_counts){0};
	own.inherit = 0;
	int errnum = record(&own, act, context, counts, &opened);

	if (errnum == 0)
		return 0;
	return opened ? err_set_errno(err, ERR_MEASURE, errnum, "no buffer for '%s'", name)
		      : event_refused(name, errnum, err);
}

static void
spin_for_samples(void *spent)
{
	*(struct spent *)spent = spin(SAMPLE_NS);
}

/* Spins under the event and counts what comes; 0, or why it could not be done. */
static int
sample_self(const struct perf_event_attr *attr, struct ring_counts *counts, struct spent *spent)
{
	bool opened;

	return record(attr, spin_for_samples, spent, counts, &opened);
}

static void
take_samples(const struct event_kind *kind, struct trial *trial)
{
	struct ring_counts counts = {0};
	struct perf_event_attr attr;
	struct spent spent = {0};

	self_attr(kind, trial_period(trial), trial->kernel, &attr);
	trial->errnum = sample_self(&attr, &counts, &spent);
	trial->samples = counts.samples;
	trial->callchain = counts.callchains > 0;
	/* A clock goes on in the kernel, where its samples are dropped if that may not be sampled.
	 */
	const uint64_t counted_ns = kind->is_clock && !trial->kernel ? spent.user_ns : spent.all_ns;

	trial->expected = (double)counted_ns / 1e9 *
			  (trial->units_hz < TRIAL_HZ ? trial->units_hz : TRIAL_HZ);
}

void
trial_run(const struct event_kind *kind, struct trial *trial)
{
	memset(trial, 0, sizeof(*trial));
	if (count_units(kind, trial) < 0 || trial->units_hz <= 0)
		return;
	take_samples(kind, trial);
	/* It is so short that a hypervisor may have had the CPU for half of it. */
	for (int i = 1; i < TRIES && trial->samples > 0 && !trial_delivers(trial); i++)
		take_samples(kind, trial);
}

void
trial_stacks(const struct event_kind *kind, const struct trial *trial, struct stack_trial *stacks)
{
	struct ring_counts counts = {0};
	struct perf_event_attr attr;
	struct spent spent;

	memset(stacks, 0, sizeof(*stacks));
	self_attr(kind, trial_period(trial), false, &attr);
	if (!event_attr_add_stack(&attr, STACK_BYTES)) {
		stacks->errnum = EOPNOTSUPP;
		return;
	}
	stacks->errnum = sample_self(&attr, &counts, &spent);
	stacks->samples = counts.samples;
	stacks->copies = counts.stacks;
}

bool
trial_delivers(const struct trial *trial)
{
	return trial->errnum == 0 && trial->samples > 0 &&
	       (double)trial->samples >= trial->expected / 2;
}

static void
take_event(const struct event_kind *kind, const struct trial *trial, struct capture_event *event)
{
	memset(event, 0, sizeof(*event));
	snprintf(event->name, sizeof(event->name), "%s", kind->name);
	event->type = kind->type;
	event->config = kind->config;
	event->is_clock = kind->is_clock;
	event->rate_hz = trial->units_hz;
	event->kernel = trial->kernel;
	event->callchain = trial->callchain;
}

static int
undelivered(const struct event_kind *kind, const struct trial *trial, struct err *err)
{
	if (trial->errnum != 0)
		return event_refused(kind->name, trial->errnum, err);
	if (trial->units_hz <= 0)
		err_set(err, ERR_MEASURE, "event '%s' can be opened here, but counts nothing",
			kind->name);
	else
		err_set(err, ERR_MEASURE,
			"event '%s' can be opened here, but delivered %llu of %.0f samples",
			kind->name, (unsigned long long)trial->samples, trial->expected);
	return err_note(err, "a virtual machine without counters does that: `event: auto` takes "
			     "what works");
}

static int
choose_auto(struct capture_event *event, struct err *err)
{
	const struct event_kind *cycles = event_kind_find("cycles");
	const struct event_kind *clock = event_kind_find("cpu-clock");
	struct trial first;
	struct trial second;

	trial_run(cycles, &first);
	if (trial_delivers(&first)) {
		take_event(cycles, &first, event);
		snprintf(event->reason, sizeof(event->reason),
			"cycles: %llu of %.0f samples arrived in a trial",
			(unsigned long long)first.samples, first.expected);
		return 0;
	}
	trial_run(clock, &second);
	if (!trial_delivers(&second))
		return undelivered(clock, &second, err);
	take_event(clock, &second, event);
	if (first.errnum != 0)
		snprintf(event->reason, sizeof(event->reason), "no hardware cycle counter (%s)",
			strerror(first.errnum));
	else
		snprintf(event->reason, sizeof(event->reason),
			"cycles delivered only %llu of %.0f samples in a trial",
			(unsigned long long)first.samples, first.expected);
	return 0;
}

int
trial_choose_event(const char *wanted, struct capture_event *event, struct err *err)
{
	struct trial trial;

	if (strcmp(wanted, "auto") == 0)
		return choose_auto(event, err);
	const struct event_kind *kind = event_kind_find(wanted);

	if (!kind) {
		char names[256] = "auto";

		for (kind = event_kinds; kind->name; kind++) {
			size_t len = strlen(names);

			snprintf(names + len, sizeof(names) - len, ", %s", kind->name);
		}
		return err_set(
			err, ERR_USAGE, "there is no event '%s': expected %s", wanted, names);
	}
	trial_run(kind, &trial);
	if (!trial_delivers(&trial))
		return undelivered(kind, &trial, err);
	take_event(kind, &trial, event);
	snprintf(event->reason, sizeof(event->reason), "requested");
	return 0;
}
