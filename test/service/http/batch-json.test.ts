import { describe, expect, test } from "vitest";
import { shopBehind } from "./batch-model.ts";
import { type Door, eachDoor, expectError, HOST, type HeaderTable } from "./doors.ts";

const JSON_TYPE = { "Content-Type": "application/json" };

async function jsonShop(door: Door, options: Parameters<typeof shopBehind>[1] = {}) {
  const shop = await shopBehind(door, { batch: { json: true }, ...options });
  const json = async (requests: unknown, headers: HeaderTable = {}) => {
    const answer = await shop.send("/odata/$batch", { ...JSON_TYPE, ...headers }, "POST", JSON.stringify({ requests }));
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(Object.keys(answer.json)).toEqual(["responses"]);
    return answer.json.responses as ReadonlyArray<{
      readonly id: string;
      readonly atomicityGroup?: string;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      // oxlint-disable-next-line typescript/no-explicit-any -- bodies have every form, and each test checks its own
      readonly body?: any;
    }>;
  };
  return { ...shop, json };
}

eachDoor((door) => {
  test("responses come in the order of the requests, with native bodies and lower-case header names", async () => {
    const { json } = await jsonShop(door);
    const responses = await json([
      { id: "a", method: "post", url: "Orders", body: { Id: 12, CustomerId: 3 } },
      { id: "b", method: "get", url: "$a?$select=Id", dependsOn: ["a"] },
      { id: "c", method: "GET", url: "Customers(0)" },
      { id: "d", method: "GET", url: "/odata/Orders/$count" },
      { id: "e", method: "PATCH", url: "Orders(12)", headers: { Prefer: "return=minimal" }, body: { Note: "x" } },
    ]);
    expect(responses).toEqual([
      {
        id: "a",
        status: 201,
        headers: expect.objectContaining({
          "odata-version": "4.0",
          location: `http://${HOST}/odata/Orders(12)`,
          "content-type": "application/json;odata.metadata=minimal",
        }),
        body: {
          "@odata.context": `http://${HOST}/odata/$metadata#Orders/$entity`,
          "@odata.id": `http://${HOST}/odata/Orders(12)`,
          Id: 12,
          CustomerId: 3,
          Note: null,
        },
      },
      {
        id: "b",
        status: 200,
        headers: expect.any(Object),
        body: {
          "@odata.context": `http://${HOST}/odata/$metadata#Orders(Id)/$entity`,
          "@odata.id": `http://${HOST}/odata/Orders(12)`,
          Id: 12,
        },
      },
      { id: "c", status: 404, headers: expect.any(Object), body: { error: expect.any(Object) } },
      { id: "d", status: 200, headers: expect.objectContaining({ "content-type": "text/plain" }), body: "3" },
      { id: "e", status: 204, headers: expect.objectContaining({ "preference-applied": "return=minimal" }) },
    ]);
    for (const { headers } of responses) {
      expect(Object.keys(headers)).toEqual(Object.keys(headers).map((name) => name.toLowerCase()));
    }
  });

  test("other bodies are base64url", async () => {
    const { json } = await jsonShop(door);
    const [metadata] = await json([{ id: "1", method: "get", url: "$metadata" }]);
    expect(Buffer.from(metadata?.body as string, "base64url").toString()).toContain("<edmx:Edmx");
  });

  test("OData-Version 4.01 is accepted on a JSON batch, and nowhere else", async () => {
    const { send, json } = await jsonShop(door);
    const [response] = await json([{ id: "1", method: "get", url: "Customers(1)" }], {
      "OData-Version": "4.01",
      "OData-MaxVersion": "4.01",
    });
    expect(response?.headers["odata-version"]).toBe("4.0");
    const headers = { "OData-Version": "4.01", "OData-MaxVersion": "4.01" };
    expect(await json([{ id: "1", method: "get", url: "Customers(1)", headers }])).toMatchObject([{ status: 200 }]);
    const answer = await send("/odata/Customers(1)", { "OData-Version": "4.01", ...JSON_TYPE });
    expectError(answer, { status: 400, code: "UnsupportedODataVersion", target: "OData-Version" });
    const without = await shopBehind(door, { batch: { multipart: true } });
    const refused = await without.send("/odata/$batch", { ...headers, ...JSON_TYPE }, "POST", '{"requests":[]}');
    expectError(refused, {
      status: 415,
      code: "UnsupportedMediaType",
      target: "Content-Type",
      message:
        "A batch has the Content-Type multipart/mixed. The option `batch: { json: true }` of the service accepts application/json.",
    });
  });

  test("multipart is still accepted, and each format can be the only one", async () => {
    const { batch, send } = await jsonShop(door);
    expect(await batch([{ request: "GET Customers(1)" }])).toHaveLength(1);
    const only = await shopBehind(door, { batch: { multipart: false, json: true } });
    const answer = await only.send("/odata/$batch", { "Content-Type": "multipart/mixed; boundary=b" }, "POST", "--b--");
    expectError(answer, {
      status: 415,
      code: "UnsupportedMediaType",
      target: "Content-Type",
      message:
        "A batch has the Content-Type application/json. The option `batch: { multipart: true }` of the service accepts multipart/mixed.",
    });
    expect(
      (await send("/odata/$batch", { "Content-Type": "application/json; charset=utf-8" }, "POST", '{"requests":[]}'))
        .json,
    ).toEqual({ responses: [] });
  });

  describe("atomicity groups", () => {
    test("succeed together", async () => {
      const { json, rowsOf } = await jsonShop(door);
      const responses = await json([
        { id: "1", atomicityGroup: "g", method: "post", url: "Customers", body: { Id: 4, Name: "Di" } },
        { id: "2", atomicityGroup: "g", method: "post", url: "$1/Orders", body: { Id: 12 }, dependsOn: ["1"] },
        { id: "3", method: "get", url: "$2/Customer?$select=Name", dependsOn: ["g"] },
      ]);
      expect(responses.map(({ id, atomicityGroup, status }) => [id, atomicityGroup, status])).toEqual([
        ["1", "g", 201],
        ["2", "g", 201],
        ["3", undefined, 200],
      ]);
      expect(responses[2]?.body).toMatchObject({ Name: "Di" });
      expect(await rowsOf("orders")).toHaveLength(3);
    });

    test("fail together: the others of the group and what depends on it are 424", async () => {
      const { json, rowsOf } = await jsonShop(door);
      const responses = await json([
        { id: "1", atomicityGroup: "g", method: "delete", url: "Orders(10)" },
        { id: "2", atomicityGroup: "g", method: "patch", url: "Customers(9)", body: { Name: "x" } },
        { id: "3", atomicityGroup: "g", method: "delete", url: "Orders(11)" },
        { id: "4", method: "get", url: "Orders", dependsOn: ["g"] },
        { id: "5", method: "get", url: "Orders", dependsOn: ["2"] },
        { id: "6", method: "get", url: "$1" },
        { id: "7", method: "get", url: "Orders/$count" },
      ]);
      expect(responses.map(({ id, status, atomicityGroup }) => [id, status, atomicityGroup])).toEqual([
        ["1", 424, "g"],
        ["2", 404, "g"],
        ["3", 424, "g"],
        ["4", 424, undefined],
        ["5", 424, undefined],
        ["6", 424, undefined],
        ["7", 200, undefined],
      ]);
      expect(responses[3]?.body.error).toMatchObject({
        code: "FailedDependency",
        message: expect.stringContaining('"g"'),
      });
      expect(await rowsOf("orders")).toHaveLength(2);
    });

    test("a commit that fails is the error of each", async () => {
      const { json, rowsOf } = await jsonShop(door);
      const responses = await json([
        { id: "1", atomicityGroup: "g", method: "post", url: "Orders", body: { Id: 12, CustomerId: 77 } },
        { id: "2", atomicityGroup: "g", method: "delete", url: "Orders(10)" },
      ]);
      expect(responses.map(({ status, body }) => [status, body.error.code])).toEqual([
        [409, "Conflict"],
        [409, "Conflict"],
      ]);
      expect(await rowsOf("orders")).toHaveLength(2);
    });
  });

  test("operations after a failed one are executed, unless the client does not want it", async () => {
    const { json } = await jsonShop(door);
    const requests = [
      { id: "1", method: "get", url: "Customers(9)" },
      { id: "2", method: "get", url: "Customers(1)" },
    ];
    expect((await json(requests)).map(({ status }) => status)).toEqual([404, 200]);
    const headers = { Prefer: "continue-on-error=false" };
    expect((await json(requests, headers)).map(({ status }) => status)).toEqual([404]);
  });

  test("large integers and decimals in bodies keep every digit", async () => {
    const { send } = await jsonShop(door);
    const body =
      '{"requests":[{"id":"1","method":"patch","url":"Customers(1)","body":{"Name":123456789012345678901}}]}';
    const answer = await send("/odata/$batch", JSON_TYPE, "POST", body);
    expect(answer.json.responses[0]).toMatchObject({ status: 400 });
    expect(answer.json.responses[0].body.error.message).toContain("123456789012345678901");
  });

  describe("a batch that cannot be read is 400, and nothing of it is executed", () => {
    const first = { id: "1", method: "delete", url: "Orders(10)" };
    const get = { id: "2", method: "get", url: "Orders" };
    test.each<readonly [string, unknown, RegExp]>([
      ["no object", [], /^The body is not a JSON object/],
      ["no requests", {}, /^The body needs the array "requests"/],
      ["an unknown member", { requests: [], extra: 1 }, /^The body has the member "extra"/],
      ["a request that is no object", { requests: [first, 5] }, /^Request 2 is not a JSON object/],
      ["no id", { requests: [first, { method: "get", url: "Orders" }] }, /^Request 2 needs the string "id"/],
      ["an id that is a number", { requests: [first, { ...get, id: 2 }] }, /^Request 2 needs the string "id"/],
      ["an invalid id", { requests: [first, { ...get, id: "a b" }] }, /^Request 2 has an invalid id or group/],
      ["no method", { requests: [first, { id: "2", url: "Orders" }] }, /^Request 2 needs the string "method"/],
      ["no url", { requests: [first, { id: "2", method: "get" }] }, /^Request 2 needs the string "url"/],
      ["a repeated id", { requests: [first, { ...get, id: "1" }] }, /^Request 2 has the id "1" of an earlier one/],
      [
        "an unknown member of a request",
        { requests: [first, { ...get, uri: "x" }] },
        /^Request 2 has the member "uri"/,
      ],
      [
        "a condition",
        { requests: [first, { ...get, if: "$1/$succeeded", dependsOn: ["1"] }] },
        /^Request 2 has the condition "if"/,
      ],
      [
        "a later dependency",
        { requests: [first, { ...get, dependsOn: ["3"] }, { ...get, id: "3" }] },
        /^Request 2 depends on "3", which is not an earlier/,
      ],
      ["a dependency on itself", { requests: [first, { ...get, dependsOn: ["2"] }] }, /^Request 2 depends on "2"/],
      [
        "dependencies that are no list",
        { requests: [first, { ...get, dependsOn: "1" }] },
        /^Request 2 needs strings in the array/,
      ],
      [
        "dependencies that are no strings",
        { requests: [first, { ...get, dependsOn: [1] }] },
        /^Request 2 needs strings in the array/,
      ],
      [
        "a dependency on its own group",
        {
          requests: [
            { ...first, atomicityGroup: "g" },
            { ...first, id: "2", atomicityGroup: "g", dependsOn: ["g"] },
          ],
        },
        /^Request 2 depends on its own group/,
      ],
      [
        "a group that is interrupted",
        { requests: [{ ...first, atomicityGroup: "g" }, get, { ...first, id: "3", atomicityGroup: "g" }] },
        /^Request 3 continues the group "g"/,
      ],
      [
        "a group with the name of a request",
        { requests: [first, { ...first, id: "2", atomicityGroup: "1" }] },
        /^Request 2 has the group "1"/,
      ],
      [
        "a request with the name of a group",
        {
          requests: [
            { ...first, atomicityGroup: "g" },
            { ...get, id: "g" },
          ],
        },
        /^Request 2 has the id "g", the name of a group/,
      ],
      [
        "headers that are no object",
        { requests: [first, { ...get, headers: [] }] },
        /^Request 2 needs an object in "headers"/,
      ],
      [
        "a header that is no string",
        { requests: [first, { ...get, headers: { Accept: 1 } }] },
        /^Request 2 needs a string in the header "Accept"/,
      ],
      [
        "a header name with a blank",
        { requests: [first, { ...get, headers: { "if-a b": "x" } }] },
        /^Request 2 has the invalid header "if-a b"/,
      ],
      [
        "a header name outside of ASCII",
        { requests: [first, { ...get, headers: { "accept-ü": "x" } }] },
        /^Request 2 has the invalid header/,
      ],
      [
        "a header with a line break",
        { requests: [first, { ...get, headers: { Accept: "a\r\nb" } }] },
        /^Request 2 has the invalid header "Accept"/,
      ],
      [
        "a body of a read",
        { requests: [first, { ...get, body: {} }] },
        /^Request 2 has a body, but requests with GET have none/,
      ],
      [
        "a text body that is no string",
        { requests: [first, { ...get, method: "post", headers: { "content-type": "text/plain" }, body: {} }] },
        /^Request 2 needs a string as body/,
      ],
      [
        "a binary body that is no base64url",
        { requests: [first, { ...get, method: "post", headers: { "content-type": "image/png" }, body: "!" }] },
        /^Request 2 needs base64url/,
      ],
    ])("%s", async (_name, body, message) => {
      const { send, rowsOf } = await jsonShop(door);
      const answer = await send("/odata/$batch", JSON_TYPE, "POST", JSON.stringify(body));
      expectError(answer, { status: 400, code: "InvalidBody", message });
      expect(await rowsOf("orders")).toHaveLength(2);
    });

    test.each([
      ["no JSON", '{"requests":['],
      ["a repeated member", '{"requests":[],"requests":[]}'],
      ["a repeated member of a request", '{"requests":[{"id":"1","id":"2","method":"get","url":"Orders"}]}'],
    ])("%s", async (_name, text) => {
      const { send } = await jsonShop(door);
      const answer = await send("/odata/$batch", JSON_TYPE, "POST", text);
      expect(answer).toMatchObject({ status: 400, json: { error: { code: "InvalidBody" } } });
    });

    test("too many requests are 413", async () => {
      const { send } = await jsonShop(door, { batch: { json: true, maxParts: 2 } });
      const requests = Array.from({ length: 3 }, (_, index) => ({ id: String(index), method: "get", url: "Orders" }));
      const answer = await send("/odata/$batch", JSON_TYPE, "POST", JSON.stringify({ requests }));
      expectError(answer, { status: 413, code: "PayloadTooLarge", message: /more than 2 operations/ });
    });
  });

  test("a charset other than UTF-8 is 415", async () => {
    const { send } = await jsonShop(door);
    const answer = await send("/odata/$batch", { "Content-Type": "application/json;charset=utf-16" }, "POST", "{}");
    expectError(answer, { status: 415, code: "UnsupportedMediaType", target: "Content-Type" });
  });

  test("null members are absent, and header values outside of Latin-1 are not passed on", async () => {
    const { json, calls } = await jsonShop(door);
    const [read, written] = await json([
      { id: "1", method: "get", url: "Customers(1)", headers: null, dependsOn: null, atomicityGroup: null },
      { id: "2", method: "post", url: "Journal", headers: { "If-X": "\u20ac" }, body: { Id: 2, Text: "two" } },
    ]);
    expect([read?.status, written?.status]).toEqual([200, 201]);
    expect(calls[0]?.headers).not.toHaveProperty("if-x");
  });

  test("bodies may be as deep as those of single requests", async () => {
    const { json } = await jsonShop(door, { defaults: { maxJsonDepth: 4 } });
    const deep = (depth: number): unknown => (depth === 0 ? 1 : [deep(depth - 1)]);
    const [allowed] = await json([{ id: "1", method: "patch", url: "Customers(1)", body: { Name: deep(3) } }]);
    expect(allowed?.body.error.message).toContain("Name");
  });

  test.each([null, 1_000_000])("with maxJsonDepth %s, bodies have at most 1,000 levels", async (maxJsonDepth) => {
    const { json, send } = await jsonShop(door, { defaults: { maxJsonDepth } });
    const deep = (depth: number): string => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
    const [allowed] = await json([
      { id: "1", method: "patch", url: "Customers(1)", body: { Name: JSON.parse(deep(999)) as unknown } },
    ]);
    expect([allowed?.status, allowed?.body.error.code]).toEqual([400, "InvalidBody"]);
    for (const depth of [1000, 100_000]) {
      const body = `{"requests":[{"id":"1","method":"patch","url":"Customers(1)","body":{"Name":${deep(depth)}}}]}`;
      const answer = await send("/odata/$batch", JSON_TYPE, "POST", body);
      expect([answer.status, answer.json]).toMatchObject([400, { error: { code: "InvalidBody" } }]);
    }
  });

  test('`changeSets: "sequential"`: operations that are executed keep their responses', async () => {
    const { json, journal } = await jsonShop(door, { batch: { json: true, changeSets: "sequential" } });
    const responses = await json([
      { id: "a", atomicityGroup: "g", method: "post", url: "Journal", body: { Id: 2, Text: "two" } },
      { id: "b", atomicityGroup: "g", method: "post", url: "Journal", body: { Id: 3, Text: "refuse" } },
      { id: "c", atomicityGroup: "g", method: "post", url: "Journal", body: { Id: 4, Text: "four" } },
      { id: "d", method: "get", url: "$a" },
    ]);
    expect(responses.map(({ id, status }) => [id, status])).toEqual([
      ["a", 201],
      ["b", 409],
      ["c", 424],
      ["d", 200],
    ]);
    expect(journal.map(({ id }) => id)).toEqual([1, 2]);
  });

  test("a body without a type is JSON, a text body stays text, and a read may have the body null", async () => {
    const { json } = await jsonShop(door);
    const responses = await json([
      { id: "1", method: "patch", url: "Customers(1)", body: { Name: "x" }, "@note": "skipped" },
      { id: "2", method: "patch", url: "Customers(1)", headers: { "Content-Type": "text/plain" }, body: "x" },
      { id: "3", method: "patch", url: "Customers(1)", headers: { "Content-Type": "image/png" }, body: "AAEC" },
      { id: "4", method: "get", url: "Customers(1)", body: null },
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 415, 415, 200]);
  });
});
