//! Types and kinds: `typeOf`, `kindIs` and their like.

use gostd::value::{Type, deep_equal};
use gotemplate::Function;

use crate::args::{Args, fixed};

const ANY: Type = Type::Any;
const TEXT: Type = Type::String;

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("typeOf", &[ANY], |_, args| Ok(args.any(0).type_name().into())),
    fixed("typeIs", &[TEXT, ANY], |_, args| Ok((*args.text(0)? == args.any(1).type_name()).into())),
    fixed("typeIsLike", &[TEXT, ANY], |_, args| {
        let (target, actual) = (args.text(0)?, args.any(1).type_name());
        Ok((*target == actual || actual.strip_prefix('*').is_some_and(|pointee| *target == pointee)).into())
    }),
    fixed("kindOf", &[ANY], |_, args| Ok(args.any(0).kind().name().into())),
    fixed("kindIs", &[TEXT, ANY], |_, args| Ok((*args.text(0)? == args.any(1).kind().name()).into())),
    fixed("deepEqual", &[ANY, ANY], |_, args| Ok(deep_equal(args.any(0), args.any(1)).into())),
];
