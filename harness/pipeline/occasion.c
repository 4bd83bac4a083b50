#include "pipeline/occasion.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Asks git; silent where there is no git or no repository. */
static void
read_commit(char commit[65])
{
	const char *from_ci = getenv("GITHUB_SHA");
	FILE *git = popen("git rev-parse --verify HEAD 2>/dev/null", "re");
	char line[80] = "";

	commit[0] = '\0';
	if (git) {
		if (!fgets(line, sizeof(line), git))
			line[0] = '\0';
		pclose(git);
	}
	line[strcspn(line, "\n")] = '\0';
	if (line[0] == '\0' && from_ci)
		snprintf(line, sizeof(line), "%s", from_ci);
	size_t len = strspn(line, "0123456789abcdef");

	if (len >= 40 && len <= 64 && line[len] == '\0')
		memcpy(commit, line, len + 1);
}

void
occasion_begin(struct occasion *occasion)
{
	*occasion = (struct occasion){.started = (int64_t)time(NULL)};
	machine_inspect(&occasion->machine);
	read_commit(occasion->commit);
}

void
occasion_machine_class(const struct occasion *occasion, const struct config *config,
	const char *event, char *out, size_t size)
{
	machine_class(&occasion->machine, event, config->machine_class, out, size);
}

char *
occasion_baseline_folder(
	const struct occasion *occasion, const struct config *config, const struct measurement *m)
{
	char class[192];

	occasion_machine_class(occasion, config, m->event.name, class, sizeof(class));
	return baseline_path(
		config->baselines_dir, class, m->workload->name, m->workload->capture.metric);
}

char *
occasion_callgraph(void *store, const struct measurement *m)
{
	const struct occasion_store *where = store;
	char *folder = occasion_baseline_folder(where->occasion, where->config, m);
	struct baseline baseline;
	struct err broken = {0};
	bool found = false;
	char *callgraph = NULL;

	if (baseline_read(&baseline, folder, &found, &broken) == 0 && found) {
		const struct profile *profile = &baseline.profile;

		if (profile->callgraph)
			callgraph = mem_strdup(strtab_str(&profile->strings, profile->callgraph));
		baseline_release(&baseline);
	}
	free(folder);
	return callgraph;
}
