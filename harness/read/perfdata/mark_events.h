/*
 * The events of a capture of ours whose samples are marks that a program sets, by their names: what
 * captures writes them so, and what reads a capture finds them by these.
 */
#ifndef PERFDATA_MARK_EVENTS_H
#define PERFDATA_MARK_EVENTS_H

/* For slow operations, each with a name behind it. */
#define OPERATION_BEGIN_EVENT "operation-begin:"
#define OPERATION_END_EVENT "operation-end:"
#define OPERATION_RETURN_EVENT "operation-return:" /* ends, too */

/* For phases: with the name as raw data, and by probes, with it behind the colon. */
#define PHASE_EVENT "phase"
#define PHASE_PROBE_EVENT "phase:"

#endif
