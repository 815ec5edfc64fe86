//! The flags of the admission webhook.

use clap::Args;

use super::CliError;
use super::flags::{Bind, bind_address, go_bool};
use super::run::OWN_NAMESPACE;
use crate::webhook::{At, Options};

/// Validation of resources before they are stored.
#[derive(Args, Clone, Debug)]
pub(crate) struct WebhookArgs {
    /// Judge resources before they are stored, with an admission webhook: `kubectl apply` answers with what the chart,
    /// its schema or the API server has against them
    #[arg(long, env = "WEBHOOK", value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value_t = false,
          default_missing_value = "true", value_parser = go_bool, action = clap::ArgAction::Set)]
    webhook: bool,
    /// Where the webhook listens
    #[arg(long, value_name = "ADDRESS", default_value = ":9443", value_parser = bind_address)]
    webhook_bind_address: Bind,
    /// How the API server reaches the webhook of an operator outside the cluster, as https://192.0.2.1:9443
    #[arg(long, env = "WEBHOOK_URL", value_name = "URL", conflicts_with = "webhook_service")]
    webhook_url: Option<String>,
    /// The Service by which the API server reaches the webhook, on port 443: NAME or NAMESPACE/NAME [default: that of
    /// `chartwright manifests --webhook`]
    #[arg(long, env = "WEBHOOK_SERVICE", value_name = "SERVICE")]
    webhook_service: Option<String>,
}

/// The name of the Service that `chartwright manifests` makes for the operator of a kind.
pub(crate) fn service_name(singular: &str) -> String {
    format!("{singular}-operator-webhook")
}

impl WebhookArgs {
    /// Checks the flags; `None` if there is to be no webhook.
    ///
    /// # Errors
    /// When nothing says how the webhook is reached.
    pub(crate) fn to_options(&self, singular: &str) -> Result<Option<Options>, CliError> {
        let bind = match (self.webhook, self.webhook_bind_address.0) {
            (false, _) => return Ok(None),
            (true, Some(bind)) => bind,
            (true, None) => {
                let why = "--webhook needs an address to listen at, and --webhook-bind-address 0 is none";
                return Err(CliError::Usage(why.to_owned()));
            }
        };
        if let Some(url) = self.webhook_url.as_ref().filter(|url| !url.is_empty()) {
            let uri = url.parse::<http::Uri>().ok();
            let is_good = |uri: &http::Uri| uri.scheme_str() == Some("https") && uri.host().is_some();
            if !uri.as_ref().is_some_and(is_good) {
                return Err(CliError::Usage(format!("--webhook-url {url}: write https://HOST:PORT")));
            }
            return Ok(Some(Options { bind, at: At::Url(url.clone()) }));
        }
        let own = || std::fs::read_to_string(OWN_NAMESPACE).ok().map(|text| text.trim().to_owned());
        let given = self.webhook_service.clone().filter(|name| !name.is_empty());
        let (namespace, name) = match given.as_deref().and_then(|name| name.split_once('/')) {
            Some((namespace, name)) => (Some(namespace.to_owned()), name.to_owned()),
            None => (own(), given.unwrap_or_else(|| service_name(singular))),
        };
        let namespace = namespace.ok_or_else(|| {
            CliError::Usage(
                "--webhook outside a cluster needs --webhook-url, as https://192.0.2.1:9443, or --webhook-service \
                 NAMESPACE/NAME: how the API server reaches this operator"
                    .to_owned(),
            )
        })?;
        Ok(Some(Options { bind, at: At::Service { namespace, name } }))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        args: WebhookArgs,
    }

    fn options(args: &[&str]) -> Result<Option<Options>, CliError> {
        Program::try_parse_from(std::iter::once(&"run").chain(args)).unwrap().args.to_options("memcached")
    }

    #[test]
    fn it_is_off_unless_asked_for() {
        assert_eq!(options(&[]).unwrap(), None);
        let at = |args: &[&str]| options(args).unwrap().unwrap().at;
        assert_eq!(
            at(&["--webhook", "--webhook-url=https://127.0.0.1:1"]),
            At::Url("https://127.0.0.1:1".into())
        );
        let service = At::Service { namespace: "ops".into(), name: "hook".into() };
        assert_eq!(at(&["--webhook", "--webhook-service=ops/hook"]), service);
        let error = options(&["--webhook", "--webhook-bind-address=0"]).unwrap_err().to_string();
        assert!(error.contains("needs an address"), "{error}");
        let error = options(&["--webhook", "--webhook-url=http://x"]).unwrap_err().to_string();
        assert!(error.contains("https://HOST:PORT"), "{error}");
    }
}
