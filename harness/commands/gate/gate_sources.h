/*
 * The source files that the report of a gate names and links to: those of the repository that
 * frames name, and the URL of the repository in a browser.
 */
#ifndef GATE_GATE_SOURCES_H
#define GATE_GATE_SOURCES_H

#include "base/arena.h"
#include "gate/judgement.h"
#include "output/report.h"

#include <stddef.h>

struct gate_sources {
	struct arena arena; /* owns the paths */
	char *url;          /* for report->source_url, or "none" */
	struct report_source *files;
	size_t nfiles;
};

/*
 * Finds the source files that the judgements' profiles name. `configured` is the configuration's
 * pattern of URLs; NULL: it is derived from the remote of the repository.
 */
void gate_sources_init(struct gate_sources *sources, const char *configured, const char *commit,
	struct judgement *const *judgements, size_t n);
void gate_sources_release(struct gate_sources *sources);

#endif
