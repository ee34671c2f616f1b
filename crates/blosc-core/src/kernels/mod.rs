//! Kernels
