package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"
)

func stringRound(round int) {
	s := randomText(20)
	for name, change := range map[string]func(string) string{
		"to-upper": strings.ToUpper, "to-lower": strings.ToLower, "to-title": strings.ToTitle, "title": strings.Title,
		"trim-space": strings.TrimSpace, "html-escape": template.HTMLEscapeString, "js-escape": template.JSEscapeString,
		"url-query-escape": func(s string) string { return template.URLQueryEscaper(s) },
	} {
		call(name, change(s), text(s))
	}
	call("fields", parts(strings.Fields(s)), text(s))

	set := randomText(4)
	if oneIn(2) && len(s) > 2 {
		set = s[:1+random.Intn(2)]
	}
	call("trim", strings.Trim(s, set), text(s), text(set))
	call("trim-left", strings.TrimLeft(s, set), text(s), text(set))
	call("trim-right", strings.TrimRight(s, set), text(s), text(set))

	part, limit := "", random.Intn(7)-2
	if !oneIn(4) && len(s) > 0 {
		at := random.Intn(len(s))
		part = s[at:min(len(s), at+1+random.Intn(2))]
	}
	call("split-n", parts(strings.SplitN(s, part, limit)), text(s), text(part), limit)
	call("replace", strings.Replace(s, part, set, limit), text(s), text(part), text(set), limit)
	found := fmt.Sprint(strings.Index(s, part), strings.LastIndex(s, part), strings.Count(s, part))
	call("find", found, text(s), text(part))
	times := random.Intn(4)
	call("repeat", strings.Repeat(s, times), text(s), times)
}

// runeRound goes through all characters, a few thousand in a round.
func runeRound(round int) {
	const perRound = 4096
	classes := []func(rune) bool{unicode.IsLetter, unicode.IsUpper, unicode.IsLower, unicode.IsTitle, unicode.IsDigit,
		unicode.IsNumber, unicode.IsPunct, unicode.IsSpace, strconv.IsPrint}
	for r := rune(round * perRound); r < rune((round+1)*perRound) && r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		member := ""
		for _, class := range classes {
			member += strconv.Itoa(map[bool]int{false: 0, true: 1}[class(r)])
		}
		call("rune", fmt.Sprint(member, unicode.ToUpper(r), unicode.ToLower(r), unicode.ToTitle(r)), int(r))
	}
}
