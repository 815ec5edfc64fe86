//go:build ignore

// Writes src/strings/tables.rs from the Unicode tables of the Go release that runs it:
//
//	go run generate/unicode.go > src/strings/tables.rs && rustfmt src/strings/tables.rs
package main

import (
	"fmt"
	"unicode"
)

// set prints a class as the places where membership changes: the class is entered at every even index and left at
// every odd one.
func set(name, doc string, in func(rune) bool) {
	var edges []rune
	inside := false
	for r := rune(0); r <= unicode.MaxRune+1; r++ {
		if member := r <= unicode.MaxRune && in(r); member != inside {
			edges = append(edges, r)
			inside = member
		}
	}
	fmt.Printf("\n/// %s\npub(super) static %s: [u32; %d] = [", doc, name, len(edges))
	for _, edge := range edges {
		fmt.Printf("%#x,", edge)
	}
	fmt.Println("];")
}

func main() {
	fmt.Printf("//! Unicode %s as Go's `unicode` package has it. Written by `generate/unicode.go`; do not edit.\n", unicode.Version)
	set("LETTER", "`unicode.IsLetter`.", unicode.IsLetter)
	set("UPPER", "`unicode.IsUpper`.", unicode.IsUpper)
	set("LOWER", "`unicode.IsLower`.", unicode.IsLower)
	set("TITLE", "`unicode.IsTitle`.", unicode.IsTitle)
	set("DIGIT", "`unicode.IsDigit`: category Nd.", unicode.IsDigit)
	set("NUMBER", "`unicode.IsNumber`: category N.", unicode.IsNumber)
	set("PUNCT", "`unicode.IsPunct`: category P.", unicode.IsPunct)
	set("PRINT", "`unicode.IsPrint`, which `strconv.IsPrint` equals.", unicode.IsPrint)

	fmt.Print(`
/// In [CASES]: the range alternates between upper and lower case, starting with upper.
pub(super) const ALTERNATING: i32 = 0x11_0000;

/// `+"`unicode.CaseRanges`"+`: first and last character, then what to add for upper, lower and title case.
`)
	fmt.Printf("pub(super) static CASES: [[i32; 5]; %d] = [", len(unicode.CaseRanges))
	for _, c := range unicode.CaseRanges {
		d := c.Delta
		fmt.Printf("[%#x,%#x,%s,%s,%s],", c.Lo, c.Hi, delta(d[0]), delta(d[1]), delta(d[2]))
	}
	fmt.Println("];")
}

func delta(d rune) string {
	if d == unicode.UpperLower {
		return "ALTERNATING"
	}
	return fmt.Sprint(d)
}
