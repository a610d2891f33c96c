const LAST_CHARACTER = 0x10_ff_ff;
const BEFORE_SURROGATES = 0xd7_ff;
const BEHIND_SURROGATES = 0xe0_00;

/** Bytes: in SQLite they come behind every text. */
const BEHIND_ALL_TEXTS = new Uint8Array(0);

/**
 * The least text that is greater than all texts which start with a prefix, by code point: its last character that has a
 * next one becomes that. Where there is no such text, bytes, which come behind all texts.
 */
export function successorOf(prefix: string): string | Uint8Array {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const code = last.codePointAt(0) ?? LAST_CHARACTER;
    if (code === LAST_CHARACTER) continue;
    // The halves of pairs are no characters.
    const next = code === BEFORE_SURROGATES ? BEHIND_SURROGATES : code + 1;
    return characters.join("") + String.fromCodePoint(next);
  }
  return BEHIND_ALL_TEXTS;
}
