// Damaged data that shows what the page does with it.

import { compress } from "../dist/index.js";

/** A Zarr array of 300 x 400 floats with NaN, in 12 chunks, one of them damaged. */
export async function damagedZarr() {
  const meta = { zarr_format: 2, shape: [300, 400], chunks: [100, 100], dtype: "<f8", fill_value: 0, order: "C", filters: null };
  meta.compressor = { id: "blosc", cname: "zstd", clevel: 5, shuffle: 1, blocksize: 0 };
  const files = new Map([[".zarray", new TextEncoder().encode(JSON.stringify(meta))]]);
  for (let row = 0; row < 3; row++) {
    for (let column = 0; column < 4; column++) {
      const items = new Float64Array(10_000);
      items.forEach((_, at) => {
        const [y, x] = [row * 100 + Math.floor(at / 100), column * 100 + (at % 100)];
        items[at] = Math.hypot(y - 150, x - 200) < 40 ? Number.NaN : 10 + Math.sin(x / 20) * Math.cos(y / 25) * 9;
      });
      const chunk = await compress(items, { codec: "zstd" });
      if (row === 1 && column === 0) chunk.fill(0xff, 24, 90);
      if (row !== 2 || column !== 3) files.set(`${row}.${column}`, chunk);
    }
  }
  return files;
}
