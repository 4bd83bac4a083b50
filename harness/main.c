/* main(): the only function that prints an error and exits. */
#include "base/draft.h"
#include "base/err.h"
#include "base/file_guard.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/verb.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/*
 * Opens /dev/null in place of each standard stream that is closed. Otherwise the next file to be
 * opened would get its number, and messages would go into a capture. Each is opened in the wrong
 * direction, so that reading and writing fail as they would on the closed stream.
 */
static int
fill_standard_streams(struct err *err)
{
	static const int wrong_way[] = {O_WRONLY, O_RDONLY, O_RDONLY};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", wrong_way[fd]) != fd)
			return err_set(err, ERR_SYSTEM,
				"standard stream %d is closed and /dev/null cannot replace it", fd);
	}
	return 0;
}

/* Writes the text that went through stdio (--help, --version), which may still be buffered. */
static int
flush_results(struct err *err)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot write 'standard output'");
	return 0;
}

int
main(int argc, char **argv)
{
	struct err err = {0};
	int exit_code = 0;

	mem_begin();
	hash_take_key();
	file_guard_begin();
	/* Beyond `ulimit -f` a write then fails and is reported, instead of ending us. */
	signal(SIGXFSZ, SIG_IGN);
	if (fill_standard_streams(&err) < 0 || cli_main(argc, argv, &exit_code, &err) < 0 ||
		flush_results(&err) < 0) {
		log_progress_end();
		draft_remove_all();
		fprintf(stderr, "profile_run: %s\n", err.text);
		exit_code = err_exit_code(&err);
	}
	if (file_guard_unwatched_was_cut())
		log_warn("a program or debug file became shorter while it was read: names may be "
			 "missing");
	return exit_code;
}
