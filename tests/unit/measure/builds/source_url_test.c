#include "builds/source_paths.h"

#include "git_fixture.h"

void suite_builds_source_url(void);

#define GITHUB "/blob/{commit}/{path}#L{line}"
#define GITLAB "/-/blob/{commit}/{path}#L{line}"
#define GITEA "/src/commit/{commit}/{path}#L{line}"

static void
check(const char *remote, const char *expected)
{
	char *url = source_url_of_remote(remote);

	UNIT_STR_EQ(url ? url : "none", expected);
	free(url);
}

static void
remotes_of_known_hosts_have_a_web_address(void)
{
	check("https://github.com/someone/tool.git", "https://github.com/someone/tool" GITHUB);
	check("https://github.com/someone/tool/", "https://github.com/someone/tool" GITHUB);
	check("git@github.com:someone/tool.git", "https://github.com/someone/tool" GITHUB);
	check("ssh://git@ssh.github.com:443/someone/tool.git",
		"https://github.com/someone/tool" GITHUB);
	check("git://github.example.org/someone/tool",
		"https://github.example.org/someone/tool" GITHUB);
	check("git@gitlab.com:group/sub/tool.git", "https://gitlab.com/group/sub/tool" GITLAB);
	check("http://gitlab.lan:8080/group/tool", "http://gitlab.lan:8080/group/tool" GITLAB);
	check("ssh://git@codeberg.org/someone/tool.git", "https://codeberg.org/someone/tool" GITEA);
	check("https://gitea.example.org/someone/tool",
		"https://gitea.example.org/someone/tool" GITEA);
	check("git@forgejo.lan:/someone/tool", "https://forgejo.lan/someone/tool" GITEA);
}

static void
a_password_is_left_out(void)
{
	check("https://me:gh0_secret@github.com/someone/tool",
		"https://github.com/someone/tool" GITHUB);
	check("https://x@evil@github.com/someone/tool", "https://github.com/someone/tool" GITHUB);
}

static void
other_remotes_have_none(void)
{
	static const char *const others[] = {"", "/srv/git/github/tool.git", "../github/tool",
		"file:///srv/github/tool.git", "C:/github/tool", "https://git.example.org/a/github",
		"https://github.com", "https://github.com/tool", "javascript://github.com/a/b",
		"git@github.com:a/b\"onclick=\"x", "https://github.com/a/b c",
		"https://github.com/a/<b>", "https://github.com/{path}/{x}", "https://@/github/b",
		"git@git.example.org:a/b.git"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		check(others[i], "none");
}

static void
the_remote_is_that_of_the_repository(void)
{
	struct git_fixture f;

	if (!git_fixture_init(&f))
		return;
	CU_ASSERT_PTR_NULL(source_url_here());
	git_fixture_sh(&f, "git remote add fork git@gitlab.com:me/tool.git");
	char *fork = source_url_here();

	git_fixture_sh(&f, "git remote add origin https://github.com/someone/tool");
	char *origin = source_url_here();

	UNIT_STR_EQ(fork ? fork : "none", "https://gitlab.com/me/tool" GITLAB);
	UNIT_STR_EQ(origin ? origin : "none", "https://github.com/someone/tool" GITHUB);
	free(fork);
	free(origin);
	git_fixture_release(&f);
}

void
suite_builds_source_url(void)
{
	static const struct unit_case cases[] = {
		{"remotes_of_known_hosts_have_a_web_address",
			remotes_of_known_hosts_have_a_web_address},
		{"a_password_is_left_out", a_password_is_left_out},
		{"other_remotes_have_none", other_remotes_have_none},
		{"the_remote_is_that_of_the_repository", the_remote_is_that_of_the_repository},
		{NULL, NULL},
	};

	unit_suite("builds/source_url", cases);
}
