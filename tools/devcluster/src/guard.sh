# Runs the given command until it ends by itself or standard input is closed.
#
# Standard input is a pipe whose other end the owner holds. However the owner ends, by returning, a signal or a crash,
# the system closes that end, and the command is told to end and, after a while, made to.
#
# usage: sh -c "$(cat guard.sh)" guard GRACE COMMAND [ARGUMENT...]
# GRACE is in tenths of a second. What the command prints goes to standard error; standard output is only held open.

grace=$1
shift
exec 3<&0 </dev/null

# Closed to the command: standard output and descriptor 3, which tell others that this guard lives.
"$@" >&2 3<&- &
command=$!

end_command() {
    kill -TERM "$command" 2>/dev/null
    while [ "$grace" -gt 0 ] && kill -0 "$command" 2>/dev/null; do
        sleep 0.1
        grace=$((grace - 1))
    done
    kill -KILL "$command" 2>/dev/null
}

{
    while read -r _ <&3; do :; done
    end_command
} &
watcher=$!
exec 3<&-

# A signal to the guard is passed on; waiting then starts again.
trap 'kill -TERM "$command" 2>/dev/null' HUP INT TERM
wait "$command"
status=$?
while kill -0 "$command" 2>/dev/null; do
    wait "$command"
    status=$?
done

kill -KILL "$watcher" 2>/dev/null
exit "$status"
