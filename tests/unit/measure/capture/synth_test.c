#include "capture/capture_internal.h"

#include "perfdata/records.h"
#include "scratch.h"
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

void suite_capture_synth(void);

#define EVENT_ID 4711
#define RECORDS_MAX 4096

/* All records of a buffer, which must be whole ones. */
struct contents {
	struct buf bytes;
	struct record records[RECORDS_MAX];
	size_t nrecords;
};

static void
decode_all(struct contents *contents)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.sample_id_all = 1,
	};
	const char *data = buf_text(&contents->bytes);
	struct record_layout layout;

	record_layout_init(&layout, &attr);
	for (size_t at = 0; at < contents->bytes.len;) {
		struct perf_event_header header;

		CU_ASSERT_TRUE_FATAL(at + sizeof(header) <= contents->bytes.len);
		memcpy(&header, data + at, sizeof(header));
		CU_ASSERT_TRUE_FATAL(header.size >= sizeof(header) && header.size % 8 == 0 &&
				     at + header.size <= contents->bytes.len);
		struct raw_record raw = {
			.type = header.type,
			.misc = header.misc,
			.words = (const uint64_t *)(const void *)(data + at + sizeof(header)),
			.nwords = (header.size - sizeof(header)) / 8,
		};
		struct record *record = &contents->records[contents->nrecords];

		CU_ASSERT_TRUE_FATAL(contents->nrecords++ < RECORDS_MAX);
		*record = (struct record){.type = header.type, .misc = header.misc};
		CU_ASSERT_PTR_NULL(decode_record(&raw, &layout, record));
		CU_ASSERT_EQUAL(record->id.id, EVENT_ID);
		CU_ASSERT_EQUAL(record->id.time_ns, 0);
		at += header.size;
	}
}

/* One at a time. */
static struct contents *
contents_of(pid_t pid)
{
	static struct contents contents;

	contents.nrecords = 0;
	contents.bytes = (struct buf){0};
	synth_process(&contents.bytes, pid, EVENT_ID, false);
	decode_all(&contents);
	return &contents;
}

/* The mapping that holds an address; of type 0 if there is none. */
static const struct record *
map_of(const struct contents *contents, uint64_t address)
{
	static const struct record none;

	for (size_t i = 0; i < contents->nrecords; i++) {
		const struct record *record = &contents->records[i];

		if ((record->type == PERF_RECORD_MMAP2 || record->type == PERF_RECORD_MMAP) &&
			address - record->u.mmap.start < record->u.mmap.size)
			return record;
	}
	return &none;
}

static const char *
name_of(const struct contents *contents, pid_t tid)
{
	for (size_t i = 0; i < contents->nrecords; i++)
		if (contents->records[i].type == PERF_RECORD_COMM &&
			contents->records[i].u.comm.tid == (uint32_t)tid)
			return contents->records[i].u.comm.name;
	return "(none)";
}

static uint64_t
address_of_code(void)
{
	return (uint64_t)(uintptr_t)&suite_capture_synth;
}

static void
our_code_is_among_the_mappings(void)
{
	struct contents *contents = contents_of(getpid());
	const struct record *map = map_of(contents, address_of_code());
	char path[4096] = "";
	struct stat file;

	CU_ASSERT_TRUE(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	CU_ASSERT_EQUAL_FATAL(map->type, PERF_RECORD_MMAP2);
	UNIT_STR_EQ(map->u.mmap.path, path);
	CU_ASSERT_EQUAL(map->u.mmap.pid, (uint32_t)getpid());
	CU_ASSERT_EQUAL(map->id.pid, (uint32_t)getpid());
	CU_ASSERT_EQUAL(map->misc & PERF_RECORD_MISC_CPUMODE_MASK, PERF_RECORD_MISC_USER);
	CU_ASSERT_EQUAL(map->u.mmap.prot, PROT_READ | PROT_EXEC);
	CU_ASSERT_EQUAL(stat(path, &file), 0);
	CU_ASSERT_EQUAL(map->u.mmap.inode, file.st_ino);
	buf_release(&contents->bytes);
}

static void
what_cannot_be_run_is_left_out(void)
{
	struct contents *contents = contents_of(getpid());
	int on_the_stack = 0;

	CU_ASSERT_EQUAL(map_of(contents, (uint64_t)(uintptr_t)&on_the_stack)->type, 0);
	CU_ASSERT_EQUAL(map_of(contents, (uint64_t)(uintptr_t)contents)->type, 0);
	buf_release(&contents->bytes);
}

/* For each length up to the longest, for what stands behind it is aligned. */
static void
names_of_any_length_are_whole(void)
{
	char before[16];
	char name[16] = "";

	prctl(PR_GET_NAME, before);
	for (size_t len = 1; len < sizeof(name); len++) {
		name[len - 1] = (char)('a' + len);
		prctl(PR_SET_NAME, name);
		struct contents *contents = contents_of(getpid());

		UNIT_STR_EQ(name_of(contents, getpid()), name);
		CU_ASSERT_NOT_EQUAL(map_of(contents, address_of_code())->type, 0);
		buf_release(&contents->bytes);
	}
	prctl(PR_SET_NAME, before);
}

struct worker {
	pthread_barrier_t named;
	pthread_barrier_t seen;
	pid_t tid;
};

static void *
work(void *context)
{
	struct worker *worker = context;

	worker->tid = gettid();
	prctl(PR_SET_NAME, "a worker");
	pthread_barrier_wait(&worker->named);
	pthread_barrier_wait(&worker->seen);
	return NULL;
}

static void
each_thread_has_its_own_name(void)
{
	struct worker worker;
	pthread_t thread;
	char name[16];

	pthread_barrier_init(&worker.named, NULL, 2);
	pthread_barrier_init(&worker.seen, NULL, 2);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, work, &worker), 0);
	pthread_barrier_wait(&worker.named);
	struct contents *contents = contents_of(getpid());

	pthread_barrier_wait(&worker.seen);
	pthread_join(thread, NULL);
	prctl(PR_GET_NAME, name);
	UNIT_STR_EQ(name_of(contents, worker.tid), "a worker");
	UNIT_STR_EQ(name_of(contents, getpid()), name);
	buf_release(&contents->bytes);
	pthread_barrier_destroy(&worker.named);
	pthread_barrier_destroy(&worker.seen);
}

/* Maps a page of a file that is called so, to be run; MAP_FAILED where that is not allowed. */
static void *
map_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);

	if (fd < 0 || ftruncate(fd, 3 * sysconf(_SC_PAGESIZE)) < 0)
		return MAP_FAILED;
	void *map = mmap(NULL, 1, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd,
		2 * sysconf(_SC_PAGESIZE));

	close(fd);
	return map;
}

static void
a_path_is_all_that_follows_the_inode(void)
{
	struct scratch scratch;

	scratch_init(&scratch);
	const char *path = scratch_path(&scratch, "some lib (x)  1.so");
	void *map = map_file(path);

	if (map == MAP_FAILED) {
		unit_skip("no file in /tmp can be mapped to be run");
	} else {
		struct contents *contents = contents_of(getpid());
		const struct record *found = map_of(contents, (uint64_t)(uintptr_t)map);

		CU_ASSERT_EQUAL_FATAL(found->type, PERF_RECORD_MMAP2);
		UNIT_STR_EQ(found->u.mmap.path, path);
		CU_ASSERT_EQUAL(found->u.mmap.file_offset, 2 * (uint64_t)sysconf(_SC_PAGESIZE));
		CU_ASSERT_EQUAL(found->u.mmap.prot, PROT_READ | PROT_WRITE | PROT_EXEC);
		buf_release(&contents->bytes);
		munmap(map, 1);
	}
	scratch_release(&scratch);
}

static void
memory_of_no_file_is_called_anonymous(void)
{
	void *map = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED) {
		unit_skip("no memory can be mapped to be run");
		return;
	}
	struct contents *contents = contents_of(getpid());
	const struct record *found = map_of(contents, (uint64_t)(uintptr_t)map);

	CU_ASSERT_EQUAL_FATAL(found->type, PERF_RECORD_MMAP2);
	UNIT_STR_EQ(found->u.mmap.path, "//anon");
	buf_release(&contents->bytes);
	munmap(map, 1);
}

static void
a_process_that_is_not_there_has_no_records(void)
{
	struct contents *contents = contents_of(0);

	CU_ASSERT_EQUAL(contents->bytes.len, 0);
	buf_release(&contents->bytes);
}

/* Where its addresses are hidden there is nothing to tell. */
static void
the_kernel_comes_first_and_belongs_to_nobody(void)
{
	static struct contents contents;
	const struct record *first = contents.records;

	contents.nrecords = 0;
	contents.bytes = (struct buf){0};
	synth_kernel(&contents.bytes, EVENT_ID);
	decode_all(&contents);
	if (contents.nrecords == 0) {
		unit_skip("/proc/kallsyms hides its addresses here");
		return;
	}
	CU_ASSERT_EQUAL(first->type, PERF_RECORD_MMAP);
	CU_ASSERT_EQUAL(first->misc & PERF_RECORD_MISC_CPUMODE_MASK, PERF_RECORD_MISC_KERNEL);
	CU_ASSERT_EQUAL(first->u.mmap.pid, UINT32_MAX);
	CU_ASSERT_EQUAL(first->u.mmap.start, first->u.mmap.file_offset);
	CU_ASSERT_EQUAL(strncmp(first->u.mmap.path, "[kernel.kallsyms]_", 18), 0);
	for (size_t i = 1; i < contents.nrecords; i++)
		CU_ASSERT_EQUAL(contents.records[i].u.mmap.path[0], '[');
	buf_release(&contents.bytes);
}

static void
what_cannot_be_run_is_there_where_it_is_wanted(void)
{
	struct contents contents = {.nrecords = 0};
	int on_the_stack = 0;

	synth_process(&contents.bytes, getpid(), EVENT_ID, true);
	decode_all(&contents);
	const struct record *map = map_of(&contents, (uint64_t)(uintptr_t)&on_the_stack);

	CU_ASSERT_EQUAL_FATAL(map->type, PERF_RECORD_MMAP2);
	UNIT_STR_EQ(map->u.mmap.path, "[stack]");
	CU_ASSERT_EQUAL(map->u.mmap.prot, PROT_READ | PROT_WRITE);
	CU_ASSERT_EQUAL(map->u.mmap.flags, MAP_PRIVATE);
	CU_ASSERT_NOT_EQUAL(map->misc & PERF_RECORD_MISC_MMAP_DATA, 0);
	CU_ASSERT_EQUAL(map_of(&contents, address_of_code())->u.mmap.prot, PROT_READ | PROT_EXEC);
	buf_release(&contents.bytes);
}

static const struct unit_case cases[] = {
	{"our_code_is_among_the_mappings", our_code_is_among_the_mappings},
	{"what_cannot_be_run_is_left_out", what_cannot_be_run_is_left_out},
	{"what_cannot_be_run_is_there_where_it_is_wanted",
		what_cannot_be_run_is_there_where_it_is_wanted},
	{"names_of_any_length_are_whole", names_of_any_length_are_whole},
	{"each_thread_has_its_own_name", each_thread_has_its_own_name},
	{"a_path_is_all_that_follows_the_inode", a_path_is_all_that_follows_the_inode},
	{"memory_of_no_file_is_called_anonymous", memory_of_no_file_is_called_anonymous},
	{"a_process_that_is_not_there_has_no_records", a_process_that_is_not_there_has_no_records},
	{"the_kernel_comes_first_and_belongs_to_nobody",
		the_kernel_comes_first_and_belongs_to_nobody},
	{NULL, NULL},
};

void
suite_capture_synth(void)
{
	unit_suite("capture/synth", cases);
}
