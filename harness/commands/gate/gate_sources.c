#include "gate/gate_sources.h"

#include "base/mem.h"
#include "base/text.h"
#include "builds/source_paths.h"
#include "ingest/ingest.h"

#include <stdlib.h>
#include <string.h>

/* The names of source files in profiles. */
struct names {
	const char **names;
	size_t count;
	size_t capacity;
};

static void
add_names(struct names *names, const struct profile *profile)
{
	bool *seen = mem_zalloc(profile->strings.nentries + 1, sizeof(*seen));

	for (size_t i = 0; i < profile->frames.nframes; i++) {
		str_id file = profile->frames.frames[i].file;

		if (file == 0 || seen[file])
			continue;
		seen[file] = true;
		names->names = mem_grow(
			names->names, &names->capacity, names->count + 1, sizeof(*names->names));
		names->names[names->count++] = strtab_str(&profile->strings, file);
	}
	free(seen);
}

/* Sorts the names and removes duplicates. */
static void
sort_names(struct names *names)
{
	size_t kept = 0;

	if (names->count > 0)
		qsort(names->names, names->count, sizeof(*names->names), text_order);
	for (size_t i = 0; i < names->count; i++)
		if (kept == 0 || strcmp(names->names[i], names->names[kept - 1]) != 0)
			names->names[kept++] = names->names[i];
	names->count = kept;
}

void
gate_sources_init(struct gate_sources *sources, const char *configured, const char *commit,
	struct judgement *const *judgements, size_t n)
{
	struct names names = {0};

	*sources = (struct gate_sources){
		.url = configured ? mem_strdup(configured) : source_url_here()};
	for (size_t i = 0; i < n; i++) {
		const struct judgement *judgement = judgements[i];

		if (judgement->compared)
			add_names(&names, &judgement->comparison.profile);
		else if (judgement->input.candidate)
			add_names(&names, judgement->input.candidate);
	}
	sort_names(&names);
	const char **paths = mem_zalloc(names.count + 1, sizeof(*paths));

	source_paths(names.names, names.count, commit, &sources->arena, paths);
	sources->files = mem_zalloc(names.count + 1, sizeof(*sources->files));
	for (size_t i = 0; i < names.count; i++)
		if (paths[i])
			sources->files[sources->nfiles++] =
				(struct report_source){names.names[i], paths[i]};
	free(paths);
	free(names.names);
}

void
gate_sources_release(struct gate_sources *sources)
{
	arena_release(&sources->arena);
	free(sources->files);
	free(sources->url);
	*sources = (struct gate_sources){0};
}
