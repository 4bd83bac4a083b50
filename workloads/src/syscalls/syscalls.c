/*
 * Mostly kernel time: reads and writes of devices, a pipe, and small calls in between.
 */
#define _GNU_SOURCE
#include "support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK (64 * 1024)
#define MESSAGE 4096

static char block[BLOCK];

static KEPT uint64_t
read_zeros(int zero)
{
	uint64_t bytes = 0;

	block[BLOCK / 2] = 1;
	for (int i = 0; i < 4; i++)
		bytes += (uint64_t)read(zero, block, BLOCK);
	expect_u64("a byte of /dev/zero", (unsigned char)block[BLOCK / 2], 0);
	return bytes;
}

static KEPT uint64_t
write_null(int null)
{
	uint64_t bytes = 0;

	for (int i = 0; i < 30; i++)
		bytes += (uint64_t)write(null, block, MESSAGE);
	return bytes;
}

static KEPT uint64_t
pass_through_pipe(const int pipe_ends[2])
{
	uint64_t bytes = 0;

	for (int i = 0; i < 20; i++) {
		bytes += (uint64_t)write(pipe_ends[1], block, MESSAGE);
		expect_u64(
			"bytes in the pipe", (uint64_t)read(pipe_ends[0], block, MESSAGE), MESSAGE);
	}
	return bytes;
}

static KEPT uint64_t
ask_small_things(void)
{
	uint64_t answers = 0;
	struct stat status;

	for (int i = 0; i < 20; i++) {
		/* Not getppid(): some C libraries keep the answer. */
		answers += syscall(SYS_getppid) >= 0;
		answers += stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode);
	}
	return answers;
}

int
main(int argc, char **argv)
{
	unsigned long rounds = rounds_option(argc, argv, 25000);
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int pipe_ends[2];

	expect_true("/dev/zero or /dev/null cannot be opened", zero >= 0 && null >= 0);
	expect_true("no pipe", pipe2(pipe_ends, O_CLOEXEC) == 0);
	for (unsigned long i = 0; i < rounds; i++) {
		expect_u64("bytes of /dev/zero", read_zeros(zero), 4 * BLOCK);
		expect_u64("bytes to /dev/null", write_null(null), 30 * MESSAGE);
		expect_u64("bytes through the pipe", pass_through_pipe(pipe_ends), 20 * MESSAGE);
		expect_u64("answers", ask_small_things(), 40);
	}
	return 0;
}
