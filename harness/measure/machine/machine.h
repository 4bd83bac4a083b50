/*
 * The description of this machine: the properties that must agree before costs are compared, which
 * make its class, and others for information.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "base/err.h"

#include <stddef.h>

struct machine {
	char arch[32];       /* "x86_64" */
	char cpu_model[128]; /* "AMD EPYC" and family/model/stepping where the name has none */
	unsigned cpus;       /* allowed to this process */
	char kernel[128];    /* release */
	char os[128];        /* PRETTY_NAME of os-release */
	char hypervisor[64]; /* "" if none is known */
	double memory_gib;
};

/*
 * An error where the processor's description cannot be read: the machine would be of another class.
 * A system without one is "unknown".
 */
int machine_inspect(struct machine *machine, struct err *err);

/*
 * Sets cpu_model from the text of /proc/cpuinfo. Where the model's name holds no number (virtual
 * machines often say "AMD EPYC" alone), family, model and stepping follow in parentheses.
 */
void machine_read_cpuinfo(struct machine *machine, const char *text);

/*
 * The machine class, which names its folder of baselines: architecture, CPU model and event in
 * [a-z0-9._-], such as "x86_64-amd-epyc-9v74-cpu-clock"; or `configured` if that is not NULL.
 * `presented` takes the place of the CPU model where programs see another processor ("": none):
 * "x86_64-avx2-1a2b3c4d-callgrind". Words that say nothing about speed ("Processor", "64-Core",
 * "@ 2.80GHz", the stepping) are left out, so that the name is the same on every machine of a
 * fleet. It never starts with '.' or '-'.
 */
void machine_class(const struct machine *machine, const char *event, const char *presented,
	const char *configured, char *out, size_t size);

#endif
