/*
 * index.html: the whole report as one page that opens from a disk, a CI server or an e-mail. Style
 * and script are inside and the page's own policy allows no others; the flame graphs lie beside it.
 */
#include "output/html.h"

#include "base/escape.h"
#include "base/hash.h"
#include "output/embedded.h"
#include "output/headline.h"
#include "output/name.h"
#include "output/outputs.h"
#include "output/text.h"
#include "output/words.h"

#include <stdint.h>
#include <string.h>

#define SHA256_BYTES 32
#define NAME_COLUMNS 240

void
html_text(struct buf *out, const char *text)
{
	while (*text) {
		size_t line = strcspn(text, "\n");

		escape_xml(out, text, line);
		text += line;
		if (*text == '\n')
			buf_putc(out, *text++);
	}
}

void
html_name(struct buf *out, const char *name)
{
	struct buf fitted;

	buf_init(&fitted);
	name_fit(&fitted, name, strlen(name), NAME_COLUMNS);
	escape_xml(out, buf_text(&fitted), fitted.len);
	buf_release(&fitted);
}

void
html_status(struct buf *out, enum status status)
{
	buf_printf(out, "<span class=\"status %s\">%s</span>", status_name(status),
		status_name(status));
}

static unsigned
hex_digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;
}

/* 'sha256-...' of what stands between two tags, as a Content-Security-Policy names it. */
static void
put_policy_hash(struct buf *out, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char hex[HASH_TEXT_SIZE];
	uint8_t bytes[SHA256_BYTES + 1] = {0}; /* one more: 33 bytes are 11 groups of 3 */
	const size_t ngroups = sizeof(bytes) / 3;

	hash_text(text, strlen(text), hex);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		bytes[i] = (uint8_t)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
	buf_puts(out, "'sha256-");
	for (size_t i = 0; i < ngroups; i++) {
		const uint8_t *three = &bytes[3 * i];
		uint32_t group = (uint32_t)three[0] << 16 | (uint32_t)three[1] << 8 | three[2];

		buf_putc(out, digits[group >> 18]);
		buf_putc(out, digits[group >> 12 & 63]);
		buf_putc(out, digits[group >> 6 & 63]);
		if (i + 1 < ngroups)
			buf_putc(out, digits[group & 63]);
		else
			buf_putc(out, '=');
	}
	buf_putc(out, '\'');
}

static void
put_head(const struct report *report, struct buf *out)
{
	buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"color-scheme\" content=\"light dark\">\n"
		      "<meta http-equiv=\"Content-Security-Policy\" "
		      "content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
		      "object-src 'self' file:; frame-src 'self' file:; style-src ");
	put_policy_hash(out, output_page_css);
	buf_puts(out, "; script-src ");
	put_policy_hash(out, output_page_js);
	buf_printf(
		out, "\">\n<title>profile_run: %s</title>\n<style>", status_name(report->status));
	buf_puts(out, output_page_css);
	buf_puts(out, "</style>\n</head>\n");
}

static void
put_verdict(const struct report *report, struct buf *out)
{
	struct buf line;

	buf_init(&line);
	headline_gate(report, &line);
	buf_printf(out, "<header class=\"%s\">\n<h1>", status_name(report->status));
	html_status(out, report->status);
	buf_puts(out, " <span>");
	html_text(out, buf_text(&line));
	buf_puts(out, "</span></h1>\n<p>profile_run ");
	html_text(out, report->tool_version);
	buf_puts(out, ", <time>");
	words_time(out, report->started);
	buf_puts(out, "</time>, took ");
	words_duration(out, report->duration_s);
	if (report->commit && report->commit[0]) {
		buf_puts(out, ", commit <code>");
		html_text(out, report->commit);
		buf_puts(out, "</code>");
	}
	buf_printf(out, ", exit code %d</p>\n</header>\n", report->exit_code);
	buf_release(&line);
}

static void
put_overview(const struct report *report, struct buf *out)
{
	struct buf line;

	buf_init(&line);
	buf_puts(out,
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
		"aria-label=\"Workloads\"><table class=\"overview\">"
		"<caption>Workloads</caption>\n<thead><tr><th scope=\"col\">Verdict</th>"
		"<th scope=\"col\">Workload</th><th scope=\"col\" class=\"number\">Whole program</th>"
		"<th scope=\"col\">In short</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < report->nworkloads; i++) {
		const struct judgement *judgement = report->workloads[i].judgement;

		buf_puts(out, "<tr><td>");
		html_status(out, headline_status(judgement));
		buf_puts(out, "</td><th scope=\"row\"><a href=\"#w-");
		html_text(out, judgement->workload->name);
		buf_puts(out, "\">");
		html_text(out, judgement->workload->name);
		buf_puts(out, "</a></th><td class=\"number\">");
		if (judgement->compared && judgement->comparison.whole.tested)
			effect_put_own_change(&judgement->comparison.whole, out);
		buf_puts(out, "</td><td>");
		buf_clear(&line);
		headline_workload(judgement, &line);
		html_text(out, buf_text(&line));
		buf_puts(out, "</td></tr>\n");
	}
	buf_puts(out, "</tbody></table></div>\n");
	buf_release(&line);
}

static void
put_environment(const struct report *report, struct buf *out)
{
	struct buf text;

	buf_init(&text);
	text_environment(report, &text);
	buf_puts(out, "<section><h2>To reproduce</h2>\n<pre>");
	html_text(out, report->command);
	buf_puts(out, "</pre>\n<h2>Environment</h2>\n<pre>");
	html_text(out, buf_text(&text));
	buf_puts(out,
		"</pre>\n<p>Everything, for programs: <a href=\"verdict.json\">verdict.json</a>, "
		"<a href=\"junit.xml\">junit.xml</a>; as text: "
		"<a href=\"report.txt\">report.txt</a>.</p></section>\n");
	buf_release(&text);
}

static void
write_html(const struct report *report, struct buf *out)
{
	put_head(report, out);
	buf_puts(out, "<body>\n");
	put_verdict(report, out);
	buf_puts(out, "<main>\n");
	put_overview(report, out);
	for (size_t i = 0; i < report->nworkloads; i++)
		html_workload(&report->workloads[i], out);
	put_environment(report, out);
	buf_puts(out, "</main>\n<script>");
	buf_puts(out, output_page_js);
	buf_puts(out, "</script>\n</body>\n</html>\n");
}

const struct report_output output_html = {
	.name = "index.html",
	.summary = "the report as a page: verdict, findings, flame graphs, tables, every run",
	.write = write_html,
};
