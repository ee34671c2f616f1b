//! BloscLZ
