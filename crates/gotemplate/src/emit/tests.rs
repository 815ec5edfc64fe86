use gostd::value::{Signature, Type};

use crate::func::{Function, FunctionSet};

static FUNCTIONS: &[Function] = &[Function {
    name: "f",
    signature: Signature::fixed(&[Type::Int, Type::String]),
    body: |_, _| Ok(gostd::Value::Nil),
}];

/// Compiles a template and returns its instructions, one a line.
fn code(text: &str) -> String {
    let templates = crate::parse::parse(&"t".into(), &text.into(), &FunctionSet::new(FUNCTIONS)).unwrap();
    let main = templates.iter().find(|template| template.name == "t").unwrap();
    main.ops.iter().map(|op| format!("{op:?}\n")).collect()
}

#[test]
fn a_chain_of_fields_is_one_instruction() {
    assert_eq!(
        code("a{{ .b.c }}"),
        "Text { start: 0, end: 1 }\n\
         Load { node: 0, slot: 1 }\n\
         Fields { node: 0, name: 0, count: 2 }\n\
         Unwrap\n\
         Print\n"
    );
}

#[test]
fn constants_take_the_type_of_their_parameter() {
    let templates =
        crate::parse::parse(&"t".into(), &"{{ f 1e1 `x` }}".into(), &FunctionSet::new(FUNCTIONS)).unwrap();
    let constants = [crate::code::Constant::Int(10), crate::code::Constant::String("x".into())];
    assert_eq!(*templates[0].constants, constants);
    assert!(code("{{ f `x` 1 }}").contains("Fail"), "a literal of the wrong type fails where it stands");
}

#[test]
fn what_cannot_be_called_compiles_to_a_failure_alone() {
    assert_eq!(code("{{ f (print 1) }}"), "At { node: 0 }\nFail { message: 0 }\nUnwrap\nPrint\n");
    assert_eq!(code("{{ 1 (print 2) }}"), "At { node: 0 }\nFail { message: 0 }\nPrint\n");
}

#[test]
fn short_circuits_jump_to_their_end() {
    assert_eq!(
        code("{{ or .a .b }}"),
        "Load { node: 1, slot: 1 }\n\
         Fields { node: 1, name: 0, count: 1 }\n\
         Decide { when: true, target: 5 }\n\
         Load { node: 2, slot: 1 }\n\
         Fields { node: 2, name: 1, count: 1 }\n\
         Unwrap\n\
         Print\n"
    );
}

#[test]
fn variables_are_slots_and_blocks_reuse_them() {
    let code = code("{{ if $a := 1 }}{{ $b := 2 }}{{ end }}{{ $c := 3 }}{{ $c }}");
    assert!(code.ends_with("Store { slot: 2 }\nPop\nLoad { node: 3, slot: 2 }\nUnwrap\nPrint\n"), "{code}");
}

#[test]
fn loops_clear_variables_that_a_round_may_skip() {
    let plain = code("{{ range . }}{{ $a := or 1 2 }}{{ end }}");
    assert!(!plain.contains("Forget"), "{plain}");
    let skipping = code("{{ range . }}{{ or . ($a := 2) }}{{ $a }}{{ continue }}{{ end }}");
    let forget = skipping.lines().position(|line| line.starts_with("Forget")).unwrap();
    assert!(skipping.contains(&format!("Jump {{ target: {forget} }}")), "{skipping}");
    assert!(skipping.contains("LoadAny"), "{skipping}");
}

#[test]
fn instructions_are_small() {
    assert_eq!(size_of::<crate::code::Op>(), 16);
}
