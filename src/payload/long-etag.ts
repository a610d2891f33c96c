import { atOnce, type Pace, type Steps } from "../base/turn.ts";
import { textParts } from "../json/write-json.ts";
import { startSha256 } from "./sha256.ts";

/** The number of bytes that are hashed in one step. */
const STEP_BYTES = 1 << 18;

/** A part of what an ETag is the hash of: bytes as they are, or a text, which is preceded by the number of its bytes. */
export type HashedPart = Uint8Array | string;

const encoder = new TextEncoder();

/** The ETag of an entity with long values, whose hash takes more than one turn. */
export class LongEtag {
  readonly #parts: readonly HashedPart[];

  constructor(parts: readonly HashedPart[]) {
    this.#parts = parts;
  }

  /** Makes the ETag, with its double quotes. */
  *steps(pace: Pace): Steps<string> {
    const hash = startSha256();
    for (const part of this.#parts) {
      for (const bytes of typeof part === "string" ? yield* encodeSized(part, pace) : [part]) {
        for (let start = 0; start < bytes.length; start += STEP_BYTES) {
          hash.update(bytes.subarray(start, start + STEP_BYTES));
          if (pace.isOver) yield;
        }
      }
    }
    return `"${hash.toBase64()}"`;
  }

  /** Writes the ETag as a JSON string. An empty part is a place for a pause. */
  *toJsonParts(): Generator<string, void, void> {
    const steps = this.steps({ isOver: true });
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) yield "";
    yield JSON.stringify(step.value);
  }

  /** Makes the ETag in one turn. */
  toText(): string {
    return atOnce((pace) => this.steps(pace));
  }
}

/** Encodes a text as UTF-8, after the number of its bytes. */
function* encodeSized(text: string, pace: Pace): Steps<readonly Uint8Array[]> {
  const size = new Uint8Array(4);
  const encoded = [size];
  let length = 0;
  for (const part of textParts(text)) {
    const bytes = encoder.encode(part);
    encoded.push(bytes);
    length += bytes.length;
    if (pace.isOver) yield;
  }
  new DataView(size.buffer).setUint32(0, length, true);
  return encoded;
}
