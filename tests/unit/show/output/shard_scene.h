/*
 * The sample's workloads as a gate that was measured in shards, each judged by itself.
 */
#ifndef UNIT_OUTPUT_SHARD_SCENE_H
#define UNIT_OUTPUT_SHARD_SCENE_H

#include "gate/judge.h"
#include "output/output.h"
#include "output/shard_file.h"
#include "sample.h"

struct shard_scene {
	struct sample sample;
	struct judgement judgements[SAMPLE_WORKLOADS];
	struct report_workload workloads[SAMPLE_WORKLOADS];
	struct shard_entry entries[SAMPLE_WORKLOADS];
	struct shard_plan plan;
	struct report_shard shard;
	struct report report; /* of what was judged last */
};

/* Workload i is in shard i % count + 1. */
static inline void
shard_scene_init(struct shard_scene *scene, unsigned count)
{
	sample_init(&scene->sample, NULL);
	for (size_t i = 0; i < SAMPLE_WORKLOADS; i++) {
		scene->judgements[i] = (struct judgement){0};
		scene->sample.specs[i].gate = gate_policy_defaults();
		scene->entries[i] = (struct shard_entry){
			scene->sample.specs[i].name, (unsigned)(i % count) + 1};
	}
	scene->plan = (struct shard_plan){
		.count = count, .entries = scene->entries, .nentries = SAMPLE_WORKLOADS};
	scene->shard = (struct report_shard){.plan = &scene->plan,
		.command = scene->sample.report.command,
		.settings = "5e77",
		.base_commit = ""};
}

static inline void
shard_scene_forget(struct shard_scene *scene)
{
	for (size_t i = 0; i < SAMPLE_WORKLOADS; i++)
		judgement_release(&scene->judgements[i]);
}

static inline void
shard_scene_release(struct shard_scene *scene)
{
	shard_scene_forget(scene);
	sample_release(&scene->sample);
}

/* Judges a shard by itself, or all workloads with index 0, and makes the report of it. */
static inline void
shard_scene_judge(struct shard_scene *scene, unsigned index)
{
	struct judgement *all[SAMPLE_WORKLOADS];
	enum status status;
	size_t n = 0;

	shard_scene_forget(scene);
	for (size_t i = 0; i < SAMPLE_WORKLOADS; i++) {
		if (index > 0 && scene->entries[i].shard != index)
			continue;
		scene->judgements[i].input = scene->sample.judgements[i].input;
		scene->judgements[i].input.planned = index > 0 ? SAMPLE_WORKLOADS : 0;
		scene->workloads[n] = scene->sample.workloads[i];
		scene->workloads[n].judgement = &scene->judgements[i];
		all[n++] = &scene->judgements[i];
	}
	judge_gate(all, n, &status);
	scene->plan.index = index;
	scene->report = scene->sample.report;
	scene->report.workloads = scene->workloads;
	scene->report.nworkloads = n;
	scene->report.duration_s = 64;
	scene->report.shard = index > 0 ? &scene->shard : NULL;
	report_conclude(&scene->report, status, judge_exit_code(all, n));
}

#endif
