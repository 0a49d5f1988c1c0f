/** The same module with a memory that can't grow beyond `pages` of 64 KiB. */
export function withMemoryLimit(wasm, pages) {
  const MEMORY_SECTION = 5;
  for (let at = 8; at < wasm.length; ) {
    const size = leb(wasm, at + 1);
    const end = size.next + size.value;
    if (wasm[at] === MEMORY_SECTION) {
      const flags = size.next + 1; // after the count of memories, which is 1
      const min = leb(wasm, flags + 1);
      const body = [1, 1, ...toLeb(min.value), ...toLeb(pages)];
      return Buffer.concat([
        wasm.subarray(0, at),
        Buffer.from([MEMORY_SECTION, ...toLeb(body.length), ...body]),
        wasm.subarray(end),
      ]);
    }
    at = end;
  }
  throw new Error('the module has no memory of its own');
}

function leb(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next: at };
  }
}

function toLeb(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
  return [...bytes, value];
}
