#!/bin/bash
# prepare.sh: allows sampling and kernel names where that is not so yet, by sudo; the values that
# were there are left in $SAVED, one "NAME=VALUE" a line. With --restore: puts these back.
#
# What a machine refuses is a notice and no failure: the gate finds out by itself what it can do.
# Programs that were measured in between can have written to $SAVED: what it cannot hold is ignored.
set -u
sysctl_set() { # NAME=VALUE
	if [ "$(id -u)" -eq 0 ]; then
		sysctl -q -w "$1"
	else
		sudo -n sysctl -q -w "$1"
	fi
}

if [ "${1:-}" = --restore ]; then
	[ -f "$SAVED" ] || exit 0
	while read -r setting; do
		case $setting in
		kernel.perf_event_paranoid=[2-4] | kernel.kptr_restrict=[12])
			sysctl_set "$setting" || echo "::notice title=profile_run::$setting was not restored"
			;;
		*) echo "::notice title=profile_run::settings of the machine that are not its own were not restored" ;;
		esac
	done < <(head -c 1000 "$SAVED")
	rm -f "$SAVED"
	exit 0
fi

rm -f "$SAVED"
for setting in kernel.perf_event_paranoid=1 kernel.kptr_restrict=0; do
	name=${setting%=*} wanted=${setting#*=}
	value=$(sysctl -n "$name" 2>/dev/null) || continue
	[ "$value" -gt "$wanted" ] || continue
	if sysctl_set "$setting"; then
		echo "$name=$value" >>"$SAVED"
	else
		echo "::notice title=profile_run::$name is $value and cannot be set to $wanted here:" \
			"kernel functions may be missing, or sampling refused"
	fi
done
