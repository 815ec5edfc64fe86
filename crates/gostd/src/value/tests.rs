use std::cell::Cell;
use std::rc::Rc;

use super::*;

fn map(entries: &[(&str, Value)]) -> Map {
    entries.iter().map(|(key, value)| (GoStr::from(*key), value.clone())).collect()
}

/// A list in a list in a list, far deeper than any stack.
fn deep() -> Value {
    (0..60_000).fold(Value::Nil, |inner, level| match level % 3 {
        0 => Value::list(vec![inner]),
        1 => Value::Map(map(&[("k", inner)])),
        _ => List::any(vec![inner]).slice(0, 1).map_or(Value::Nil, Value::List),
    })
}

#[test]
fn maps_are_references() {
    let original = map(&[("a", Value::Int(1))]);
    let same = original.clone();
    assert!(same.insert("b", Value::Int(2)));
    assert_eq!(original.len(), 2);
    assert!(original.same(&same) && original.address() == same.address());
    assert!(!original.same(&map(&[])));

    static VALUES: MapType = MapType { name: "chartutil.Values", elem: Elem::Any, methods: &[] };
    let retyped = original.retyped(&VALUES);
    assert_eq!(Value::Map(retyped.clone()).type_name(), "chartutil.Values");
    assert!(matches!(retyped.remove("a"), Some(Value::Int(1))));
    assert_eq!(original.keys(), [GoStr::from("b")]);
}

#[test]
fn nil_containers_read_as_empty() {
    let nil = Map::nil(&ANY_MAP);
    assert!(nil.is_nil() && nil.is_empty() && nil.get("a").is_none() && nil.borrow().is_none());
    assert!(!nil.insert("a", Value::Nil), "a nil map takes no entries");
    assert!(!nil.same(&Map::nil(&ANY_MAP)));
    let nil = List::nil(&ANY_LIST);
    assert!(
        nil.is_nil() && nil.is_empty() && nil.get(0).is_none() && nil.slice(0, 0).is_some_and(|l| l.is_nil())
    );
    assert!(!Value::List(nil).is_nil(), "only the nil interface is nil");
}

#[test]
fn slices_share_elements() {
    let list = List::any(vec![Value::Int(1), Value::Int(2), Value::Int(3), Value::Int(4)]);
    let view = list.slice(1, 4).unwrap();
    let inner = view.slice(1, 2).unwrap();
    inner.modify(|items| items[0] = Value::string("x"));
    assert_eq!(
        format!("{list:?} {view:?} {inner:?}"),
        r#"[int(1), int(2), "x", int(4)] [int(2), "x", int(4)] ["x"]"#
    );
    for (start, end, valid) in [(0, 4, true), (4, 4, true), (2, 1, false), (0, 5, false), (5, 5, false)] {
        assert_eq!(list.slice(start, end).is_some(), valid, "[{start}:{end}]");
    }
}

#[test]
fn truth_and_types() {
    let cases: &[(Value, bool, Kind, &str)] = &[
        (Value::Nil, false, Kind::Invalid, "<nil>"),
        (Value::Bool(true), true, Kind::Bool, "bool"),
        (Value::Int(0), false, Kind::Int, "int"),
        (Value::Int64(-1), true, Kind::Int64, "int64"),
        (Value::Uint8(0), false, Kind::Uint8, "uint8"),
        (Value::Uint64(1), true, Kind::Uint64, "uint64"),
        (Value::Float64(f64::NAN), true, Kind::Float64, "float64"),
        (Value::Float64(-0.0), false, Kind::Float64, "float64"),
        (Value::Complex(0.0, 1.0), true, Kind::Complex128, "complex128"),
        (Value::string(""), false, Kind::String, "string"),
        (Value::Bytes("a".into()), true, Kind::Slice, "[]uint8"),
        (Value::List(List::strings(["a"])), true, Kind::Slice, "[]string"),
        (Value::Map(map(&[])), false, Kind::Map, "map[string]interface {}"),
    ];
    for (value, truth, kind, type_name) in cases {
        assert_eq!(
            (value.is_true(), value.kind(), value.type_name()),
            (*truth, *kind, *type_name),
            "{value:?}"
        );
    }
}

#[test]
fn deep_equality_is_by_type_and_content() {
    let nan = Value::list(vec![Value::Float64(f64::NAN)]);
    let equal: &[(Value, Value)] = &[
        (Value::Nil, Value::Nil),
        (Value::Float64(0.0), Value::Float64(-0.0)),
        (Value::list(vec![Value::Int(1), Value::Nil]), Value::list(vec![Value::Int(1), Value::Nil])),
        (Value::Map(map(&[("a", Value::list(vec![]))])), Value::Map(map(&[("a", Value::list(vec![]))]))),
        (nan.clone(), nan.clone()),
        (Value::List(List::nil(&ANY_LIST)), Value::List(List::nil(&ANY_LIST))),
    ];
    let different: &[(Value, Value)] = &[
        (Value::Int(1), Value::Int64(1)),
        (Value::string("a"), Value::Bytes("a".into())),
        (nan, Value::list(vec![Value::Float64(f64::NAN)])),
        (Value::list(vec![]), Value::List(List::nil(&ANY_LIST))),
        (Value::list(vec![]), Value::List(List::of(&STRING_LIST, vec![]))),
        (Value::Map(map(&[("a", Value::Nil)])), Value::Map(map(&[("b", Value::Nil)]))),
        (Value::Map(map(&[("a", Value::Int(1))])), Value::Map(map(&[("a", Value::Int(2))]))),
        (Value::Map(Map::nil(&ANY_MAP)), Value::Map(map(&[]))),
        (Value::list(vec![Value::Int(1)]), Value::list(vec![Value::Int(1), Value::Int(2)])),
    ];
    for (a, b) in equal {
        assert!(deep_equal(a, b), "{a:?} {b:?}");
    }
    for (a, b) in different {
        assert!(!deep_equal(a, b), "{a:?} {b:?}");
    }
}

#[test]
fn copies_are_independent_and_keep_types() {
    let inner = map(&[("x", Value::Int(1))]);
    let shared = List::strings(["a"]);
    let original =
        Value::list(vec![Value::Map(inner.clone()), Value::List(shared), Value::Map(Map::nil(&STRING_MAP))]);
    let copy = deep_copy(&original).unwrap();
    assert!(deep_equal(&original, &copy));
    assert!(inner.insert("x", Value::Int(2)));
    let copied = copy.as_list().and_then(|list| list.get(0));
    assert!(copied.is_some_and(|map| deep_equal(&map, &Value::Map(self::map(&[("x", Value::Int(1))])))));
}

#[test]
fn depth_costs_no_stack() {
    let work = || {
        let (a, b) = (deep(), deep());
        assert!(deep_equal(&a, &b));
        let copy = deep_copy(&a).unwrap();
        assert!(deep_equal(&a, &copy));
        let frozen = Frozen::from(&a);
        assert!(frozen == frozen.clone());
        assert_eq!(crate::json::marshal(&frozen.thaw(), true), crate::json::marshal(&copy, true));
        assert!(format!("{a:?}{frozen:?}").contains("..."));
        assert!(crate::fmt::format_v(&a).len() > 60_000);
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn cycles_end() {
    let _scope = Scope::enter();
    let (a, b) = (map(&[]), map(&[]));
    for map in [&a, &b] {
        assert!(map.insert("list", Value::list(vec![Value::Map(map.clone()), Value::Map(map.clone())])));
    }
    let (a, b) = (Value::Map(a), Value::Map(b));
    assert!(deep_equal(&a, &b));
    assert!(deep_copy(&a).is_err());
    assert!(Frozen::from(&a) == Frozen::Nil);
    assert!(format!("{a:?}").len() < 1000);
}

/// Counts how many of its kind have been freed.
#[derive(Debug)]
struct Token(Rc<Cell<u32>>);

impl Object for Token {
    fn type_name(&self) -> &'static str {
        "token"
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn scopes_keep_nothing_alive() {
    let freed = Rc::new(Cell::new(0));
    let _scope = Scope::enter();
    let keeper = map(&[]);
    for _ in 0..5000 {
        let changed = map(&[("token", Value::object(Token(Rc::clone(&freed))))]);
        assert!(changed.insert("keeper", Value::Map(keeper.clone())));
        assert!(keeper.insert("list", Value::list(vec![])));
    }
    assert_eq!(freed.get(), 5000);
}

#[test]
fn scopes_free_cycles() {
    let freed = Rc::new(Cell::new(0));
    {
        let _outer = Scope::enter();
        {
            let _inner = Scope::enter();
            let root = map(&[("token", Value::object(Token(Rc::clone(&freed))))]);
            assert!(root.insert("self", Value::Map(root.clone())));
        }
        assert_eq!(freed.get(), 0, "an inner scope is part of the outer");
    }
    assert_eq!(freed.get(), 1);
}

#[test]
fn frozen_values_cross_and_thaw() {
    let value = Value::Map(map(&[
        ("b", Value::list(vec![Value::Int(1), Value::Float64(1.5), Value::Nil, Value::Bool(true)])),
        ("a", Value::string("x")),
    ]));
    let frozen = Frozen::from(&value);
    let thawed = std::thread::scope(|scope| scope.spawn(|| format!("{:?}", frozen.thaw())).join().unwrap());
    assert_eq!(thawed, r#"{"a": "x", "b": [int64(1), 1.5, nil, true]}"#);
    let changed = frozen.thaw_map();
    assert!(changed.insert("a", Value::Nil));
    assert_eq!(Frozen::from(&frozen.thaw()), frozen, "a thawed copy is independent");
    assert!(Frozen::Int64(1).thaw_map().is_empty());
}

#[test]
fn invalid_bytes_show_one_by_one() {
    assert_eq!(lossy(b"a\xe2\x82z\xff"), "a\u{fffd}\u{fffd}z\u{fffd}");
    assert_eq!(GoStr::from("é").to_lossy(), "é");
    assert_eq!(GoStr::from(&b"\xff"[..]).to_str(), None);
}
