/* The only place that prints an error and exits. */
#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "cli/verb.h"

#include <stdio.h>

int
main(int argc, char **argv)
{
	struct err err = {0};
	int exit_code = 0;

	if (cli_main(argc, argv, &exit_code, &err) < 0) {
		log_progress_end();
		file_remove_unfinished();
		fprintf(stderr, "profile_run: %s\n", err.text);
		exit_code = err_exit_code(&err);
	}
	return exit_code;
}
