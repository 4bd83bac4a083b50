#include "base/log.h"

#include "stderr_file.h"
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

void suite_base_log(void);

static void
say_one_of_each(void)
{
	log_warn("warned of %d", 1);
	log_info("informed of %d", 2);
	log_debug("debugged %d", 3);
	log_step("step %d", 4);
	log_progress("progress %d", 5);
	log_step_end("end %d", 6);
}

/* What stderr gets of one of each at a level. */
static void
expect_at(enum log_level level, const char *expected)
{
	enum log_level before = log_get_level();
	struct stderr_file file;
	char text[1024];

	stderr_file_begin(&file);
	log_set_level(level);
	say_one_of_each();
	log_set_level(before);
	stderr_file_end(&file, text, sizeof(text));
	UNIT_STR_EQ(text, expected);
}

static void
a_level_shows_what_is_as_urgent(void)
{
	expect_at(LOG_ERROR, "");
	expect_at(LOG_WARN, "profile_run: warning: warned of 1\n");
	expect_at(LOG_INFO, "profile_run: warning: warned of 1\ninformed of 2\nstep 4\nend 6\n");
	expect_at(LOG_DEBUG,
		"profile_run: warning: warned of 1\ninformed of 2\ndebug: debugged 3\nstep 4\nend 6\n");
}

/* Names come from captures: none may give a terminal orders, or begin its own line. */
static void
a_message_cannot_steer_a_terminal(void)
{
	struct stderr_file file;
	char text[256];

	stderr_file_begin(&file);
	log_warn("%s", "a\033[2Jb\rc");
	stderr_file_end(&file, text, sizeof(text));
	CU_ASSERT_PTR_NULL(strchr(text, '\033'));
	CU_ASSERT_PTR_NULL(strchr(text, '\r'));
}

static void
a_long_message_is_cut_and_ends_its_line(void)
{
	struct stderr_file file;
	char text[8192];

	stderr_file_begin(&file);
	log_warn("%05000d", 0);
	stderr_file_end(&file, text, sizeof(text));
	CU_ASSERT(strlen(text) > 2000 && strlen(text) < 5000);
	CU_ASSERT_EQUAL(text[strlen(text) - 1], '\n');
}

/* Puts stderr on its own terminal; the other end of it, -1 where there are none. */
static int
open_terminal(int *kept)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char name[64];

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
		ptsname_r(master, name, sizeof(name)) != 0)
		return -1;
	int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (slave < 0)
		return -1;
	fflush(stderr);
	*kept = dup(STDERR_FILENO);
	dup2(slave, STDERR_FILENO);
	close(slave);
	return master;
}

/* A terminal hands on what is written to it piece by piece, and not at once. */
static void
expect_on_terminal(int master, const char *expected)
{
	struct pollfd arrival = {.fd = master, .events = POLLIN};
	char text[256] = "";
	size_t len = 0;

	while (len < strlen(expected) && poll(&arrival, 1, 10000) > 0) {
		ssize_t got = read(master, text + len, sizeof(text) - 1 - len);

		if (got <= 0)
			break;
		len += (size_t)got;
	}
	UNIT_STR_EQ(text, expected);
}

static void
a_message_takes_the_place_of_live_progress(void)
{
	enum log_level before = log_get_level();
	int kept = -1;
	int master = open_terminal(&kept);

	if (master < 0) {
		unit_skip("no terminal can be made here");
		return;
	}
	log_set_level(LOG_INFO);
	log_step("step 1");
	log_progress("step 2");
	log_step_end("not shown");
	log_info("informed");
	log_info("again");
	log_set_level(before);
	/* The terminal itself makes "\r\n" of a newline. */
	expect_on_terminal(master, "\r\033[Kstep 1\r\033[Kstep 2\r\033[Kinformed\r\nagain\r\n");
	dup2(kept, STDERR_FILENO);
	close(kept);
	close(master);
}

static const struct unit_case cases[] = {
	{"a_level_shows_what_is_as_urgent", a_level_shows_what_is_as_urgent},
	{"a_message_cannot_steer_a_terminal", a_message_cannot_steer_a_terminal},
	{"a_long_message_is_cut_and_ends_its_line", a_long_message_is_cut_and_ends_its_line},
	{"a_message_takes_the_place_of_live_progress", a_message_takes_the_place_of_live_progress},
	{NULL, NULL},
};

void
suite_base_log(void)
{
	unit_suite("base/log", cases);
}
