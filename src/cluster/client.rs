//! The client for a cluster: kube's, on connections that send at once, and that are given up when they are dead.

use std::time::Duration;

use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy::Client as Transport;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube::client::{Body, ClientBuilder, ConfigExt as _};
use kube::{Client, Config};
use tower::{BoxError, ServiceBuilder};

use super::counted::Counting;
use super::tenure::Tenure;
use crate::observe::metrics::Requests;

/// A connection on which nothing has come for so long is dead: on every watch there is a bookmark a minute. Where packets
/// are lost without a word (a load balancer that failed over, an entry dropped from a table of addresses) nothing else tells.
const SILENCE: Duration = Duration::from_secs(90);
/// When and how often the kernel asks whether the other side is still there, and how long what was sent may wait for its
/// acknowledgement.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 3;
const UNACKNOWLEDGED: Duration = Duration::from_secs(30);

/// Makes the client for a cluster, which writes as long as its `tenure` lasts. Requests are not repeated by it: a busy
/// server is asked again a few times by [`request::call`](super::request::call), and everything else is repeated by the
/// work queue, which knows how to wait.
///
/// It is layered as kube's own, which would leave it to the kernel when a request is sent: on a new connection that is
/// when the server has acknowledged the end of the handshake, and it takes its time (40 ms) to do so.
pub(crate) fn client(config: Config, requests: Requests, tenure: Tenure) -> Result<Client, kube::Error> {
    patient(config, requests, tenure, SILENCE)
}

fn patient(
    config: Config,
    requests: Requests,
    tenure: Tenure,
    silence: Duration,
) -> Result<Client, kube::Error> {
    if let Some(proxy) = &config.proxy_url {
        let host = proxy.host().unwrap_or_default();
        let why = format!(
            "the API server is to be reached through a proxy ({host}), which is not supported: name the \
             server in NO_PROXY, or unset HTTPS_PROXY and the kubeconfig's proxy-url"
        );
        return Err(kube::Error::Service(why.into()));
    }
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_keepalive(Some(KEEPALIVE));
    tcp.set_keepalive_interval(Some(KEEPALIVE_INTERVAL));
    tcp.set_keepalive_retries(Some(KEEPALIVE_RETRIES));
    #[cfg(target_os = "linux")]
    tcp.set_tcp_user_timeout(Some(UNACKNOWLEDGED));
    let mut connector = TimeoutConnector::new(config.rustls_https_connector_with_connector(tcp)?);
    connector.set_connect_timeout(config.connect_timeout);
    connector.set_read_timeout(Some(silence));
    connector.set_write_timeout(config.write_timeout);
    // A connection may have been idle before.
    connector.set_reset_reader_on_write(true);
    let transport: Transport<_, Body> = Transport::builder(TokioExecutor::new()).build(connector);

    let host = config.cluster_url.authority().map(ToString::to_string).unwrap_or_default();
    let service = ServiceBuilder::new()
        .layer(Counting { requests, host: host.into(), tenure })
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(transport);
    Ok(ClientBuilder::new(service, config.default_namespace).build())
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use futures::AsyncBufReadExt as _;

    use super::*;
    use crate::observe::metrics::Metrics;

    /// A server that begins its answer to a watch and is never heard of again.
    fn silent() -> http::Uri {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let mut connections: Vec<_> = listener.incoming().take(1).collect();
            let connection = connections.first_mut().unwrap().as_mut().unwrap();
            let mut request = [0; 4096];
            let _ = connection.read(&mut request).unwrap();
            connection
                .write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n")
                .unwrap();
            std::thread::sleep(Duration::from_secs(60));
        });
        format!("http://{address}").parse().unwrap()
    }

    #[tokio::test]
    async fn a_connection_that_is_silent_for_too_long_is_given_up() {
        let requests = Metrics::default().requests();
        let silence = Duration::from_millis(300);
        let client = patient(Config::new(silent()), requests, Tenure::default(), silence).unwrap();
        let request = http::Request::get("/api/v1/pods?watch=1").body(Vec::new()).unwrap();
        let mut lines = client.request_stream(request).await.unwrap().lines();
        let read = async {
            let mut read = Vec::new();
            while let Some(line) = futures::StreamExt::next(&mut lines).await {
                read.push(line);
            }
            read
        };
        let read = tokio::time::timeout(Duration::from_secs(30), read).await.expect("it ends");
        assert_eq!(read.first().unwrap().as_ref().unwrap(), "{}");
        assert!(read.last().unwrap().is_err(), "{read:?}");
    }
}
