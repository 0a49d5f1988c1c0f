/**
 * Whether threads can be had here, found out before any worker is made. Pure but for what it is given; reasons are
 * words that can follow “because”.
 */

/** What is looked at, of the page or program. */
export interface Surroundings {
  /** Without isolation browsers share no memory, whatever else they show. */
  readonly isIsolated: boolean;
  readonly hasSharedMemory: boolean;
  readonly hasModuleWorkers: boolean;
  /** Throws when it can't be had. */
  readonly makeMemory: (pages: { initial: number; maximum: number }) => WebAssembly.Memory;
}

const PAGE_BYTES = 65_536;
const MIB_PAGES = (1024 * 1024) / PAGE_BYTES;

/** At least what the package declares, which is under two thirds of it. */
const INITIAL_PAGES = 2 * MIB_PAGES;

/**
 * The most that a shared memory may grow to: browsers reserve as much address space, so some refuse what others grant.
 * The package declares the first, and takes less.
 */
const LADDER_MIB = [1024, 512, 256] as const;

/** More threads than most devices have fast cores slow a run down. */
export const MOST_UNASKED = 8;

/** How many threads a run takes when nobody said. */
export function threadsFor(cores: number | null): number {
  return Math.max(1, Math.min(MOST_UNASKED, cores ?? 1));
}

/** Does this contender run on threads? */
export function usesThreads(contender: string): boolean {
  return contender.startsWith('actors/threads');
}

/** Why there can be no threads, or null; no memory is tried for it. */
export function obstacle(here: Omit<Surroundings, 'makeMemory'>): string | null {
  if (!here.isIsolated)
    return (
      'this page is not isolated (it needs the headers Cross-Origin-Opener-Policy: same-origin and ' +
      'Cross-Origin-Embedder-Policy: require-corp), so threads are off'
    );
  if (!here.hasSharedMemory) return 'this browser has no SharedArrayBuffer, so threads are off';
  if (!here.hasModuleWorkers) return 'this browser has no module workers, so threads are off';
  return null;
}

/** A memory to share, the largest of the ladder that is granted. Throws a sentence when none is. */
export function grantMemory(makeMemory: Surroundings['makeMemory']): WebAssembly.Memory {
  let refusal = '';
  for (const mib of LADDER_MIB) {
    try {
      return makeMemory({ initial: INITIAL_PAGES, maximum: mib * MIB_PAGES });
    } catch (error) {
      refusal = error instanceof Error ? error.message : String(error);
    }
  }
  const least = LADDER_MIB[LADDER_MIB.length - 1];
  throw new Error(
    `no shared memory was granted, not even one of at most ${least} MiB (${refusal})`,
  );
}

/** Why there can be no threads, or null, with a memory tried. */
export function reasonAgainst(here: Surroundings): string | null {
  const reason = obstacle(here);
  if (reason !== null) return reason;
  try {
    grantMemory(here.makeMemory);
    return null;
  } catch (error) {
    return withoutThreads(error);
  }
}

/** What went wrong, as a reason. */
export function withoutThreads(error: unknown): string {
  return `${error instanceof Error ? error.message : String(error)}, so threads are off`;
}

export function surroundingsOfPage(): Surroundings {
  return {
    isIsolated: globalThis.crossOriginIsolated === true,
    hasSharedMemory: typeof SharedArrayBuffer === 'function',
    hasModuleWorkers: hasModuleWorkers(),
    makeMemory: makeSharedMemory,
  };
}

export function makeSharedMemory(pages: { initial: number; maximum: number }): WebAssembly.Memory {
  return new WebAssembly.Memory({ ...pages, shared: true });
}

/** Asks without making one: the options are read before the address, which is none, is refused. */
function hasModuleWorkers(): boolean {
  let isRead = false;
  const options = {
    get type(): WorkerType {
      isRead = true;
      return 'module';
    },
  };
  try {
    new Worker('https://', options).terminate();
  } catch {}
  return isRead;
}
