// Prints random calls of Go's standard library with their results, for comparison.
//
// Usage: oracle GROUP SEED ROUNDS. A line has the operation, its arguments and the result in hexadecimal, separated by
// tabs. Texts are in hexadecimal too; values are written by encode.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
)

var (
	random *rand.Rand
	output = bufio.NewWriterSize(os.Stdout, 1<<20)
)

// groups make one round of calls each.
var groups = map[string]func(round int){
	"fmt":   formatRound,
	"float": floatRound,
	"quote": quoteRound,
	"num":   numberRound,
	"json":  jsonRound,
	"str":   stringRound,
	"rune":  runeRound,
}

func main() {
	if len(os.Args) != 4 || groups[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: oracle fmt|float|quote|num|json|str|rune SEED ROUNDS")
		os.Exit(2)
	}
	seed, _ := strconv.ParseInt(os.Args[2], 10, 64)
	rounds, _ := strconv.Atoi(os.Args[3])
	random = rand.New(rand.NewSource(seed))
	defer output.Flush()
	for round := range rounds {
		groups[os.Args[1]](round)
	}
}

// call prints one call.
func call(operation, result string, arguments ...any) {
	output.WriteString(operation)
	for _, argument := range arguments {
		output.WriteByte('\t')
		fmt.Fprint(output, argument)
	}
	output.WriteByte('\t')
	output.WriteString(text(result))
	output.WriteByte('\n')
}

// text writes a text so that no line or field is broken.
func text(s string) string {
	return hex.EncodeToString([]byte(s))
}

// parts writes several texts as one.
func parts(list []string) string {
	return strconv.Itoa(len(list)) + "\x00" + strings.Join(list, "\x00")
}

func pick[T any](choices ...T) T {
	return choices[random.Intn(len(choices))]
}

func oneIn(n int) bool {
	return random.Intn(n) == 0
}
