/*
 * The lines that bpftrace and bcc's tools print, each by itself, for ingest_bpf.c.
 */
#ifndef INGEST_BPF_LINE_H
#define INGEST_BPF_LINE_H

#include "base/lines.h"
#include "profile/frame.h"

#include <stdbool.h>

enum bpf_line_kind {
	BPF_EMPTY,
	BPF_NOTICE,   /* that the tool begins, or ends; skipped */
	BPF_MESSAGE,  /* skipped and counted */
	BPF_HEADER,   /* that of a tool of bcc says what it prints */
	BPF_MAP,      /* begins with "@name[" or "@name:" */
	BPF_NUMBER,   /* one indented number */
	BPF_INDENTED, /* frames, names and delimiters */
	BPF_OTHER,
};

enum bpf_line_kind bpf_line_kind(struct line line);
/* "Attaching 2 probes...": ahead of what a script of bpftrace prints. */
bool bpf_is_attached(struct line line);
/* For a header: whether numbers are microseconds off the CPU. */
bool bpf_is_off_cpu(struct line line);
/* "[32, 64)      2 |@@@   |" */
bool bpf_is_histogram(struct line line);

/* Takes "@name" off the line. */
struct line bpf_map_name(struct line *line);
/* The "]:" that ends a map's key; NULL if it goes on. */
const char *bpf_key_end(struct line text);
/* A decimal number of 0 or more, alone. */
bool bpf_number(struct line text, double *number);
/* "-   comm (pid)" and "comm [pid]" */
bool bpf_comm(struct line text, struct line *comm);
/* "waker: ..." and "target: ...": two threads in one stack. */
bool bpf_is_waker(struct line text);

struct bpf_frame {
	struct line name;
	enum frame_kind kind;
};

/* "main+15", "0x55e0 main+0x12 [prog]", "#3 0x55e0 main+0x12 (prog+0x2e0)". */
bool bpf_frame_parse(struct line text, struct bpf_frame *frame);
/* Code of BPF that a probe runs at the leaf of each stack. */
bool bpf_frame_is_own(const struct bpf_frame *frame);

#endif
