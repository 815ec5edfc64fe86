package main

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
)

// Values is a named map type, as Helm has one.
type Values map[string]interface{}

// decode reads a typed value: an array of a tag and its content.
//
//	["n"] nil, ["b", bool], ["i"|"j", decimal] int and int64, ["f", bits as decimal] float64, ["s"|"y", base64] string
//	and bytes, ["l"|"m"|"v", ...] list, map and named map of typed values, ["L"|"M"] nil list and map, ["S"] list of
//	base64 strings, ["I"] list of decimal ints, ["T"] map of base64 strings, ["t", seconds, zone] a time, ["d", decimal]
//	a duration, ["e", text] a version, ["u", decimal] uint64, ["g", decimal] uint8
func decode(raw json.RawMessage) (interface{}, error) {
	var parts []json.RawMessage
	if err := json.Unmarshal(raw, &parts); err != nil || len(parts) == 0 {
		return nil, fmt.Errorf("bad value %s: %v", raw, err)
	}
	var tag string
	if err := json.Unmarshal(parts[0], &tag); err != nil {
		return nil, err
	}
	if len(parts) == 1 {
		switch tag {
		case "n":
			return nil, nil
		case "L":
			return []interface{}(nil), nil
		case "M":
			return map[string]interface{}(nil), nil
		}
		return nil, fmt.Errorf("bad tag %s", tag)
	}
	text := func(at int) string {
		var s string
		if err := json.Unmarshal(parts[at], &s); err != nil {
			panic(err)
		}
		return s
	}
	number := func(at int) int64 {
		n, err := strconv.ParseInt(text(at), 10, 64)
		if err != nil {
			panic(err)
		}
		return n
	}
	content := parts[1]
	switch tag {
	case "b":
		var b bool
		return b, json.Unmarshal(content, &b)
	case "i":
		return int(number(1)), nil
	case "j":
		return number(1), nil
	case "u":
		n, err := strconv.ParseUint(text(1), 10, 64)
		return n, err
	case "g":
		return uint8(number(1)), nil
	case "f":
		bits, err := strconv.ParseUint(text(1), 10, 64)
		return math.Float64frombits(bits), err
	case "s":
		var b []byte
		err := json.Unmarshal(content, &b)
		return string(b), err
	case "y":
		var b []byte
		err := json.Unmarshal(content, &b)
		return b, err
	case "S":
		var encoded [][]byte
		err := json.Unmarshal(content, &encoded)
		list := []string{}
		for _, b := range encoded {
			list = append(list, string(b))
		}
		return list, err
	case "I":
		var decimals []string
		err := json.Unmarshal(content, &decimals)
		list := []int{}
		for _, d := range decimals {
			n, _ := strconv.Atoi(d)
			list = append(list, n)
		}
		return list, err
	case "T":
		var encoded map[string][]byte
		err := json.Unmarshal(content, &encoded)
		result := map[string]string{}
		for k, b := range encoded {
			result[k] = string(b)
		}
		return result, err
	case "l":
		var items []json.RawMessage
		if err := json.Unmarshal(content, &items); err != nil {
			return nil, err
		}
		list := make([]interface{}, len(items))
		for i, item := range items {
			value, err := decode(item)
			if err != nil {
				return nil, err
			}
			list[i] = value
		}
		return list, nil
	case "m", "v":
		var entries map[string]json.RawMessage
		if err := json.Unmarshal(content, &entries); err != nil {
			return nil, err
		}
		result := map[string]interface{}{}
		for key, entry := range entries {
			value, err := decode(entry)
			if err != nil {
				return nil, err
			}
			result[key] = value
		}
		if tag == "v" {
			return Values(result), nil
		}
		return result, nil
	case "t":
		zone, err := time.LoadLocation(text(2))
		if err != nil {
			return nil, err
		}
		return time.Unix(number(1), 0).In(zone), nil
	case "d":
		return time.Duration(number(1)), nil
	case "e":
		return semver.NewVersion(text(1))
	}
	return nil, fmt.Errorf("bad tag %s", tag)
}

// dump prints values with their types. Maps are numbered in the order they are met; one that was met before is only
// its number.
func dump(values ...interface{}) string {
	d := dumper{seen: map[uintptr]int{}}
	for i, value := range values {
		if i > 0 {
			d.out.WriteString(" | ")
		}
		d.value(value)
	}
	return d.out.String()
}

type dumper struct {
	out  strings.Builder
	seen map[uintptr]int
}

func (d *dumper) value(value interface{}) {
	switch v := value.(type) {
	case nil:
		d.out.WriteString("nil")
		return
	case string:
		fmt.Fprintf(&d.out, "%+q", v)
		return
	case float64:
		fmt.Fprintf(&d.out, "float64:%s", strconv.FormatFloat(v, 'g', -1, 64))
		return
	case []byte:
		fmt.Fprintf(&d.out, "bytes:%+q", string(v))
		return
	case fmt.Stringer:
		fmt.Fprintf(&d.out, "%T:%s", v, v)
		return
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Slice:
		fmt.Fprintf(&d.out, "%T", value)
		if v.IsNil() {
			d.out.WriteString(":nil")
			return
		}
		d.out.WriteString("[")
		for i := 0; i < v.Len(); i++ {
			if i > 0 {
				d.out.WriteString(", ")
			}
			d.value(v.Index(i).Interface())
		}
		d.out.WriteString("]")
	case reflect.Map:
		fmt.Fprintf(&d.out, "%T", value)
		if v.IsNil() {
			d.out.WriteString(":nil")
			return
		}
		if n, ok := d.seen[v.Pointer()]; ok {
			fmt.Fprintf(&d.out, "#%d", n)
			return
		}
		d.seen[v.Pointer()] = len(d.seen)
		fmt.Fprintf(&d.out, "#%d{", len(d.seen)-1)
		keys := v.MapKeys()
		sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
		for i, key := range keys {
			if i > 0 {
				d.out.WriteString(", ")
			}
			fmt.Fprintf(&d.out, "%+q: ", key.String())
			d.value(v.MapIndex(key).Interface())
		}
		d.out.WriteString("}")
	default:
		fmt.Fprintf(&d.out, "%T:%v", value, value)
	}
}
