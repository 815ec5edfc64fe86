//! Go's standard behaviours for dynamic values: strconv, fmt, time layouts, RE2, JSON, paths, URLs.
