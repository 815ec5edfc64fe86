package main

import (
	"fmt"
	"strconv"
	"strings"
)

func formatRound(round int) {
	arguments := make([]any, random.Intn(4))
	for i := range arguments {
		if oneIn(3) {
			arguments[i] = random.Intn(12) // Good for a width.
		} else {
			arguments[i] = randomValue(3)
		}
	}
	if oneIn(30) && len(arguments) > 0 {
		arguments[0] = &Pointer{randomText(4), randomValue(2)}
	}
	encoded := encode(arguments)
	format := randomFormat()
	call("sprintf", fmt.Sprintf(format, arguments...), text(format), encoded)
	call("sprint", fmt.Sprint(arguments...), encoded)
	call("sprintln", fmt.Sprintln(arguments...), encoded)

	format = "%"
	for _, flag := range "+-# 0" {
		if oneIn(3) {
			format += string(flag)
		}
	}
	if oneIn(2) {
		format += strconv.Itoa(random.Intn(30))
	}
	if oneIn(2) {
		format += "." + strconv.Itoa(random.Intn(25))
	}
	format += string("vdsqxXtboOcUeEfFgG"[random.Intn(18)])
	value := randomScalar()
	call("sprintf", fmt.Sprintf(format, value), text(format), encode([]any{value}))
}

// randomFormat leaves out %p, which prints addresses.
func randomFormat() string {
	var b strings.Builder
	for range 1 + random.Intn(4) {
		if oneIn(3) {
			b.WriteString(strings.ReplaceAll(randomText(4), "%", "%%"))
		}
		b.WriteByte('%')
		for oneIn(3) {
			b.WriteByte("+-# 0"[random.Intn(5)])
		}
		if oneIn(8) {
			fmt.Fprintf(&b, "[%d]", random.Intn(5))
		}
		if oneIn(60) {
			b.WriteString(pick("[", "[]", "[x]", "[-1]", "[99999999]", "[1", "]"))
		}
		switch random.Intn(20) {
		case 0, 1, 2, 3:
			b.WriteString(strconv.Itoa(random.Intn(30)))
		case 4:
			b.WriteByte('*')
		}
		switch random.Intn(20) {
		case 0, 1, 2, 3:
			b.WriteString("." + strconv.Itoa(random.Intn(20)))
		case 4:
			b.WriteString(".*")
		case 5:
			b.WriteString(".")
		}
		if oneIn(12) {
			fmt.Fprintf(&b, "[%d]", random.Intn(5))
		}
		if oneIn(12) {
			b.WriteString(pick("%", "z", "é", "\xff", "", "!", "y", "w", "i", "D", "1000001d", ".1000001f", "999999999999999999d"))
		} else {
			b.WriteByte("vvvvdsqxXTtboOcUeEfFgGs"[random.Intn(23)])
		}
	}
	// What follows a broken verb may form a %p.
	if strings.ContainsRune(b.String(), 'p') {
		return randomFormat()
	}
	return b.String()
}
