#include "measurement/session.h"

#include "base/mem.h"
#include "builds/git.h"
#include "builds/identity.h"
#include "measurement/measurement.h"
#include "profile/metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * Reads the commit. It is no error if git or a repository is missing: CI may tell the commit then.
 */
static void
read_commit(char commit[GIT_COMMIT_SIZE])
{
	const char *from_ci = getenv("GITHUB_SHA");

	git_head(NULL, commit);
	if (commit[0] == '\0' && from_ci && git_is_commit(from_ci))
		memcpy(commit, from_ci, strlen(from_ci) + 1);
}

/*
 * Replaces the branch of a merge queue, "gh-readonly-queue/main/pr-12-0123abcd", by its target
 * "main".
 */
static void
leave_merge_queue(char branch[SESSION_BRANCH_MAX])
{
	static const char queue[] = "gh-readonly-queue/";
	char *last = strrchr(branch, '/');
	size_t len = strlen(queue);

	if (strncmp(branch, queue, len) != 0 || last < branch + len)
		return;
	*last = '\0';
	memmove(branch, branch + len, strlen(branch + len) + 1);
}

/* Reads the target branch of a pull request, or the branch that is checked out; "": not known. */
static void
read_branch(char branch[SESSION_BRANCH_MAX])
{
	static const char *const names[] = {"GITHUB_BASE_REF", "GITHUB_REF_NAME"};
	static const char *const args[] = {"symbolic-ref", "--quiet", "--short", "HEAD", NULL};
	struct err ignored = {0};

	branch[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && branch[0] == '\0'; i++) {
		const char *from_ci = getenv(names[i]);

		if (from_ci)
			snprintf(branch, SESSION_BRANCH_MAX, "%s", from_ci);
	}
	leave_merge_queue(branch);
	if (branch[0] != '\0')
		return;
	char *line = git_line(NULL, args, &ignored);

	if (line)
		snprintf(branch, SESSION_BRANCH_MAX, "%s", line);
	free(line);
}

int
session_begin(struct session *session, const struct config *config, struct err *err)
{
	*session = (struct session){.config = config, .started = (int64_t)time(NULL)};
	if (machine_inspect(&session->machine, err) < 0)
		return -1;
	read_commit(session->commit);
	read_branch(session->branch);
	return 0;
}

void
session_find_changes(struct session *session, char **changed)
{
	*changed = NULL;
	if (session->commit[0] == '\0')
		return;
	const int found = identity_find_uncommitted(session->commit, changed);

	if (found >= 0)
		snprintf(session->working_tree, sizeof(session->working_tree), "%s",
			found > 0 ? "changed" : "clean");
	if (found == 0)
		data_digest_of(session->commit, session->data_digest);
}

char *
session_baseline_folder(const struct session *session, const struct measurement *m)
{
	const struct config *config = session->config;
	char class[192];

	machine_class(&session->machine, m->event.name, m->event.presented, config->machine_class,
		class, sizeof(class));
	return baseline_path(config->baselines_dir, class, m->workload->stored_name,
		m->workload->capture.metric);
}

void
session_look_back(const struct session *session, struct measurement *m)
{
	char *folder = session_baseline_folder(session, m);
	struct baseline baseline;
	struct err broken = {0};
	bool found = false;

	if (baseline_read(&baseline, folder, &found, &broken) == 0 && found) {
		const struct profile *profile = &baseline.profile;

		if (profile->callgraph)
			m->callgraph_before =
				mem_strdup(strtab_str(&profile->strings, profile->callgraph));
		if (profile->nruns > 0)
			m->executions_before =
				(unsigned)profile->runs[profile->nruns - 1].executions;
		baseline_release(&baseline);
	}
	free(folder);
}

struct baseline_info
session_info(const struct session *session, const struct measurement *m)
{
	struct baseline_info info = {
		.format_version = BASELINE_FORMAT_VERSION,
		.frequency_hz = event_is_sampled(&m->event) ? m->workload->capture.frequency_hz : 0,
		.machine = session->machine,
		.created = session->started,
		.nsessions = 1,
	};

	snprintf(info.tool_version, sizeof(info.tool_version), "%s", PROFILE_RUN_VERSION);
	snprintf(info.workload, sizeof(info.workload), "%s", m->workload->stored_name);
	snprintf(info.metric, sizeof(info.metric), "%s", m->workload->capture.metric);
	snprintf(info.event, sizeof(info.event), "%s", m->event.name);
	snprintf(info.unit, sizeof(info.unit), "%s", metric_unit(m->workload->capture.metric));
	snprintf(info.program_hash, sizeof(info.program_hash), "%s",
		m->sides[MEASURE_CANDIDATE].program_hash);
	snprintf(info.workload_hash, sizeof(info.workload_hash), "%s", m->workload->hash);
	snprintf(info.commit, sizeof(info.commit), "%s", session->commit);
	memcpy(info.working_tree, session->working_tree, sizeof(info.working_tree));
	memcpy(info.data_digest, session->data_digest, sizeof(info.data_digest));
	machine_class(&session->machine, m->event.name, m->event.presented,
		session->config->machine_class, info.machine_class, sizeof(info.machine_class));
	return info;
}
