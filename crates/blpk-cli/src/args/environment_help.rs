//! The part of `blpk --help` about the environment.

/// The text after the options in `blpk --help`.
pub(super) const HELP: &str = "'blpk <command> -h' describes a command, 'blpk <command> --help' adds examples.\n\n\
    environment variables, used without the option:\n  \
    BLPK_NTHREADS     -n/--nthreads of all commands\n  \
    BLPK_CODEC        -c/--codec of compress and append; not with --auto\n  \
    BLPK_CLEVEL       -l/--clevel of compress and append; not with --auto\n  \
    BLPK_MEMORY       --memory of compress, decompress and verify\n  \
    BLPK_NO_PROGRESS  any value: no progress bar";
