/*
 * The source files that reports name and link to: the repository's files that frames name, and the
 * URL of the repository in a browser.
 */
#ifndef PIPELINE_SOURCES_H
#define PIPELINE_SOURCES_H

#include "gate/judgement.h"
#include "output/report.h"

struct sources {
	struct arena arena; /* of the paths */
	char *url;          /* as report->source_url, or "none" */
	struct report_source *files;
	size_t nfiles;
};

/*
 * `configured` is the configuration's pattern of URLs, or NULL: derived from the remote of the
 * repository. Files are those named in the judgements' profiles.
 */
void sources_init(struct sources *sources, const char *configured, const char *commit,
	struct judgement *const *judgements, size_t n);
void sources_release(struct sources *sources);

#endif
