#include "gate/gate_watch.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "builds/git.h"
#include "process/process.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define POLL_MS 500
#define DIFF_BYTES_MAX ((size_t)64 << 20)
#define GATE_TIMEOUT_S 86400

/* The state of the tracked files: the commit, and how they differ from it. */
static int
read_state(char state[SHA256_TEXT_SIZE], struct err *err)
{
	static const char *const args[] = {"diff", "--no-color", "--no-ext-diff", "--no-textconv",
		"--binary", "HEAD", "--", NULL};
	struct tool_output output;
	char head[GIT_COMMIT_SIZE];
	const int result = git_run_up_to(&output, DIFF_BYTES_MAX, NULL, args, err);

	if (result == 0) {
		git_head(".", head);
		buf_puts(&output.out, head);
		sha256_text(buf_text(&output.out), output.out.len, state);
	} else {
		err_note(err, "'--watch' sees a save by the difference from the commit");
	}
	tool_output_release(&output);
	return result;
}

/* The first lines of the verdict; owned. */
struct screen {
	char *lines[GATE_WATCH_LINES];
};

static void
screen_release(struct screen *screen)
{
	for (size_t i = 0; i < GATE_WATCH_LINES; i++)
		free(screen->lines[i]);
	*screen = (struct screen){0};
}

/* Where the gate fails, its error stands for a verdict. */
static void
screen_init(struct screen *screen, const struct tool_output *output)
{
	const char *text = buf_text(output->out.len > 0 ? &output->out : &output->complaint);

	*screen = (struct screen){0};
	for (size_t i = 0; i < GATE_WATCH_LINES && *text; i++) {
		const size_t len = strcspn(text, "\n");

		screen->lines[i] = mem_dup(text, len);
		text += len + (text[len] == '\n');
	}
}

/* Prints the lines that differ from those before. */
static int
screen_print(const struct screen *screen, const struct screen *before, gate_watch_print print,
	struct err *err)
{
	struct buf text = {0};

	for (size_t i = 0; i < GATE_WATCH_LINES; i++) {
		const char *line = screen->lines[i];

		if (line && (!before->lines[i] || strcmp(line, before->lines[i]) != 0))
			buf_printf(&text, "%s\n", line);
	}
	if (text.len == 0)
		buf_puts(&text, "the same verdict\n");
	const int result = print(&text, err);

	buf_release(&text);
	return result;
}

/* Runs the gate once, and replaces the screen by its. */
static int
run_once(const char *const *argv, struct screen *screen, gate_watch_print print, struct err *err)
{
	const struct tool_watch limits = {
		.most_bytes = TOOL_OUTPUT_MAX, .timeout_s = GATE_TIMEOUT_S};
	struct tool_output output;
	struct screen next;
	int result = tool_run_watched(&output, argv, &limits, err);

	if (result == 0) {
		screen_init(&next, &output);
		result = screen_print(&next, screen, print, err);
		screen_release(screen);
		*screen = next;
	}
	tool_output_release(&output);
	return result;
}

int
gate_watch(const char *const *argv, gate_watch_print print, struct err *err)
{
	char before[SHA256_TEXT_SIZE] = "";
	char state[SHA256_TEXT_SIZE];
	struct screen screen = {0};
	int result = 0;

	while (result == 0 && (result = read_state(state, err)) == 0) {
		if (strcmp(state, before) != 0) {
			memcpy(before, state, sizeof(before));
			log_info("measuring");
			result = run_once(argv, &screen, print, err);
		} else {
			poll(NULL, 0, POLL_MS);
		}
		if (result == 0)
			result = signals_check(err);
	}
	screen_release(&screen);
	return result;
}
