#include "process/seccomp_filter.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int
seccomp_filter_set(const struct sock_fprog *program, unsigned flags)
{
	long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);

	if (result >= 0 || errno != EACCES)
		return (int)result;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);
}
