import { describe, expect, test } from "vitest";
import { MULTIPART, multipart, received, shopBehind, single } from "./batch-model.ts";
import { eachDoor, expectError } from "./doors.ts";

const crlf = (...lines: readonly string[]): string => lines.join("\r\n");
const WRITE = ["Content-Type: application/http", "", "DELETE Orders(10) HTTP/1.1", "", ""] as const;

eachDoor((door) => {
  describe("a batch that cannot be read is 400, and nothing of it is executed", () => {
    test.each<readonly [string, string, RegExp]>([
      ["an empty body", "", /^The body has no line "--batch_7"/],
      ["no delimiter", "GET Customers", /^The body has no line "--batch_7"/],
      [
        "a blank before the first delimiter",
        crlf(" --batch_7", ...WRITE, "--batch_7--"),
        /^The body has other characters before/,
      ],
      [
        "a byte order mark of UTF-16",
        crlf("\u00fe\u00ff--batch_7", ...WRITE, "--batch_7", ...WRITE, "--batch_7--"),
        /^The body has other characters before "--batch_7": begin a line with it/,
      ],
      ["a mark alone", "\ufeff", /^The body has no line "--batch_7"/],
      [
        "a first delimiter of a change set within its line",
        crlf("--batch_7", "Content-Type: multipart/mixed; boundary=c", "", "x--c", ...WRITE, "--c--", "--batch_7--"),
        /^Part 1 has other characters before "--c"/,
      ],
      ["another boundary", crlf("--other", ...WRITE, "--other--"), /^The body has no line "--batch_7"/],
      ["no closing delimiter", crlf("--batch_7", ...WRITE), /^The body is cut off: the closing line "--batch_7--"/],
      [
        "a truncated second part",
        crlf("--batch_7", ...WRITE, "--batch_7", "Content-Type: application/http"),
        /^The body is cut off/,
      ],
      [
        "a part without a type",
        crlf("--batch_7", ...WRITE, "--batch_7", "", "GET Customers", "--batch_7--"),
        /^Part 2 must/,
      ],
      [
        "a part of another type",
        crlf("--batch_7", ...WRITE, "--batch_7", "Content-Type: text/plain", "", "x", "--batch_7--"),
        /^Part 2 must have the Content-Type application\/http or multipart\/mixed/,
      ],
      [
        "a coding",
        crlf(
          "--batch_7",
          "Content-Type: application/http",
          "Content-Transfer-Encoding: base64",
          "",
          "R0VU",
          "--batch_7--",
        ),
        /^Part 1 must have the Content-Transfer-Encoding binary/,
      ],
      [
        "a change set without a boundary",
        crlf("--batch_7", ...WRITE, "--batch_7", "Content-Type: multipart/mixed", "", "x", "--batch_7--"),
        /^Part 2 is a change set without a valid boundary/,
      ],
      [
        "a change set that is cut off",
        crlf("--batch_7", "Content-Type: multipart/mixed; boundary=c", "", "--c", ...WRITE, "--batch_7--"),
        /^Part 1 is cut off: the closing line "--c--" is missing/,
      ],
      [
        "a change set within a change set",
        crlf(
          "--batch_7",
          "Content-Type: multipart/mixed; boundary=c",
          "",
          "--c",
          ...WRITE,
          "--c",
          "Content-Type: multipart/mixed; boundary=d",
          "",
          "--d--",
          "--c--",
          "--batch_7--",
        ),
        /^Part 1\.2 is a change set within a change set/,
      ],
      [
        "two operations of one id",
        multipart([
          { request: "DELETE Orders(10)", id: "1" },
          { request: "GET X", id: "1" },
        ]),
        /^Part 2 has the id "1"/,
      ],
      [
        "one id in two change sets",
        multipart([[{ request: "DELETE Orders(10)", id: "1" }], [{ request: "DELETE X", id: "1" }]]),
        /^Part 2\.1 has the id "1" of an earlier one/,
      ],
      [
        "a header line without a colon in a part",
        crlf("--batch_7", "Content-Type application/http", "", "x", "--batch_7--"),
        /^Part 1 has the header line/,
      ],
    ])("%s", async (_name, body, message) => {
      const { send, rowsOf } = await shopBehind(door);
      const answer = await send("/odata/$batch", MULTIPART, "POST", body);
      expectError(answer, { status: 400, code: "InvalidBody", message });
      expect(await rowsOf("orders")).toHaveLength(2);
    });

    test.each([
      "",
      "; boundary=",
      '; boundary=""',
      `; boundary=${"x".repeat(71)}`,
      '; boundary="a "',
      "; boundary=a\\b",
      "; charset=utf-8",
    ])("a Content-Type with the boundary %j", async (parameter) => {
      const { send } = await shopBehind(door);
      const answer = await send("/odata/$batch", { "Content-Type": `multipart/mixed${parameter}` }, "POST", "--x--");
      expectError(answer, { status: 400, code: "InvalidBody", message: /boundary/ });
    });
  });

  test.each(["---", "-", "batch-", "--batch--"])("a batch with the boundary %s", async (boundary) => {
    const { send, rowsOf } = await shopBehind(door);
    const body = crlf(
      "a preamble",
      "------------------------",
      multipart([{ request: "GET Customers" }, { request: "DELETE Orders(10)" }], boundary),
    );
    const answer = await send(
      "/odata/$batch",
      { "Content-Type": `multipart/mixed; boundary=${boundary}` },
      "POST",
      body,
    );
    expect(answer.status).toBe(200);
    const parts = received(answer.headers["content-type"], answer.text);
    expect(parts.map((part) => single(part).status)).toEqual([200, 204]);
    expect(await rowsOf("orders")).toHaveLength(1);
  });

  describe("an operation that cannot be read is 400 by itself", () => {
    const long = (length: number): string => "x".repeat(length);
    test.each<readonly [string, readonly string[], RegExp]>([
      ["without a request line", [""], /^Part 2 does not start with a request line/],
      ["with a method alone", ["GET"], /^Part 2 does not start with a request line/],
      ["with a method that is none", ["G(ET Customers HTTP/1.1"], /^Part 2 does not start with a request line/],
      ["with a request line without a URL", ["GET  HTTP/1.1"], /^Part 2 does not start with a request line/],
      [
        "with a header line without a colon",
        ["GET Customers HTTP/1.1", "Accept application/json", ""],
        /^Part 2 has the header line/,
      ],
      ["with a header name that is none", ["GET Customers HTTP/1.1", "Ac cept: x", ""], /^Part 2 has the header line/],
      [
        "with a control character",
        ["GET Customers HTTP/1.1", "Accept: a\u0000b", ""],
        /^Part 2 has a control character/,
      ],
      [
        "with 101 header lines",
        ["GET Customers HTTP/1.1", ...Array.from({ length: 101 }, () => "A: b"), ""],
        /^Part 2 has more than 100 header lines/,
      ],
      [
        "with long headers",
        ["GET Customers HTTP/1.1", ...Array.from({ length: 20 }, () => `A: ${long(1000)}`), ""],
        /^Part 2 has headers of more than 16384 bytes/,
      ],
      [
        "with one long header",
        ["GET Customers HTTP/1.1", `A: ${long(20_000)}`, ""],
        /^Part 2 has headers of more than 16384 bytes/,
      ],
      ["with an invalid id", ["GET Customers HTTP/1.1", "Content-ID: a b", ""], /^Part 2 has an invalid Content-ID/],
    ])("%s", async (_name, lines, message) => {
      const { send, rowsOf } = await shopBehind(door);
      const part = ["Content-Type: application/http", "", ...lines, ""];
      const body = crlf("--batch_7", ...WRITE, "--batch_7", ...part, "--batch_7", ...WRITE, "--batch_7--");
      const answer = await send("/odata/$batch", { ...MULTIPART, Prefer: "continue-on-error" }, "POST", body);
      const parts = received(answer.headers["content-type"], answer.text);
      expect(parts.map((each) => single(each).status)).toEqual([204, 400, 204]);
      expect(single(parts[1]).json.error).toMatchObject({
        code: "InvalidBody",
        message: expect.stringMatching(message),
      });
      expect(await rowsOf("orders")).toHaveLength(1);
    });

    test("an unknown method is 405, an invalid escape 400", async () => {
      const { batch } = await shopBehind(door);
      const parts = await batch(
        [{ request: "MERGE Customers(1)" }, { request: "get Customers(1)" }, { request: "GET Customers(%zz)" }],
        { Prefer: "continue-on-error" },
      );
      expect(parts.map((part) => single(part).status)).toEqual([405, 405, 400]);
      expect(single(parts[0]).headers["Allow"]).toBe("GET, PUT, PATCH, DELETE, HEAD, OPTIONS");
    });
  });

  describe("limits", () => {
    const reads = (count: number) => Array.from({ length: count }, () => ({ request: "GET Customers/$count" }));

    test("100 operations are allowed, 101 are 413", async () => {
      const { send } = await shopBehind(door);
      const allowed = await send("/odata/$batch", MULTIPART, "POST", multipart(reads(100)));
      expect(received(allowed.headers["content-type"], allowed.text)).toHaveLength(100);
      const refused = await send("/odata/$batch", MULTIPART, "POST", multipart(reads(101)));
      expectError(refused, { status: 413, code: "PayloadTooLarge", message: /more than 100 operations/ });
    });

    test("`maxParts` counts the operations of change sets", async () => {
      const { send, rowsOf } = await shopBehind(door, { batch: { maxParts: 3 } });
      const body = multipart([
        { request: "DELETE Orders(10)" },
        [{ request: "DELETE Orders(10)" }, { request: "DELETE Orders(11)" }],
        { request: "GET Customers" },
      ]);
      const answer = await send("/odata/$batch", MULTIPART, "POST", body);
      expectError(answer, { status: 413, code: "PayloadTooLarge", message: /more than 3 operations/ });
      expect(await rowsOf("orders")).toHaveLength(2);
    });

    test("empty change sets count, too, and many of them end at the limit", async () => {
      const { send } = await shopBehind(door);
      const empty = "--batch_7\nContent-Type: multipart/mixed; boundary=c\n\n--c--\n";
      const allowed = await send("/odata/$batch", MULTIPART, "POST", `${empty.repeat(100)}--batch_7--`);
      expect(received(allowed.headers["content-type"], allowed.text)).toHaveLength(100);
      const refused = await send("/odata/$batch", MULTIPART, "POST", `${empty.repeat(200_000)}--batch_7--`);
      expectError(refused, { status: 413, code: "PayloadTooLarge", message: /more than 100 operations/ });
    });

    test("ten thousand operations end at the limit", async () => {
      const { send } = await shopBehind(door);
      const answer = await send("/odata/$batch", MULTIPART, "POST", multipart(reads(10_000)));
      expect(answer.status).toBe(413);
    });

    test("the body has the limit of the service, and each operation that of its set", async () => {
      const defaults = { maxRequestBodyBytes: 1000 };
      const { send } = await shopBehind(door, { defaults });
      const large = multipart([{ request: "PATCH Orders(10)", body: { Note: "x".repeat(1000) } }]);
      expectError(await send("/odata/$batch", MULTIPART, "POST", large), { status: 413, code: "PayloadTooLarge" });
    });

    test("a compressed batch is 415", async () => {
      const { send } = await shopBehind(door);
      const answer = await send("/odata/$batch", { ...MULTIPART, "Content-Encoding": "gzip" }, "POST", "x");
      expect(answer.status).toBe(415);
    });

    test("`maxResponseEntities` counts the entities of all operations", async () => {
      const { batch } = await shopBehind(door, { defaults: { maxResponseEntities: 7 } });
      const parts = await batch(
        [
          { request: "GET Customers" },
          { request: "GET Customers?$top=1&$expand=Orders" },
          { request: "GET Customers" },
          { request: "GET Orders" },
          { request: "GET Customers(1)" },
        ],
        { Prefer: "continue-on-error" },
      );
      // 3 customers, then 1 customer and 1 order: 2 are left.
      expect(parts.map((part) => single(part).status)).toEqual([200, 200, 400, 200, 200]);
      expect(single(parts[2]).json.error.code).toBe("InvalidQueryOption");
    });

    test("`maxResponseEntities` counts the results of operations and single entities", async () => {
      const { batch } = await shopBehind(door, { defaults: { maxResponseEntities: 4 } });
      const parts = await batch(
        [
          { request: "GET Customers/Least(n=3)" },
          { request: "GET Customers(1)" },
          { request: "GET Customers/Least(n=1)" },
          { request: "GET Customers/Least(n=0)" },
        ],
        { Prefer: "continue-on-error" },
      );
      expect(parts.map((part) => single(part).status)).toEqual([200, 200, 400, 200]);
    });

    test("a write does not fail for the entities of earlier responses", async () => {
      const { batch, rowsOf } = await shopBehind(door, { defaults: { maxResponseEntities: 3 } });
      const parts = await batch([
        { request: "GET Customers" },
        { request: "PATCH Customers(1)?$expand=Orders", body: { Name: "Eve" } },
      ]);
      expect(parts.map((part) => single(part).status)).toEqual([200, 200]);
      expect(single(parts[1]).json).toMatchObject({ Name: "Eve", Orders: [{ Id: 10 }] });
      expect((await rowsOf("customers"))[0]).toMatchObject({ name: "Eve" });
    });
  });
});
