//! Numbers: integer and float arithmetic, rounding, ranges.

use gostd::value::{INT_LIST, Type};
use gostd::{List, Value, strconv};
use gotemplate::{Call, FuncError, Function};

use crate::args::{Args, Outcome, fixed, variadic};
use crate::cast::{to_float64, to_int64};
use crate::decimal::Decimal;
use crate::{limits, print};

const ANY: Type = Type::Any;
const INT: Type = Type::Int;

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("int", &[ANY], |_, args| Ok(Value::Int(to_int64(args.any(0))))),
    fixed("int64", &[ANY], |_, args| Ok(Value::Int64(to_int64(args.any(0))))),
    fixed("float64", &[ANY], |_, args| Ok(to_float64(args.any(0)).into())),
    fixed("atoi", &[Type::String], |_, args| {
        Ok(Value::Int(strconv::atoi(args.text(0)?).unwrap_or_else(|error| error.value)))
    }),
    fixed("toDecimal", &[ANY], |_, args| Ok(Value::Int64(to_decimal(args.any(0))))),
    variadic("add", &[], ANY, |_, args| Ok(fold(0, args, i64::wrapping_add))),
    fixed("add1", &[ANY], |_, args| Ok(Value::Int64(to_int64(args.any(0)).wrapping_add(1)))),
    fixed("sub", &[ANY, ANY], |_, args| Ok(fold(to_int64(args.any(0)), args.rest(1), i64::wrapping_sub))),
    variadic("mul", &[ANY], ANY, |_, args| Ok(fold(to_int64(args.any(0)), args.rest(1), i64::wrapping_mul))),
    fixed("div", &[ANY, ANY], |_, args| divided(args, i64::wrapping_div)),
    fixed("mod", &[ANY, ANY], |_, args| divided(args, i64::wrapping_rem)),
    variadic("max", &[ANY], ANY, |_, args| Ok(fold(to_int64(args.any(0)), args.rest(1), i64::max))),
    variadic("biggest", &[ANY], ANY, |_, args| Ok(fold(to_int64(args.any(0)), args.rest(1), i64::max))),
    variadic("min", &[ANY], ANY, |_, args| Ok(fold(to_int64(args.any(0)), args.rest(1), i64::min))),
    variadic("addf", &[], ANY, |_, args| decimals(0.0, args, |a, b| Ok(a.add(b)))),
    fixed("add1f", &[ANY], |_, args| decimals(1.0, args, |a, b| Ok(a.add(b)))),
    variadic("subf", &[ANY], ANY, |_, args| {
        decimals(to_float64(args.any(0)), args.rest(1), |a, b| Ok(a.sub(b)))
    }),
    variadic("mulf", &[ANY], ANY, |_, args| {
        decimals(to_float64(args.any(0)), args.rest(1), |a, b| Ok(a.mul(b)))
    }),
    variadic("divf", &[ANY], ANY, |_, args| decimals(to_float64(args.any(0)), args.rest(1), Decimal::div)),
    variadic("maxf", &[ANY], ANY, |_, args| Ok(fold_floats(args, larger))),
    variadic("minf", &[ANY], ANY, |_, args| Ok(fold_floats(args, |a, b| -larger(-a, -b)))),
    fixed("ceil", &[ANY], |_, args| Ok(to_float64(args.any(0)).ceil().into())),
    fixed("floor", &[ANY], |_, args| Ok(to_float64(args.any(0)).floor().into())),
    variadic("round", &[ANY, INT], Type::Float64, |_, args| {
        let on = if args.len() > 2 { args.float(2)? } else { 0.5 };
        Ok(round(to_float64(args.any(0)), args.int(1)?, on).into())
    }),
    fixed("until", &[INT], |call, args| {
        let stop = args.int(0)?;
        Ok(int_list(range(call, 0, stop, if stop < 0 { -1 } else { 1 })?))
    }),
    fixed("untilStep", &[INT, INT, INT], |call, args| {
        Ok(int_list(range(call, args.int(0)?, args.int(1)?, args.int(2)?)?))
    }),
    variadic("seq", &[], INT, seq),
];

fn fold(start: i64, args: &[Value], combine: fn(i64, i64) -> i64) -> Value {
    Value::Int64(args.iter().map(to_int64).fold(start, combine))
}

fn divided(args: &[Value], divide: fn(i64, i64) -> i64) -> Outcome {
    match to_int64(args.any(1)) {
        0 => Err("runtime error: integer divide by zero".into()),
        divisor => Ok(Value::Int64(divide(to_int64(args.any(0)), divisor))),
    }
}

fn decimals(
    start: f64,
    args: &[Value],
    combine: fn(&Decimal, &Decimal) -> Result<Decimal, String>,
) -> Outcome {
    let mut result = Decimal::from_float(start)?;
    for arg in args {
        result = combine(&result, &Decimal::from_float(to_float64(arg))?)?;
    }
    Ok(result.to_float().into())
}

fn fold_floats(args: &[Value], combine: fn(f64, f64) -> f64) -> Value {
    args.iter().map(to_float64).reduce(combine).unwrap_or_default().into()
}

/// Go's `math.Max`: infinity beats NaN, NaN beats numbers, +0 beats -0. The minimum is its mirror image.
fn larger(a: f64, b: f64) -> f64 {
    if a == f64::INFINITY || b == f64::INFINITY {
        f64::INFINITY
    } else if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == 0.0 && b == 0.0 {
        if a.is_sign_negative() { b } else { a }
    } else {
        a.max(b)
    }
}

fn round(number: f64, places: i64, on: f64) -> f64 {
    let power = power_of_ten(places);
    let digit = power * number;
    let rounded = if digit.fract() >= on { digit.ceil() } else { digit.floor() };
    rounded / power
}

/// Go's `math.Pow(10, places)`, whose rounding of large powers differs from the platform's.
fn power_of_ten(places: i64) -> f64 {
    const WIDEST: i32 = 1 << 12;
    let (mut answer, mut answer_exponent) = (1.0f64, 0i32);
    let (mut base, mut base_exponent) = (0.625f64, 4i32);
    let mut bits = places.unsigned_abs();
    while bits != 0 {
        if base_exponent.abs() > WIDEST {
            answer_exponent += base_exponent;
            break;
        }
        if bits & 1 == 1 {
            answer *= base;
            answer_exponent += base_exponent;
        }
        base *= base;
        base_exponent <<= 1;
        if base < 0.5 {
            base += base;
            base_exponent -= 1;
        }
        bits >>= 1;
    }
    if places < 0 {
        answer = 1.0 / answer;
        answer_exponent = -answer_exponent;
    }
    scale(answer, answer_exponent)
}

/// Multiplies by a power of two, rounding once (Go's `math.Ldexp`).
fn scale(number: f64, exponent: i32) -> f64 {
    let two_to = |exponent: i32| f64::from_bits(((exponent + 1023) as u64) << 52);
    match exponent {
        1024.. => number * two_to(1023) * two_to((exponent - 1023).min(1023)),
        -1022..=1023 => number * two_to(exponent),
        // The first step is exact for a number near 1; only the last one rounds.
        _ => number * two_to((exponent + 1000).max(-1022)) * two_to(-1000),
    }
}

/// Reads the printed value as octal.
fn to_decimal(value: &Value) -> i64 {
    strconv::parse_int(&print::sprint(value), 8, 64).unwrap_or_default()
}

/// The numbers from `start` toward `stop`, which is excluded; none if the step leads elsewhere.
fn range(
    call: &mut Call<'_, '_>,
    start: i64,
    stop: i64,
    step: i64,
) -> Result<impl Iterator<Item = i64>, FuncError> {
    let wrong_way = if stop < start { step >= 0 } else { step <= 0 };
    let count = if wrong_way { 0 } else { start.abs_diff(stop).div_ceil(step.unsigned_abs()) };
    let count = limits::list(call, u128::from(count))?;
    Ok((0..count as i64).map(move |at| start.wrapping_add(at.wrapping_mul(step))))
}

fn int_list(numbers: impl Iterator<Item = i64>) -> Value {
    Value::List(List::of(&INT_LIST, numbers.map(Value::Int).collect()))
}

/// `seq`: the ends are included, and the result is text.
fn seq(call: &mut Call<'_, '_>, args: &[Value]) -> Outcome {
    let (start, step, end) = match args.len() {
        1 => (1, None, args.int(0)?),
        2 => (args.int(0)?, None, args.int(1)?),
        3 => (args.int(0)?, Some(args.int(1)?), args.int(2)?),
        _ => return Ok(Value::string("")),
    };
    let direction = if end < start { -1 } else { 1 };
    let step = step.unwrap_or(direction);
    if direction < 0 && step > 0 {
        return Ok(Value::string(""));
    }
    let numbers = range(call, start, end.wrapping_add(direction), step)?;
    Ok(numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ").into())
}
