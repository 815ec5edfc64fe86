//! Dicts, merging, defaults and types. Each row is a template and what Go makes of it.

use super::Row;

pub(crate) const ROWS: &[Row] = &[
    (r#"{{ dict "a" 1 "b" | dump }}"#, Ok("map[string]interface {}#0{\"a\": int:1, \"b\": \"\"}")),
    (r#"{{ dict nil 1 2 "x" | dump }}"#, Ok("map[string]interface {}#0{\"2\": \"x\", \"<nil>\": int:1}")),
    (r#"{{ get (dict "a" nil) "a" | dump }}"#, Ok("nil")),
    (r#"{{ get (dict) "a" | dump }}"#, Ok("\"\"")),
    (r#"{{ hasKey (dict "a" nil) "a" }}"#, Ok("true")),
    (
        r#"{{ $d := dict }}{{ $e := set $d "a" 1 }}{{ dump $d $e }}"#,
        Ok("map[string]interface {}#0{\"a\": int:1} | map[string]interface {}#0"),
    ),
    (
        r#"{{ $d := dict "a" 1 }}{{ $e := unset $d "a" }}{{ dump $d $e }}"#,
        Ok("map[string]interface {}#0{} | map[string]interface {}#0"),
    ),
    (r#"{{ set nil "a" 1 }}"#, Err("error calling set: assignment to entry in nil map")),
    (r#"{{ set (fromJson "null") "a" 1 }}"#, Err("error calling set: assignment to entry in nil map")),
    (r#"{{ pluck "a" (dict "a" 1) (dict) (dict "a" nil) | dump }}"#, Ok("[]interface {}[int:1, nil]")),
    (r#"{{ keys (dict "a" 1) | dump }}"#, Ok("[]string[\"a\"]")),
    (r#"{{ values (dict "a" 1) | dump }}"#, Ok("[]interface {}[int:1]")),
    (r#"{{ pick (dict "a" 1 "b" 2) "b" "c" | dump }}"#, Ok("map[string]interface {}#0{\"b\": int:2}")),
    (r#"{{ omit (dict "a" 1 "b" 2) "b" | dump }}"#, Ok("map[string]interface {}#0{\"a\": int:1}")),
    (
        r#"{{ $d := dict "a" (dict "x" 1) }}{{ $r := merge $d (dict "a" (dict "x" 2 "y" 3) "b" 0) }}{{ dump $r $d }}"#,
        Ok(
            "map[string]interface {}#0{\"a\": map[string]interface {}#1{\"x\": int:1, \"y\": int:3}, \"b\": int:0} | map[string]interface {}#0",
        ),
    ),
    (
        r#"{{ $s := dict "a" (dict "x" 1) }}{{ $r := merge (dict) $s }}{{ dump $r $s }}"#,
        Ok(
            "map[string]interface {}#0{\"a\": map[string]interface {}#1{\"x\": int:1}} | map[string]interface {}#2{\"a\": map[string]interface {}#1}",
        ),
    ),
    (
        r#"{{ $s := dict "a" (dict) }}{{ $r := merge (dict "a" (dict)) $s }}{{ dump $r $s }}"#,
        Ok(
            "map[string]interface {}#0{\"a\": map[string]interface {}#1{}} | map[string]interface {}#2{\"a\": map[string]interface {}#1}",
        ),
    ),
    (
        r#"{{ $s := dict "a" (dict "x" nil) }}{{ $r := merge (dict "a" (dict)) $s }}{{ dump $r $s }}"#,
        Ok(
            "map[string]interface {}#0{\"a\": map[string]interface {}#1{\"x\": nil}} | map[string]interface {}#2{\"a\": map[string]interface {}#1}",
        ),
    ),
    (
        r#"{{ merge (dict "a" false "b" 0 "c" "" "d" nil "e" (list)) (dict "a" true "b" 1 "c" "x" "d" 2 "e" (list 1)) | dump }}"#,
        Ok(
            "map[string]interface {}#0{\"a\": bool:true, \"b\": int:1, \"c\": \"x\", \"d\": int:2, \"e\": []interface {}[int:1]}",
        ),
    ),
    (
        r#"{{ merge (dict "a" 1) (dict "a" (dict "x" 1)) | dump }}"#,
        Ok("map[string]interface {}#0{\"a\": int:1}"),
    ),
    (
        r#"{{ merge (dict "a" (dict "x" 1)) (dict "a" 1) | dump }}"#,
        Ok("map[string]interface {}#0{\"a\": map[string]interface {}#1{\"x\": int:1}}"),
    ),
    (
        r#"{{ mergeOverwrite (dict "a" (dict "x" 1)) (dict "a" 1) | dump }}"#,
        Ok("map[string]interface {}#0{\"a\": int:1}"),
    ),
    (
        r#"{{ mergeOverwrite (dict "a" 1 "b" 1 "c" (list 1)) (dict "a" nil "b" 0 "c" (list)) | dump }}"#,
        Ok("map[string]interface {}#0{\"a\": nil, \"b\": int:0, \"c\": []interface {}[]}"),
    ),
    (
        r#"{{ mergeOverwrite (dict "a" (dict "x" 1 "y" 1)) (dict "a" (dict "x" 2)) (dict "a" (dict "z" 3)) | dump }}"#,
        Ok(
            "map[string]interface {}#0{\"a\": map[string]interface {}#1{\"x\": int:2, \"y\": int:1, \"z\": int:3}}",
        ),
    ),
    (r#"{{ merge (dict "a" (semver "1.2.3")) (dict "a" (dict)) | dump }}"#, Ok("\"\"")),
    (
        r#"{{ mustMerge (dict "a" (semver "1.2.3")) (dict "a" (dict)) }}"#,
        Err("error calling mustMerge: src and dst must be of same type"),
    ),
    (
        r#"{{ merge (dict "a" (split "," "x")) (dict "a" (dict "_1" "y")) }}"#,
        Err(
            "error calling merge: reflect.Value.SetMapIndex: value of type interface {} is not assignable to type string",
        ),
    ),
    (
        r#"{{ merge (dict "a" (split "," "x")) (dict "a" (split "," "z,y")) | dump }}"#,
        Ok("map[string]interface {}#0{\"a\": map[string]string#1{\"_0\": \"x\", \"_1\": \"y\"}}"),
    ),
    ("{{ merge (dict) nil | dump }}", Ok("map[string]interface {}#0{}")),
    (r#"{{ merge nil (dict "a" 1) | dump }}"#, Ok("map[string]interface {}#0{\"a\": int:1}")),
    ("{{ merge nil nil | dump }}", Ok("map[string]interface {}:nil")),
    (
        r#"{{ $d := dict "a" (dict "x" (list 1)) }}{{ $c := deepCopy $d }}{{ $_ := set $c.a "y" 2 }}{{ dump $d $c }}"#,
        Ok(
            "map[string]interface {}#0{\"a\": map[string]interface {}#1{\"x\": []interface {}[int:1]}} | map[string]interface {}#2{\"a\": map[string]interface {}#3{\"x\": []interface {}[int:1], \"y\": int:2}}",
        ),
    ),
    ("{{ deepCopy nil }}", Err("error calling deepCopy: reflect: call of reflect.Value.Type on zero Value")),
    ("{{ deepCopy (until 2) | dump }}", Ok("[]int[int:0, int:1]")),
    (r#"{{ dig "a" "b" "none" (dict "a" (dict "b" 1)) }}"#, Ok("1")),
    (r#"{{ dig "a" "c" "none" (dict "a" (dict "b" 1)) }}"#, Ok("none")),
    (
        r#"{{ dig "a" "b" "none" (dict "a" 1) }}"#,
        Err("error calling dig: interface conversion: interface {} is int, not map[string]interface {}"),
    ),
    (
        r#"{{ dig "a" "b" "none" (dict "a" nil) }}"#,
        Err("error calling dig: interface conversion: interface {} is nil, not map[string]interface {}"),
    ),
    (r#"{{ dig "a" (dict) }}"#, Err("error calling dig: dig needs at least three arguments")),
    (
        r#"{{ dig 1 "none" (dict) }}"#,
        Err("error calling dig: interface conversion: interface {} is int, not string"),
    ),
    (
        r#"{{ dig "a" "none" 5 }}"#,
        Err("error calling dig: interface conversion: interface {} is int, not map[string]interface {}"),
    ),
    (r#"{{ coalesce nil 0 "" (list) "a" "b" }}"#, Ok("a")),
    ("{{ coalesce | dump }}", Ok("nil")),
    (r#"{{ default "d" "" }}"#, Ok("d")),
    (r#"{{ default "d" 0.0 }}"#, Ok("d")),
    (r#"{{ default "d" "v" }}"#, Ok("v")),
    (r#"{{ default "d" }}"#, Ok("d")),
    (r#"{{ default "d" (toDate "2006" "x") | typeOf }}"#, Ok("time.Time")),
    ("{{ empty (dict) }}", Ok("true")),
    (r#"{{ all 1 "a" (list 0) }}"#, Ok("true")),
    ("{{ all }}", Ok("true")),
    (r#"{{ any 0 "" nil }}"#, Ok("false")),
    ("{{ any 0 1 }}", Ok("true")),
    ("{{ ternary 1 2 true }}", Ok("1")),
    (r#"{{ false | ternary "a" "b" }}"#, Ok("b")),
    (r#"{{ ternary 1 2 "x" }}"#, Err("expected bool; found \"x\"")),
    ("{{ typeOf nil }}", Ok("<nil>")),
    ("{{ typeOf (list) }}", Ok("[]interface {}")),
    (r#"{{ typeOf (split "," "a") }}"#, Ok("map[string]string")),
    ("{{ typeOf now }}", Ok("time.Time")),
    (r#"{{ typeIs "int" 1 }}"#, Ok("true")),
    (r#"{{ typeIsLike "semver.Version" (semver "1.2.3") }}"#, Ok("true")),
    ("{{ kindOf nil }}", Ok("invalid")),
    (r#"{{ kindOf (semver "1.2.3") }}"#, Ok("ptr")),
    (r#"{{ kindIs "map" (dict) }}"#, Ok("true")),
    (r#"{{ deepEqual (list 1 (dict "a" nil)) (list 1 (dict "a" nil)) }}"#, Ok("true")),
    ("{{ deepEqual 1 1.0 }}", Ok("false")),
    (
        r#"{{ toJson (dict "b" 1 "a" (list nil true 1.5 "<&>\u2028")) }}"#,
        Ok("{\"a\":[null,true,1.5,\"\\u003c\\u0026\\u003e\\u2028\"],\"b\":1}"),
    ),
    (r#"{{ toJson (float64 "nan") }}"#, Ok("")),
    (r#"{{ mustToJson (float64 "nan") }}"#, Err("error calling mustToJson: json: unsupported value: NaN")),
    (r#"{{ toRawJson "<&>" }}"#, Ok("\"<&>\"")),
    (r#"{{ toRawJson (float64 "inf") }}"#, Err("error calling toRawJson: json: unsupported value: +Inf")),
    (
        r#"{{ toPrettyJson (dict "a" (list 1 (dict)) "b" (list)) }}"#,
        Ok("{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}"),
    ),
    (
        r#"{{ fromJson "[1,\"a\",null,{\"b\":1e2}]" | dump }}"#,
        Ok("[]interface {}[float64:1, \"a\", nil, map[string]interface {}#0{\"b\": float64:100}]"),
    ),
    (r#"{{ fromJson "{" | dump }}"#, Ok("nil")),
    (r#"{{ mustFromJson "{" }}"#, Err("error calling mustFromJson: unexpected end of JSON input")),
    (
        r#"{{ mustFromJson "[1,]" }}"#,
        Err("error calling mustFromJson: invalid character ']' looking for beginning of value"),
    ),
    (r#"{{ mustFromJson "" }}"#, Err("error calling mustFromJson: unexpected end of JSON input")),
];
