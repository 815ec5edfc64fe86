#![no_main]
//! Any chart of one template, with any values: it renders or says why it does not, within its limits.
use helm::{Capabilities, Chart, CompiledChart, Host, Release, RenderInput, RenderOptions};
use libfuzzer_sys::fuzz_target;

struct Still;

impl Host for Still {
    fn now(&self) -> (i64, u32) {
        (1_700_000_000, 0)
    }
    fn random(&self, _: &helm::Site<'_>, buffer: &mut [u8]) {
        buffer.fill(7);
    }
    fn query(&self, _: &str, _: &[gostd::Value]) -> Result<gostd::Value, String> {
        Ok(gostd::Value::Map(gostd::Map::new()))
    }
}

fuzz_target!(|input: (&str, &str)| {
    let (template, values) = input;
    // Making keys is slow by nature, and Go's own code is not what is tested here.
    if ["genPrivateKey", "genCA", "genSelf", "genSigned", "derivePassword", "bcrypt", "htpasswd"]
        .iter()
        .any(|slow| template.contains(slow))
    {
        return;
    }
    let source = helm::chart::Memory::new([
        ("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.2.3\n"),
        ("templates/t.yaml", template),
    ]);
    let Ok(chart) = Chart::load(&source) else { return };
    let Ok(chart) = CompiledChart::new(chart) else { return };
    let options = helm::values::ValueOptions { files: vec!["f".into()], ..Default::default() };
    let Ok(values) = options.merge(&|_| Ok(values.as_bytes().to_vec())) else { return };
    let _ = chart.render(&RenderInput {
        values: &values,
        release: Release { name: "r".into(), namespace: "n".into(), revision: 1, is_upgrade: false },
        capabilities: &Capabilities::default(),
        host: &Still,
        options: RenderOptions::default(),
    });
});
