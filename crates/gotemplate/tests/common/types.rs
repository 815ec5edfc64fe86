//! Twins of the oracle's types.

use gostd::value::{Elem, Kind, Map, MapType, Method, Object, Signature, Type};
use gostd::{GoStr, List, Value};

/// `main.Values`.
pub(crate) static VALUES: MapType = MapType {
    name: "main.Values",
    elem: Elem::Any,
    methods: &[
        Method {
            name: "Size",
            signature: Signature::fixed(&[]),
            call: |receiver, _| Ok(Value::Int(receiver.as_map().unwrap().len() as i64)),
        },
        Method {
            name: "Get",
            signature: Signature::fixed(&[Type::String]),
            call: |receiver, args| {
                let key = args[0].as_str().unwrap();
                let entry = receiver.as_map().unwrap().get(key);
                entry.ok_or_else(|| format!("no entry {}", gostd::strconv::quote(key)))
            },
        },
    ],
};

/// `main.Level`.
#[derive(Debug)]
pub(crate) struct Level(pub(crate) i64);

impl Object for Level {
    fn type_name(&self) -> &'static str {
        "main.Level"
    }

    fn kind(&self) -> Kind {
        Kind::Int
    }

    fn methods(&self) -> &'static [Method] {
        static METHODS: &[Method] = &[
            Method {
                name: "String",
                signature: Signature::fixed(&[]),
                call: |receiver, _| Ok(Value::string(format!("level-{}", receiver.as_int().unwrap()))),
            },
            Method {
                name: "Up",
                signature: Signature::fixed(&[Type::Int]),
                call: |receiver, args| Ok(Value::object(Level(receiver.as_int().unwrap() + int(&args[0])))),
            },
        ];
        METHODS
    }

    fn stringer(&self) -> Option<GoStr> {
        Some(format!("level-{}", self.0).into())
    }

    fn as_int(&self) -> Option<i64> {
        Some(self.0)
    }
}

/// `main.Thing` and `*main.Thing`.
#[derive(Debug)]
pub(crate) struct Thing {
    pub(crate) is_pointer: bool,
    pub(crate) map: Map,
}

pub(crate) fn int(value: &Value) -> i64 {
    match value {
        Value::Int(number) | Value::Int64(number) => *number,
        other => panic!("{other:?} is no integer"),
    }
}

impl Object for Thing {
    fn type_name(&self) -> &'static str {
        if self.is_pointer { "*main.Thing" } else { "main.Thing" }
    }

    fn kind(&self) -> Kind {
        if self.is_pointer { Kind::Ptr } else { Kind::Struct }
    }

    fn field(&self, name: &str) -> Option<Value> {
        self.fields().into_iter().find_map(|(field, value)| (field == name).then_some(value))
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("Name", "thing".into()),
            ("Count", Value::Int(3)),
            ("Words", Value::List(List::strings(["a", "b"]))),
            ("Map", Value::Map(self.map.clone())),
        ]
    }

    fn methods(&self) -> &'static [Method] {
        const fn method(
            name: &'static str,
            signature: Signature,
            call: fn(&Value, &[Value]) -> Result<Value, String>,
        ) -> Method {
            Method { name, signature, call }
        }
        static METHODS: &[Method] = &[
            method("Hello", Signature::fixed(&[]), |_, _| Ok("hello from thing".into())),
            method("Add", Signature::fixed(&[Type::Int, Type::Int]), |_, args| {
                Ok(Value::Int(3_i64.wrapping_add(int(&args[0])).wrapping_add(int(&args[1]))))
            }),
            method("Join", Signature::variadic(&[Type::String], Type::String), |_, args| Ok(join(args))),
            method("Echo", Signature::fixed(&[Type::Any]), |_, args| Ok(args[0].clone())),
            method("Fail", Signature::fixed(&[Type::String]), |_, args| {
                Err(args[0].as_str().unwrap().to_string())
            }),
            method("Keys", Signature::fixed(&[Type::AnyMap]), |_, args| {
                Ok(Value::Int(args[0].as_map().unwrap().len() as i64))
            }),
            method("Scale", Signature::fixed(&[Type::Float64]), |_, args| match args[0] {
                Value::Float64(number) => Ok(Value::Float64(number * 2.0)),
                _ => Err("no float".to_owned()),
            }),
            method("Small", Signature::fixed(&[Type::Uint32]), |_, args| small(&args[0])),
            method("Yes", Signature::fixed(&[Type::Bool]), |_, args| Ok(args[0].clone())),
            method("Wide", Signature::fixed(&[Type::Int64]), |_, args| Ok(args[0].clone())),
            method("All", Signature::fixed(&[Type::AnyList]), |_, args| {
                Ok(Value::Int(args[0].as_list().unwrap().len() as i64))
            }),
        ];
        METHODS
    }
}

pub(crate) fn join(args: &[Value]) -> Value {
    let (separator, parts) = args.split_first().unwrap();
    let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_str().unwrap().as_bytes()).collect();
    Value::string(parts.join(separator.as_str().unwrap().as_bytes()))
}

pub(crate) fn small(value: &Value) -> Result<Value, String> {
    match value {
        Value::Uint64(number) => Ok(Value::string(number.to_string())),
        other => Err(format!("{other:?} is no uint32")),
    }
}
