#include "output/html.h"

#include "base/base64.h"
#include "base/escape.h"
#include "base/sha256.h"
#include "flamegraph/flamegraph.h"
#include "format/name_fit.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NAME_COLUMNS 240
#define SHA256_BYTES 32

void
html_put(struct buf *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	markup_vput(out, markup_text, fmt, args);
	va_end(args);
}

void
html_name(struct buf *out, const char *name)
{
	name_fit_as(out, name, strlen(name), NAME_COLUMNS, &name_html);
}

/* A name as a link to the workload's picture, if it has one, opened with `fragment`. */
static void
put_picture_link(const struct workload_view *workload, const struct buf *fragment, const char *name,
	struct buf *out)
{
	buf_puts(out, "<code>");
	if (!workload->is_brief) {
		html_put(out, "<a href=\"%s%s", workload->files,
			workload->judgement->compared ? "diff.svg" : "flamegraph.svg");
		buf_put(out, buf_text(fragment), fragment->len);
		buf_puts(out, "\">");
	}
	html_name(out, name);
	buf_puts(out, workload->is_brief ? "</code>" : "</a></code>");
}

void
html_function(
	const struct workload_view *workload, frame_id frame, const char *name, struct buf *out)
{
	struct buf fragment = {0};

	if (frame != 0 && !workload->is_brief)
		flamegraph_put_fragment(
			profile_frame_name(workload->rows.profile, frame), &fragment);
	put_picture_link(workload, &fragment, name, out);
	buf_release(&fragment);
}

void
html_pattern(const struct workload_view *workload, const struct gate_rule_spec *rule,
	const char *name, struct buf *out)
{
	const char *pattern = rule->pattern;
	struct buf fragment = {0};

	if (strcmp(pattern, "[unknown]") == 0)
		flamegraph_put_fragment(pattern, &fragment);
	else if (rule->kind != RULE_MODULE)
		flamegraph_put_pattern_fragment(pattern, &fragment);
	put_picture_link(workload, &fragment, name, out);
	buf_release(&fragment);
}

void
html_place(struct buf *out, const char *place, const char *url)
{
	if (url[0])
		html_put(out, "<a href=\"%s\">%s</a>", url, place);
	else
		html_put(out, "%s", place);
}

void
html_status(struct buf *out, enum status status)
{
	buf_printf(out, "<span class=\"status %s\">%s</span>", status_name(status),
		status_word(status));
}

void
html_verdict(struct buf *out, const struct finding *finding)
{
	if (finding->accepted)
		buf_puts(out, "<span class=\"status accepted\">accepted</span>");
	else
		html_status(out, finding->status);
}

void
html_table_begin(struct buf *out, const char *label, const char *caption, const char *class,
	const struct html_heading *headings, size_t nheadings)
{
	html_put(
		out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s", label);
	buf_printf(out, "\"><table class=\"%s\"><caption><span>%s</span></caption>\n<thead><tr>",
		class, caption);
	for (size_t i = 0; i < nheadings; i++) {
		buf_puts(out, "<th scope=\"col\"");
		if (headings[i].class[0])
			buf_printf(out, " class=\"%s\"", headings[i].class);
		buf_printf(out, ">%s</th>", headings[i].text);
	}
	buf_puts(out, "</tr></thead>\n<tbody>\n");
}

void
html_table_end(struct buf *out)
{
	buf_puts(out, "</tbody></table></div>\n");
}

void
html_number_begin(struct buf *out, double value)
{
	buf_puts(out, "<td class=\"number\" data-v=\"");
	if (isfinite(value))
		buf_put_short(out, value);
	buf_puts(out, "\">");
}

void
html_command(struct buf *out, const char *options, const char *argument)
{
	struct buf word = {0};

	if (argument[0]) {
		buf_putc(&word, ' ');
		escape_shell_word(&word, argument);
	}
	html_put(out, "<pre class=\"command\"><code>%s%s</code></pre>\n", options, buf_text(&word));
	buf_release(&word);
}

/* The head of a page: a policy that allows the page's own styles and scripts, and no others. */

/* 'sha256-...' of the text between two tags, as in a Content-Security-Policy. */
static void
put_policy_hash(struct buf *out, const char *text)
{
	char hex[SHA256_TEXT_SIZE];
	uint8_t bytes[SHA256_BYTES];

	sha256_text(text, strlen(text), hex);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		sscanf(&hex[2 * i], "%2hhx", &bytes[i]);
	buf_puts(out, " 'sha256-");
	base64_put(out, bytes, sizeof(bytes));
	buf_putc(out, '\'');
}

static void
put_element(struct buf *out, const char *name, const char *content)
{
	buf_printf(out, "<%s>", name);
	buf_puts(out, content);
	buf_printf(out, "</%s>\n", name);
}

void
html_head(const char *title, const char *const *styles, const char *const *scripts, struct buf *out)
{
	buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" "
		      "content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
		      "style-src");
	for (size_t i = 0; styles[i]; i++)
		put_policy_hash(out, styles[i]);
	buf_puts(out, "; script-src");
	for (size_t i = 0; scripts[i]; i++)
		put_policy_hash(out, scripts[i]);
	buf_puts(out, "\">\n<meta name=\"viewport\" content=\"width=device-width, "
		      "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n");
	html_put(out, "<title>%s</title>\n", title);
	for (size_t i = 0; styles[i]; i++)
		put_element(out, "style", styles[i]);
	buf_puts(out, "</head>\n");
}

void
html_scripts(const char *const *scripts, struct buf *out)
{
	for (size_t i = 0; scripts[i]; i++)
		put_element(out, "script", scripts[i]);
}
