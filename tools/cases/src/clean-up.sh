# Takes away what a case made: its kind with all resources, its namespaces, and what is named after them.
# Needs NS, KIND and GROUP. The operator has ended, so finalizers are taken off by hand.

crds=$(kubectl get crd -o jsonpath='{range .items[?(@.spec.group=="'"$GROUP"'")]}{.spec.names.kind} {.metadata.name}{"\n"}{end}' |
    awk -v kind="$KIND" 'tolower($1) == tolower(kind) { print $2 }')
for crd in $crds; do
    kubectl get "$crd" --all-namespaces -o jsonpath='{range .items[*]}{.metadata.namespace} {.metadata.name}{"\n"}{end}' |
        while read -r namespace name; do
            kubectl -n "$namespace" patch "$crd" "$name" --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null
        done
    kubectl delete crd "$crd" --timeout=60s || exit 1
done
kubectl get namespace,clusterrole,clusterrolebinding -o name | grep -F "/$NS" | xargs -r kubectl delete --wait=false
