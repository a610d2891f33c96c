const BYTES: Readonly<Record<string, number>> = { "": 1, B: 1, kB: 1000, KiB: 1024, MB: 1_000_000, MiB: 1_048_576 };

const WRITE_SIZE = "Write a size up to 500MB, such as 65536, 500kB or 2MiB.";

/** The fix for the size of an option. */
export function sizeFix(option: string): string {
  return option === HELD ? "Write a size up to 500000MB, such as 500kB or 2000MiB." : WRITE_SIZE;
}

/** The option for all responses together, whose default grows with the heap. */
const HELD = "max-held";

/** Reads a number of bytes, such as `2MiB`. @returns null for another text, and for more than the option allows */
export function readByteSize(option: string, text: string): number | null {
  const [, amount = "", unit = ""] = /^(\d{1,12})(B|kB|KiB|MB|MiB)?$/.exec(text) ?? [];
  const bytes = Number(amount) * (BYTES[unit] ?? 0);
  return bytes >= 1 && bytes <= (option === HELD ? 500_000_000_000 : 500_000_000) ? bytes : null;
}
