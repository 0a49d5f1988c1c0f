/** Loads and compiles a wasm file, and says in words what went wrong with one. */

/** One request and no streaming, so that a wrong MIME type or an encoding doesn't matter. */
export async function loadWasm(url: URL): Promise<ArrayBuffer> {
  const response = await fetch(url);
  const bytes = await response.arrayBuffer();
  const head = new Uint8Array(bytes, 0, Math.min(4, bytes.byteLength));
  if (response.ok && String.fromCharCode(...head) === '\0asm') return bytes;
  const start = new TextDecoder().decode(bytes.slice(0, 40)).replace(/\s+/g, ' ');
  const type = response.headers.get('content-type') ?? 'no content type';
  throw new Error(
    `${url.href} is not a wasm file: the server answered ${response.status} (${type}), beginning “${start}”`,
  );
}

export async function compileWasm(bytes: ArrayBuffer): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    const reason = messageOf(error);
    const advice = /unsafe-eval|Content Security Policy|CSP/i.test(reason)
      ? "; the page's script-src needs 'wasm-unsafe-eval'"
      : '';
    throw new Error(`this browser would not compile the wasm: ${reason}${advice}`);
  }
}

/** An instance that trapped says only `unreachable` or the like: the sentence says what that means. */
export function wasmSentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof RangeError || error.name === 'InternalError')
    return `stack overflow: the wasm instance ended (${error.message})`;
  if (typeof WebAssembly === 'object' && error instanceof WebAssembly.RuntimeError) {
    return `out of memory or broken: the wasm instance ended (${error.message})`;
  }
  return error.message;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
