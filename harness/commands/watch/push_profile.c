#include "watch/push_profile.h"

#include "base/base64.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/mem.h"
#include "output/pprof.h"
#include "process/process.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define BODY_NAME "push.body"

/* A kind of store: the form in which profiles are sent to it. */
struct store {
	const char *path; /* the end of the path in its URL */
	const char *content_type;
	void (*put_url)(const char *url, const struct profile *profile, struct buf *out);
	void (*put_body)(const struct profile *profile, struct buf *out);
};

static void
put_host(struct buf *out)
{
	struct utsname names;

	buf_puts(out, uname(&names) == 0 ? names.nodename : "unknown");
}

/* By grafana.com/docs/pyroscope/latest/reference-server-api: /ingest */
static void
put_pyroscope_url(const char *url, const struct profile *profile, struct buf *out)
{
	const char *query = strchr(url, '?');
	struct buf name = {0};

	buf_printf(out, "%s%c", url, query ? '&' : '?');
	if (!query || (!strstr(query, "?name=") && !strstr(query, "&name="))) {
		buf_puts(&name, "profile_run{hostname=");
		put_host(&name);
		buf_putc(&name, '}');
		buf_puts(out, "name=");
		escape_url(out, buf_text(&name), name.len);
		buf_putc(out, '&');
	}
	buf_printf(out, "from=%" PRId64 "&until=%" PRId64 "&format=pprof&spyName=profile_run",
		profile->started, profile->started + (int64_t)llround(profile->duration_s));
	if (profile->frequency_hz >= 1)
		buf_printf(out, "&sampleRate=%.0f", profile->frequency_hz);
	buf_release(&name);
}

static void
put_plain_url(const char *url, const struct profile *profile, struct buf *out)
{
	(void)profile;
	buf_puts(out, url);
}

/* WriteRawRequest of parca.profilestore.v1alpha1, in JSON. */
static void
put_parca_body(const struct profile *profile, struct buf *out)
{
	struct buf host = {0};
	struct buf pprof = {0};

	put_host(&host);
	pprof_put(profile, &pprof);
	buf_puts(out, "{\"normalized\":true,\"series\":[{\"labels\":{\"labels\":["
		      "{\"name\":\"__name__\",\"value\":\"profile_run\"},"
		      "{\"name\":\"hostname\",\"value\":\"");
	escape_quoted(out, buf_text(&host), host.len);
	buf_puts(out, "\"}]},\"samples\":[{\"raw_profile\":\"");
	base64_put(out, buf_text(&pprof), pprof.len);
	buf_puts(out, "\"}]}]}");
	buf_release(&pprof);
	buf_release(&host);
}

static const struct store stores[] = {
	{"/ingest", "application/octet-stream", put_pyroscope_url, pprof_put},
	{"/profiles/writeraw", "application/json", put_plain_url, put_parca_body},
};

/* The kind of store that a URL names by the end of its path; NULL: none is known. */
static const struct store *
find_store(const char *url)
{
	size_t len = strcspn(url, "?");

	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return NULL;
	for (size_t i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		size_t end = strlen(stores[i].path);

		if (len > end && strncmp(url + len - end, stores[i].path, end) == 0)
			return &stores[i];
	}
	return NULL;
}

/* Runs curl to its end; its message becomes the error. */
static int
run_curl(const char *const *argv, struct err *err)
{
	struct tool_output output;
	int result = tool_run(&output, argv, NULL, NULL, err);

	if (result == 0 && output.status != 0) {
		result = err_set(err, ERR_SYSTEM, "curl ended with status %d", output.status);
		tool_note_complaint(&output, err);
	}
	tool_output_release(&output);
	return result;
}

int
push_check(const char *url, struct err *err)
{
	static const char *const argv[] = {"curl", "--version", NULL};

	if (!find_store(url))
		return err_set(err, ERR_USAGE,
			"'--push %.200s': expected http://HOST/ingest (Pyroscope) or "
			"http://HOST/profiles/writeraw (Parca)",
			url);
	if (run_curl(argv, err) < 0)
		return err_note(err, "'--push' needs the program curl");
	return 0;
}

int
push_profile(const char *url, const struct profile *profile, const char *dir, struct err *err)
{
	const struct store *store = find_store(url);
	struct buf body = {0};
	struct buf to = {0};
	char *path = file_join(dir, BODY_NAME);
	char *from = mem_printf("@%s", path);
	char *type = mem_printf("Content-Type: %s", store->content_type);

	store->put_url(url, profile, &to);
	store->put_body(profile, &body);
	const char *const argv[] = {"curl", "--silent", "--show-error", "--fail",
		"--netrc-optional", "--proto", "=http,https", "--connect-timeout", "5",
		"--max-time", "10", "--retry", "3", "--retry-connrefused", "--retry-max-time", "30",
		"--output", "/dev/null", "--header", type, "--data-binary", from, "--url",
		buf_text(&to), NULL};
	int result = file_write(path, buf_text(&body), body.len, err);

	if (result == 0) {
		result = run_curl(argv, err);
		unlink(path);
	}
	free(type);
	free(from);
	free(path);
	buf_release(&to);
	buf_release(&body);
	return result;
}
