#include "cli/manual.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "process/process.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM "profile_run"
#define PAGE_PREFIX PROGRAM "-"

/*
 * The pages, one after the other: each is a line of a form feed and "profile_run-gate 1", and its
 * text.
 */
extern const char cli_manual_pages[];

bool
manual_next(struct manual_page *page)
{
	const char *at = page->text ? page->text + page->len : cli_manual_pages;

	if (*at != '\f')
		return false;
	page->topic = at + 1;
	if (strncmp(page->topic, PAGE_PREFIX, strlen(PAGE_PREFIX)) == 0)
		page->topic += strlen(PAGE_PREFIX);
	page->topic_len = strcspn(page->topic, " ");
	page->section = page->topic[page->topic_len + 1];
	page->text = strchr(at, '\n') + 1;
	page->len = strcspn(page->text, "\f");
	return true;
}

bool
manual_find(struct manual_page *page, const char *topic)
{
	*page = (struct manual_page){0};
	while (manual_next(page)) {
		if (strlen(topic) == page->topic_len &&
			memcmp(topic, page->topic, page->topic_len) == 0)
			return true;
	}
	return false;
}

/* Whether man(1) has the page. Some systems have a man that only says that it is not installed. */
static bool
is_installed(const char *name)
{
	const char *const argv[] = {"man", "-w", name, NULL};
	struct tool_output found = {0};
	struct err no_man = {0};
	bool installed = tool_run(&found, argv, NULL, NULL, &no_man) == 0 && found.status == 0 &&
			 buf_text(&found.out)[0] == '/';

	tool_output_release(&found);
	return installed;
}

int
manual_show(const struct manual_page *page, struct err *err)
{
	if (isatty(STDOUT_FILENO)) {
		bool is_index = strncmp(page->topic, PROGRAM " ", strlen(PROGRAM " ")) == 0;
		struct buf name = {0};

		buf_printf(&name, "%s%.*s", is_index ? "" : PAGE_PREFIX, (int)page->topic_len,
			page->topic);
		if (is_installed(buf_text(&name)))
			execlp("man", "man", buf_text(&name), (char *)NULL);
		buf_release(&name);
	}
	return file_write("-", page->text, page->len, err);
}
