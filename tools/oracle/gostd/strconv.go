package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

func floatRound(round int) {
	value := randomFloat()
	verb := pick[byte]('b', 'e', 'E', 'f', 'g', 'G', 'x', 'X')
	precision := -1
	if oneIn(3) {
		precision = random.Intn(25)
	} else if oneIn(30) {
		precision = random.Intn(1200)
	}
	bits := pick(32, 64, 64)
	result := strconv.FormatFloat(value, verb, precision, bits)
	call("format-float", result, math.Float64bits(value), string(verb), precision, bits)
}

func quoteRound(round int) {
	plain := randomText(14)
	call("quote", strconv.Quote(plain), text(plain))
	call("quote-to-ascii", strconv.QuoteToASCII(plain), text(plain))
	call("can-backquote", fmt.Sprint(strconv.CanBackquote(plain)), text(plain))

	literal := pick(plain, strconv.Quote(plain), "`"+plain+"`", `"`+plain+`"`, `'`+randomText(3)+`'`)
	if oneIn(2) && len(literal) > 1 {
		for range random.Intn(3) {
			escape := pick(`\n`, `\x4`, `\x41`, `\u00e9`, `\U0001F600`, `\U00110000`, `\ud800`, `\101`, `\400`, `\377`,
				`\'`, `\"`, `\\`, `\8`, `\`, `\a\b\f\n\r\t\v`, "\n")
			at := 1 + random.Intn(len(literal)-1)
			literal = literal[:at] + escape + literal[at:]
		}
	}
	unquoted, err := strconv.Unquote(literal)
	call("unquote", fmt.Sprintf("%v %s", err, unquoted), text(literal))
}

func numberRound(round int) {
	number := randomNumber()
	if oneIn(20) {
		number = randomText(5)
	}
	base := pick(0, 0, 10, 10, 8, 16, 2, 36, 7, 1, 37)
	bits := pick(0, 64, 64, 32, 16, 8, 1, 65, 63)
	signed, err := strconv.ParseInt(number, base, bits)
	call("parse-int", fmt.Sprint(signed, err), text(number), base, bits)
	unsigned, err := strconv.ParseUint(number, base, bits)
	call("parse-uint", fmt.Sprint(unsigned, err), text(number), base, bits)
	plain, err := strconv.Atoi(number)
	call("atoi", fmt.Sprint(plain, err), text(number))

	number = randomFloatText()
	bits = pick(32, 64, 64)
	float, err := strconv.ParseFloat(number, bits)
	shown := fmt.Sprint(math.Float64bits(float), err)
	if math.IsNaN(float) {
		shown = "NaN"
	}
	call("parse-float", shown, text(number), bits)

	signed, base = randomInt(), 2+random.Intn(35)
	call("format-int", strconv.FormatInt(signed, base), signed, base)
}

func randomNumber() string {
	var b strings.Builder
	if oneIn(4) {
		b.WriteString(pick("+", "-"))
	}
	if oneIn(6) {
		b.WriteString(pick("0x", "0X", "0b", "0o", "0", "0B", "0O"))
	}
	for range 1 + random.Intn(22) {
		switch {
		case oneIn(25):
			b.WriteByte('_')
		case oneIn(25):
			b.WriteByte("abcdefABCDEFpPxzZ."[random.Intn(18)])
		case oneIn(3):
			b.WriteByte('0')
		default:
			b.WriteByte(byte('0' + random.Intn(10)))
		}
	}
	return b.String()
}

func randomFloatText() string {
	var b strings.Builder
	switch random.Intn(8) {
	case 0:
		return pick("inf", "Inf", "-inf", "+Infinity", "infinit", "nan", "NaN", "-nan", "+nan", "infinityx", "", ".", "e5",
			"1e", "1e+", "0x", "0x1", "0x1p", "0x.p1", "0x1.8p1", "0x_1p-2", "1_000.5", "_1", "1__0", "1_", "1e1_0",
			"1e400", "-1e400", "1e-400", "0e999999", "1e99999999999", "0x1p1024", "0x1p-1075", "0x1p-1074",
			"0x1.fffffffffffff8p1023", "0x1.fffffffffffff7p1023", "0x1.8p-1075", "2.2250738585072011e-308",
			"1.7976931348623158e308", "1.7976931348623159e308", "9007199254740993", "0."+strings.Repeat("0", 60)+"1e60")
	case 1, 2:
		b.WriteString(pick("", "-") + "0x")
		for range 1 + random.Intn(30) {
			b.WriteByte("0123456789abcdefABCDEF0000"[random.Intn(26)])
			if oneIn(12) {
				b.WriteByte('.')
			}
			if oneIn(30) {
				b.WriteByte('_')
			}
		}
		fmt.Fprintf(&b, "p%d", random.Intn(2400)-1200)
		return b.String()
	case 3:
		return strconv.FormatFloat(randomFloat(), "egfx"[random.Intn(4)], random.Intn(30)-1, 64)
	case 4:
		digits := func(count int) {
			for range count {
				b.WriteByte(byte('0' + random.Intn(10)))
			}
		}
		digits(1 + random.Intn(40))
		b.WriteByte('.')
		digits(random.Intn(40))
		fmt.Fprintf(&b, "e%d", random.Intn(700)-350)
		return b.String()
	}
	return randomNumber()
}
