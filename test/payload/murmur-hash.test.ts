import { expect, test } from "vitest";
import { etagDigests } from "../../src/payload/etag-digest.ts";
import { murmurHash } from "../../src/payload/murmur-hash.ts";

function hashOf(text: string, offset: number): string {
  const bytes = new TextEncoder().encode(`${"-".repeat(offset)}${text}+`);
  const hash = new Int32Array(4);
  murmurHash(new DataView(bytes.buffer, 0, bytes.length), offset, bytes.length - 1, new Int32Array(4), hash);
  return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

test.each([
  ["", "00000000000000000000000000000000"],
  ["I will not buy this record, it is scratched.", "a0a9683b25ac5e40d9af2895890dddf5"],
  ["The quick brown fox jumps over the lazy dog", "2f1583c3ecee2c675d7bf66ce5e91d2c"],
])("the hash of %j is that of other implementations, wherever its bytes are", (text, hash) => {
  for (let offset = 0; offset < 4; offset += 1) expect(hashOf(text, offset)).toBe(hash);
});

test("texts that differ have different hashes", () => {
  const texts = ["a", "aa", "\0", "\0\0", "a\0", "é", "e", "b".repeat(16), "b".repeat(17)];
  for (let length = 0; length < 64; length += 1) texts.push(`${"x".repeat(length)}y`, `${"x".repeat(length)}z`);
  expect(new Set(texts.map((text) => hashOf(text, 0))).size).toBe(texts.length);
});

test("a digest of bytes is that of their text, short or long", () => {
  const { plain, seeded, keyed } = etagDigests("secret");
  for (const digest of [plain, seeded, keyed, etagDigests(undefined).keyed]) {
    for (const text of ["", "a", "é\uFEFF\u2028😀", "long ".repeat(5000)]) {
      const part = new TextEncoder().encode(text);
      const page = new Uint8Array(digest.length + part.length + 7);
      page.set(part, digest.length + 3);
      digest.write(new DataView(page.buffer), digest.length + 3, digest.length + 3 + part.length, 2);
      const written = new TextDecoder().decode(page.subarray(2, 2 + digest.length));
      expect(written).toBe(digest.ofText(text));
      expect(written).toMatch(/^[\w+/]{22}$/);
    }
  }
});

test("a secret is the seed where some may write, and the key where some may not read", () => {
  const [none, one, same, other] = [undefined, "one", "one", "other"].map((secret) => etagDigests(secret));
  const textsOf = (digests: typeof none): readonly (string | undefined)[] =>
    [digests?.plain, digests?.seeded, digests?.keyed].map((digest) => digest?.ofText("text"));
  expect(textsOf(one)).toEqual(textsOf(same));
  expect(none?.plain.ofText("text")).toBe(none?.seeded.ofText("text"));
  expect(new Set([none, one, other].flatMap(textsOf)).size).toBe(6);
});
