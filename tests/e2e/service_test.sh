# A server that is measured while a driver puts it under load: what is its own, how it is seen to be
# ready, how it ends, and what is said when something is wrong. Nothing is left running.
#
# Takes long.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

if ! can_capture; then
	skip "a server is measured under load" "perf_event_open is refused here"
	finish
fi
needs "a server is measured under load" cc python3

# server SOCKET [HOW]: works for some time; then a child process answers at SOCKET and a thread at
# SOCKET.thread.
cat >server.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned sink;

#define WORK(n) for (unsigned i = 0; i < (n); i++) sink += i
__attribute__((noinline)) static void start_up(void) { WORK(10000000); }
__attribute__((noinline)) static void in_worker(void) { WORK(ROUNDS); }
__attribute__((noinline)) static void in_thread(void) { WORK(50000); }

struct place {
	int listener;
	void (*handle)(void);
};

static void *answer(void *what)
{
	struct place *place = what;
	int fd;

	while ((fd = accept(place->listener, NULL, NULL)) >= 0) {
		char byte;

		while (read(fd, &byte, 1) == 1) {
			place->handle();
			if (write(fd, &byte, 1) != 1)
				break;
		}
		close(fd);
	}
	return NULL;
}

static void end(int number) { (void)number; _exit(0); }

static int listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(address.sun_path, path);
	unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 8))
		_exit(4);
	return fd;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	struct place worker = {-1, in_worker}, other = {-1, in_thread};
	char path[100];
	pthread_t thread;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGTERM, strcmp(how, "stubborn") == 0 ? SIG_IGN : end);
	if (strcmp(how, "silent") == 0)
		pause();
	start_up();
	if (strcmp(how, "broken") == 0) {
		fprintf(stderr, "no such database\n");
		return 3;
	}
	snprintf(path, sizeof(path), "%s.thread", argv[1]);
	other.listener = listen_at(path);
	worker.listener = listen_at(argv[1]);
	printf("took the socket\nready to serve\n");
	fflush(stdout);
	if (fork() == 0)
		answer(&worker);
	pthread_create(&thread, NULL, answer, &other);
	if (strcmp(how, "mortal") == 0) {
		usleep(300000);
		return 5;
	}
	wait(NULL);
	return 0;
}
END
# drive SOCKET N [STATUS]: N requests to each
cat >drive.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static volatile unsigned sink;
__attribute__((noinline)) static void in_driver(void) { for (int i = 0; i < 50000; i++) sink += i; }

static void ask(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char byte = 1;

	strcpy(address.sun_path, path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		exit(6);
	if (write(fd, &byte, 1) != 1 || read(fd, &byte, 1) != 1)
		exit(7);
	close(fd);
}

int main(int argc, char **argv)
{
	char path[100];

	snprintf(path, sizeof(path), "%s.thread", argv[1]);
	for (int i = atoi(argv[2]); i > 0; i--) {
		ask(argv[1]);
		ask(path);
		in_driver();
	}
	return argc > 3 ? atoi(argv[3]) : 0;
}
END
build() { "${CC:-cc}" -O1 -g -fno-omit-frame-pointer -pthread -DROUNDS="$2" -o "$1" server.c; }
build test_server 100000 && build test_slower 300000 && "${CC:-cc}" -O1 -g -o test_drive drive.c || exit 2
mkdir workloads
# workload START READY [DRIVER] [MORE]
workload() {
	cat >workloads/served.yaml <<-END
		name: served
		service: {start: [$1], ready: $2, ${4:-timeout: 20s}}
		run: [${3:-./test_drive, socket, "400"}]
		capture: {runs: 3, max_runs: 3, warmup: 0, callgraph: fp}
		gate: {functions: {warn: 12%, fail: 15%}, total: {warn: 90%, fail: 90%}}
	END
}
# Those that nobody has reaped yet are not left.
nothing_left() { ! pgrep -xa -r D,R,S,T 'test_server|test_slower|test_drive'; }

workload "./test_server, socket" "{unix: socket}"
check "a server is measured" exits 0 "$PROFILE_RUN" baseline update --no-counts served
check "and judged" exits 0 "$PROFILE_RUN" gate served
own() {
	sed 's/ [0-9]*$//' reports/latest/served/folded.txt >stacks.txt
	grep -v _libc_ stacks.txt | head -n 20
	grep -q ';in_worker' stacks.txt && grep -q ';in_thread' stacks.txt || return 1
	! grep -E 'start_up|in_driver' stacks.txt
}
check "all its processes and threads, from when it is ready, and not the driver" own
check "nothing is left running" nothing_left

for ready in '{log: ready to serve}' '{command: [./test_drive, socket, "1"]}'; do
	workload "./test_server, socket" "$ready" './test_drive, socket, "300"'
	check "it is seen to be ready: $ready" exits 0 "$PROFILE_RUN" baseline update --no-counts served \
		--baselines others
done

# refused TEXT WHAT START READY [DRIVER] [MORE]: exit code 2 with the text, and nothing left.
refused() {
	workload "${@:3}"
	rm -f socket
	check "$2" exits 2 "$PROFILE_RUN" gate served --measure-anyway
	check "and says so" contains err.txt "$1"
	check "nothing is left running" nothing_left
}
refused "was not ready within 1 s" "a server that is never ready" \
	"./test_server, socket, silent" "{unix: socket}" "" "timeout: 1s"
refused "exited with status 3" "a server that fails to start" \
	"./test_server, socket, broken" "{unix: socket}"
check "with its last words" contains err.txt "no such database"
refused "while its driver './test_drive' ran" "a server that dies half-way" \
	"./test_server, socket, mortal" "{unix: socket}" './test_drive, socket, "1000000"'
refused "did not end within 3 s of SIGTERM" "a server that ignores its signal" \
	"./test_server, socket, stubborn" "{unix: socket}" './test_drive, socket, "20"' "timeout: 3s"
refused "'./test_drive' exited with status 9" "a driver that fails" \
	"./test_server, socket" "{unix: socket}" './test_drive, socket, "20", "9"'
workload "./test_server, socket" "{unix: socket}"
rm -f socket
./test_server socket >/dev/null 2>&1 &
soon test -S socket
check "a server that another stands in place of" exits 2 "$PROFILE_RUN" gate served
check "is not confused with it" contains err.txt "another process answers in its place"
pkill -x test_server
wait

workload "./test_server, socket" "{unix: socket}" './test_drive, socket, "1000000"' \
	'timeout: 20s, needs: [{start: [./test_server, needed], ready: {unix: needed}, timeout: 20s}]'
"$PROFILE_RUN" gate served --measure-anyway >/dev/null 2>&1 &
soon pgrep -x test_drive >/dev/null
check "the servers that it needs are running" test "$(pgrep -xc -r D,R,S,T test_server)" -eq 4
kill -9 $!
wait 2>/dev/null
check "nothing is left running after SIGKILL" soon nothing_left

# A slower server, by the same driver, which an unmeasured one is needed for.
workload "./test_slower, socket" "{unix: socket}" './test_drive, socket, "400"' \
	'timeout: 20s, needs: [{start: [./test_server, needed], ready: {unix: needed}, timeout: 20s}]'
echo './test_slower: ./test_server' >before.yaml
check "a slower server fails" exits 1 "$PROFILE_RUN" gate served --against before.yaml \
	--runs 5 --max-runs 12
check "and its function is named" contains reports/latest/report.txt "in_worker"

# Its socket is in the folder that each build runs in.
mkdir base
cp test_server test_drive base
workload "./test_server, socket" "{unix: socket}" './test_drive, socket, "300"'
"$PROFILE_RUN" gate served --against base --measure-anyway --runs 3 --max-runs 3 >out.txt 2>&1
check "a server of another folder is measured there" test $? -ne 2
finish
