// Command gotemplate is the truth that the Rust crate gotemplate is tested against: Go's own text/template.
//
//	gotemplate serve            reads cases as JSON lines from stdin and writes results as JSON lines to stdout
//	gotemplate golden FILE...   rewrites the results in golden files (see golden.go for their format)
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gotemplate:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "serve":
		return serve()
	case len(args) > 1 && args[0] == "golden":
		for _, path := range args[1:] {
			if err := rewriteGolden(path); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		return nil
	default:
		return fmt.Errorf("usage: gotemplate serve | gotemplate golden FILE...")
	}
}

// reply is the result of a case on the wire.
type reply struct {
	// Output in hexadecimal, since it may not be UTF-8.
	Output string `json:"output"`
	Error  string `json:"error,omitempty"`
	// Whether the error came from parsing.
	Parse bool `json:"parse,omitempty"`
}

func serve() error {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	decoder := json.NewDecoder(in)
	encoder := json.NewEncoder(out)
	for decoder.More() {
		var c testCase
		if err := decoder.Decode(&c); err != nil {
			return err
		}
		result := c.run()
		r := reply{Output: hex.EncodeToString(result.output), Error: result.err, Parse: result.parse}
		if err := encoder.Encode(r); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}
