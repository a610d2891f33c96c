import { hkdfSync } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cryptography } from "#cryptography";
import { tokenSeal } from "../../src/payload/token-seal.ts";
import { anyCharacter } from "../any-character.ts";

const { aessiv, hkdf, sha256 } = cryptography();
const seal = tokenSeal("a secret of many characters");
const anyText = fc.string({ unit: anyCharacter, maxLength: 200 });

/** The bytes of a text of hexadecimal digits. */
function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, "hex"));
}

describe("the cipher", () => {
  test("matches the example of RFC 5297, A.1, and refuses other associated data", () => {
    const key = bytesOf("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    const associated = bytesOf("101112131415161718191a1b1c1d1e1f2021222324252627");
    const sealed = aessiv(key, associated).encrypt(bytesOf("112233445566778899aabbccddee"));
    expect(Buffer.from(sealed).toString("hex")).toBe("85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c");
    expect(Buffer.from(aessiv(key, associated).decrypt(sealed)).toString("hex")).toBe("112233445566778899aabbccddee");
    expect(() => aessiv(key, associated.subarray(1)).decrypt(sealed)).toThrow("invalid siv tag");
  });

  test("has the key that HKDF derives", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (secret) => {
        const info = new TextEncoder().encode("odatakit skiptoken");
        const expected = hkdfSync("sha256", secret, new Uint8Array(0), info, 64);
        expect(hkdf(sha256, secret, undefined, info, 64)).toEqual(new Uint8Array(expected));
      }),
    );
  });
});

describe("a token", () => {
  test("opens with its secret and context, and is deterministic", () => {
    fc.assert(
      fc.property(anyText, anyText, (text, context) => {
        const token = seal.seal(text, context);
        expect(token).toMatch(/^[\w-]+$/);
        expect(seal.open(token, context)).toBe(text);
        expect(tokenSeal(new TextEncoder().encode("a secret of many characters")).seal(text, context)).toBe(token);
      }),
    );
  });

  test("has the secret of the start: later changes of its bytes change nothing", () => {
    const secret = new TextEncoder().encode("a secret of many characters");
    const started = tokenSeal(secret);
    secret.fill(0);
    expect(started.seal("text", "context")).toBe(seal.seal("text", "context"));
  });

  test("does not open with another context or secret", () => {
    const other = tokenSeal("a secret of many characterz");
    fc.assert(
      fc.property(anyText, anyText, anyText, (text, context, another) => {
        fc.pre(context !== another);
        const token = seal.seal(text, context);
        expect(seal.open(token, another)).toBeNull();
        expect(other.open(token, context)).toBeNull();
      }),
    );
  });

  test("context and text cannot be cut elsewhere", () => {
    expect(seal.open(seal.seal("bc", "a"), "ab")).toBeNull();
    expect(seal.open(seal.seal("", "1:"), "")).toBeNull();
  });

  test("does not open with any changed bit", () => {
    const token = seal.seal('[20,true,"sSmith"]', "Orders");
    const bytes = Buffer.from(token, "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const forged = Buffer.from(bytes);
      forged[bit >> 3] = (forged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(seal.open(forged.toString("base64url"), "Orders"), `bit ${String(bit)}`).toBeNull();
    }
  });

  test.each(["", "A", "AAAA", "!", "ä", "A".repeat(21), "A".repeat(22), "A".repeat(1_000_000)])(
    "another text does not open: %#",
    (text) => {
      expect(seal.open(text, "Orders")).toBeNull();
    },
  );

  test("does not open in another spelling of the same bytes", () => {
    // Until both digits that differ in the two alphabets occur.
    const texts = Array.from({ length: 50 }, (_none, index) => String(index));
    const token = texts.map((text) => seal.seal(text, "")).find((each) => /[-_]/.test(each)) ?? "";
    expect(seal.open(token.replaceAll("-", "+").replaceAll("_", "/"), "")).toBeNull();
    expect(seal.open(`${token}=`, "")).toBeNull();
    expect(seal.open(`${token}==`, "")).toBeNull();
  });

  test("reveals neither its text nor the exact length", () => {
    const texts = ["Smith", "Smythe", "Smithsonian"].map((name) => `[20,true,"s${name}"]`);
    const tokens = texts.map((text) => seal.seal(text, "Orders"));
    expect(new Set(tokens.map(({ length }) => length)).size).toBe(1);
    for (const token of tokens) expect(Buffer.from(token, "base64url").toString("latin1")).not.toMatch(/Sm/);
    // Tokens of texts that differ only at their end begin differently.
    expect(tokens[0]?.slice(0, 20)).not.toBe(tokens[1]?.slice(0, 20));
  });
});
