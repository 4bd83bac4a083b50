/*
 * The parts of `doctor` on what the system grants: pinning, CPU time, the hypervisor, and the
 * sandbox by seccomp and Landlock that profiles are read in.
 */
#include "machine/machine.h"
#include "machine/probe.h"

#include "base/sysfs.h"
#include "process/sandbox.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#define STEAL_LIMIT 0.01
#define CPU_SHARE_LIMIT 0.95

/* Goes to every allowed CPU once and looks where it is. */
static void
probe_pinning(const struct probe_context *context, struct probe_result *result)
{
	cpu_set_t allowed;
	int count = 0;
	int reached = 0;

	(void)context;
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0) {
		SAY(result->found, "the allowed CPUs cannot be read: %s", strerror(errno));
		probe_conclude(result, PROBE_MISSING, "programs cannot be pinned", NULL);
		return;
	}
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		cpu_set_t one;

		if (!CPU_ISSET((size_t)cpu, &allowed))
			continue;
		count++;
		CPU_ZERO(&one);
		CPU_SET((size_t)cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one) == 0 && sched_getcpu() == cpu)
			reached++;
	}
	sched_setaffinity(0, sizeof(allowed), &allowed);
	SAY(result->found, "%d of %d allowed CPUs reached", reached, count);
	if (reached < count)
		probe_conclude(result, PROBE_MISSING,
			"the program cannot be kept on a CPU: use `pin: none`", NULL);
	else if (count > 1)
		probe_conclude(
			result, PROBE_OK, "the program and its reader have separate CPUs", NULL);
	else
		probe_conclude(result, PROBE_LIMITED, "the reader shares the program's only CPU",
			"allow at least two CPUs");
}

static void
probe_limit(const struct probe_context *context, struct probe_result *result)
{
	double limit = cpu_limit("");
	double share = context->pace.cpu_share;

	if (limit > 0)
		SAY(result->found, "limited to %.2f CPUs; a busy loop got %.0f %% of one", limit,
			share * 100);
	else
		SAY(result->found, "no limit is set; a busy loop got %.0f %% of one CPU",
			share * 100);
	bool good = share >= CPU_SHARE_LIMIT && (limit == 0 || limit >= 2);

	probe_conclude(result, good ? PROBE_OK : PROBE_LIMITED,
		good ? "programs are not interrupted"
		     : "programs are interrupted: caches are colder; CPU time, not wall time, is compared",
		limit > 0 ? "raise the CPU limit of the container to 2 or more"
			  : "stop other programs while measuring");
}

static void
probe_steal(const struct probe_context *context, struct probe_result *result)
{
	const struct probe_pace *pace = &context->pace;
	bool stolen = pace->steal_share > STEAL_LIMIT || pace->steal_before > STEAL_LIMIT;

	SAY(result->found, "%.1f %% during the trial, %.1f %% since boot", pace->steal_share * 100,
		pace->steal_before * 100);
	probe_conclude(result, stolen ? PROBE_LIMITED : PROBE_OK,
		stolen ? "other virtual machines take CPU time, which is counted as the program's"
		       : "no CPU time is taken by other virtual machines, according to the host",
		"use a dedicated host, or measure at another time");
}

static void
probe_virtual(const struct probe_context *context, struct probe_result *result)
{
	char vendor[64];
	struct machine machine;
	struct err ignored = {0};

	(void)context;
	sysfs_read("", "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	machine_inspect(&machine, &ignored);
	bool virtual = machine.hypervisor[0] != '\0';

	SAY(result->found, "the CPU reports %s hypervisor%s%s", virtual ? "a" : "no",
		vendor[0] ? "; made by " : "", vendor);
	probe_conclude(result, virtual ? PROBE_LIMITED : PROBE_OK,
		virtual ? "load of other virtual machines on the host is not visible here"
			: "bare metal, as far as visible",
		"for effects of a few percent use bare metal or interleaved runs");
}

static void
probe_sandbox(const struct probe_context *context, struct probe_result *result)
{
	const struct sandbox_support support = sandbox_support();

	(void)context;
	if (support.landlock > 0)
		SAY(result->found, "seccomp filters %s, Landlock version %d",
			support.filter ? "work" : "are refused", support.landlock);
	else
		SAY(result->found, "seccomp filters %s, no Landlock",
			support.filter ? "work" : "are refused");
	if (support.filter && support.landlock > 0)
		probe_conclude(result, PROBE_OK,
			"profiles are read in a process that can only write its output", NULL);
	else if (support.filter)
		probe_conclude(result, PROBE_LIMITED,
			"profiles are read without network and programs; reports may be written anywhere",
			"add landlock to the kernel's list of security modules (lsm=)");
	else
		probe_conclude(result, PROBE_MISSING,
			"profiles are read with all rights of the user: read only your own",
			"allow seccomp(2) in the container");
}

const struct probe_part probe_system_parts[] = {
	{"pinning", probe_pinning},
	{"CPU share", probe_limit},
	{"steal time", probe_steal},
	{"virtual machine", probe_virtual},
	{"sandbox", probe_sandbox},
	{NULL, NULL},
};
