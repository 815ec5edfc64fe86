package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// A golden file holds cases like this one:
//
//	=== name of the case
//	{"files": ...}              optional: a JSON object with "data" and "missingkey"
//	--- name of a file
//	text, without the line's end before the next mark
//	+++
//	the output or, after "!!!" instead of "+++", the error
//
// Everything from "+++" or "!!!" up to the next case is the result and is rewritten.
func rewriteGolden(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	head, cases, _ := strings.Cut(string(raw), "=== ")
	out.WriteString(head)
	for _, section := range strings.Split(cases, "\n=== ") {
		input := strings.TrimRight(section, "\n")
		for _, mark := range []string{"\n+++\n", "\n!!!\n", "\n+++", "\n!!!"} {
			input, _, _ = strings.Cut(input, mark)
		}
		c, err := parseGolden(input)
		if err != nil {
			return fmt.Errorf("case %q: %w", input, err)
		}
		result := c.run()
		mark, text := "+++", string(result.output)
		if result.err != "" {
			mark, text = "!!!", result.err
		}
		fmt.Fprintf(&out, "=== %s\n%s\n%s\n", input, mark, text)
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}

func parseGolden(input string) (*testCase, error) {
	parts := strings.Split(input, "\n--- ")
	var c testCase
	if _, options, ok := strings.Cut(parts[0], "\n"); ok {
		if err := json.Unmarshal([]byte(options), &c); err != nil {
			return nil, err
		}
	}
	for _, part := range parts[1:] {
		name, body, _ := strings.Cut(part, "\n")
		c.Files = append(c.Files, [2]text{text(name), text(body)})
	}
	return &c, nil
}
