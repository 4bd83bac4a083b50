#include "cli/prepare_machine.h"

#include "base/buf.h"
#include "base/log.h"
#include "machine/machine.h"

#include <sched.h>
#include <string.h>

/* Logs each line of a text, and releases it. */
static void
log_lines(struct buf *text, void (*log)(const char *fmt, ...))
{
	for (const char *at = buf_text(text); *at;) {
		size_t len = strcspn(at, "\n");

		log("%.*s", (int)len, at);
		at += len + (at[len] == '\n');
	}
	buf_release(text);
}

void
prepare_machine_recover(void)
{
	struct buf messages = {0};
	struct err err = {0};

	if (prepare_restore("", &messages, &err) < 0)
		log_warn("%s", err.text);
	log_lines(&messages, log_warn);
}

/* Finds the CPUs that any workload will run on. An invalid `pin` is reported later. */
static void
program_cpus(const struct workload_list *list, cpu_set_t *cpus)
{
	CPU_ZERO(cpus);
	for (size_t i = 0; i < list->nworkloads; i++) {
		struct cpu_plan plan;
		struct err err = {0};

		if (cpu_plan_make(list->workloads[i].capture.pin, &plan, &err) < 0)
			continue;
		if (!plan.pinned && sched_getaffinity(0, sizeof(plan.program), &plan.program) < 0)
			continue;
		CPU_OR(cpus, cpus, &plan.program);
	}
}

struct prepare *
prepare_machine_begin(const struct config *config, const struct workload_list *list)
{
	cpu_set_t program;
	struct buf messages = {0};

	prepare_machine_recover();
	if (!config->prepare)
		return NULL;
	program_cpus(list, &program);
	const struct prepare_options options = {.root = "", .program = &program};
	struct prepare *prepare = prepare_begin(&options, &messages);

	log_lines(&messages, log_info);
	log_info("prepared: %s", prepare_text(prepare));
	return prepare;
}

void
prepare_machine_end(struct prepare *prepare)
{
	struct buf messages = {0};

	prepare_end(prepare, &messages);
	log_lines(&messages, log_warn);
}
