import { createHash } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { cryptography } from "#cryptography";
import { sha256Base64 } from "../../src/payload/sha256.ts";

const { sha256 } = cryptography();

function randomBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 73 + length * 31 + ((index * index) >> 3)) & 255);
}

const nodeHash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("base64");

describe("SHA-256", () => {
  test("matches the examples of the standard", () => {
    const hex = (text: string): string =>
      [...sha256(new TextEncoder().encode(text))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    expect(hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  });

  test("in plain JavaScript matches the platform for all lengths around block boundaries", () => {
    const lengths = [...Array(200).keys(), 4095, 4096, 4097, 100_000];
    const differing = lengths.filter((length) => {
      const bytes = randomBytes(length);
      return btoa(String.fromCharCode(...sha256(bytes))) !== nodeHash(bytes);
    });
    expect(differing).toEqual([]);
  });

  test("by the native hash is the same, also for a part of a larger buffer", () => {
    const bytes = randomBytes(300);
    expect(sha256Base64(bytes)).toBe(nodeHash(bytes));
    expect(sha256Base64(bytes.subarray(10, 70))).toBe(nodeHash(bytes.slice(10, 70)));
    expect(sha256(bytes.subarray(10, 70))).toEqual(sha256(bytes.slice(10, 70)));
  });
});

describe("without a native hash", () => {
  test.each([
    ["no such module", undefined],
    ["a module of another kind", "text"],
    ["a module without the function", {}],
    ["a module with another thing of that name", { hash: 1 }],
  ])("%s: uses plain JavaScript", async (_, module) => {
    vi.resetModules();
    const lookUp = vi.spyOn(process, "getBuiltinModule").mockReturnValue(module as never);
    const { sha256Base64: portable } = await import("../../src/payload/sha256.ts");
    const bytes = randomBytes(100);
    const found = portable(bytes);
    lookUp.mockRestore();
    expect(portable).not.toBe(sha256Base64);
    expect(found).toBe(nodeHash(bytes));
  });
});
