//! The sprig function library for gotemplate.
