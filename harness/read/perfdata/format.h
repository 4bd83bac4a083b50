/*
 * How a perf.data file is laid out: its header, the records that perf itself puts between those of
 * the kernel, and the numbers of the feature sections. Reader and writers share it.
 *
 * Source: the kernel tree's tools/perf/Documentation/perf.data-file-format.txt,
 * tools/perf/util/header.h and tools/lib/perf/include/perf/event.h.
 */
#ifndef PERFDATA_FORMAT_H
#define PERFDATA_FORMAT_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* "PERFILE2" as the writing machine's 64-bit number. */
#define PERF_FILE_MAGIC UINT64_C(0x32454c4946524550)
/* A pipe's header: magic and size, nothing else. */
#define PERF_PIPE_HEADER_BYTES 16
/* Number of words of 8 bytes that hold a bit for each feature. */
#define FEATURE_WORDS 4

/* Where something lies in a file. */
struct file_section {
	uint64_t offset;
	uint64_t size;
};

struct perf_file_header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size; /* of one attribute and the section of its ids */
	struct file_section attrs;
	struct file_section data;
	struct file_section event_types;
	uint64_t features[FEATURE_WORDS];
};

/* Lower record types are the kernel's: enum perf_event_type. */
#define USER_RECORD_FIRST 64

enum user_record {
	USER_HEADER_ATTR = 64,
	USER_HEADER_TRACING_DATA = 66, /* followed by data that its size does not count */
	USER_HEADER_BUILD_ID = 67,
	USER_FINISHED_ROUND = 68,
	USER_ID_INDEX = 69,
	USER_AUXTRACE = 71, /* followed by data that its size does not count */
	USER_THREAD_MAP = 73,
	USER_CPU_MAP = 74,
	USER_EVENT_UPDATE = 78,
	USER_TIME_CONV = 79,
	USER_HEADER_FEATURE = 80,
	USER_COMPRESSED = 81,
	USER_COMPRESSED2 = 83,
	/* Our own, far from types that perf may define later: see struct shared_stack. */
	USER_SHARED_STACK = 0x70000001,
};

/*
 * A sample whose copy of the stack is in part that of an earlier record. It has
 *
 *     the header, of type USER_SHARED_STACK, and the sample's words as they are in it, up to what
 *       would be the size of its copy: head_bytes, the header included
 *     words of its own
 *     the runs
 *     this struct
 *
 * Each run is same_words words that are in the file already, then own_words words of the record;
 * together the runs are the copy. Byte n of the copy, where it is not the record's own, is n bytes
 * behind the position `back` bytes before the record's start, always between the first record and
 * this one.
 *
 * Only files that are read by us and then replaced or removed have such records
 * (capture_request.share_stacks).
 */
struct shared_stack {
	uint64_t back; /* modulo 2^64 */
	uint64_t copy_bytes;
	uint64_t valid_bytes; /* dyn_size */
	uint64_t nruns;       /* even */
	uint64_t head_bytes;
};

struct shared_run {
	uint16_t same_words;
	uint16_t own_words;
};

/*
 * The perf_event_attr.config, of type PERF_TYPE_SOFTWARE, of events that profile_run itself counts
 * and names. No event of the kernel has it, and perf takes it for one that it does not know.
 */
#define COUNTED_EVENT_CONFIG UINT64_C(0x70726f66)

/* The fields of fixed size that a sample starts with, a word each. */
#define SAMPLE_HEAD_FIELDS                                                                    \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |       \
		PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | \
		PERF_SAMPLE_PERIOD)

/* The largest size of a record, header included, that ends on a word. */
#define RECORD_BYTES_MAX 65528

/* EVENT_UPDATE: the kind that gives an event's name. */
#define EVENT_UPDATE_NAME 2

enum feature_bit {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_AUXTRACE = 18,
	FEATURE_STAT = 19,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCK_DATA = 29,
};

/* perf has no feature from this number on. */
#define FEATURES_MAX 64

/* The section of FEATURE_CLOCK_DATA: the readings of two clocks at one moment. */
struct clock_feature {
	uint32_t version; /* 1 */
	uint32_t clockid; /* of the events: perf_event_attr.clockid */
	uint64_t wall_ns; /* since 1970 UTC */
	uint64_t clock_ns;
};

/* The section of FEATURE_COMPRESSED. */
struct compression_feature {
	uint32_t version; /* 1 */
	uint32_t type;    /* 1: zstd */
	uint32_t level;
	uint32_t ratio;
	uint32_t mmap_len; /* the most that one COMPRESSED record expands to */
};

#endif
