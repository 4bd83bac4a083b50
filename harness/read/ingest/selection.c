#include "ingest/selection.h"

#include "base/mem.h"
#include "ingest/ingest.h"
#include "ingest/labels.h"

#include <stdint.h>
#include <stdlib.h>

static char
as_shown(char c)
{
	if (c == ' ')
		return '_';
	return c;
}

bool
selection_same_name(const char *wanted, const char *name, size_t len)
{
	size_t i = 0;

	while (i < len && wanted[i] != '\0' && as_shown(wanted[i]) == as_shown(name[i]))
		i++;
	return i == len && wanted[i] == '\0';
}

bool
selection_takes(const struct ingest_options *options, uint32_t pid, uint32_t tid, const char *comm,
	size_t len)
{
	return (options->pid == 0 || options->pid == pid) &&
	       (options->tid == 0 || options->tid == tid) &&
	       (!options->comm || selection_same_name(options->comm, comm, len));
}

char *
selection_value(enum label_kind kind, const char *name, size_t len, uint32_t pid, uint32_t tid)
{
	/* A program can name its thread "": its stacks would have no root frame. */
	char *shown = len > 0 ? mem_dup(name, len) : mem_strdup("(unnamed)");
	char *whole = shown;

	for (char *c = shown; *c; c++)
		*c = as_shown(*c);
	if (kind == LABEL_PID)
		whole = mem_printf("%s-%u", shown, pid);
	else if (kind == LABEL_TID)
		whole = mem_printf("%s-%u/%u", shown, pid, tid);
	if (whole != shown)
		free(shown);
	return whole;
}
