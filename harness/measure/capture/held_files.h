/*
 * The files that a program executes: held open while it runs, and copied at the end of the capture
 * where they are gone or were replaced (elf/program_copies.h).
 *
 * A file is opened as soon as its mapping is seen in a ring buffer, through the process that maps
 * it: its path may lead elsewhere, or nowhere, for us. Nothing wakes us for that, as a wake-up
 * would cost the program time: the buffers are looked at every few milliseconds, more often while
 * files come. A process that ends sooner is missed, unless another one runs the same file.
 */
#ifndef CAPTURE_HELD_FILES_H
#define CAPTURE_HELD_FILES_H

#include "perf_event/ring.h"
#include "process/run_files.h"

#include <linux/perf_event.h>
#include <stddef.h>

struct held_files;

/* `attr` is that of the events whose records will be read. */
struct held_files *held_files_new(const struct perf_event_attr *attr);
/* Closes all files; NULL is nothing. */
void held_files_free(struct held_files *held);

/* Opens the files that new records in the buffer of CPU number `cpu` (from 0) name. */
void held_files_look(struct held_files *held, const struct ring *ring, size_t cpu);
/* The same for synthesised records, of files that were mapped before sampling began. */
void held_files_take(struct held_files *held, const void *records, size_t bytes);
/* After how many milliseconds the buffers are to be looked at again. */
unsigned held_files_pause_ms(struct held_files *held);

/*
 * Adds the files that were mapped so far, whether they could be held open or not; a file that
 * could not is known by the path that its process has.
 */
void held_files_put(const struct held_files *held, struct run_files *files);

/*
 * Copies the files that are gone, or were replaced, beside the capture at `perfdata_path`, and says
 * so in the log.
 */
void held_files_keep(struct held_files *held, const char *perfdata_path);

/*
 * Removes these copies beside the capture at `perfdata_path`, which is removed or replaced, too.
 */
void held_files_remove_copies(const char *perfdata_path);

#endif
