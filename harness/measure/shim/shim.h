/*
 * The shim as it is in the program: a shared object, for LD_PRELOAD, that needs nothing but what
 * any C library has; and the file that it leaves of a process.
 */
#ifndef SHIM_SHIM_H
#define SHIM_SHIM_H

#include <stdint.h>

extern const char shim_alloc[];
extern const uint64_t shim_alloc_bytes;

/*
 * What the allocation shim leaves of a process: a file that it maps and counts in, so that it is
 * complete however the process ends. Written in the profiled process, read by capture/.
 *
 * A header, then records one after the other, each a multiple of 8 bytes. The program could have
 * written anything into it: a reader checks every size.
 */

/* Names the folder for the files, which are called PID.NUMBER, to the shim. */
#define ALLOC_FOLDER_VARIABLE "PROFILE_RUN_ALLOC"

/* Set to anything: only requests are counted, not what is live, nor the peak. */
#define ALLOC_TOTALS_VARIABLE "PROFILE_RUN_ALLOC_TOTALS"

#define ALLOC_FILE_MAGIC UINT64_C(0x31636f6c6c615250) /* "PRalloc1" */
/* A file is no larger. Also the most memory that the shim uses for stacks. */
#define ALLOC_FILE_MAX ((uint64_t)1 << 30)
/* For deeper stacks the innermost frames. */
#define ALLOC_FRAMES_MAX 512

enum alloc_file_flag {
	ALLOC_OVERRIDDEN = 1, /* the program's own malloc is the one that is called */
};

struct alloc_file {
	uint64_t magic;
	uint64_t used; /* bytes of the file up to the end of the last record */
	uint32_t pid;
	uint32_t flags;
	char comm[16];
	uint64_t epoch;      /* grows with each new peak */
	uint64_t live_bytes; /* now, or when the process ended */
	uint64_t live_blocks;
	uint64_t peak_bytes; /* the most that were live at one time */
	uint64_t peak_blocks;
	uint64_t missed;    /* calls from a signal handler that interrupted the shim: not counted */
	uint64_t no_room;   /* calls whose stack found no room: not counted */
	uint64_t own_start; /* the shim's code: frames of it are no part of a stack */
	uint64_t own_end;
};

enum alloc_record_kind {
	ALLOC_STACK = 1, /* struct alloc_stack */
	ALLOC_MAPS,      /* struct alloc_maps */
};

struct alloc_record {
	uint32_t kind;
	uint32_t bytes; /* of the record, this included */
};

enum alloc_stack_flag {
	ALLOC_BROKEN = 1,    /* the outer frames were not found */
	ALLOC_TRUNCATED = 2, /* there are more than ALLOC_FRAMES_MAX */
};

/* A stack that allocated, with what it did. */
struct alloc_stack {
	struct alloc_record record;
	uint32_t generation; /* of the maps that its addresses are in */
	uint16_t nframes;
	uint16_t flags;
	uint64_t bytes; /* requested, and the number of requests */
	uint64_t count;
	uint64_t live_bytes;
	uint64_t live_blocks;
	/*
	 * As they were at the peak `stamp`. If the header's epoch is a later one, nothing changed
	 * since: live_bytes and live_blocks are those at the last peak.
	 */
	uint64_t peak_bytes;
	uint64_t peak_blocks;
	uint64_t stamp;
	uint64_t pcs[]; /* return addresses, innermost first; one more than an address that a
			   signal interrupted */
};

/* Lines of /proc/PID/maps (proc_pid_maps(5)) for code, not terminated, padded with zeros. */
struct alloc_maps {
	struct alloc_record record;
	uint32_t generation; /* grows when a library is unloaded: its addresses may be reused */
	uint32_t text_bytes;
	char text[];
};

#endif
