//! Twins of the oracle's functions.

use gostd::value::{Kind, Signature, Type};
use gostd::{GoStr, Map, Value};
use gotemplate::{Body, Call, ErrorKind, FuncError, Function};

use super::types::{Level, Thing, int, join, small};

const fn function(name: &'static str, params: &'static [Type], body: Body) -> Function {
    Function { name, signature: Signature::fixed(params), body }
}

const fn variadic(name: &'static str, params: &'static [Type], rest: Type, body: Body) -> Function {
    Function { name, signature: Signature::variadic(params, rest), body }
}

pub(crate) static FUNCTIONS: &[Function] = &[
    function("upper", &[Type::String], |_, args| {
        Ok(Value::string(gostd::strings::to_upper(args[0].as_str().unwrap())))
    }),
    function("add", &[Type::Int, Type::Int], |_, args| {
        Ok(Value::Int(int(&args[0]).wrapping_add(int(&args[1]))))
    }),
    function("half", &[Type::Float64], |_, args| match args[0] {
        Value::Float64(number) => Ok(Value::Float64(number / 2.0)),
        _ => Err("no float".into()),
    }),
    function("wide", &[Type::Int64], |_, args| Ok(args[0].clone())),
    function("small", &[Type::Uint32], |_, args| small(&args[0]).map_err(FuncError::new)),
    function("yes", &[Type::Bool], |_, args| Ok(args[0].clone())),
    function("echo", &[Type::Any], |_, args| Ok(args[0].clone())),
    function("nothing", &[], |_, _| Ok(Value::Nil)),
    function("one", &[], |_, _| Ok(Value::Int(1))),
    function("word", &[], |_, _| Ok("word".into())),
    variadic("list", &[], Type::Any, |_, args| Ok(Value::list(args.to_vec()))),
    variadic("strings", &[], Type::String, |_, args| Ok(super::string_list(args.to_vec()))),
    variadic("join", &[Type::String], Type::String, |_, args| Ok(join(args))),
    variadic("dict", &[], Type::Any, |_, args| {
        let map = Map::new();
        for pair in args.chunks_exact(2) {
            let _ = map.insert(gostd::fmt::format_v(&pair[0]), pair[1].clone());
        }
        Ok(map.into())
    }),
    function("size", &[Type::AnyMap], |_, args| Ok(Value::Int(args[0].as_map().unwrap().len() as i64))),
    function("count", &[Type::AnyList], |_, args| Ok(Value::Int(args[0].as_list().unwrap().len() as i64))),
    function("lines", &[Type::StringList], |_, args| Ok(Value::Int(args[0].as_list().unwrap().len() as i64))),
    function("raw", &[Type::Bytes], |_, args| match &args[0] {
        Value::Bytes(bytes) => Ok(Value::Int(bytes.len() as i64)),
        _ => Err("no bytes".into()),
    }),
    function("level", &[Type::Int], |_, args| Ok(Value::object(Level(int(&args[0]))))),
    function("up", &[Type::Named("main.Level")], |_, args| {
        Ok(Value::object(Level(args[0].as_int().unwrap() + 1)))
    }),
    function("ptr", &[], |_, _| Ok(Value::object(Thing { is_pointer: true, map: Map::new() }))),
    function("name", &[Type::Named("main.Thing")], |_, _| Ok("thing".into())),
    function("set", &[Type::AnyMap, Type::String, Type::Any], |_, args| {
        let map = args[0].as_map().unwrap();
        if matches!(args[2].kind(), Kind::Map | Kind::Slice) {
            return Err("no containers".into());
        }
        if map.insert(args[1].as_str().unwrap().clone(), args[2].clone()) {
            Ok(args[0].clone())
        } else {
            Err("assignment to entry in nil map".into())
        }
    }),
    function("fail", &[Type::String], |_, args| {
        Err(FuncError::Author(args[0].as_str().unwrap().to_string()))
    }),
    function("typeOf", &[Type::Any], |_, args| {
        Ok(Value::string(if args[0].is_nil() { "<nil>" } else { args[0].type_name() }))
    }),
    function("include", &[Type::String, Type::Any], |call, args| {
        nested(call, |call| call.execute(args[0].as_str().unwrap(), args[1].clone()))
    }),
    function("tpl", &[Type::String, Type::Any], |call, args| {
        let text = args[0].as_str().unwrap();
        nested(call, |call| {
            call.parse_and_execute("gotpl", text.clone(), args[1].clone()).map_err(|error| {
                let what = match error.kind() {
                    ErrorKind::Parse => "cannot parse template",
                    _ => "error during tpl function execution for",
                };
                let context = format!("{what} {}: ", gostd::strconv::quote(text));
                FuncError::Nested { context, error: Box::new(error) }
            })
        })
    }),
];

/// How many includes and tpls are under way.
#[derive(Default)]
struct Nesting(usize);

fn nested(
    call: &mut Call<'_, '_>,
    run: impl FnOnce(&mut Call<'_, '_>) -> Result<GoStr, FuncError>,
) -> Result<Value, FuncError> {
    const DEEPEST: usize = 100;
    if call.extension::<Nesting>().0 >= DEEPEST {
        return Err("nested too deep".into());
    }
    call.extension::<Nesting>().0 += 1;
    let result = run(call);
    call.extension::<Nesting>().0 -= 1;
    result.map(Value::String)
}
