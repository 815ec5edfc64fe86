//! Lists. Each row is a template and what Go makes of it.

use super::Row;

pub(crate) const ROWS: &[Row] = &[
    (r#"{{ list 1 nil "a" | dump }}"#, Ok("[]interface {}[int:1, nil, \"a\"]")),
    ("{{ tuple | dump }}", Ok("[]interface {}[]")),
    ("{{ append (list 1) 2 | dump }}", Ok("[]interface {}[int:1, int:2]")),
    (
        "{{ push nil 1 }}",
        Err("error calling push: runtime error: invalid memory address or nil pointer dereference"),
    ),
    (r#"{{ append "x" 1 }}"#, Err("error calling append: Cannot push on type string")),
    (r#"{{ prepend (splitList "," "a,b") 0 | dump }}"#, Ok("[]interface {}[int:0, \"a\", \"b\"]")),
    ("{{ first (list)|dump }}", Ok("nil")),
    ("{{ first (until 3)|dump }}", Ok("int:0")),
    (
        "{{ first nil }}",
        Err("error calling first: runtime error: invalid memory address or nil pointer dereference"),
    ),
    ("{{ last (list 1 2) }}", Ok("2")),
    ("{{ last 5 }}", Err("error calling last: Cannot find last on type int")),
    ("{{ rest (list 1 2) | dump }}", Ok("[]interface {}[int:2]")),
    ("{{ rest (list) | dump }}", Ok("[]interface {}:nil")),
    ("{{ initial (list 1 2) | dump }}", Ok("[]interface {}[int:1]")),
    ("{{ initial (list) | dump }}", Ok("[]interface {}:nil")),
    ("{{ reverse (list 1 2 3) | dump }}", Ok("[]interface {}[int:3, int:2, int:1]")),
    (r#"{{ reverse "abc" }}"#, Err("error calling reverse: Cannot find reverse on type string")),
    (
        r#"{{ compact (list 1 0 "" nil "a" (list) (dict) false 0.0) | dump }}"#,
        Ok("[]interface {}[int:1, \"a\"]"),
    ),
    (
        r#"{{ uniq (list 1 1.0 "1" 1 nil nil (list 1) (list 1) (dict) (dict)) | dump }}"#,
        Ok(
            "[]interface {}[int:1, float64:1, \"1\", nil, []interface {}[int:1], map[string]interface {}#0{}]",
        ),
    ),
    ("{{ without (list 1 2 3 1.0) 1 3 | dump }}", Ok("[]interface {}[int:2, float64:1]")),
    ("{{ has 1 (list 1.0) }}", Ok("false")),
    ("{{ has 1.0 (list 1.0) }}", Ok("true")),
    (r#"{{ has "a" nil }}"#, Ok("false")),
    (r#"{{ has "a" "abc" }}"#, Err("error calling has: Cannot find has on type string")),
    ("{{ slice (list 1 2 3) 1 | dump }}", Ok("[]interface {}[int:2, int:3]")),
    ("{{ slice (list 1 2 3) 0 2 | dump }}", Ok("[]interface {}[int:1, int:2]")),
    (r#"{{ slice (list 1 2 3) "1" 3.9 | dump }}"#, Ok("[]interface {}[int:2, int:3]")),
    ("{{ slice (list) 5 6 | dump }}", Ok("nil")),
    (
        "{{ slice (list 1 2 3) 2 1 }}",
        Err("error calling slice: reflect.Value.Slice: slice index out of bounds"),
    ),
    (
        "{{ slice (list 1 2 3) -1 }}",
        Err("error calling slice: reflect.Value.Slice: slice index out of bounds"),
    ),
    (
        "{{ slice (list 1 2 3) 0 9 }}",
        Err("error calling slice: reflect.Value.Slice: slice index out of bounds"),
    ),
    (r#"{{ slice "abc" 1 }}"#, Err("error calling slice: list should be type of slice or array but string")),
    (
        r#"{{ concat (list 1) (until 2) (splitList "," "a") | dump }}"#,
        Ok("[]interface {}[int:1, int:0, int:1, \"a\"]"),
    ),
    ("{{ concat (list) (list) | dump }}", Ok("[]interface {}:nil")),
    ("{{ concat | dump }}", Ok("[]interface {}:nil")),
    (r#"{{ concat (list 1) "x" }}"#, Err("error calling concat: Cannot concat type string as list")),
    (
        "{{ concat nil }}",
        Err("error calling concat: runtime error: invalid memory address or nil pointer dereference"),
    ),
    (
        "{{ chunk 2 (list 1 2 3) | dump }}",
        Ok("[][]interface {}[[]interface {}[int:1, int:2], []interface {}[int:3]]"),
    ),
    ("{{ chunk 5 (list 1 2 3) | dump }}", Ok("[][]interface {}[[]interface {}[int:1, int:2, int:3]]")),
    ("{{ chunk 0 (list 1) }}", Err("error calling chunk: runtime error: makeslice: len out of range")),
    ("{{ chunk -1 (list 1 2 3) }}", Err("error calling chunk: runtime error: makeslice: len out of range")),
    ("{{ chunk 3 (list) | dump }}", Ok("[][]interface {}[]")),
    ("{{ chunk -5 (list 1 2) | dump }}", Ok("[][]interface {}[]")),
    (r#"{{ chunk 1 "x" }}"#, Err("error calling chunk: Cannot chunk type string")),
    (r#"{{ sortAlpha (list "b" 10 9 nil "a") | dump }}"#, Ok("[]string[\"10\", \"9\", \"a\", \"b\"]")),
    (r#"{{ sortAlpha "x" | dump }}"#, Ok("[]string[\"x\"]")),
    ("{{ sortAlpha nil | dump }}", Ok("[]string[\"<nil>\"]")),
    (
        r#"{{ $l := splitList "," "c,a,b" }}{{ $s := sortAlpha $l }}{{ dump $l $s }}"#,
        Ok("[]string[\"a\", \"b\", \"c\"] | []string[\"a\", \"b\", \"c\"]"),
    ),
    (
        "{{ $l := list 1 2 3 }}{{ $m := append $l 4 }}{{ dump $l $m }}",
        Ok("[]interface {}[int:1, int:2, int:3] | []interface {}[int:1, int:2, int:3, int:4]"),
    ),
];
