//! A folder of cases.

use std::fs;
use std::path::Path;

use crate::case::Case;
use crate::error::Error;

/// The cases of a folder.
#[derive(Debug, Default)]
pub(crate) struct Cases {
    /// Those that run an operator, in order of their ids.
    pub(crate) operator: Vec<Case>,
    /// How many there are of other types.
    pub(crate) others: usize,
}

/// Finds the cases: every folder with a `case.yaml`. One that cannot be understood is among them, and will fail.
pub(crate) fn load(folder: &Path) -> Result<Cases, Error> {
    let mut cases = Cases::default();
    for entry in fs::read_dir(folder).map_err(Error::io("read", folder))? {
        let path = entry.map_err(Error::io("read", folder))?.path();
        let file = path.join("case.yaml");
        if !file.is_file() {
            continue;
        }
        let text = fs::read(&file).map_err(Error::io("read", &file))?;
        match Case::read(&path, &text) {
            Some(case) => cases.operator.push(case),
            None => cases.others += 1,
        }
    }
    cases.operator.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(cases)
}

/// Copies a case's folder, for steps may write into it. Links are followed.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    fs::create_dir_all(to).map_err(Error::io("make", to))?;
    for entry in fs::read_dir(from).map_err(Error::io("read", from))? {
        let source = entry.map_err(Error::io("read", from))?.path();
        let Some(name) = source.file_name() else { continue };
        let target = to.join(name);
        if source.is_dir() {
            copy(&source, &target)?;
        } else {
            fs::copy(&source, &target).map_err(Error::io("copy", &source))?;
        }
    }
    Ok(())
}
