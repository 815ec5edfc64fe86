package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Pair prints as a struct, and Pointer, which is always used by address, as a pointer to one.
type (
	Pair struct {
		Name  string
		Value any
	}
	Pointer Pair
)

// encode writes a value in prefix notation: a tag, a colon and the content, then the elements.
func encode(value any) string {
	switch v := value.(type) {
	case nil:
		return "nil"
	case bool:
		return fmt.Sprintf("bool:%t", v)
	case int, int64, uint8, uint64:
		return fmt.Sprintf("%T:%d", v, v)
	case float64:
		return fmt.Sprintf("float64:%d", math.Float64bits(v))
	case complex128:
		return fmt.Sprintf("complex128:%d:%d", math.Float64bits(real(v)), math.Float64bits(imag(v)))
	case string:
		return "string:" + text(v)
	case []byte:
		return "bytes:" + text(string(v))
	case time.Duration:
		return fmt.Sprintf("duration:%d:%s", v, text(v.String()))
	case []any:
		if v == nil {
			return "nil-any-list"
		}
		return list("any-list", v)
	case []string:
		if v == nil {
			return "nil-string-list"
		}
		return list("string-list", v)
	case []int:
		return list("int-list", v)
	case [][]any:
		return list("list-list", v)
	case map[string]any:
		if v == nil {
			return "nil-any-map"
		}
		return dict("any-map", v)
	case map[string]string:
		return dict("string-map", v)
	case Pair:
		return "pair:" + text(v.Name) + " " + encode(v.Value)
	case *Pointer:
		return "pointer:" + text(v.Name) + " " + encode(v.Value)
	}
	panic(fmt.Sprintf("no encoding for %T", value))
}

func list[T any](tag string, items []T) string {
	words := []string{fmt.Sprintf("%s:%d", tag, len(items))}
	for _, item := range items {
		words = append(words, encode(item))
	}
	return strings.Join(words, " ")
}

func dict[T any](tag string, entries map[string]T) string {
	words := []string{fmt.Sprintf("%s:%d", tag, len(entries))}
	for key, value := range entries {
		words = append(words, encode(key), encode(value))
	}
	return strings.Join(words, " ")
}

func randomScalar() any {
	switch random.Intn(11) {
	case 0:
		return nil
	case 1:
		return oneIn(2)
	case 2:
		return int(randomInt())
	case 3:
		return randomInt()
	case 4:
		return uint8(random.Intn(256))
	case 5:
		return random.Uint64() >> uint(random.Intn(64))
	case 6:
		return randomFloat()
	case 7, 8:
		return randomText(12)
	case 9:
		return []byte(randomText(6))
	}
	if oneIn(3) {
		return complex(randomFloat(), randomFloat())
	}
	return time.Duration(randomInt())
}

func randomValue(depth int) any {
	if depth <= 0 || oneIn(2) {
		return randomScalar()
	}
	switch random.Intn(9) {
	case 0, 1, 2:
		if oneIn(20) {
			return []any(nil)
		}
		return several(4, func() any { return randomValue(depth - 1) })
	case 3, 4, 5:
		if oneIn(20) {
			return map[string]any(nil)
		}
		entries := map[string]any{}
		for range random.Intn(4) {
			entries[randomText(5)] = randomValue(depth - 1)
		}
		return entries
	case 6:
		if oneIn(10) {
			return []string(nil)
		}
		return several(3, func() string { return randomText(5) })
	case 7:
		switch random.Intn(3) {
		case 0:
			return several(3, func() int { return int(randomInt()) })
		case 1:
			return several(3, func() []any { return []any{randomValue(depth - 1)} })
		}
		entries := map[string]string{}
		for range random.Intn(3) {
			entries[randomText(5)] = randomText(5)
		}
		return entries
	}
	return Pair{randomText(4), randomValue(depth - 1)}
}

func several[T any](limit int, one func() T) []T {
	items := []T{}
	for range random.Intn(limit) {
		items = append(items, one())
	}
	return items
}
