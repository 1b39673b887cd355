#!/bin/sh
# Fuzzes one target for a time: fuzz.sh PACKAGE TARGET TIME. GO is the go command.
#
# Before Go 1.27 the end of the time can be taken for a failure when the machine
# is busy (golang.org/issue/75804): "context deadline exceeded", and nothing
# found. Such a run says nothing about the target and is made again. Whatever a
# target itself does wrong, hanging included, is reported with a failing input.
for try in 1 2 3; do
	if out=$(${GO:-go} test -run '^$' -fuzz "^$2\$" -fuzztime "$3" -fuzzminimizetime 1s -parallel 1 "$1" 2>&1); then
		echo "$1 $2: $(echo "$out" | grep '^fuzz: elapsed' | tail -n 1)"
		exit 0
	fi
	echo "$out"
	if ! echo "$out" | grep -q '^ *context deadline exceeded$' || echo "$out" | grep -q -i 'failing input'; then
		break
	fi
	echo "$1 $2: attempt $try ended with the tool's own deadline"
done
exit 255 # xargs stops
