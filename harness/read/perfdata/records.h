/*
 * The decoded contents of a perf.data file: its events, its header, its records, and how records
 * are decoded.
 *
 * Source: linux/perf_event.h (perf_event_open(2), section "MMAP layout") and the kernel tree's
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef PERFDATA_RECORDS_H
#define PERFDATA_RECORDS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At least so many records stay readable: the batches that ingest has in flight, and a reserve. */
#define PERFDATA_KEPT 3328

/* An event of a perf.data file. */
struct perfdata_event {
	struct perf_event_attr attr;
	char name[128]; /* from the file, or made from the attr: "cpu-clock", "cycles" */
	uint64_t *ids;  /* owned by the reader */
	size_t nids;
	uint64_t nsamples; /* in the file; so far, if it is indexed in pieces */
	double period_sum; /* of these, the same */
	bool lbr; /* call chains of the user are branch stacks (--call-graph lbr): not decoded */
};

/* The header's description of the recording; NULL where it has none. */
struct perfdata_texts {
	const char *command; /* joined by spaces */
	const char *hostname;
	const char *os_release;
	const char *arch;
	const char *cpu_model;
};

/* The fields common to all records (sample_id_all); absent ones are 0. */
struct record_id {
	uint32_t pid;
	uint32_t tid;
	uint64_t time_ns;
	uint64_t id;
	uint32_t cpu;
};

struct record_mmap {
	uint32_t pid;
	uint32_t tid;
	uint64_t start;
	uint64_t size;
	uint64_t file_offset;
	uint32_t prot;  /* PROT_*; 0 in MMAP (not MMAP2) records */
	uint32_t flags; /* MAP_*; likewise */
	uint64_t inode;
	const unsigned char *build_id; /* or NULL */
	size_t build_id_len;
	const char *path; /* terminated; borrowed from the file */
};

struct record_comm {
	uint32_t pid;
	uint32_t tid;
	int is_exec;
	const char *name;
};

/* FORK and EXIT. */
struct record_task {
	uint32_t pid;
	uint32_t parent_pid;
	uint32_t tid;
	uint32_t parent_tid;
};

struct record_sample {
	uint64_t ip;
	uint64_t period;        /* its own, or where it does not state one that of its event */
	const uint64_t *values; /* of a group that is read together: each with its id behind it */
	size_t nvalues;         /* 0: none, or they have no ids */
	size_t value_words;     /* from one to the next */
	const uint64_t *chain;  /* leaf first, with PERF_CONTEXT_* markers; borrowed */
	size_t nchain;
	const unsigned char *raw_data; /* of a tracepoint: its fields; NULL if none; borrowed */
	size_t raw_data_bytes;
	const uint64_t *user_regs; /* as sample_regs_user orders them; NULL if none */
	size_t nuser_regs;
	uint64_t user_regs_abi;
	const unsigned char *user_stack; /* NULL if none */
	size_t user_stack_bytes;         /* the valid part (dyn_size) */
	bool user_stack_cut;             /* the record had no room for more of it */
	uint16_t misc;                   /* PERF_RECORD_MISC_*: user, kernel, ... */
};

/* A kernel function that came or went: a BPF program, a trampoline, a kprobe's copy. */
struct record_ksymbol {
	uint64_t address;
	uint32_t size;
	bool gone;
	const char *name;
};

/* For types that have no member in `u`, only the fields before it are set. */
struct record {
	uint32_t type; /* PERF_RECORD_* */
	uint16_t misc;
	size_t event;         /* index of the event it belongs to */
	uint64_t file_offset; /* of the record (or the compressed one it was in), for messages */
	const void *raw;      /* the whole record as it was read, header first; the reader's */
	size_t raw_bytes;
	struct record_id id;
	union {
		struct record_sample sample;
		struct record_mmap mmap;
		struct record_comm comm;
		struct record_task task;
		struct record_ksymbol ksymbol;
		uint64_t lost; /* LOST, LOST_SAMPLES */
	} u;
};

/*
 * Decoding single records. Which fields a record has, and where, follows from its event's
 * attributes; a struct record_layout works that out once.
 */

/* Positions count in words of 8 bytes; -1: the field is not there. */
struct record_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_type;
	unsigned nuser_regs;
	/*
	 * Whether mappings may have a build-id in the place of device and inode. Where another
	 * profiler of the same time asks for it, Linux (6.18 and before) says so of records without
	 * one, too.
	 */
	bool build_ids;
	int sample_time; /* in a sample, from its first word after the header */
	int sample_id;
	int sample_period;
	int trailer_words; /* what sample_id_all adds to all other records */
	int trailer_time;  /* from the trailer's start */
	int trailer_id;
};

void record_layout_init(struct record_layout *layout, const struct perf_event_attr *attr);

/* A record as it lies in memory: its header has been checked and stands before `words`. */
struct raw_record {
	uint32_t type;
	uint16_t misc;
	const uint64_t *words; /* after the header */
	size_t nwords;
};

/* Its time, or 0 where it has none. */
uint64_t raw_record_time(const struct raw_record *raw, const struct record_layout *layout);
/* Its event's id; false where it has none. */
bool raw_record_id(const struct raw_record *raw, const struct record_layout *layout, uint64_t *id);
/* A sample's period; false where it does not state one. */
bool raw_record_period(
	const struct raw_record *raw, const struct record_layout *layout, uint64_t *period);

/*
 * Fills in `record` but for `event` and `file_offset`. Returns NULL, or what is wrong with the
 * record: a phrase for a message.
 */
const char *decode_record(
	const struct raw_record *raw, const struct record_layout *layout, struct record *record);

/* Where parts of a sample lie, in words after its header; what is not there is empty. */
struct sample_parts {
	size_t chain; /* its count and the chain */
	size_t chain_end;
	size_t user; /* the user's registers and the copy of the stack */
	size_t user_end;
};

/* decode_record() of a sample, whose `record` has been emptied; says where its parts lie. */
const char *decode_sample(const struct raw_record *raw, const struct record_layout *layout,
	struct record *record, struct sample_parts *parts);

#endif
