package main

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"text/template"
)

// The types and functions here have twins in crates/gotemplate/tests/common.

// Values is a named map with methods.
type Values map[string]any

func (v Values) Size() int { return len(v) }

func (v Values) Get(key string) (any, error) {
	if entry, ok := v[key]; ok {
		return entry, nil
	}
	return nil, fmt.Errorf("no entry %q", key)
}

// Level is a named integer that prints as a word.
type Level int

func (l Level) String() string { return fmt.Sprintf("level-%d", int(l)) }

func (l Level) Up(by int) Level { return l + Level(by) }

// Thing is a struct with methods of all sorts.
type Thing struct {
	Name  string
	Count int
	Words []string
	Map   map[string]any
}

func (t Thing) Hello() string { return "hello from " + t.Name }

func (t Thing) Add(a, b int) int { return t.Count + a + b }

func (t Thing) Join(sep string, parts ...string) string { return strings.Join(parts, sep) }

func (t Thing) Echo(x any) any { return x }

func (t Thing) Fail(text string) (string, error) { return "", errors.New(text) }

func (t Thing) Keys(m map[string]any) int { return len(m) }

func (t Thing) Scale(f float64) float64 { return f * 2 }

func (t Thing) Small(u uint32) string { return fmt.Sprint(u) }

func (t Thing) Yes(b bool) bool { return b }

func (t Thing) Wide(n int64) int64 { return n }

func (t Thing) All(list []any) int { return len(list) }

func functions(t *template.Template) template.FuncMap {
	var depth nesting
	return template.FuncMap{
		"upper":   strings.ToUpper,
		"add":     func(a, b int) int { return a + b },
		"half":    func(f float64) float64 { return f / 2 },
		"wide":    func(n int64) int64 { return n },
		"small":   func(u uint32) string { return fmt.Sprint(u) },
		"yes":     func(b bool) bool { return b },
		"echo":    func(x any) any { return x },
		"nothing": func() any { return nil },
		"one":     func() int { return 1 },
		"word":    func() string { return "word" },
		"list":    func(items ...any) []any { return items },
		"strings": func(items ...string) []string { return items },
		"join":    func(sep string, items ...string) string { return strings.Join(items, sep) },
		"dict":    dict,
		"size":    func(m map[string]any) int { return len(m) },
		"count":   func(list []any) int { return len(list) },
		"lines":   func(list []string) int { return len(list) },
		"raw":     func(b []byte) int { return len(b) },
		"level":   func(n int) Level { return Level(n) },
		"up":      func(l Level) Level { return l + 1 },
		"ptr": func() *Thing {
			return &Thing{Name: "thing", Count: 3, Words: []string{"a", "b"}, Map: map[string]any{}}
		},
		"name":    func(t Thing) string { return t.Name },
		"set":     set,
		"fail":    func(text string) (string, error) { return "", errors.New(text) },
		"typeOf":  func(x any) string { return fmt.Sprintf("%T", x) },
		"include": func(name string, data any) (string, error) { return depth.include(t, name, data) },
		"tpl":     func(text string, data any) (string, error) { return depth.tpl(t, text, data) },
	}
}

// set changes a map. It refuses containers, since Go's fmt does not survive a map that holds itself.
func set(m map[string]any, key string, x any) (map[string]any, error) {
	if kind := reflect.ValueOf(x).Kind(); kind == reflect.Map || kind == reflect.Slice {
		return nil, errors.New("no containers")
	}
	m[key] = x
	return m, nil
}

func dict(pairs ...any) map[string]any {
	m := make(map[string]any)
	for i := 0; i+1 < len(pairs); i += 2 {
		m[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return m
}

// nesting counts includes and tpls that are under way, since Go would let them exhaust the stack.
type nesting int

const deepest = 100

func (n *nesting) nested(run func() error) error {
	if *n >= deepest {
		return errors.New("nested too deep")
	}
	*n++
	defer func() { *n-- }()
	return run()
}

func (n *nesting) include(t *template.Template, name string, data any) (string, error) {
	var out bytes.Buffer
	err := n.nested(func() error { return t.ExecuteTemplate(&out, name, data) })
	return out.String(), err
}

func (n *nesting) tpl(parent *template.Template, text string, data any) (string, error) {
	var out bytes.Buffer
	err := n.nested(func() error {
		t, err := parent.Clone()
		if err != nil {
			return err
		}
		t.Funcs(template.FuncMap{
			"include": func(name string, data any) (string, error) { return n.include(t, name, data) },
			"tpl":     func(text string, data any) (string, error) { return n.tpl(t, text, data) },
		})
		parsed, err := t.New(parent.Name()).Parse(text)
		if err != nil {
			return fmt.Errorf("cannot parse template %q: %w", text, err)
		}
		if err := parsed.Execute(&out, data); err != nil {
			return fmt.Errorf("error during tpl function execution for %q: %w", text, err)
		}
		return nil
	})
	return out.String(), err
}
