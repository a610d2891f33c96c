import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../any-character.ts";
import { fuzzCount } from "../../cases.ts";
import { MULTIPART, multipart, received, shopBehind, type SentPart } from "./batch-model.ts";
import { eachDoor } from "./doors.ts";

const RUNS = fuzzCount(300);

/** Pieces of which broken batches consist. */
const piece = fc.oneof(
  fc.constantFrom(
    "\r\n",
    "\n",
    "\r",
    " ",
    "--batch_7",
    "--batch_7--",
    "--c",
    "--c--",
    "--",
    "Content-Type: application/http",
    "Content-Type: multipart/mixed; boundary=c",
    "Content-Type: multipart/mixed; boundary=batch_7",
    "Content-ID: 1",
    "Content-Transfer-Encoding: binary",
    "GET Customers(1) HTTP/1.1",
    "POST Journal HTTP/1.1",
    "DELETE $1 HTTP/1.1",
    "PATCH $1/../../x HTTP/1.1",
    "__proto__: x",
    "constructor: y",
    "{}",
    '{"Id":7,"Text":"x"}',
    ":",
    "\0",
  ),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
);

/** The operations of a batch that can be read. */
const operation: fc.Arbitrary<SentPart> = fc.constantFrom(
  { request: "GET Customers(1)" },
  { request: "GET Customers(9)" },
  { request: "GET Customers/$count", headers: { Accept: "text/plain" } },
  { request: "PATCH Orders(10)", body: { Note: "x --batch_7 y" } },
  { request: "DELETE Orders(99)" },
);

eachDoor((door) => {
  test("any text is a response or a 4xx, and never a failure", async () => {
    const { send, logger } = await shopBehind(door);
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const { status, text, headers } = await send("/odata/$batch", MULTIPART, "POST", pieces.join(""));
        if (status === 200) expect(() => received(headers["content-type"], text)).not.toThrow();
        else expect([400, 413]).toContain(status);
        expect(logger.errors).toEqual([]);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  test("any JSON is a response or a 4xx, and never a failure", async () => {
    const { send, logger } = await shopBehind(door, { batch: { json: true } });
    const text = fc.oneof(
      fc.constantFrom("1", "g", "get", "post", "Customers(1)", "$1", "", "__proto__"),
      fc.string({ maxLength: 5 }),
    );
    const value = fc.oneof(text, fc.jsonValue());
    const request = fc.dictionary(
      fc.constantFrom("id", "method", "url", "atomicityGroup", "dependsOn", "headers", "body", "if", "__proto__"),
      value,
    );
    const plausible = fc.record({
      id: fc.constantFrom("1", "2", "3"),
      method: fc.constantFrom("get", "post", "PATCH", "delete", "x"),
      url: fc.constantFrom("Customers(1)", "$1", "$2/Name", "Journal", "Orders(10)", "//x"),
      body: fc.constantFrom(undefined, null, { Id: 8, Text: "x" }, "x"),
      dependsOn: fc.constantFrom(undefined, ["1"], ["g"]),
      atomicityGroup: fc.constantFrom(undefined, "g", "h"),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(request, plausible), { maxLength: 5 }), async (requests) => {
        const body = JSON.stringify({ requests });
        const { status, json } = await send("/odata/$batch", { "Content-Type": "application/json" }, "POST", body);
        if (status === 200) expect(json.responses).toHaveLength(requests.length);
        else expect(status).toBe(400);
        expect(logger.errors).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  test("line ends, preambles, epilogues and chunks of the body do not change the responses", async () => {
    const { send } = await shopBehind(door);
    const statusesOf = async (body: string | readonly Uint8Array[]): Promise<unknown> => {
      const answer = await send("/odata/$batch", { ...MULTIPART, Prefer: "continue-on-error" }, "POST", body);
      expect(answer.status, answer.text).toBe(200);
      return received(answer.headers["content-type"], answer.text).map((part) =>
        Array.isArray(part) ? part.map(({ status }) => status) : part.status,
      );
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(operation, fc.array(operation, { maxLength: 3 })), { maxLength: 5 }),
        fc.array(fc.nat(200), { minLength: 1, maxLength: 5 }),
        async (parts, cuts) => {
          const text = multipart(parts);
          const expected = await statusesOf(text);
          expect(await statusesOf(text.replaceAll("\r\n", "\n"))).toEqual(expected);
          expect(await statusesOf(`a preamble\r\n--batch_77\r\n${text}an epilogue\r\n--batch_7\r\n`)).toEqual(expected);
          const bytes = new TextEncoder().encode(text);
          const chunks: Uint8Array[] = [];
          for (let at = 0, index = 0; at < bytes.length; index++) {
            const length = 1 + (cuts[index % cuts.length] ?? 0);
            chunks.push(bytes.subarray(at, at + length));
            at += length;
          }
          expect(await statusesOf(chunks)).toEqual(expected);
        },
      ),
      { numRuns: Math.ceil(RUNS / 6) },
    );
  });
});
