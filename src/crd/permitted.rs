//! Types that the operator may not look after: somebody else makes them, as `make install` of an operator-sdk project does.

use kube::Client;

use super::RegisterError;
use crate::cluster::error::is_forbidden;
use crate::settings::Watch;

/// Whether a registration failed only for want of permission while the kind is served all the same. What is served may be
/// asked by everybody.
pub(super) async fn is_served_anyway(client: &Client, watch: &Watch, error: &RegisterError) -> bool {
    let RegisterError::Api { error, .. } = error else { return false };
    if !is_forbidden(error) {
        return false;
    }
    let served = client.list_api_group_resources(&watch.api_version.to_string()).await;
    let is_ours = |name: &str, kind: &str| name == watch.names.plural && kind == watch.names.kind;
    served.is_ok_and(|served| served.resources.iter().any(|one| is_ours(&one.name, &one.kind)))
}
