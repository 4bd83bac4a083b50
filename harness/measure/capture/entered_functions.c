#include "capture/entered_functions.h"

#include "base/mem.h"
#include "base/search.h"
#include "capture/tracing.h"
#include "process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <unistd.h>

/* Constructors of a large program are slower. */
#define TIMEOUT_FACTOR 10
/* The instruction of one byte that stops x86-64. */
#define BREAKPOINT 0xcc
/* Executions of the program in one run, each at addresses of its own. */
#define PLACES_MAX 64
/* So much of the program is written at a time. */
#define PIECE_BYTES ((size_t)1 << 20)

#ifdef __x86_64__

/* A part of the program's file that is mapped as code. */
struct place {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
};

struct tracer {
	struct entered_functions *entered;
	struct capture_request request;
	struct tracing tracing;
	unsigned char *bytes; /* by function: what the breakpoint stands in place of */
	bool *saved;
	struct place places[PLACES_MAX];
	size_t nplaces;
	bool begun; /* the part that counts */
};

/*
 * Breakpoints.
 */

/* Sets the breakpoints of the functions in a piece of the file, `len` bytes from `offset` on. */
static bool
write_piece(struct tracer *tracer, int memory, const struct place *place, uint64_t offset,
	size_t len, unsigned char *piece)
{
	const struct entered_functions *entered = tracer->entered;
	const off_t at = (off_t)(place->start + (offset - place->offset));
	size_t i =
		search_before(entered->offsets, entered->count, SEARCH_BY_VALUE(uint64_t), offset);

	if (i == entered->count || entered->offsets[i] >= offset + len)
		return true;
	if (pread(memory, piece, len, at) != (ssize_t)len)
		return false;
	for (; i < entered->count && entered->offsets[i] < offset + len; i++) {
		unsigned char *byte = &piece[entered->offsets[i] - offset];

		if (!tracer->saved[i])
			tracer->bytes[i] = *byte;
		tracer->saved[i] = true;
		*byte = BREAKPOINT;
	}
	return pwrite(memory, piece, len, at) == (ssize_t)len;
}

/* Sets all breakpoints in a process that has the program mapped. */
static bool
set_breakpoints(struct tracer *tracer, pid_t pid, const struct place *places, size_t nplaces)
{
	char path[64];
	uint64_t longest = 0;
	bool set = true;

	for (size_t i = 0; i < nplaces; i++)
		if (places[i].end - places[i].start > longest)
			longest = places[i].end - places[i].start;
	unsigned char *piece =
		mem_zalloc(1, longest < PIECE_BYTES ? (size_t)longest + 1 : PIECE_BYTES);

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	const int memory = open(path, O_RDWR | O_CLOEXEC);

	for (size_t i = 0; memory >= 0 && i < nplaces && set; i++) {
		const uint64_t end = places[i].offset + (places[i].end - places[i].start);

		for (uint64_t at = places[i].offset; at < end && set; at += PIECE_BYTES)
			set = write_piece(tracer, memory, &places[i], at,
				end - at < PIECE_BYTES ? (size_t)(end - at) : PIECE_BYTES, piece);
	}
	if (memory >= 0)
		close(memory);
	free(piece);
	return set && memory >= 0;
}

/* Adds where a process has the program's code. Returns the first of the new places. */
static size_t
find_places(struct tracer *tracer, pid_t pid)
{
	const size_t first = tracer->nplaces;
	char path[64];
	char line[PATH_MAX + 128];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *maps = fopen(path, "re");

	while (maps && fgets(line, sizeof(line), maps) && tracer->nplaces < PLACES_MAX) {
		struct place place;
		char rights[8];
		int name_at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &place.start,
			    &place.end, rights, &place.offset, &name_at) == 4 &&
			name_at > 0 && strchr(rights, 'x') &&
			strcmp(line + name_at, tracer->entered->path) == 0)
			tracer->places[tracer->nplaces++] = place;
	}
	if (maps)
		fclose(maps);
	return first;
}

static bool
runs_program(const struct tracer *tracer, pid_t pid)
{
	char link[64];
	char path[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	const ssize_t len = readlink(link, path, sizeof(path) - 1);

	if (len <= 0)
		return false;
	path[len] = '\0';
	return strcmp(path, tracer->entered->path) == 0;
}

/* After an exec: the process has no breakpoints yet. */
static void
place_program(struct tracer *tracer, pid_t pid)
{
	if (!runs_program(tracer, pid))
		return;
	const size_t first = find_places(tracer, pid);

	if (first == tracer->nplaces ||
		!set_breakpoints(tracer, pid, &tracer->places[first], tracer->nplaces - first))
		tracer->entered->problem = "its code cannot be traced";
}

/* The function whose breakpoint is at `address`; SIZE_MAX: none. */
static size_t
function_at(const struct tracer *tracer, uint64_t address)
{
	const struct entered_functions *entered = tracer->entered;

	for (size_t i = 0; i < tracer->nplaces; i++) {
		const struct place *place = &tracer->places[i];

		if (address < place->start || address >= place->end)
			continue;
		const uint64_t offset = place->offset + (address - place->start);
		const size_t at = search_before(
			entered->offsets, entered->count, SEARCH_BY_VALUE(uint64_t), offset);

		if (at < entered->count && entered->offsets[at] == offset && tracer->saved[at])
			return at;
	}
	return SIZE_MAX;
}

/* Puts back what the breakpoint of a function stands for. */
static bool
take_breakpoint(const struct tracer *tracer, pid_t tid, uint64_t address, size_t function)
{
	errno = 0;
	const long word = ptrace(PTRACE_PEEKTEXT, tid, address, NULL);

	if (errno != 0)
		return false;
	return ptrace(PTRACE_POKETEXT, tid, address,
		       (word & ~0xffL) | (long)tracer->bytes[function]) == 0;
}

/* A thread stopped behind a breakpoint; false: it is none of ours. */
static bool
on_breakpoint(void *context, pid_t tid)
{
	struct tracer *tracer = context;
	struct entered_functions *entered = tracer->entered;
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &regs) < 0)
		return false;
	const size_t function = function_at(tracer, regs.rip - 1);

	if (function == SIZE_MAX)
		return false;
	if (!tracer->begun && (!entered->begins || entered->begins[function])) {
		tracer->begun = true;
		entered->first = function;
		/* All of these are in the process that is stopped: others are never traced. */
		if (entered->begins &&
			!set_breakpoints(tracer, tid, tracer->places, tracer->nplaces))
			entered->problem = "its code cannot be traced";
	}
	(tracer->begun ? entered->within : entered->before)[function] = true;
	regs.rip--;
	if (!take_breakpoint(tracer, tid, regs.rip, function) ||
		ptrace(PTRACE_SETREGS, tid, NULL, &regs) < 0)
		entered->problem = "its code cannot be traced";
	return true;
}

static int
on_event(void *context, pid_t tid, int event, struct err *err)
{
	struct tracer *tracer = context;

	(void)err;
	if (event != PTRACE_EVENT_EXEC) {
		tracer->entered->threads = true;
		return 0;
	}
	/* A command may end in the program, which then runs to the end. */
	if (tid != tracer->tracing.pid || tracer->nplaces > 0)
		tracer->entered->problem = "it executes further programs";
	place_program(tracer, tid);
	return 0;
}

int
entered_functions_run(
	const struct capture_request *request, struct entered_functions *entered, struct err *err)
{
	static const struct tracing_hooks hooks = {.event = on_event, .breakpoint = on_breakpoint};
	struct capture_result result = {.kept = false};
	struct tracer tracer = {
		.entered = entered,
		.request = *request,
		.bytes = mem_zalloc(entered->count + 1, sizeof(*tracer.bytes)),
		.saved = mem_zalloc(entered->count + 1, sizeof(*tracer.saved)),
	};

	tracer.tracing = (struct tracing){
		.hooks = &hooks,
		.command =
			{
				.request = &tracer.request,
				.timeout_factor = TIMEOUT_FACTOR,
				.slowness = "while it is traced, a program is slower",
				.context = &tracer,
			},
	};
	entered->first = SIZE_MAX;
	int status = signals_check(err);

	if (status == 0)
		status = tracing_run(&tracer.tracing, &result, err);
	if (status == 0)
		status = tracing_conclude(&tracer.tracing, &result, err);
	free(tracer.bytes);
	free(tracer.saved);
	return status;
}

#else

int
entered_functions_run(
	const struct capture_request *request, struct entered_functions *entered, struct err *err)
{
	(void)request;
	(void)entered;
	return err_set(err, ERR_MEASURE, "functions are traced on x86-64 only");
}

#endif
