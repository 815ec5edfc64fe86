package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

func jsonRound(round int) {
	value := randomValue(4)
	document, err := json.Marshal(value)
	if err != nil {
		call("marshal", err.Error(), encode(value))
	} else {
		call("marshal", string(document), encode(value))
		var raw bytes.Buffer
		encoder := json.NewEncoder(&raw)
		encoder.SetEscapeHTML(false)
		encoder.Encode(value)
		call("marshal-raw", strings.TrimSuffix(raw.String(), "\n"), encode(value))
		prefix, indent := pick("", " ", "\t", "xx"), pick("", "  ", "\t", "xx")
		indented, _ := json.MarshalIndent(value, prefix, indent)
		call("marshal-indent", string(indented), encode(value), text(prefix), text(indent))
		if oneIn(3) {
			document = indented
		}
	}

	for range random.Intn(4) {
		document = damage(document)
	}
	if oneIn(10) {
		document = randomTokens()
	} else if oneIn(20) {
		document = []byte(randomText(10))
	}
	var decoded any
	err = json.Unmarshal(document, &decoded)
	call("unmarshal", outcome(decoded, err), text(string(document)))
	object := map[string]any{}
	err = json.Unmarshal(document, &object)
	call("unmarshal-object", outcome(object, err), text(string(document)))
	array := []any{}
	err = json.Unmarshal(document, &array)
	if err != nil {
		array = []any{}
	}
	call("unmarshal-array", outcome(array, err), text(string(document)))
}

// outcome shows what was decoded, also beside an error.
func outcome(value any, err error) string {
	return fmt.Sprintf("%v %#v", err, value)
}

func damage(document []byte) []byte {
	if len(document) == 0 {
		return []byte("[")
	}
	document = bytes.Clone(document)
	at := random.Intn(len(document))
	switch random.Intn(6) {
	case 0:
		return document[:at]
	case 1:
		document[at] = byte(random.Intn(256))
	case 2:
		document = append(document[:at:at], document[at+1:]...)
	case 3:
		piece := pick(`\u12`, `\ud83d\ude00`, `\ud83d`, `\udE00\ud83d`, `\/`, `\'`, "1e999", "-", "1.", "01", "1e", "1e+5",
			"tru", "true", "nul", "null", `"`, "{", "}", "[", "]", ",", ":", " ", "\t", "\xff", "-0", "1E400", "0.1",
			`"a":1,`, `\ud83d\n`, `\ud800\ud800\udc00`)
		document = append(document[:at:at], append([]byte(piece), document[at:]...)...)
	case 4:
		document[at] = `{}[]",:0-.etfn \`[random.Intn(16)]
	default:
		other := random.Intn(len(document))
		document[at], document[other] = document[other], document[at]
	}
	return document
}

func randomTokens() []byte {
	var b bytes.Buffer
	for range 1 + random.Intn(8) {
		b.WriteString(pick("{", "}", "[", "]", ",", ":", `"a"`, `"b\n"`, "1", "-2.5e3", "true", "false", "null", " ",
			"1e999", `"\u00e9"`))
	}
	return b.Bytes()
}
