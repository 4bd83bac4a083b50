/*
 * Putting a seccomp filter on the calling process, with or without rights.
 */
#ifndef PROCESS_SECCOMP_FILTER_H
#define PROCESS_SECCOMP_FILTER_H

struct sock_fprog;

/*
 * As seccomp(2), SECCOMP_SET_MODE_FILTER. Without rights the process promises first that it will
 * gain none (PR_SET_NO_NEW_PRIVS). -1 with errno where that is refused.
 */
int seccomp_filter_set(const struct sock_fprog *program, unsigned flags);

#endif
