//! The layout of the structures, one field in each line. A test compares it with the original's header.

use std::ffi::{CString, c_char};
use std::fmt::Write as _;
use std::mem::offset_of;
use std::ptr::null;
use std::sync::OnceLock;

use super::abi::{
    CodecRecord, Cparams, Dparams, FilterRecord, Io, IoCallbacks, PostfilterParams, PrefilterParams, StdioMmap,
    StdioParams, Storage, TunerRecord,
};
use super::nd::NdArray;
use super::schunk_abi::{Metalayer, Schunk};
use super::stdio::StdioFile;

/// Writes the offset of each field and the size of the structure. `outer[fields]` are the fields of a structure that C has
/// without `outer`.
macro_rules! layout {
    ($text:ident, $type:ident as $name:literal: $($field:ident $([$($inner:ident)*])?)*) => {
        $(layout!(@field $text $type $name $field $([$($inner)*])?);)*
        let _ = writeln!($text, "{} - {}", $name, size_of::<$type>());
    };
    (@field $text:ident $type:ident $name:literal $field:ident) => {
        let _ = writeln!($text, "{} {} {}", $name, stringify!($field), offset_of!($type, $field));
    };
    (@field $text:ident $type:ident $name:literal $field:ident [$($inner:ident)*]) => {
        $(let _ = writeln!($text, "{} {} {}", $name, stringify!($inner), offset_of!($type, $field.$inner));)*
    };
}

/// Returns lines of a structure, a field and its offset; `-` stands for the end. The caller must not free it.
#[unsafe(no_mangle)]
pub extern "C" fn blosc2_internal_layout() -> *const c_char {
    static TEXT: OnceLock<CString> = OnceLock::new();
    let text = TEXT.get_or_init(|| CString::new(lines()).unwrap_or_default());
    if text.is_empty() { null() } else { text.as_ptr() }
}

fn lines() -> String {
    let mut text = String::new();
    layout!(text, Cparams as "blosc2_cparams": compcode compcode_meta clevel use_dict typesize nthreads blocksize splitmode
        schunk filters filters_meta prefilter preparams tuner_params tuner_id instr_codec codec_params filter_params);
    layout!(text, Dparams as "blosc2_dparams": nthreads schunk postfilter postparams typesize);
    layout!(text, PrefilterParams as "blosc2_prefilter_params": user_data input output output_size output_typesize
        output_offset nchunk nblock tid ttmp ttmp_nbytes ctx output_is_disposable);
    layout!(text, PostfilterParams as "blosc2_postfilter_params": user_data input output size typesize offset nchunk nblock
        tid ttmp ttmp_nbytes ctx);
    layout!(text, CodecRecord as "blosc2_codec": compcode compname complib version encoder decoder);
    layout!(text, FilterRecord as "blosc2_filter": id name version forward backward);
    layout!(text, TunerRecord as "blosc2_tuner": init next_blocksize next_cparams update free id name);
    layout!(text, IoCallbacks as "blosc2_io_cb": id name is_allocation_necessary open close size write read truncate
        destroy);
    layout!(text, Io as "blosc2_io": id name params);
    layout!(text, Storage as "blosc2_storage": contiguous urlpath cparams dparams io);
    layout!(text, StdioParams as "blosc2_stdio_params": locking);
    layout!(text, StdioMmap as "blosc2_stdio_mmap": mode initial_mapping_size needs_free addr urlpath file_size
        mapping_size is_memory_only file fd access_flags map_flags);
    layout!(text, Metalayer as "blosc2_metalayer": name content content_len);
    layout!(text, Schunk as "blosc2_schunk": version compcode compcode_meta clevel splitmode typesize blocksize chunksize
        flags2 use_dict filters filters_meta nchunks current_nchunk nbytes cbytes data data_len storage frame cctx dctx
        metalayers nmetalayers vlmetalayers nvlmetalayers tuner_params tuner_id ndim blockshape view change_tick);
    layout!(text, NdArray as "b2nd_array_t": sc shape chunkshape extshape blockshape extchunkshape counts[nitems
        chunknitems extnitems blocknitems extchunknitems] ndim chunk_cache strides[item_array_strides item_chunk_strides
        item_extchunk_strides item_block_strides block_chunk_strides chunk_array_strides] dtype dtype_format last_tick);
    layout!(text, StdioFile as "blosc2_stdio_file": file);
    text
}
