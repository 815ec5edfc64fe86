# Removes a cluster's state directory once nobody uses it any more.
#
# Standard input is a pipe whose other end the owner and every guard hold: it closes when the last of them is gone,
# however they went. With a file named `keep` in the directory, the logs are left, and the lock file that tells whose they are.
#
# usage: sh -c "$(cat janitor.sh)" janitor DIRECTORY

trap '' HUP INT TERM
while read -r _; do :; done
if [ -e "$1/keep" ]; then
    for entry in "$1"/*; do
        case $entry in
            "$1/logs" | "$1/devcluster.lock") ;;
            *) rm -rf "$entry" ;;
        esac
    done
else
    rm -rf "$1"
fi
