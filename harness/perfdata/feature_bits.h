/*
 * Numbers of a perf.data file's feature sections: bits of the header's bitmap. Source: the kernel
 * tree's tools/perf/util/header.h. The reader and the writer each use some of them.
 */
#ifndef PERFDATA_FEATURE_BITS_H
#define PERFDATA_FEATURE_BITS_H

enum feature_bit {
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_SAMPLE_TIME = 21,
};

#endif
