/*
 * Profiles on their way to a store of profiles, as pprof by HTTP. The program `curl` does the
 * transfer: TLS, proxies and credentials (~/.netrc, ~/.curlrc) are as its user has set them up.
 */
#ifndef PIPELINE_PUSH_H
#define PIPELINE_PUSH_H

#include "base/err.h"
#include "profile/profile.h"

/*
 * Checks that a store is known by the end of the URL's path, and that there is a curl:
 *   /ingest             Pyroscope; name, from, until and format are added to its query, a name
 *                       unless it has one
 *   /profiles/writeraw  Parca
 */
int push_check(const char *url, struct err *err);

/*
 * Sends `profile`, with its times. An answer takes 10 s at most; what may be temporary is tried
 * three times more, for half a minute. `dir` is where the body lies meanwhile.
 */
int push_profile(const char *url, const struct profile *profile, const char *dir, struct err *err);

#endif
