package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"text/template"
)

// testCase is a set of files, one of which is executed.
type testCase struct {
	// Name and text of each file; the last is executed.
	Files      [][2]text       `json:"files"`
	Data       json.RawMessage `json:"data"`
	MissingKey string          `json:"missingkey"`
}

// text is a string on the wire: plain, or {"hex": "..."} for one that is not UTF-8.
type text string

func (t *text) UnmarshalJSON(raw []byte) error {
	if raw[0] != '{' {
		return json.Unmarshal(raw, (*string)(t))
	}
	var encoded struct{ Hex string }
	if err := json.Unmarshal(raw, &encoded); err != nil {
		return err
	}
	decoded, err := hex.DecodeString(encoded.Hex)
	*t = text(decoded)
	return err
}

type result struct {
	output []byte
	err    string
	parse  bool
}

func (c *testCase) run() result {
	data, err := c.data()
	if err != nil {
		return result{err: "bad case: " + err.Error()}
	}
	root := template.New("gotpl")
	if c.MissingKey != "" {
		root.Option("missingkey=" + c.MissingKey)
	}
	root.Funcs(functions(root))
	name := ""
	for _, file := range c.Files {
		name = string(file[0])
		if _, err := root.New(name).Parse(string(file[1])); err != nil {
			return result{err: err.Error(), parse: true}
		}
	}
	var out bytes.Buffer
	if err := root.ExecuteTemplate(&out, name, data); err != nil {
		return result{output: out.Bytes(), err: err.Error()}
	}
	return result{output: out.Bytes()}
}

func (c *testCase) data() (any, error) {
	if len(c.Data) == 0 {
		return nil, nil
	}
	var raw any
	if err := json.Unmarshal(c.Data, &raw); err != nil {
		return nil, err
	}
	return value(raw)
}

// value turns decoded JSON into data. An object with the key "$t" is a value of the type it names.
func value(raw any) (any, error) {
	switch raw := raw.(type) {
	case []any:
		list := make([]any, 0, len(raw))
		for _, item := range raw {
			v, err := value(item)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case map[string]any:
		if kind, ok := raw["$t"].(string); ok {
			return typed(kind, raw["v"])
		}
		return mapping(raw)
	default:
		return raw, nil
	}
}

func mapping(raw any) (map[string]any, error) {
	entries, ok := raw.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%v is no object", raw)
	}
	m := make(map[string]any, len(entries))
	for key, item := range entries {
		v, err := value(item)
		if err != nil {
			return nil, err
		}
		m[key] = v
	}
	return m, nil
}

func typed(kind string, raw any) (any, error) {
	word, _ := raw.(string)
	list, _ := raw.([]any)
	switch kind {
	case "int":
		n, err := strconv.ParseInt(word, 10, 64)
		return int(n), err
	case "int64":
		return strconv.ParseInt(word, 10, 64)
	case "uint8":
		n, err := strconv.ParseUint(word, 10, 8)
		return uint8(n), err
	case "uint64":
		return strconv.ParseUint(word, 10, 64)
	case "float64":
		return strconv.ParseFloat(word, 64)
	case "complex128":
		return complex(list[0].(float64), list[1].(float64)), nil
	case "nan":
		return math.NaN(), nil
	case "hex":
		decoded, err := hex.DecodeString(word)
		return string(decoded), err
	case "[]uint8":
		return slices.Clip([]byte(word)), nil
	case "[]string":
		out := make([]string, 0, len(list))
		for _, item := range list {
			out = append(out, item.(string))
		}
		return out, nil
	case "[]int":
		out := make([]int, 0, len(list))
		for _, item := range list {
			out = append(out, int(item.(float64)))
		}
		return out, nil
	case "map[string]string":
		out := make(map[string]string)
		for key, item := range raw.(map[string]any) {
			out[key] = item.(string)
		}
		return out, nil
	case "nil []interface {}":
		return []any(nil), nil
	case "nil map[string]interface {}":
		return map[string]any(nil), nil
	case "main.Values":
		m, err := mapping(raw)
		return Values(m), err
	case "main.Level":
		n, err := strconv.Atoi(word)
		return Level(n), err
	case "main.Thing", "*main.Thing":
		m, err := mapping(raw)
		if err != nil {
			return nil, err
		}
		thing := Thing{Name: "thing", Count: 3, Words: []string{"a", "b"}, Map: m}
		if kind == "main.Thing" {
			return thing, nil
		}
		return &thing, nil
	}
	return nil, fmt.Errorf("unknown type %s", kind)
}
