// Command yaml compares results of the goyaml crate with the Go libraries it follows.
//
// It reads one case per line from standard input, as the example `difftest` of the crate prints them: a kind, the
// input in hex, and the crate's result in hex, separated by tabs. It prints every case in which Go says something
// else, and fails if there was one. Results that differ between two runs of Go are accepted if one run agrees.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"

	goyaml2 "go.yaml.in/yaml/v2"
	goyaml "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// How often a case is run again to see whether Go's result is random.
const reruns = 30

func main() {
	show := flag.Int("show", 40, "how many differences to print")
	flag.Parse()
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	var cases, differences, random, panics int
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		kind, input, got := parseLine(strings.TrimSuffix(line, "\n"))
		cases++
		want := run(kind, input)
		if want == got || sameKeys(want, got) {
			continue
		}
		if agreesSometimes(kind, input, got) {
			random++
			continue
		}
		if strings.HasPrefix(want, "P") {
			panics++
			if panics > *show/4 {
				continue
			}
		} else {
			differences++
		}
		if differences <= *show {
			fmt.Printf("--- %s %q\n  go:   %q\n  rust: %q\n", kind, input, want, got)
		}
	}
	fmt.Printf("%d cases, %d differ, %d random in Go, %d panic in Go\n", cases, differences, random, panics)
	if differences > 0 {
		os.Exit(1)
	}
}

func parseLine(line string) (kind string, input []byte, got string) {
	parts := strings.Split(line, "\t")
	if len(parts) != 3 {
		panic("bad line: " + line)
	}
	input, err := hex.DecodeString(parts[1])
	if err != nil {
		panic(err)
	}
	result, err := hex.DecodeString(parts[2])
	if err != nil {
		panic(err)
	}
	return parts[0], input, string(result)
}

// sameKeys accepts errors that show a map key whose parts are in another order: Go sorts keys of different types by
// the addresses of their types, which differ between programs.
func sameKeys(want, got string) bool {
	if !strings.Contains(want, "map key") || len(want) != len(got) {
		return false
	}
	a, b := []byte(want), []byte(got)
	sort.Slice(a, func(i, j int) bool { return a[i] < a[j] })
	sort.Slice(b, func(i, j int) bool { return b[i] < b[j] })
	return bytes.Equal(a, b)
}

// agreesSometimes reports whether Go's result is random and the given one is as good as any. An inconsistent order of
// many keys has too many outcomes to wait for the same one: then the same lines in any order will do. Of several bad
// keys Go may show one hardly ever.
func agreesSometimes(kind string, input []byte, got string) bool {
	outcomes := map[string]bool{}
	alike := false
	for i := 0; i < reruns || alike && i < 100*reruns; i++ {
		outcome := run(kind, input)
		if outcome == got {
			return true
		}
		outcomes[outcome] = true
		const badKey = "unsupported map key"
		alike = alike || sortedLines(outcome) == sortedLines(got) ||
			strings.Contains(outcome, badKey) && strings.Contains(got, badKey)
		if alike && len(outcomes) > 1 {
			return true
		}
	}
	return false
}

func sortedLines(text string) string {
	lines := strings.Split(strings.TrimPrefix(text, "V"), "\n")
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// run returns "V" and the value or text, "E" and the error, or "P" and the reason of a panic.
func run(kind string, input []byte) (result string) {
	defer func() {
		if reason := recover(); reason != nil {
			result = fmt.Sprintf("P%v", reason)
		}
	}()
	switch kind {
	case "load":
		var value any
		return outcome(&value, yaml.Unmarshal(input, &value))
	case "strict":
		var value any
		return outcome(&value, yaml.UnmarshalStrict(input, &value))
	case "typed":
		var value any
		err := yaml.Unmarshal(input, &value)
		// Typed values keep the infinities that JSON lacks.
		if err != nil && !strings.Contains(err.Error(), "json: unsupported value") {
			return "E" + err.Error()
		}
		var typed any
		if err := goyaml2.Unmarshal(input, &typed); err != nil {
			panic(err)
		}
		typed = withStringKeys(typed)
		return outcome(&typed, nil)
	case "map":
		value := map[string]any{}
		return outcome(&value, yaml.Unmarshal(input, &value))
	case "array":
		value := []any{}
		return outcome(&value, yaml.Unmarshal(input, &value))
	case "toYaml":
		text, err := yaml.Marshal(decode(input))
		if err != nil {
			return "E"
		}
		return "V" + string(text)
	case "pretty":
		var out bytes.Buffer
		encoder := goyaml.NewEncoder(&out)
		encoder.SetIndent(2)
		if err := encoder.Encode(decode(input)); err != nil {
			return "E" + err.Error()
		}
		return "V" + out.String()
	}
	panic("unknown kind " + kind)
}

// withStringKeys turns keys into strings as sigs.k8s.io/yaml does.
func withStringKeys(value any) any {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			value[i] = withStringKeys(item)
		}
		return value
	case map[any]any:
		entries := map[string]any{}
		for key, item := range value {
			var name string
			switch key := key.(type) {
			case float64:
				name = strconv.FormatFloat(key, 'g', -1, 32)
				switch name {
				case "+Inf":
					name = ".inf"
				case "-Inf":
					name = "-.inf"
				case "NaN":
					name = ".nan"
				}
			default:
				name = fmt.Sprint(key)
			}
			entries[toValid(name)] = withStringKeys(item)
		}
		return entries
	case string:
		return toValid(value)
	}
	return value
}

// toValid replaces bytes that are not UTF-8 as JSON does, one by one.
func toValid(text string) string {
	return string([]rune(text))
}

func outcome(value any, err error) string {
	if err != nil {
		return "E" + err.Error()
	}
	var out strings.Builder
	encode(&out, reflect.ValueOf(value).Elem().Interface())
	return "V" + out.String()
}

// encode writes a value as the crate's example does.
func encode(out *strings.Builder, value any) {
	switch value := value.(type) {
	case nil:
		out.WriteByte('n')
	case bool:
		if value {
			out.WriteByte('t')
		} else {
			out.WriteByte('f')
		}
	case float64:
		fmt.Fprintf(out, "d%x;", math.Float64bits(value))
	case int:
		fmt.Fprintf(out, "i%d;", value)
	case uint64:
		fmt.Fprintf(out, "u%d;", value)
	case string:
		fmt.Fprintf(out, "s%d:%s", len(value), value)
	case []any:
		out.WriteByte('[')
		for _, item := range value {
			encode(out, item)
		}
		out.WriteByte(']')
	case map[string]any:
		keys := make([]string, 0, len(value))
		for key := range value {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		out.WriteByte('{')
		for _, key := range keys {
			encode(out, key)
			encode(out, value[key])
		}
		out.WriteByte('}')
	default:
		panic(fmt.Sprintf("unexpected %T", value))
	}
}

type reader struct{ rest []byte }

func decode(text []byte) any {
	r := reader{text}
	return r.value()
}

func (r *reader) until(end byte) string {
	i := bytes.IndexByte(r.rest, end)
	text := string(r.rest[:i])
	r.rest = r.rest[i+1:]
	return text
}

func (r *reader) text() string {
	n, err := strconv.Atoi(r.until(':'))
	if err != nil {
		panic(err)
	}
	text := string(r.rest[:n])
	r.rest = r.rest[n:]
	return text
}

func (r *reader) value() any {
	tag := r.rest[0]
	r.rest = r.rest[1:]
	switch tag {
	case 'n':
		return nil
	case 't':
		return true
	case 'f':
		return false
	case 'd':
		bits, err := strconv.ParseUint(r.until(';'), 16, 64)
		if err != nil {
			panic(err)
		}
		return math.Float64frombits(bits)
	case 'i':
		n, err := strconv.ParseInt(r.until(';'), 10, 64)
		if err != nil {
			panic(err)
		}
		return n
	case 'u':
		n, err := strconv.ParseUint(r.until(';'), 10, 64)
		if err != nil {
			panic(err)
		}
		return n
	case 's':
		return r.text()
	case 'b':
		return []byte(r.text())
	case 'N':
		return map[string]any(nil)
	case 'L':
		return []any(nil)
	case '[':
		list := []any{}
		for r.rest[0] != ']' {
			list = append(list, r.value())
		}
		r.rest = r.rest[1:]
		return list
	case '{':
		entries := map[string]any{}
		for r.rest[0] != '}' {
			key := r.value().(string)
			entries[key] = r.value()
		}
		r.rest = r.rest[1:]
		return entries
	}
	panic("bad value " + string(tag))
}
