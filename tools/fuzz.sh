#!/usr/bin/env bash
# Builds the fuzz targets and runs each for a while: tools/fuzz.sh SECONDS [JOBS [TARGET...]]. Needs cargo-fuzz, no nightly compiler.
# Starts from fuzz/corpus and, where the reference data is there (SHARED), from its cases. What is found stays in fuzz/artifacts;
# the last lines say how often each target ran.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: tools/fuzz.sh SECONDS [JOBS [TARGET...]]}
jobs=${2:-1}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] ||
	set -- template_execute yaml_load yaml_roundtrip chart_archive values_set template_parse printf date semver regexp json
shared=${SHARED:-../shared}
built=${FUZZ_TARGET_DIR:-$PWD/fuzz/target}
work=$built/inputs
mkdir -p "$work" fuzz/artifacts
cases=("$shared"/vectors/*.jsonl tools/conformance/vectors/*.jsonl)
[ -e "${cases[0]}" ] || unset 'cases[0]'
cargo run --locked --quiet -p fuzzing -- "$work" "${cases[@]}"
# The sanitizer needs a nightly compiler and looks for faults of unsafe code, of which there is none.
export RUSTC_BOOTSTRAP=1
CARGO_TARGET_DIR=$built cargo fuzz build -s none

one() {
	local target=$1 log="$work/$1.log" words="fuzz/words/$1.dict"
	mkdir -p "$work/$target" "fuzz/artifacts/$target"
	local options=(-max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1
		-artifact_prefix="fuzz/artifacts/$target/")
	[ -e "$words" ] && options+=(-dict="$words")
	"$built"/x86_64-unknown-linux-gnu/release/"$target" "${options[@]}" "$work/$target" "fuzz/corpus/$target" \
		>"$log" 2>&1 || true
	local runs found
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	found=$(find "fuzz/artifacts/$target" -type f | wc -l)
	echo "$target: ${runs:-?} executions in $seconds s, $found crashes"
}
export -f one
export seconds work built
printf '%s\n' "$@" | xargs -P "$jobs" -I{} bash -c 'one {}'
[ -z "$(find fuzz/artifacts -type f)" ]
