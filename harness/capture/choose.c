#include "capture/choose.h"

#include "perf_event/trial.h"

#include <stdio.h>
#include <string.h>

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
			"cycles: %llu of %.0f samples came in a trial",
			(unsigned long long)first.samples, first.expected);
		return 0;
	}
	trial_run(clock, &second);
	if (!trial_delivers(&second))
		return undelivered(clock, &second, err);
	take_event(clock, &second, event);
	if (first.errnum != 0)
		snprintf(event->reason, sizeof(event->reason),
			"this machine offers no cycle counter: %s", strerror(first.errnum));
	else
		snprintf(event->reason, sizeof(event->reason),
			"cycles delivered only %llu of %.0f samples in a trial",
			(unsigned long long)first.samples, first.expected);
	return 0;
}

int
choose_event(const char *wanted, struct capture_event *event, struct err *err)
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
	snprintf(event->reason, sizeof(event->reason), "asked for");
	return 0;
}
