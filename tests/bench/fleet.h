/*
 * A simulated fleet: jobs of one label that get any of six machines, each with its own speeds by
 * class of function, one of three kernels, and load from none to heavy. Numbers are in the range of
 * what the shipped workloads showed on two of our machines; none is a claim about a product.
 */
#ifndef BENCH_FLEET_H
#define BENCH_FLEET_H

#include "gate/synthetic_gate.h"

/* By what makes a function faster or slower on another machine. */
enum function_class {
	CLASS_COMPUTE, /* arithmetic in registers */
	CLASS_BRANCHY, /* mispredicted branches */
	CLASS_MEMORY,  /* waits for memory */
	CLASS_LIBC,    /* of which libc has a variant for each CPU */
	CLASS_KERNEL,
	CLASSES,
};

struct machine_model {
	const char *name;
	double cost[CLASSES]; /* of a function of each class, relative to the first machine */
};

static const struct machine_model fleet_models[] = {
	{"A, the baseline's", {1, 1, 1, 1, 1}},
	{"B, newer", {0.84, 0.80, 0.93, 0.70, 0.90}},
	{"C, older", {1.25, 1.38, 1.20, 1.60, 1.30}},
	{"D, more cache", {1.02, 1.00, 0.72, 0.98, 1.02}},
	{"E, slow memory", {0.95, 0.97, 1.45, 1.10, 1.05}},
	{"F, low clock", {1.45, 1.42, 1.15, 1.35, 1.50}},
};
#define FLEET_MODELS (sizeof(fleet_models) / sizeof(fleet_models[0]))

/* Cost of kernel functions by kernel build; the third names one of them anew. */
static const double fleet_kernels[] = {1, 1.08, 0.93};
#define FLEET_KERNELS (sizeof(fleet_kernels) / sizeof(fleet_kernels[0]))
#define FLEET_RENAMING_KERNEL 2

/* Part of the program of the function that a regression is in. */
#define FLEET_CHANGED 0.05

/* What a job gets. */
struct fleet_job {
	size_t model;
	size_t kernel;
	double load; /* 0 none, 1 heavy */
};

struct fleet_program {
	struct synthetic synthetic;
	enum function_class classes[SYNTHETIC_MAX];
	size_t renamed; /* kernel function that the third kernel calls by the name `other` */
	size_t other;
	size_t changed; /* the function that a regression is in: FLEET_CHANGED of the program */
};

static inline size_t
fleet_draw_below(struct rng *rng, size_t n)
{
	return (size_t)(rng_uniform(rng) * (double)n);
}

/* A third of the jobs have no load, the others any. */
static inline struct fleet_job
fleet_job_draw(struct rng *rng)
{
	const struct fleet_job job = {
		.model = fleet_draw_below(rng, FLEET_MODELS),
		.kernel = fleet_draw_below(rng, FLEET_KERNELS),
		.load = rng_uniform(rng) < 1.0 / 3 ? 0 : rng_uniform(rng),
	};

	return job;
}

/* 6 to 50 functions; `changed` is of any class of user code. */
static inline struct fleet_program
fleet_program_draw(struct rng *rng)
{
	static const double part[CLASSES] = {0.40, 0.20, 0.20, 0.12, 0.08};
	const size_t nfunctions = 6 + (size_t)(rng_uniform(rng) * 45);
	struct fleet_program program = {.synthetic = synthetic_program(nfunctions), .changed = 1};
	struct synthetic *s = &program.synthetic;

	synthetic_draw_waits(s, rng);
	for (size_t i = 0; i < nfunctions; i++) {
		double left = rng_uniform(rng);
		enum function_class class = CLASS_COMPUTE;

		while (class < CLASS_KERNEL && left >= part[class])
			left -= part[class ++];
		program.classes[i] = class;
		s->waits[i] = class == CLASS_MEMORY ? 0.5 + s->waits[i] / 2 : s->waits[i] / 5;
	}
	/* All but the first two share what these leave. */
	const double rest = 1 - s->share[0] - s->share[1];

	for (size_t i = 2; i < nfunctions; i++)
		s->share[i] *= (1 - s->share[0] - FLEET_CHANGED) / rest;
	s->share[1] = FLEET_CHANGED;
	if (program.classes[1] == CLASS_KERNEL)
		program.classes[1] = CLASS_COMPUTE;
	/* A name that only the third kernel has. */
	program.renamed = nfunctions - 1;
	program.other = nfunctions;
	program.classes[program.renamed] = program.classes[program.other] = CLASS_KERNEL;
	s->share[program.renamed] += 0.02;
	s->share[0] -= 0.02;
	s->share[program.other] = 0;
	s->nfunctions++;
	return program;
}

/* The cost of each function in a job, by its share on the first machine, into factor[]. */
static inline void
fleet_factors(const struct fleet_program *program, const struct fleet_job *job, double growth,
	double factor[SYNTHETIC_MAX])
{
	for (size_t i = 0; i < program->synthetic.nfunctions; i++) {
		const enum function_class class = program->classes[i];

		factor[i] = fleet_models[job->model].cost[class];
		if (class == CLASS_KERNEL)
			factor[i] *= fleet_kernels[job->kernel];
	}
	factor[program->changed] *= growth;
}

/* The program as this kernel names it. */
static inline struct synthetic
fleet_on_kernel(const struct fleet_program *program, size_t kernel)
{
	struct synthetic s = program->synthetic;

	if (kernel == FLEET_RENAMING_KERNEL) {
		s.share[program->other] = s.share[program->renamed];
		s.share[program->renamed] = 0;
	}
	return s;
}

#endif
