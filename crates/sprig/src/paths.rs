//! Slash-separated paths. The `os` forms are the same here: templates are rendered as on Linux.

use gostd::value::Type;
use gostd::{Value, path};
use gotemplate::Function;

use crate::args::{Args, fixed};

const TEXT: &[Type] = &[Type::String];

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("base", TEXT, |_, args| Ok(Value::string(path::base(args.text(0)?.as_bytes())))),
    fixed("osBase", TEXT, |_, args| Ok(Value::string(path::base(args.text(0)?.as_bytes())))),
    fixed("dir", TEXT, |_, args| Ok(Value::string(path::dir(args.text(0)?.as_bytes())))),
    fixed("osDir", TEXT, |_, args| Ok(Value::string(path::dir(args.text(0)?.as_bytes())))),
    fixed("clean", TEXT, |_, args| Ok(Value::string(path::clean(args.text(0)?.as_bytes())))),
    fixed("osClean", TEXT, |_, args| Ok(Value::string(path::clean(args.text(0)?.as_bytes())))),
    fixed("ext", TEXT, |_, args| Ok(Value::string(path::ext(args.text(0)?.as_bytes())))),
    fixed("osExt", TEXT, |_, args| Ok(Value::string(path::ext(args.text(0)?.as_bytes())))),
    fixed("isAbs", TEXT, |_, args| Ok(path::is_abs(args.text(0)?.as_bytes()).into())),
    fixed("osIsAbs", TEXT, |_, args| Ok(path::is_abs(args.text(0)?.as_bytes()).into())),
];
