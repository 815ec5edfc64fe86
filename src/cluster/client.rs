//! The client for a cluster: kube's, on connections that send at once.

use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy::Client as Transport;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube::client::{Body, ClientBuilder, ConfigExt as _};
use kube::{Client, Config};
use tower::{BoxError, ServiceBuilder};

use super::counted::Counting;
use crate::observe::metrics::Requests;

/// Makes the client for a cluster. Requests are not repeated by it: a busy server is asked again a few times by
/// [`request::call`](super::request::call), and everything else is repeated by the work queue, which knows how to wait.
///
/// It is layered as kube's own, which would leave it to the kernel when a request is sent: on a new connection that is
/// when the server has acknowledged the end of the handshake, and it takes its time (40 ms) to do so.
pub(crate) fn client(config: Config, requests: Requests) -> Result<Client, kube::Error> {
    if let Some(proxy) = &config.proxy_url {
        let host = proxy.host().unwrap_or_default();
        let why = format!(
            "the API server is to be reached through a proxy ({host}), which is not supported: unset HTTPS_PROXY and \
             the kubeconfig's proxy-url"
        );
        return Err(kube::Error::Service(why.into()));
    }
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    let mut connector = TimeoutConnector::new(config.rustls_https_connector_with_connector(tcp)?);
    connector.set_connect_timeout(config.connect_timeout);
    connector.set_read_timeout(config.read_timeout);
    connector.set_write_timeout(config.write_timeout);
    connector.set_reset_reader_on_write(config.reset_reader_on_write);
    let transport: Transport<_, Body> = Transport::builder(TokioExecutor::new()).build(connector);

    let host = config.cluster_url.authority().map(ToString::to_string).unwrap_or_default();
    let service = ServiceBuilder::new()
        .layer(Counting { requests, host: host.into() })
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(transport);
    Ok(ClientBuilder::new(service, config.default_namespace).build())
}
