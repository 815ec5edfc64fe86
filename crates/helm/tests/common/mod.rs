//! Renders charts given as texts.
#![allow(dead_code, unreachable_pub, missing_docs)] // Each test program uses a part.

use gostd::value::Frozen;
use helm::chart::Memory;
use helm::output::TemplateOutput;
use helm::values::ValueOptions;
use helm::{Capabilities, Chart, CompiledChart, Error, Release, RenderInput, RenderOptions, Still};

/// A Chart.yaml named `c`.
pub const CHART: (&str, &str) = ("Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n");

pub fn load(files: &[(&str, &str)]) -> Result<Chart, Error> {
    Chart::load(&Memory::new(files.iter().copied()))
}

pub fn values(text: &str) -> Frozen {
    let options = ValueOptions { files: vec!["values".to_owned()], ..ValueOptions::default() };
    options.merge(&|_| Ok(text.into())).unwrap()
}

pub fn release() -> Release {
    Release { name: "rel".to_owned(), namespace: "ns".to_owned(), revision: 1, is_upgrade: false }
}

pub fn with_input<T>(values: &Frozen, run: impl FnOnce(&RenderInput<'_>) -> T) -> T {
    run(&RenderInput {
        values,
        release: release(),
        capabilities: &Capabilities::default(),
        host: &Still,
        options: RenderOptions::default(),
    })
}

/// What a render prints and logs.
pub struct Printed {
    pub text: String,
    pub warnings: Vec<String>,
}

pub fn template(
    files: &[(&str, &str)],
    user_values: &str,
    options: &TemplateOutput,
) -> Result<Printed, Error> {
    let compiled = CompiledChart::new(load(files)?)?;
    let values = values(user_values);
    with_input(&values, |input| {
        let rendered = compiled.render(input)?;
        let text = rendered.template_output(options)?;
        let mut written = Vec::new();
        rendered.write_output(options, &mut written).unwrap();
        assert_eq!(written, text);
        let text = String::from_utf8(text).unwrap();
        Ok(Printed { text, warnings: rendered.warnings })
    })
}

/// Renders and returns the text, or the message of the error.
pub fn text(files: &[(&str, &str)], user_values: &str) -> String {
    match template(files, user_values, &TemplateOutput::default()) {
        Ok(printed) => printed.text,
        Err(error) => error.to_string(),
    }
}
