#include "process/signals.h"

#include "base/clock.h"
#include "base/draft.h"
#include "base/file.h"
#include "process/tree.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* timeout(1) sends its signal to us and then to our group: one that follows so soon is the same. */
#define ECHO_S 0.5

static volatile sig_atomic_t noted_signal;

static void
note_signal(int number)
{
	static double noted_at;
	double now = clock_seconds();

	if (number == noted_signal && now < noted_at + ECHO_S)
		return;
	if (noted_signal != 0) {
		tree_signal(SIGKILL);
		if (!draft_take_signal(number))
			return;
		draft_remove_all();
		_exit(128 + number);
	}
	noted_signal = number;
	noted_at = now;
}

void
signals_catch(void)
{
	struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction old;

	/* One at a time. */
	sigfillset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup has it ignored, and means it. */
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	/* The reader of our progress may end (`2>&1 | head`); we must still end the workload. */
	sigaction(SIGPIPE, &ignore, NULL);
}

int
signals_caught(void)
{
	return noted_signal;
}

int
signals_check(struct err *err)
{
	return noted_signal != 0 ? err_set_interrupted(err, noted_signal) : 0;
}
