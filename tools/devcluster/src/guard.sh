# Runs the given command until it ends by itself or standard input is closed.
#
# Standard input is a pipe whose other end the owner holds. However the owner ends, by returning, a signal or a crash,
# the system closes that end, and the command and all it started are told to end and, after a while, made to.
#
# usage: sh -c "$(cat guard.sh)" guard GRACE COMMAND [ARGUMENT...]
# GRACE is in tenths of a second. What the command prints goes to standard error; standard output is only held open.
# The shell must lead a process group, for it is the group that is ended.

grace=$1
shift
exec 3<&0 </dev/null

# What the group is told is not meant for the guard, nor for the watcher below.
trap '' HUP INT TERM

# The command gets neither standard output nor descriptor 3, which tell others that this guard lives.
(
    trap - HUP INT TERM
    exec "$@"
) >&2 3<&- &
command=$!

{
    while read -r _ <&3; do :; done
    kill -TERM 0
    while [ "$grace" -gt 0 ] && kill -0 "$command" 2>/dev/null; do
        sleep 0.1
        grace=$((grace - 1))
    done
    kill -KILL 0
} &
watcher=$!
exec 3<&-

wait "$command"
status=$?
kill -KILL "$watcher" 2>/dev/null
exit "$status"
