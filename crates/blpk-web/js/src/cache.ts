// Bytes of files that were fetched. A call of the module is repeated until all its bytes are here, so those that it used stay
// until it ends.

/** Bytes that are kept besides those that running calls use. */
const MAX_KEPT = 256 << 20;

/** Consecutive blocks of a file, as they were fetched. */
export interface Piece {
  file: Cached;
  /** The number of the first block. */
  start: number;
  bytes: Uint8Array;
  /** Number of running calls that fetched or read it. */
  holders: number;
}

/** A file whose bytes are kept. */
export interface Cached {
  /** The size of a block in bytes. */
  grain: number;
  /** All pieces that are here. */
  pieces: Set<Piece>;
  /** The piece of each block that is here. */
  blocks: Map<number, Piece>;
  isClosed: boolean;
}

/** The pieces of all files. */
export class Cache {
  #kept = 0;
  /** The pieces that no running call holds, those released last at the end. */
  #idle = new Set<Piece>();

  /** Adds bytes of a file, held by a call if one is given. */
  keep(file: Cached, start: number, bytes: Uint8Array, held?: Set<Piece>): void {
    const piece: Piece = { file, start, bytes, holders: 0 };
    this.#kept += bytes.length;
    this.#idle.add(piece);
    if (held) this.hold(piece, held);
    file.pieces.add(piece);
    for (const block of blocksOf(piece)) if (!file.blocks.has(block)) file.blocks.set(block, piece);
  }

  /** Adds a piece to those that a call holds. */
  hold(piece: Piece, held: Set<Piece>): void {
    if (held.has(piece)) return;
    held.add(piece);
    piece.holders++;
    this.#idle.delete(piece);
  }

  /** Ends a call. */
  release(held: Set<Piece>): void {
    for (const piece of held) {
      if (--piece.holders > 0) continue;
      if (piece.file.isClosed) this.drop(piece);
      else this.#idle.add(piece);
    }
    held.clear();
  }

  /** Forgets the pieces that were not used for longest, until few enough are left. */
  evict(): void {
    for (const piece of this.#idle) {
      if (this.#kept <= MAX_KEPT) break;
      this.drop(piece);
    }
  }

  /** Forgets a piece that no call holds. */
  drop(piece: Piece): void {
    this.#kept -= piece.bytes.length;
    this.#idle.delete(piece);
    const { blocks, pieces } = piece.file;
    pieces.delete(piece);
    for (const block of blocksOf(piece)) if (blocks.get(block) === piece) blocks.delete(block);
  }
}

/** Returns the blocks of a piece. */
function* blocksOf({ file, start, bytes }: Piece): Generator<number> {
  for (let at = 0; at < bytes.length; at += file.grain) yield start + at / file.grain;
}
