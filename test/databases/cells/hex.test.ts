import { describe, expect, test } from "vitest";
import { fromHex, toHex } from "../../../src/databases/cells/hex.ts";

const ALL = Uint8Array.from({ length: 256 }, (_, index) => index);
const LONG = Uint8Array.from({ length: 20_001 }, (_, index) => (index * 31) % 256);

describe("hexadecimal digits", () => {
  test.each([["none", new Uint8Array()] as const, ["every byte", ALL] as const, ["many bytes", LONG] as const])(
    "of %s are written and read as Node.js does",
    (_title, bytes) => {
      const digits = Buffer.from(bytes).toString("hex");
      expect(toHex(bytes)).toBe(digits);
      expect(fromHex(digits)).toEqual(bytes);
      expect(fromHex(digits.toUpperCase())).toEqual(bytes);
    },
  );

  test.each(["a", "abc", "0g", "g0", "0 ", "0ä", "ää", "\u0130\u0130", "\\x00", "00:"])("%o are none", (text) => {
    const long = "00".repeat(LONG.length);
    expect([fromHex(text), fromHex(long + text), fromHex(text + long)]).toEqual([null, null, null]);
  });
});
