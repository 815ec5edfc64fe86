//! Control flow and the network: `fail`, and `getHostByName`, which asks the host.

use gostd::value::{Type, lossy};
use gotemplate::{FuncError, Function};

use crate::args::{Args, fixed};

const TEXT: &[Type] = &[Type::String];

pub(crate) const FUNCTIONS: &[Function] = &[
    fixed("fail", TEXT, |_, args| Err(FuncError::Author(lossy(args.text(0)?)))),
    fixed("getHostByName", TEXT, |call, args| {
        call.host().query(call.function(), args).map_err(FuncError::from)
    }),
];
