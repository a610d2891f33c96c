const BYTES: Readonly<Record<string, number>> = { "": 1, B: 1, kB: 1000, KiB: 1024, MB: 1_000_000, MiB: 1_048_576 };

/** The fix for a text that is not a size. */
export const WRITE_SIZE = "Write a size up to 500MB, such as 65536, 500kB or 2MiB.";

/** Reads a number of bytes, such as `2MiB`. @returns null for another text, and for more than 500 MB */
export function readByteSize(text: string): number | null {
  const [, amount = "", unit = ""] = /^(\d{1,9})(B|kB|KiB|MB|MiB)?$/.exec(text) ?? [];
  const bytes = Number(amount) * (BYTES[unit] ?? 0);
  return bytes >= 1 && bytes <= 500_000_000 ? bytes : null;
}
