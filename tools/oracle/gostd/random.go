package main

import (
	"math"
)

// alphabets hold characters that are treated specially somewhere.
var alphabets = [][]rune{
	[]rune("abcXYZ019"),
	[]rune(" \t\n\r\v\f"),
	[]rune("\"'`\\<>&="),
	[]rune("éßǅǆΩσςжЖİıſKÅ"),
	[]rune("日本語"),
	[]rune("😀𝒜𐐀𐐨"),
	[]rune("\u0085\u00a0\u2028\u2029\u3000\u200b\ufeff\u00ad\ufffd"),
	[]rune("\x00\x01\x1b\x7f"),
	[]rune("-_.,:;/%+*#$@!?()[]{}|~^"),
}

// randomText returns about limit bytes at most, sometimes not UTF-8.
func randomText(limit int) string {
	size := random.Intn(limit + 1)
	mode := random.Intn(4)
	var b []byte
	for len(b) < size {
		switch {
		case mode == 0:
			b = append(b, byte('a'+random.Intn(26)))
		case mode == 1 && oneIn(4), oneIn(30):
			b = append(b, byte(random.Intn(256)))
		case oneIn(12):
			b = append(b, string(rune(random.Intn(0x110000)))...)
		case oneIn(6):
			b = append(b, string(rune(random.Intn(0x3000)))...)
		default:
			b = append(b, string(pick(pick(alphabets...)...))...)
		}
	}
	return string(b)
}

func randomInt() int64 {
	switch random.Intn(4) {
	case 0:
		return int64(random.Uint64())
	case 1:
		return pick[int64](0, 1, -1, math.MaxInt64, math.MinInt64, 65, 0x1f600, 0x10ffff, 0x110000, 0xd800, 34, 39, 92, 10)
	}
	return int64(random.Intn(2001) - 1000)
}

// randomFloat covers all magnitudes, subnormal numbers, and numbers with exact ties.
func randomFloat() float64 {
	switch random.Intn(13) {
	case 0:
		return math.Float64frombits(random.Uint64())
	case 1:
		return float64(random.Intn(2000000) - 1000000)
	case 2:
		return float64(random.Int63())
	case 3:
		return pick(0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0.1, 1e6, 999999.5, 1e21,
			1e20, 1e-6, 1e-7, 5e-324, math.MaxFloat64, 1e-4, 1e-5, 123456789, 0.5, 1.5, 2.5, 1e22, 1e23,
			4503599627370496.5, 2.2250738585072014e-308, 1<<53, 1<<53+2)
	case 4:
		return float64(random.Intn(1000000)) / pick[float64](10, 100, 1000, 8, 3, 7, 1024)
	case 5:
		return math.Ldexp(1, random.Intn(2100)-1074)
	case 6:
		return math.Pow(10, float64(random.Intn(600)-300)) * float64(random.Intn(100))
	case 7:
		return random.NormFloat64() * math.Pow(10, float64(random.Intn(60)-30))
	case 8:
		return float64(math.Float32frombits(random.Uint32()))
	case 9:
		return math.Ldexp(float64(random.Int63()>>uint(random.Intn(63))), -random.Intn(70))
	case 10:
		return float64(float32(math.Ldexp(float64(random.Intn(1<<24)), random.Intn(200)-150)))
	case 11:
		return math.Float64frombits(random.Uint64() >> uint(12+random.Intn(52)))
	}
	return random.NormFloat64()
}
