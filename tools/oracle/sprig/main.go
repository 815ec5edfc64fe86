// Command sprig answers what Go's text/template and sprig make of a template, for differential tests.
//
// It reads requests from standard input, one JSON object a line: {"t": template, "d": data}, and writes one answer a
// line: {"ok": output} or {"err": error text}, texts in base64. Data are typed values, see decode. Templates may call
// dump, which prints values with their Go types and shows which maps are the same.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

type request struct {
	Template []byte          `json:"t"`
	Data     json.RawMessage `json:"d"`
}

type answer struct {
	Ok  *string `json:"ok,omitempty"`
	Err *string `json:"err,omitempty"`
}

func functions() template.FuncMap {
	functions := sprig.TxtFuncMap()
	// Helm takes these two away.
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["dump"] = dump
	functions["inspect"] = inspect
	functions["inspectKey"] = inspectKey
	return functions
}

func execute(line []byte, functions template.FuncMap) (string, error) {
	var request request
	if err := json.Unmarshal(line, &request); err != nil {
		return "", fmt.Errorf("oracle: %w", err)
	}
	data, err := decode(request.Data)
	if err != nil {
		return "", fmt.Errorf("oracle: %w", err)
	}
	parsed, err := template.New("t").Option("missingkey=zero").Funcs(functions).Parse(string(request.Template))
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = parsed.Execute(&out, data)
	return out.String(), err
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "names" {
		for name := range functions() {
			fmt.Println(name)
		}
		return
	}
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	functions := functions()
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		text, err := execute(line, functions)
		encode := func(text string) *string {
			encoded := base64.StdEncoding.EncodeToString([]byte(text))
			return &encoded
		}
		var a answer
		if err != nil {
			a.Err = encode(err.Error())
		} else {
			a.Ok = encode(text)
		}
		encoded, err := json.Marshal(a)
		if err != nil {
			panic(err)
		}
		out.Write(encoded)
		out.WriteByte('\n')
		out.Flush()
	}
}
