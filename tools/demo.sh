#!/usr/bin/env bash
# The main job, seen from a user's side: turn charts/memcached into an operator and use it with kubectl.
# Every step shows the real command and its real output, and fails the demo if what should be seen is not.
# KEEP=1 leaves everything running at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

keep=${KEEP:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/chartwright-demo.XXXXXX")
operator_pid=

bold() { printf '\n\033[1m%s\033[0m\n' "$*"; }
say() { printf '   %s\n' "$*"; }
die() {
    printf '\nFAILED: %s\n' "$*" >&2
    if [ -s "$work/operator.log" ]; then
        echo "The operator's last words (all of them: $work/operator.log):" >&2
        tail -15 "$work/operator.log" >&2
    fi
    [ -z "${KUBECONFIG:-}" ] || kubectl get memcached,all,secrets >&2 || true
    keep_logs=1
    exit 1
}

stop() {
    status=$?
    [ -z "$operator_pid" ] || kill "$operator_pid" 2>/dev/null || true
    [ -z "$operator_pid" ] || wait "$operator_pid" 2>/dev/null || true
    [ ! -d "$work/cluster" ] || "$devcluster" down --state "$work/cluster" >/dev/null 2>&1 || true
    [ -n "${keep_logs:-}" ] || rm -rf "$work"
    exit "$status"
}

# Shows a command and runs it.
show() { printf ' $ %s\n' "$*"; "$@" 2>&1 | sed 's/^/   /'; }

# until_true SECONDS WHAT COMMAND...: repeats the command until it succeeds.
until_true() {
    local seconds=$1 what=$2 end
    shift 2
    end=$((SECONDS + seconds))
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || die "$what was not seen within $seconds s"
        kill -0 "$operator_pid" 2>/dev/null || die "the operator ended"
        sleep 0.1
    done
}

trap stop EXIT
trap 'exit 130' INT TERM

bold "1. Build"
say "This takes some minutes the first time."
cargo build --locked --quiet --release -p chartwright -p devcluster
operator=${CARGO_TARGET_DIR:-target}/release/chartwright
devcluster=${CARGO_TARGET_DIR:-target}/release/devcluster
say "built $operator"
"$devcluster" build

built=$SECONDS

bold "2. Start a control plane"
say "kube-apiserver, etcd, kube-controller-manager and kube-scheduler are the real ones."
say "Nodes and pods are simulated by kwok: pods get scheduled and turn Running, but NO CONTAINER RUNS."
"$devcluster" up --detach --state "$work/cluster" >"$work/up.log" 2>&1 || { cat "$work/up.log" >&2; die "no control plane"; }
eval "$("$devcluster" env --state "$work/cluster")"
KUBECTL=$("$devcluster" path kubectl)
kubectl() { "$KUBECTL" "$@"; }
show kubectl get nodes

bold "3. Run the operator, as its image would: HELM_CHART, API_VERSION, KIND"
say "HELM_CHART=charts/memcached API_VERSION=anywhere.io/v1alpha1 KIND=Memcached chartwright run"
HELM_CHART=charts/memcached API_VERSION=anywhere.io/v1alpha1 KIND=Memcached \
    "$operator" run --metrics-bind-address=0 --health-probe-bind-address=0 >"$work/operator.log" 2>&1 &
operator_pid=$!
until_true 20 "the CRD" kubectl wait --for=condition=Established --timeout=1s crd/memcacheds.anywhere.io
show kubectl get crd memcacheds.anywhere.io

name=memcached-sample
ready_replicas() { [ "$(kubectl get statefulset $name -o jsonpath='{.status.readyReplicas}/{.spec.replicas}')" = "$1/$1" ]; }
running_pods() {
    [ "$(kubectl get pods -l app.kubernetes.io/instance=$name --field-selector=status.phase=Running -o name | wc -l)" = "$1" ] &&
        [ "$(kubectl get pods -l app.kubernetes.io/instance=$name -o name | wc -l)" = "$1" ]
}
is_ready() { [ "$(kubectl get memcached $name -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}')" = True ]; }
settled_at() { ready_replicas "$1" && running_pods "$1" && is_ready; }

bold "4. Create a Memcached with three replicas"
sed 's/^/   | /' deploy/cr.yaml
show kubectl apply -f deploy/cr.yaml
until_true 30 "three running pods" settled_at 3
show kubectl get memcached
show kubectl get statefulset,service,poddisruptionbudget,serviceaccount,pods -l app.kubernetes.io/instance=$name

bold "5. Scale to five, and back to two"
show kubectl scale memcached $name --replicas=5
until_true 30 "five running pods" settled_at 5
show kubectl get pods -l app.kubernetes.io/instance=$name
show kubectl scale memcached $name --replicas=2
until_true 30 "two running pods" settled_at 2
show kubectl get memcached

bold "6. Delete the Service by hand: it comes back"
uid=$(kubectl get service $name -o jsonpath='{.metadata.uid}')
show kubectl delete service $name
service_is_back() {
    local now
    now=$(kubectl get service $name -o jsonpath='{.metadata.uid}') && [ -n "$now" ] && [ "$now" != "$uid" ]
}
until_true 10 "a new Service" service_is_back
show kubectl get service $name

bold "7. Delete the Memcached: everything it made goes with it"
show kubectl delete memcached $name
left() {
    kubectl get statefulset,service,poddisruptionbudget,serviceaccount,pods -l app.kubernetes.io/instance=$name -o name
    kubectl get secrets -l owner=helm,name=$name -o name
}
nothing_left() { local all; all=$(left) && [ -z "$all" ]; }
until_true 30 "an empty namespace" nothing_left
show kubectl get statefulset,service,poddisruptionbudget,serviceaccount,pods -l app.kubernetes.io/instance=$name

bold "All of it was seen, in $((SECONDS - built)) s (and $built s to build)."
if [ -n "$keep" ]; then
    trap - EXIT INT TERM
    disown "$operator_pid"
    cat <<END

Control plane and operator are still running. Use them from here:
  export KUBECONFIG=$KUBECONFIG
  export PATH=$(dirname "$KUBECTL"):$(dirname "$(realpath "$operator")"):\$PATH
  kubectl apply -f deploy/cr.yaml
  kubectl get memcached -w
The operator's log: $work/operator.log
End both:
  kill $operator_pid; $devcluster down --state $work/cluster; rm -rf $work
END
fi
