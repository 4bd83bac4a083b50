# `gate --prepare` puts back what it changed, however it ends. In a namespace of mounts of its own: a
# plain file stands for the machine's turbo switch, so that nothing of the machine is changed.
# shellcheck source=tests/e2e/lib.sh
. "$ROOT/tests/e2e/lib.sh"

cpufreq=/sys/devices/system/cpu/cpufreq
boost=$cpufreq/boost

if [ -z "${PREPARE_INSIDE:-}" ]; then
	if [ "$(id -u)" -ne 0 ] || [ ! -d $cpufreq ] ||
		! unshare -m mount -t tmpfs none $cpufreq 2>refused.txt; then
		skip "a prepared machine is put back" "root, mounts and $cpufreq are needed"
		exit 0
	fi
	PREPARE_INSIDE=1 exec unshare -m bash "$0"
fi

is() {
	[ "$(cat "$boost")" = "$1" ]
}

start() {
	"$PROFILE_RUN" gate --measure-anyway sleeper.yaml --baselines baselines --reports reports --prepare \
		>gate.txt 2>&1 &
	gate=$!
	soon is 0
}

# ended SIGNAL: the gate dies of it, and the switch is as before
ended() {
	start && kill "-$1" "$gate"
	wait "$gate"
	soon is 1 && soon test ! -e /run/profile_run/prepared
}

both_killed() {
	local restorer=
	start || return 1
	# It takes its name once it runs, which may be later.
	soon pgrep -P "$gate" -x restorer >restorer.txt
	restorer=$(cat restorer.txt)
	kill -KILL "$restorer" "$gate"
	wait "$gate"
	is 0
}

mount -t tmpfs none $cpufreq && echo 1 >$boost && mount -t tmpfs none /run || exit 2
mkdir -p baselines reports
printf 'name: sleeper\nrun: [sleep, "60"]\ncapture: {runs: 3, warmup: 1, timeout: 90s}\n' >sleeper.yaml
check "SIGTERM puts the setting back" ended TERM
check "SIGINT puts the setting back" ended INT
check "after SIGKILL somebody else does" ended KILL
check "if that one dies too, it is left" both_killed
check "doctor --restore puts it back" exits 0 "$PROFILE_RUN" doctor --restore
check "and says so" contains out.txt "killed profile_run: 1 setting"
check "it is as before" is 1
check "nothing is left to restore" exits 0 "$PROFILE_RUN" doctor --restore
check "which is said too" contains out.txt "nothing to restore"
finish
