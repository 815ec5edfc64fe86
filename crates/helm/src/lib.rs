//! Helm's chart loading, values, rendering and manifest ordering, without a cluster.
