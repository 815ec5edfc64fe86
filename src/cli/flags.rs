//! Flag values as Go programs take them.

use std::net::SocketAddr;

/// An address to listen on; `None` for "do not".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bind(pub(super) Option<SocketAddr>);

/// Reads true or false as Go's `strconv.ParseBool` does.
pub(super) fn go_bool(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err("write true or false".into()),
    }
}

/// Lets a switch be given a value as Go programs do (`--wait=false`).
pub(super) fn go_flag(arg: clap::Arg) -> clap::Arg {
    if !matches!(arg.get_action(), clap::ArgAction::SetTrue) {
        return arg;
    }
    arg.action(clap::ArgAction::Set)
        .value_name("BOOL")
        .num_args(0..=1)
        .require_equals(true)
        .default_value("false")
        .default_missing_value("true")
        .hide_default_value(true)
        .value_parser(go_bool)
}

/// Reads an address as Go servers take it: `:8080` is every address of the machine, `0` is off.
pub(super) fn bind_address(text: &str) -> Result<Bind, String> {
    if text == "0" || text.is_empty() {
        return Ok(Bind(None));
    }
    let full = match text.split_once(':') {
        Some(("", _)) => format!("[::]{text}"),
        Some(("localhost", port)) => format!("127.0.0.1:{port}"),
        _ => text.to_owned(),
    };
    full.parse().map(|address| Bind(Some(address))).map_err(|_| "write HOST:PORT, :PORT, or 0 for off".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_go_reads_them() {
        let of = |text: &str| bind_address(text).map(|bind| bind.0.map(|address| address.to_string()));
        assert_eq!(of(":8443"), Ok(Some("[::]:8443".into())));
        assert_eq!(of("0.0.0.0:1"), Ok(Some("0.0.0.0:1".into())));
        assert_eq!(of("localhost:8080"), Ok(Some("127.0.0.1:8080".into())));
        assert_eq!(of("0"), Ok(None));
        assert!(of("8080").unwrap_err().contains(":PORT"));
    }
}
