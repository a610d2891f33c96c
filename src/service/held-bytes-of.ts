import { HeldBytes } from "../base/held-bytes.ts";
import { builtinModule } from "../base/host.ts";
import type { Limits } from "../language/query/capabilities.ts";

/** The share of the limit of the heap that all requests hold by default, and the bytes where it is unknown. */
const SHARE_OF_HEAP = 0.25;
const USUAL_HELD = 256_000_000;

/** The part of `node:v8` that is used. */
interface HeapFacts {
  readonly getHeapStatistics?: () => { readonly heap_size_limit: number };
}

/** Makes the count of the bytes that all responses of a service hold; null without a limit. */
export function heldBytesOf({ maxHeldBytes, maxResponseBytes }: Limits): HeldBytes | null {
  if (maxHeldBytes === null || maxResponseBytes === null) return null;
  if (maxHeldBytes !== undefined) return new HeldBytes(maxHeldBytes);
  const v8 = builtinModule("node:v8") as HeapFacts | undefined;
  const limit = v8?.getHeapStatistics?.().heap_size_limit;
  return new HeldBytes(limit === undefined ? USUAL_HELD : limit * SHARE_OF_HEAP);
}
