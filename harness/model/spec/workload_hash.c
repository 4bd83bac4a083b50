/*
 * The hash of a workload's work, by which a baseline is known to be of the same work: struct
 * workload's `hash`.
 */
#include "spec/sections_internal.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "spec/workload.h"

#include <stdlib.h>
#include <string.h>

/* Every text goes with its length, so that different workloads give different input. */
static void
put_sized_text(struct buf *out, const char *name, const char *text)
{
	if (!text) {
		buf_printf(out, "%s none\n", name);
		return;
	}
	buf_printf(out, "%s %zu ", name, strlen(text));
	buf_puts(out, text);
	buf_putc(out, '\n');
}

static size_t
count_texts(const char *const *texts)
{
	size_t count = 0;

	while (texts[count])
		count++;
	return count;
}

static void
put_command(struct buf *out, const char *name, const char *const *argv)
{
	buf_printf(out, "%s %zu\n", name, count_texts(argv));
	for (size_t i = 0; argv[i]; i++)
		put_sized_text(out, "argument", argv[i]);
}

static void
put_env(struct buf *out, const char *const *env)
{
	size_t count = count_texts(env);
	const char **sorted = mem_zalloc(count + 1, sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		sorted[i] = env[i];
	qsort(sorted, count, sizeof(*sorted), text_order);
	buf_printf(out, "env %zu\n", count);
	for (size_t i = 0; i < count; i++)
		put_sized_text(out, "variable", sorted[i]);
	free(sorted);
}

/* Its server is what is run. */
static void
put_service(struct buf *out, const struct service *service)
{
	put_command(out, "driver", service->driver);
	for (size_t i = 0; i < service->nneeds; i++)
		put_command(out, "need", service->needs[i].argv);
}

void
workload_hash_work(struct workload *workload)
{
	struct buf canonical = {0};

	buf_puts(&canonical, "workload 1\n");
	put_command(&canonical, "run", workload->run);
	if (workload->unit)
		put_sized_text(&canonical, "suite",
			workload->suite->preset ? workload->suite->preset->name : "one");
	if (workload->service)
		put_service(&canonical, workload->service);
	put_env(&canonical, workload->env);
	put_sized_text(&canonical, "stdin", workload->stdin_path);
	if (workload->stdout_path)
		put_sized_text(&canonical, "stdout", workload->stdout_path);
	put_sized_text(&canonical, "cwd", workload->cwd);
	put_sized_text(&canonical, "setup", workload->setup);
	put_sized_text(&canonical, "metric", workload->capture.metric);
	put_sized_text(&canonical, "event", workload->capture.event);
	put_sized_text(&canonical, "callgraph", workload->capture.callgraph);
	/* Older baselines have none, and most workloads do not set it. */
	if (workload->capture.stack_bytes > 0)
		buf_printf(&canonical, "stack %u\n", workload->capture.stack_bytes);
	if (strcmp(workload->capture.thread, "auto") != 0)
		put_sized_text(&canonical, "thread", workload->capture.thread);
	if (strcmp(workload->capture.phases, "none") != 0)
		put_sized_text(&canonical, "phases", workload->capture.phases);
	put_sized_text(&canonical, "pin", workload->capture.pin);
	sha256_text(canonical.data, canonical.len, workload->hash);
	buf_release(&canonical);
}
