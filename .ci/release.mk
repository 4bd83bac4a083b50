# What a release has: `make static`, `make deb`. Included by the top Makefile.

# The static program runs on every Linux of its architecture, in an empty folder, too. It is not
# position-independent, since capstone's tables would be relocated at each start. Where the libraries
# are loaded at run time it is compiled differently: a static program cannot load any.
STATIC := build/static
STATIC_LIBS := -ldw -lelf -lyaml -lnettle -lzstd -liberty -lcapstone -lz -llzma -lbz2 -lm -pthread
LOADING := $(shell grep -l '"base/library.h"' $(SOURCES))
LOADING_OBJECTS := $(LOADING:%.c=$(STATIC)/%.o)

# Debian has no static library of cJSON; `.ci/deps static` fetches its source package, of the version
# that is installed. Where there is a library, it is taken.
CJSON_SOURCE := build/source/cjson/cJSON.c
CJSON = $(or $(filter /%,$(shell $(CC) -print-file-name=libcjson.a)),$(STATIC)/cJSON.o)

build/packages-static: .ci/missing
	@.ci/missing static '$(CC)'
	@mkdir -p build
	@touch $@

# The compiler's own, which may be for another architecture.
OBJCOPY = $(shell $(CC) -print-prog-name=objcopy)

.PHONY: static
static: $(STATIC)/profile_run ## build one binary that needs no library: build/static/profile_run

$(LOADING_OBJECTS): $(STATIC)/%.o: %.c | build/packages-static
	@mkdir -p $(@D)
	$(call say,CC   $< (static))
	$(Q)$(CC) $(CPPFLAGS) -DPROFILE_RUN_STATIC $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(STATIC)/cJSON.o: $(CJSON_SOURCE)
	@mkdir -p $(@D)
	$(call say,CC   $<)
	$(Q)$(CC) $(CFLAGS_ALL) -w -c -o $@ $<

# The map says what was linked. The symbols go into their own file, which gdb finds beside the
# program.
$(STATIC)/linked: $(filter-out $(LOADING:%.c=$(BUILD)/%.o),$(OBJECTS)) $(BUILD)/harness/main.o \
		$(LOADING_OBJECTS) $(CJSON) | build/packages-static
	$(call say,LINK $@)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -static -no-pie -Wl,--build-id=sha1 -Wl,-Map=$(STATIC)/map \
		-o $@ $^ $(STATIC_LIBS)

$(STATIC)/profile_run: $(STATIC)/linked
	$(Q)$(OBJCOPY) --only-keep-debug $< $@.debug
	$(Q)$(OBJCOPY) --strip-all --add-gnu-debuglink=$@.debug $< $@

# The time of everything that has one is that of the commit, and its author answers for the package.
PACKAGE = build/profile-run_$(VERSION)_$(shell dpkg --print-architecture).deb
deb dist: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
deb dist: export MAINTAINER ?= $(shell git log -1 --format='%an <%ae>' 2>/dev/null || \
	echo 'profile_run <root@localhost>')

.PHONY: deb
deb: static all ## build a Debian package of it: build/profile-run_VERSION_ARCHITECTURE.deb
	$(call say,DEB)
	$(Q)MAKEFLAGS= .ci/deb $(VERSION)

# Named by version and machine, as a release has them; SHA256SUMS is made of those of all machines.
DIST = build/dist/profile_run-$(VERSION)-linux-$(shell uname -m)

.PHONY: dist
dist: deb ## what a release has for this machine: program, symbols, package, SBOM, licences
	$(Q)rm -rf build/dist
	$(Q)mkdir -p build/dist
	$(Q)cp $(STATIC)/profile_run $(DIST)
	$(Q)cp $(STATIC)/profile_run.debug $(DIST).debug
	$(Q).ci/sbom $(VERSION) >$(DIST).spdx.json
	$(Q)gzip -dc build/deb/usr/share/doc/profile-run/licenses.gz >$(DIST).licenses.txt
	$(Q)cp $(PACKAGE) build/dist
	@ls build/dist

-include $(LOADING_OBJECTS:.o=.d)
