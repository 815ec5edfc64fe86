//! Go's text/template: parsed once, shared between threads, evaluated with Go's reference semantics.
