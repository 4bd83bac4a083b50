#include "output/comment.h"

#include "sample.h"

#include <stdlib.h>
#include <string.h>

void suite_output_comment(void);

static void
write_comment(const struct report *report, const struct comment_options *options, struct buf *out)
{
	struct report_view view;

	report_view_init(&view, report);
	comment_write(&view, options, out);
	report_view_release(&view);
}

static void
it_begins_with_what_it_is_found_by(void)
{
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	write_comment(&sample.report, &(struct comment_options){.marker = "nightly"}, &out);
	CU_ASSERT(strncmp(buf_text(&out),
			  "<!-- profile_run comment nightly -->\n"
			  "<!-- profile_run state findings -->\n### profile_run: fail\n",
			  90) == 0);
	buf_release(&out);
	sample_release(&sample);
}

static void
links_are_only_those_that_are_given(void)
{
	const struct comment_options options = {.page = "https://a.example/p",
		.picture = "https://a.example/p.png",
		.run = "https://a.example/r"};
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, false);
	write_comment(&sample.report, &options, &out);
	UNIT_CONTAINS(buf_text(&out),
		"[![What changed, as a flame graph](https://a.example/p.png)](https://a.example/p)\n\n"
		"[The whole report](https://a.example/p), [the run](https://a.example/r)\n");
	/* The sample has links to its source. */
	CU_ASSERT_PTR_NULL(strstr(buf_text(&out), "git.example"));
	buf_release(&out);
	sample_release(&sample);
}

static void
where_all_passes_it_is_quiet(void)
{
	struct sample sample;
	struct buf out = {0};
	struct finding none = {.status = STATUS_PASS, .effect = {.tested = false}};

	sample_init(&sample, false);
	sample.report.policy = (struct report_policy){0};
	sample.report.status = STATUS_PASS;
	sample.report.nworkloads = 1;
	sample.judgements[0].verdict.status = STATUS_PASS;
	none.subject = "f";
	sample.judgements[0].verdict.findings = &none;
	sample.judgements[0].verdict.nfindings = 1;
	sample.judgements[0].verdict.nall = 1;
	write_comment(&sample.report, &(struct comment_options){0}, &out);
	UNIT_CONTAINS(buf_text(&out),
		"<!-- profile_run comment gate -->\n<!-- profile_run state quiet -->\n"
		"### profile_run: pass, earlier findings are resolved, against its baseline");
	buf_clear(&out);
	/* A policy that the pull request changed is said. */
	sample.report.policy =
		(struct report_policy){.from = "main", .changes = sample.changes, .nchanges = 3};
	write_comment(&sample.report, &(struct comment_options){0}, &out);
	UNIT_CONTAINS(buf_text(&out), "<!-- profile_run state findings -->\n");
	buf_release(&out);
	sample_release(&sample);
}

static void
however_large_a_report_is_it_is_taken(void)
{
	enum { MANY = 600 };
	struct sample sample;
	struct buf out = {0};

	sample_init(&sample, true);
	struct report_workload *many = mem_zalloc(MANY, sizeof(*many));
	struct policy_change *changes = mem_zalloc(MANY, sizeof(*changes));

	for (size_t i = 0; i < MANY; i++) {
		many[i] = sample.workloads[i % SAMPLE_WORKLOADS];
		changes[i] = sample.changes[i % 3];
		changes[i].after = sample.template_name;
	}
	sample.report.workloads = many;
	sample.report.nworkloads = MANY;
	sample.report.policy.changes = changes;
	sample.report.policy.nchanges = MANY;
	write_comment(&sample.report, &(struct comment_options){0}, &out);
	CU_ASSERT(out.len <= COMMENT_BYTES_MAX);
	CU_ASSERT(out.len > COMMENT_BYTES_MAX / 4);
	UNIT_CONTAINS(buf_text(&out), " more findings\n");
	UNIT_CONTAINS(buf_text(&out), "\nand 592 more\n");
	CU_ASSERT_TRUE(sample_is_plain(&out));
	CU_ASSERT_TRUE(sample_is_utf8(&out));
	free(changes);
	free(many);
	buf_release(&out);
	sample_release(&sample);
}

/* Letters behind `mark`, which GitHub would make something of. */
static bool
has_bare(const char *text, const char *mark)
{
	for (const char *at = strstr(text, mark); at; at = strstr(at + 1, mark)) {
		char next = at[strlen(mark)];

		/* "&#39;" is a quotation mark. */
		if (at > text && at[-1] == '&')
			continue;
		if ((next >= '0' && next <= '9') || (next >= 'a' && next <= 'z') || next == '/')
			return true;
	}
	return false;
}

static void
names_notify_nobody_and_mark_up_nothing(void)
{
	static const char *const names[] = {"@someone", "a@b.example", "org/tool#12", "GH-12",
		"https://evil.example", "www.evil.example", "<!-- x", "<img src=x>", "`x`|y",
		"[x](https://evil.example)", "two\nlines\r# x"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct sample sample;
		struct buf out = {0};

		sample_init(&sample, false);
		sample.changes[1].after = names[i];
		sample.report.policy.from = names[i];
		sample.judgements[2].input.error = names[i];
		sample.judgements[0].verdict.findings[0].subject = names[i];
		write_comment(&sample.report, &(struct comment_options){0}, &out);
		const char *text = buf_text(&out);

		CU_ASSERT_FALSE(has_bare(text, "@"));
		CU_ASSERT_FALSE(has_bare(text, "#"));
		CU_ASSERT_FALSE(has_bare(text, "GH-"));
		CU_ASSERT_FALSE(has_bare(text, "GH\\-"));
		CU_ASSERT_FALSE(has_bare(text, ":/"));
		CU_ASSERT_FALSE(has_bare(text, "https:"));
		CU_ASSERT_PTR_NULL(strstr(text, "www.evil"));
		CU_ASSERT_PTR_NULL(strstr(text, "www\\.evil"));
		CU_ASSERT_PTR_NULL(strstr(text, "<img"));
		CU_ASSERT_PTR_NULL(strstr(text, "<!-- x"));
		CU_ASSERT_PTR_NULL(strstr(text, "[x]("));
		CU_ASSERT_PTR_NULL(strstr(text, "\r"));
		CU_ASSERT_PTR_NULL(strstr(text, "\n# x"));
		buf_release(&out);
		sample_release(&sample);
	}
}

static void
the_command_that_accepts_names_long_functions(void)
{
	struct sample sample;
	struct buf out = {0};
	char name[600];

	memset(name, 'f', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	sample_init(&sample, false);
	sample.judgements[0].verdict.findings[0].subject = name;
	write_comment(&sample.report, &(struct comment_options){0}, &out);
	UNIT_CONTAINS(buf_text(&out), "Accept: <code>profile\\_run waive");
	UNIT_CONTAINS(buf_text(&out), name);
	buf_release(&out);
	sample_release(&sample);
}

static void
a_link_needs_no_escape(void)
{
	CU_ASSERT_TRUE(comment_is_url("https://github.com/a/b/actions/runs/1?x=1#y"));
	CU_ASSERT_TRUE(comment_is_url("http://127.0.0.1:80/a"));
	CU_ASSERT_FALSE(comment_is_url("javascript:alert(1)"));
	CU_ASSERT_FALSE(comment_is_url("https:///a"));
	CU_ASSERT_FALSE(comment_is_url("https://"));
	CU_ASSERT_FALSE(comment_is_url("https://a/b)c"));
	CU_ASSERT_FALSE(comment_is_url("https://a/b c"));
	CU_ASSERT_FALSE(comment_is_url("https://a/<b"));
}

void
suite_output_comment(void)
{
	static const struct unit_case cases[] = {
		{"it_begins_with_what_it_is_found_by", it_begins_with_what_it_is_found_by},
		{"links_are_only_those_that_are_given", links_are_only_those_that_are_given},
		{"where_all_passes_it_is_quiet", where_all_passes_it_is_quiet},
		{"however_large_a_report_is_it_is_taken", however_large_a_report_is_it_is_taken},
		{"names_notify_nobody_and_mark_up_nothing",
			names_notify_nobody_and_mark_up_nothing},
		{"the_command_that_accepts_names_long_functions",
			the_command_that_accepts_names_long_functions},
		{"a_link_needs_no_escape", a_link_needs_no_escape},
		{NULL, NULL},
	};

	unit_suite("output/comment", cases);
}
