/* The state of the counted process, and the file in which its records are kept. */
#include "shim/shim_internal.h"

#include "shim/system.h"

#include <errno.h>
#include <string.h>

/* The file grows by this: a record is never in two pieces. */
#define PIECE_BYTES ((size_t)1 << 20)
#define ENVIRONMENT_MAX ((size_t)4 << 20)
#define NUMBERS_MAX 100000

struct process_state *process_state;
__thread struct thread_state thread_state;

/* The folder for files: known in forked children, too. Empty: not looked for yet. */
static char folder[4000];
static bool totals_only;

void
process_note_threads(void)
{
	struct process_state *process = process_counting();

	if (process)
		process->threaded = 1;
}

/* What follows `name` in a word of the environment; NULL where it is another. */
static const char *
variable_of(const char *word, const char *name)
{
	size_t len = strlen(name);

	return strncmp(word, name, len) == 0 && word[len] == '=' ? word + len + 1 : NULL;
}

static void
take_variable(const char *word)
{
	const char *path = variable_of(word, ALLOC_FOLDER_VARIABLE);

	if (path && strlen(path) < sizeof(folder))
		memcpy(folder, path, strlen(path) + 1);
	if (variable_of(word, ALLOC_TOTALS_VARIABLE))
		totals_only = true;
}

/*
 * Reads the shim's variables from the environment that the program was started with, since the
 * program may have changed its own copy. False where none names the folder for files.
 */
static bool
read_environment(void)
{
	char *bytes = system_zeros(ENVIRONMENT_MAX, false);
	int fd = bytes ? system_open("/proc/self/environ", O_RDONLY, 0) : -1;
	size_t len = 0;
	long got;

	while (fd >= 0 && (got = system_read(fd, bytes + len, ENVIRONMENT_MAX - len - 1)) > 0)
		len += (size_t)got;
	for (const char *at = bytes; at && at < bytes + len; at += strlen(at) + 1)
		take_variable(at);
	if (fd >= 0)
		system_close(fd);
	if (bytes)
		system_unmap(bytes, ENVIRONMENT_MAX);
	return folder[0] == '/';
}

static char *
put_number(char *at, uint64_t number)
{
	char digits[20];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	while (n > 0)
		*at++ = digits[--n];
	return at;
}

/* A new file: FOLDER/PID.NUMBER, with the first number that is free. */
static int
create_file(struct process_state *process, uint64_t pid)
{
	size_t len = strlen(folder);

	memcpy(process->path, folder, len);
	for (unsigned number = 0; number < NUMBERS_MAX; number++) {
		char *at = process->path + len;

		*at++ = '/';
		at = put_number(at, pid);
		*at++ = '.';
		*put_number(at, number) = '\0';
		int fd = system_open(process->path, O_RDWR | O_CREAT | O_EXCL, 0600);

		if (fd != -EEXIST)
			return fd;
	}
	return -1;
}

/* Makes the file a piece longer. Room that is not there must not become a SIGBUS later. */
static bool
extend_file(struct process_state *process, int fd)
{
	size_t at = process->file_bytes;

	if (at + PIECE_BYTES > ALLOC_FILE_MAX ||
		system_failed(system_call(SYS_fallocate, fd, 0, (long)at, (long)PIECE_BYTES, 0, 0)))
		return false;
	void *piece = system_map((char *)process->file + at, PIECE_BYTES, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_FIXED, fd, at);

	if (!piece)
		return false;
	system_call(SYS_madvise, (long)piece, (long)PIECE_BYTES, MADV_DONTFORK, 0, 0, 0);
	process->file_bytes += PIECE_BYTES;
	return true;
}

static void
read_comm(char comm[16])
{
	int fd = system_open("/proc/self/comm", O_RDONLY, 0);
	long got = fd >= 0 ? system_read(fd, comm, 15) : 0;

	if (got > 0 && comm[got - 1] == '\n')
		comm[got - 1] = '\0';
	if (fd >= 0)
		system_close(fd);
}

static bool
begin_file(struct process_state *process)
{
	uint64_t pid = (uint64_t)system_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	int fd = create_file(process, pid);

	if (fd < 0)
		return false;
	process->file = system_map(NULL, ALLOC_FILE_MAX, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool good = process->file != NULL && extend_file(process, fd);

	system_close(fd);
	if (!good)
		return false;
	struct alloc_file *file = process->file;
	struct frame_module own = {0};

	file->pid = (uint32_t)pid;
	read_comm(file->comm);
	if (frame_module_find((uintptr_t)begin_file, &own)) {
		file->own_start = own.start;
		file->own_end = own.end;
	}
	file->used = sizeof(*file);
	file->magic = ALLOC_FILE_MAGIC;
	return true;
}

static bool
begin_state(struct process_state *process)
{
	if (folder[0] == '\0' && !read_environment())
		return false;
	process->blocks = system_zeros(BLOCK_REGIONS * sizeof(*process->blocks), true);
	if (!process->blocks || !begin_file(process))
		return false;
	process->totals_only = totals_only;
	process->unloaded = frame_modules_unloaded();
	return true;
}

static void
wait_for_phase(const struct process_state *process)
{
	while (__atomic_load_n(&process->phase, __ATOMIC_ACQUIRE) == PROCESS_BEGINNING)
		system_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

struct process_state *
process_begin(void)
{
	struct process_state *process = __atomic_load_n(&process_state, __ATOMIC_ACQUIRE);
	uint32_t phase = PROCESS_NEW;

	if (!process) {
		struct process_state *made = system_zeros(sizeof(*made), true);

		if (made && __atomic_compare_exchange_n(&process_state, &process, made, false,
				    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			process = made;
		if (!process)
			return NULL;
	}
	if (__atomic_compare_exchange_n(&process->phase, &phase, PROCESS_BEGINNING, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		phase = begin_state(process) ? PROCESS_COUNTING : PROCESS_OFF;
		__atomic_store_n(&process->phase, phase, __ATOMIC_RELEASE);
	}
	wait_for_phase(process);
	return process->phase == PROCESS_COUNTING ? process : NULL;
}

void *
process_add_record(struct process_state *process, enum alloc_record_kind kind, size_t bytes)
{
	struct alloc_file *file = process->file;
	size_t size = (bytes + 7) / 8 * 8;

	if (file->used + size > process->file_bytes) {
		int fd = system_open(process->path, O_RDWR, 0);
		bool good = fd >= 0 && extend_file(process, fd);

		if (fd >= 0)
			system_close(fd);
		if (!good || size > PIECE_BYTES)
			return NULL;
	}
	struct alloc_record *record = (void *)((char *)file + file->used);

	*record = (struct alloc_record){(uint32_t)kind, (uint32_t)size};
	file->used += size;
	return record;
}

static bool
is_known(const struct process_state *process, uintptr_t address)
{
	for (size_t i = 0; i < process->nknown; i++)
		if (address >= process->known[i].start && address < process->known[i].end)
			return true;
	return false;
}

static bool
take_code(void *context, const struct maps_line *line)
{
	struct process_state *process = context;

	if (!line->executable || is_known(process, line->start))
		return true;
	struct alloc_maps *maps =
		process_add_record(process, ALLOC_MAPS, sizeof(*maps) + line->len);

	if (!maps)
		return false;
	maps->generation = process->generation;
	maps->text_bytes = (uint32_t)line->len;
	memcpy(maps->text, line->text, line->len);
	if (process->nknown < MAPS_KNOWN)
		process->known[process->nknown++] = (struct code_range){line->start, line->end};
	return true;
}

/*
 * Walks, lent to threads for a call: one for each thread would be too much where there are many. In
 * a forked child they are all free (process_state.lent), and what they know is checked anyway.
 */
static struct walk walks[WALKS];

struct walk *
process_borrow_walk(struct process_state *process, struct thread_state *thread)
{
	uint8_t *lent = process->lent;
	unsigned at = thread->walk_number;

	if (!process_is_threaded(process)) {
		lent[at] = 1;
		return &walks[at];
	}
	for (unsigned tried = 1; __atomic_exchange_n(&lent[at], 1, __ATOMIC_ACQUIRE) != 0;
		tried++) {
		at = (at + 1) % WALKS;
		if (tried % WALKS == 0)
			system_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	}
	/* What it knows of this thread's stack is there next time. */
	thread->walk_number = (uint8_t)at;
	return &walks[at];
}

void
process_return_walk(struct process_state *process, const struct walk *walk)
{
	__atomic_store_n(&process->lent[walk - walks], 0, __ATOMIC_RELEASE);
}

void
process_note_addresses(struct process_state *process, const struct walk *walk)
{
	process_lock(process);
	for (size_t i = 0; i < walk->nframes; i++) {
		if (is_known(process, walk->frames[i].pc - 1))
			continue;
		maps_each(take_code, process);
		break;
	}
	process_unlock(process);
}

void
process_check_unloaded(struct process_state *process)
{
	uint64_t unloaded = frame_modules_unloaded();

	process_lock(process);
	if (unloaded != process->unloaded) {
		process->unloaded = unloaded;
		process->generation++;
		process->nknown = 0;
		walk_forget_rules();
	}
	process_unlock(process);
}
