// Typed arrays of items.

/** A typed array of numbers. */
export type TypedArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** A scalar of an item: an item without fields has one. */
export interface Leaf {
  /** The names of the fields around it, joined by dots; empty for an item without fields. */
  name: string;
  offset: number;
  /** The axes of a subarray. */
  axes: number[];
  dtype: string;
  /** NumPy's letter: `b i u f c S U V M m`. */
  kind: string;
  itemsize: number;
}

/** Returns the scalar of which items consist. `undefined` for items with fields, even a single one. */
export function scalarOf(leaves: Leaf[] | null | undefined): Leaf | undefined {
  const [leaf, ...rest] = leaves ?? [];
  return leaf?.name === "" && leaf.offset === 0 && rest.length === 0 ? leaf : undefined;
}

type Constructor = new (buffer: ArrayBuffer) => TypedArray;

const CONSTRUCTORS: Record<string, Constructor> = {
  b1: Uint8Array,
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
  i8: BigInt64Array,
  u8: BigUint64Array,
  f4: Float32Array,
  f8: Float64Array,
  c8: Float32Array,
  c16: Float64Array,
  M8: BigInt64Array,
  m8: BigInt64Array,
};

/**
 * Returns the items as a typed array: floats of 2 bytes as 32-bit floats, complex numbers as pairs, times as 64-bit
 * integers. Other items, also those with one field, are their bytes.
 */
export function typedArray(bytes: Uint8Array, leaves: Leaf[] | null): TypedArray {
  const leaf = scalarOf(leaves);
  if (leaf === undefined || bytes.length % leaf.itemsize !== 0) return bytes;
  const name = `${leaf.kind}${leaf.itemsize}`;
  // The bytes have a buffer of their own, from its start.
  const buffer = bytes.buffer as ArrayBuffer;
  if (name === "f2") return halves(new Uint16Array(buffer));
  const constructor = CONSTRUCTORS[name];
  return constructor ? new constructor(buffer) : bytes;
}

/** Converts floats of 2 bytes. */
function halves(bits: Uint16Array): Float32Array {
  return Float32Array.from(bits, (value) => {
    const [sign, exponent, fraction] = [value >> 15 ? -1 : 1, (value >> 10) & 31, value & 1023];
    if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
    return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
  });
}
