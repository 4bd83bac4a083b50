/*
 * Sending profiles to a store of profiles (Pyroscope, Parca), as pprof by HTTP. The program `curl`
 * does the transfer: TLS, proxies and credentials (~/.netrc, ~/.curlrc) are as its user has set
 * them up.
 */
#ifndef WATCH_PUSH_PROFILE_H
#define WATCH_PUSH_PROFILE_H

#include "base/err.h"
#include "profile/profile.h"

/*
 * Checks that the end of the URL's path names a known kind of store, and that there is a curl:
 *   /ingest             Pyroscope; from, until and format are added to the query, and a name unless
 *                       it has one
 *   /profiles/writeraw  Parca
 */
int push_check(const char *url, struct err *err);
/*
 * Sends `profile`, with its times. An answer takes 10 s at most; after an error that may be
 * temporary it is sent three times more, for half a minute. `dir` holds the body in the meantime.
 */
int push_profile(const char *url, const struct profile *profile, const char *dir, struct err *err);

#endif
