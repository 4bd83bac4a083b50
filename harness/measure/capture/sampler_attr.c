/* The attributes of a sampler's events: of the first one, the further ones and the phases. */
#include "capture/backend.h"
#include "capture/capture_phases.h"
#include "capture/command.h"
#include "capture/operation.h"
#include "capture/sampler.h"
#include "perf_event/events.h"

#include <string.h>

bool
sampler_wakes_everywhere(const struct capture_event *event)
{
	return event->wake_config != 0 && !event->locks;
}

static void
add_further(struct sampler *sampler, const char *name, uint32_t type, uint64_t config)
{
	sampler->further[sampler->nfurther++] =
		(struct further_event){.name = name, .type = type, .config = config};
}

/* Its begins and ends: of all processes, as an inherited uprobe makes fork(2) fail with EFAULT. */
static void
add_operation(struct sampler *sampler, const struct operation *operation)
{
	const char *const names[] = {operation->begin_event, operation->end_event};

	for (size_t i = 0; i < 2; i++)
		sampler->further[sampler->nfurther++] = (struct further_event){
			.name = names[i],
			.type = operation_event_type(),
			.everywhere = true,
			.operation = operation,
			.ends = i == 1,
		};
}

/* The begins of phases, by probes: of all processes for the same reason. */
static void
add_phases(struct sampler *sampler, const struct capture_phases *phases)
{
	for (size_t i = 0; i < phases->nprobes; i++)
		sampler->further[sampler->nfurther++] = (struct further_event){
			.name = phases->probes[i].begin_event,
			.type = operation_event_type(),
			.everywhere = true,
			.operation = &phases->probes[i],
		};
}

static void
add_further_events(struct sampler *sampler, const struct capture_request *request)
{
	const struct capture_event *event = &request->event;

	if (request->operation)
		add_operation(sampler, request->operation);
	if (request->phases)
		add_phases(sampler, request->phases);
	if (event->end_config)
		add_further(
			sampler, "raw_syscalls:sys_exit", PERF_TYPE_TRACEPOINT, event->end_config);
	if (event->timed && event->is_clock)
		add_further(sampler, "context-switches", PERF_TYPE_SOFTWARE,
			PERF_COUNT_SW_CONTEXT_SWITCHES);
	if (!event->wake_config)
		return;
	add_further(sampler, "sched:sched_waking", PERF_TYPE_TRACEPOINT, event->wake_config);
	sampler->further[sampler->nfurther - 1].everywhere = sampler_wakes_everywhere(event);
	sampler->further[sampler->nfurther - 1].stacks = event->locks;
}

/* The kernel's own limit of frames, stated: a reader of the file is to know which stacks are cut.
 */
static uint16_t
stack_limit(void)
{
	const long limit = event_sysctl("perf_event_max_stack", 0);

	return limit > 0 && limit <= UINT16_MAX ? (uint16_t)limit : 0;
}

int
sampler_attr_make(struct sampler *sampler, const struct capture_request *request, struct err *err)
{
	struct perf_event_attr *attr = &sampler->attr;

	event_attr(attr, &request->event, request->period, request->frequency_hz,
		request->callchain && request->event.callchain);
	if (request->stack_bytes > 0 && !event_attr_add_stack(attr, request->stack_bytes))
		return err_set(err, ERR_MEASURE,
			"stacks cannot be copied on this kind of processor: use frame pointers "
			"(`callgraph: fp`)");
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		attr->sample_max_stack = stack_limit();
	attr->enable_on_exec =
		request->attach_pid <= 0 && !request->all_of && !command_begins_later(request);
	if (request->all_of) {
		attr->inherit = 0;
		/* A clock of a CPU ticks while nothing runs there. */
		attr->exclude_idle = 1;
	}
	/* It does not share its counter with struct event_counters. */
	attr->pinned = attr->type != PERF_TYPE_SOFTWARE;
	attr->exclude_callchain_user = request->kernel_chain_only;
	attr->watermark = 1;
	attr->read_format |= SAMPLER_FORMAT_LOST;
	/*
	 * Asked for of every process, Linux (6.18 and before) marks the mappings of all other
	 * profilers as having a build-id, too: perf record then aborts.
	 */
	attr->build_id = !request->all_of;
	attr->ksymbol = 1;
	attr->context_switch = request->event.timed;
	if (request->event.locks) {
		attr->mmap_data = 1;
		/* As wake-ups have it: what drains the buffers knows one form of stacks. */
		attr->sample_type |= PERF_SAMPLE_RAW;
	}
	add_further_events(sampler, request);
	return 0;
}

bool
sampler_attr_drop_feature(struct perf_event_attr *attr)
{
	if (attr->read_format & SAMPLER_FORMAT_LOST)
		attr->read_format &= ~(uint64_t)SAMPLER_FORMAT_LOST; /* 6.0 */
	else if (attr->build_id)
		attr->build_id = 0; /* 5.12 */
	else if (attr->ksymbol)
		attr->ksymbol = 0; /* 5.1 */
	else
		return false;
	return true;
}

static void
drop_stacks(struct perf_event_attr *attr)
{
	attr->sample_type &= ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
					 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	attr->sample_type |= attr->type == PERF_TYPE_TRACEPOINT ? PERF_SAMPLE_RAW : 0U;
	attr->sample_regs_user = 0;
	attr->sample_stack_user = 0;
	attr->exclude_callchain_user = 0;
}

/*
 * The fields of /sys/bus/event_source/devices/uprobe/format. The stack pointer tells a begin inside
 * an operation from the next one.
 */
static void
set_probe(struct perf_event_attr *attr, const struct operation_probe *probe)
{
	attr->config = probe->semaphore << 32 | (probe->at_return ? 1 : 0);
	attr->uprobe_path = (uint64_t)(uintptr_t)probe->path;
	attr->probe_offset = probe->offset;
	event_attr_add_stack_pointer(attr);
}

struct perf_event_attr
sampler_attr_for(const struct sampler *sampler, unsigned role)
{
	struct perf_event_attr attr = sampler->attr;

	if (role == ROLE_TELLS) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_DUMMY;
		attr.freq = 0;
		attr.sample_period = 1;
		attr.context_switch = 0;
	} else if (role != ROLE_WHOLE) {
		attr.mmap = attr.mmap2 = attr.mmap_data = attr.comm = attr.comm_exec = attr.task =
			0;
		attr.build_id = attr.ksymbol = 0;
	}
	if (role < ROLE_FURTHER)
		return attr;
	attr.type = sampler->further[role - ROLE_FURTHER].type;
	attr.config = sampler->further[role - ROLE_FURTHER].config;
	attr.freq = 0;
	attr.sample_period = 1;
	attr.context_switch = 0;
	if (attr.type == PERF_TYPE_TRACEPOINT)
		attr.sample_type |= PERF_SAMPLE_RAW;
	if (attr.type != PERF_TYPE_SOFTWARE && !sampler->further[role - ROLE_FURTHER].stacks)
		drop_stacks(&attr);
	if (sampler->further[role - ROLE_FURTHER].operation)
		set_probe(&attr, sampler->further[role - ROLE_FURTHER].probe);
	if (sampler->further[role - ROLE_FURTHER].everywhere && attr.inherit) {
		attr.inherit = 0;
		/* No exec enables it. */
		attr.disabled = !attr.enable_on_exec;
		attr.enable_on_exec = 0;
	}
	return attr;
}

struct perf_event_attr
sampler_attr_phase(const struct sampler *sampler)
{
	struct perf_event_attr attr = sampler->attr;

	drop_stacks(&attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_BPF_OUTPUT; /* perf shows the raw data of these as text */
	attr.config1 = attr.config2 = 0;
	attr.freq = 0;
	attr.sample_period = 1;
	attr.sample_type |= PERF_SAMPLE_RAW;
	attr.context_switch = attr.mmap_data = 0;
	return attr;
}

struct perf_event_attr
sampler_attr_written(const struct sampler *sampler, size_t i)
{
	struct perf_event_attr attr = sampler_attr_for(sampler, ROLE_FURTHER + (unsigned)i);

	if (attr.type != PERF_TYPE_SOFTWARE && attr.type != sampler->attr.type) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_BPF_OUTPUT;
		attr.config1 = attr.config2 = 0;
	}
	return attr;
}
