#!/bin/sh
# A search with a process on each of several machines, started by ssh.
#
#   examples/cluster/ssh.sh HOSTS model.pml [options of spinor check]
#
# HOSTS has an address a line, host:port; the first is this machine, which has the model and prints the report. On the
# others only spinor must be installed (SPINOR says under which name). They get the addresses by ssh, and model and
# options from the first process.
set -eu
hosts=$1
shift
spinor=${SPINOR:-spinor}
addresses=$(sed 's/#.*//' "$hosts" | awk 'NF { print $1 }')
index=0
for address in $addresses; do
    if [ "$index" -gt 0 ]; then
        # The list goes through standard input, so that nothing needs to be copied before.
        echo "$addresses" | ssh -o BatchMode=yes "${address%:*}" \
            "list=\$(mktemp) && cat > \"\$list\" && $spinor check --hosts \"\$list\" --host-index $index; \
             code=\$?; rm -f \"\$list\"; exit \$code" &
    fi
    index=$((index + 1))
done
code=0
"$spinor" check "$@" --hosts "$hosts" --host-index 0 || code=$?
wait
exit "$code"
