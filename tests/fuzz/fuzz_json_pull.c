/*
 * Any bytes as JSON: read value by value, and skipped at once, they are the same text, or have the
 * same error; numbers are those of strtod().
 */
#include "base/json_pull.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
need(bool condition)
{
	if (!condition)
		abort();
}

/* The value's first character; 'e' at the end. */
static char
kind_of(const struct json_pull *json)
{
	for (size_t at = json->at; at < json->end; at++) {
		const char c = json->view->data[at];

		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			return c;
	}
	return 'e';
}

static void
read_number(struct json_pull *json)
{
	const struct json_place from = json_pull_place(json);
	double number = NAN;
	uint64_t whole = 0;

	if (!json_pull_number(json, &number)) {
		need(json_pull_failed(json));
		return;
	}
	const struct json_place end = json_pull_place(json);
	char *text = strndup(json->view->data + from.at, end.at - from.at);

	need(text && strtod(text, NULL) == number);
	free(text);
	json_pull_go(json, from);
	const bool is_whole = json_pull_whole(json, JSON_PULL_WHOLE_MAX, &whole);

	need(json->at == end.at);
	need(is_whole ==
		(number >= 0 && number < (double)JSON_PULL_WHOLE_MAX && number == floor(number)));
	need(!is_whole || (double)whole == number);
}

static void
read_value(struct json_pull *json)
{
	const char kind = kind_of(json);
	struct json_text text;

	if (kind == '[') {
		if (json_pull_list(json))
			while (json_pull_item(json))
				read_value(json);
	} else if (kind == '{') {
		if (json_pull_object(json))
			while (json_pull_key(json, &text))
				read_value(json);
	} else if (kind == '"') {
		need(!json_pull_text(json, &text) || !memchr(text.at, '\0', text.len));
	} else if (kind == '-' || (kind >= '0' && kind <= '9')) {
		read_number(json);
	} else {
		need(!json_pull_list(json));
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct file_view view = {.data = (const char *)data, .len = size};
	struct json_pull walked;
	struct json_pull skipped;
	struct err err = {0};
	struct err same = {0};

	json_pull_init(&walked, "fuzz", &view);
	json_pull_init(&skipped, "fuzz", &view);
	read_value(&walked);
	json_pull_skip(&skipped);
	need(walked.at == skipped.at);
	need(json_pull_end(&walked, 0, "more", &err) == json_pull_end(&skipped, 0, "more", &same));
	need(strcmp(err.text, same.text) == 0);
	json_pull_release(&walked);
	json_pull_release(&skipped);
	return 0;
}
