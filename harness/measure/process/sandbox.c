#include "process/sandbox.h"

#include "process/sandbox_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than the headers of some systems that we are built on. */
#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif

/* Bits of LANDLOCK_ACCESS_FS_*: all to the version's last, but for reading. */
#define ACCESS_EXECUTE (UINT64_C(1) << 0)
#define ACCESS_READ ((UINT64_C(1) << 2) | (UINT64_C(1) << 3))
/* Making devices, sockets and pipes: in no folder. */
#define ACCESS_SPECIAL \
	((UINT64_C(1) << 6) | (UINT64_C(1) << 9) | (UINT64_C(1) << 10) | (UINT64_C(1) << 11))
#define ACCESS_NET_TCP UINT64_C(3)
#define SCOPE_ALL UINT64_C(3)

/* struct landlock_ruleset_attr, as of version 6. */
struct ruleset {
	uint64_t files;
	uint64_t net;
	uint64_t scope;
};

static uint64_t
known_accesses(int version)
{
	static const unsigned nbits[] = {0, 13, 14, 15, 15, 16};
	const int last = (int)(sizeof(nbits) / sizeof(nbits[0])) - 1;

	return (UINT64_C(1) << nbits[version < last ? version : last]) - 1;
}

static size_t
ruleset_bytes(int version)
{
	if (version < 4)
		return sizeof(uint64_t);
	return version < 6 ? 2 * sizeof(uint64_t) : sizeof(struct ruleset);
}

struct sandbox_support
sandbox_support(void)
{
	uint32_t action = SECCOMP_RET_ERRNO;
	/* LANDLOCK_CREATE_RULESET_VERSION */
	long version = syscall(__NR_landlock_create_ruleset, NULL, 0UL, 1UL);

	return (struct sandbox_support){
		.filter = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0,
		.landlock = version > 0 ? (int)version : 0,
	};
}

static int
allow_folder(int ruleset, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr rule = {
		.allowed_access = access,
		.parent_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC),
	};

	if (rule.parent_fd < 0)
		return -1;
	long result =
		syscall(__NR_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0UL);

	close(rule.parent_fd);
	return (int)result;
}

static int
confine_files(const struct sandbox_rules *rules, int version, struct err *err)
{
	struct ruleset wanted = {
		.files = known_accesses(version) & ~ACCESS_READ,
		.net = rules->network ? 0 : ACCESS_NET_TCP,
		.scope = SCOPE_ALL,
	};
	int result = -1;

	if (rules->programs)
		wanted.files &= ~ACCESS_EXECUTE;
	int ruleset =
		(int)syscall(__NR_landlock_create_ruleset, &wanted, ruleset_bytes(version), 0UL);

	if (ruleset < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot make rules of Landlock");
	for (size_t i = 0; i < rules->nfolders; i++) {
		if (allow_folder(ruleset, rules->folders[i],
			    wanted.files & ~ACCESS_SPECIAL & ~ACCESS_EXECUTE) < 0) {
			err_set_errno(err, ERR_SYSTEM, errno, "cannot allow writing below '%s'",
				rules->folders[i]);
			goto out;
		}
	}
	result = (int)syscall(__NR_landlock_restrict_self, ruleset, 0UL);
	if (result < 0)
		err_set_errno(err, ERR_SYSTEM, errno, "cannot restrict access to files");
out:
	close(ruleset);
	return result;
}

int
sandbox_enter(const struct sandbox_rules *rules, struct err *err)
{
	const struct sandbox_support support = sandbox_support();
	struct sandbox_filter filter = {
		.files = rules->nfolders > 0,
		.mask = umask(0),
		.programs = rules->programs,
		.network = rules->network,
	};

	umask(filter.mask);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot give up gaining rights");
	if (support.landlock > 0 && confine_files(rules, support.landlock, err) < 0)
		return -1;
	if (sandbox_filter_set(&filter) < 0)
		return err_set_errno(err, ERR_SYSTEM, errno, "cannot set a seccomp filter");
	return 0;
}
