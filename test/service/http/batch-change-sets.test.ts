import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { MULTIPART, multipart, received, type SentPart, shopBehind, single, whole } from "./batch-model.ts";
import { eachDoor } from "./doors.ts";

const CUSTOMERS = [
  { id: 1, name: "Ada", version: 1 },
  { id: 2, name: "Bo", version: 1 },
  { id: 3, name: "Cy", version: 1 },
];
const ORDERS = [
  { id: 10, customer_id: 1, note: "first" },
  { id: 11, customer_id: 2, note: null },
];

eachDoor((door) => {
  test("a change set creates, changes and deletes in one transaction, and its reads see its writes", async () => {
    const { batch, rowsOf } = await shopBehind(door);
    const [set, count] = await batch([
      [
        { request: "POST Customers", id: "1", body: { Id: 4, Name: "Di" } },
        { request: "POST Orders", id: "2", body: { Id: 12, CustomerId: 1, Note: "new" } },
        { request: "PUT $2/Customer/$ref", body: { "@odata.id": "$1" } },
        { request: "POST $1/Orders", id: "3", body: { Id: 13 } },
        {
          request: "PATCH Customers(4)?$expand=Orders",
          body: { Name: "Dia" },
          headers: { Prefer: "return=representation" },
        },
        { request: "DELETE Orders(10)", id: "4" },
      ],
      { request: "GET Customers/$count" },
    ]);
    const responses = whole(set);
    expect(responses.map(({ status, id }) => [status, id])).toEqual([
      [201, "1"],
      [201, "2"],
      [204, undefined],
      [201, "3"],
      [200, undefined],
      [204, "4"],
    ]);
    expect(responses[4]?.json).toMatchObject({
      Name: "Dia",
      Version: 2,
      Orders: [
        { Id: 12, CustomerId: 4, Note: "new" },
        { Id: 13, CustomerId: 4, Note: null },
      ],
    });
    expect(responses[4]?.headers["ETag"]).toBe(responses[4]?.json["@odata.etag"]);
    expect(single(count).text).toBe("4");
    expect(await rowsOf("customers")).toEqual([...CUSTOMERS, { id: 4, name: "Dia", version: 2 }]);
    expect(await rowsOf("orders")).toEqual([
      ORDERS[1],
      { id: 12, customer_id: 4, note: "new" },
      { id: 13, customer_id: 4, note: null },
    ]);
  });

  describe("if one operation fails, all are undone, and the change set has one response", () => {
    const first: SentPart = { request: "POST Customers", id: "1", body: { Id: 4, Name: "Di" } };
    test.each<readonly [string, SentPart, number, string]>([
      ["an invalid body", { request: "PATCH Customers(1)", id: "2", body: { Name: 5 } }, 400, "InvalidBody"],
      ["a body that is not JSON", { request: "PATCH Customers(1)", id: "2", body: "{" }, 400, "InvalidBody"],
      ["a missing entity", { request: "PATCH Customers(9)", id: "2", body: { Name: "x" } }, 404, "NotFound"],
      ["a missing resource", { request: "POST Nothing", id: "2", body: {} }, 404, "NotFound"],
      ["a method without a handler", { request: "PUT Customers", id: "2", body: {} }, 405, "MethodNotAllowed"],
      [
        "a precondition",
        { request: "DELETE Customers(3)", id: "2", headers: { "If-Match": '"old"' } },
        412,
        "PreconditionFailed",
      ],
      [
        "a rule of the database",
        { request: "PATCH Customers(3)", id: "2", body: { Name: "refused" } },
        400,
        "InvalidBody",
      ],
      ["a key that exists", { request: "POST Customers", id: "2", body: { Id: 1, Name: "x" } }, 409, "Conflict"],
      [
        "a URL of another host",
        { request: "DELETE http://other.example/odata/Orders(10)", id: "2" },
        400,
        "InvalidUrl",
      ],
      ["an unknown reference", { request: "DELETE $9", id: "2" }, 400, "InvalidUrl"],
      ["a read", { request: "GET Customers(1)", id: "2" }, 400, "InvalidBody"],
      ["a request line without a URL", { request: "DELETE", id: "2" }, 400, "InvalidBody"],
    ])("%s", async (_name, second, status, code) => {
      const { batch, rowsOf } = await shopBehind(door);
      const parts = await batch([
        [first, second, { request: "DELETE Orders(10)", id: "3" }],
        { request: "GET Customers" },
      ]);
      expect(parts).toHaveLength(1);
      expect(single(parts[0])).toMatchObject({
        status,
        id: "2",
        json: { error: { code, "@Org.OData.Core.V1.ContentID": "2" } },
      });
      expect(await rowsOf("customers")).toEqual(CUSTOMERS);
      expect(await rowsOf("orders")).toEqual(ORDERS);
    });
  });

  test("a commit that fails is one response without an id, and undoes everything", async () => {
    const { batch, rowsOf } = await shopBehind(door);
    const parts = await batch(
      [
        [
          { request: "POST Orders", id: "1", body: { Id: 12, CustomerId: 77 } },
          { request: "DELETE Orders(10)", id: "2" },
        ],
        { request: "GET $1" },
      ],
      { Prefer: "continue-on-error" },
    );
    expect(single(parts[0])).toMatchObject({ status: 409, id: undefined, json: { error: { code: "Conflict" } } });
    expect(single(parts[1])).toMatchObject({ status: 400, json: { error: { code: "InvalidUrl", target: "url" } } });
    expect(await rowsOf("orders")).toEqual(ORDERS);
  });

  test("with continue-on-error, later items run after a change set that failed", async () => {
    const { batch, rowsOf } = await shopBehind(door);
    const parts = await batch(
      [
        [{ request: "DELETE Orders(10)" }, { request: "DELETE Customers(9)", headers: { "If-Match": "*" } }],
        [{ request: "DELETE Orders(11)" }, { request: "POST Orders", body: { Id: 12, CustomerId: 1 } }],
      ],
      { Prefer: "continue-on-error" },
    );
    expect(single(parts[0]).status).toBe(412);
    expect(whole(parts[1]).map(({ status }) => status)).toEqual([204, 201]);
    expect(await rowsOf("orders")).toEqual([ORDERS[0], { id: 12, customer_id: 1, note: null }]);
  });

  test("a change set with one operation may contain any handler", async () => {
    const { batch, journal } = await shopBehind(door);
    const [set] = await batch([[{ request: "POST Journal", id: "1", body: { Id: 2, Text: "two" } }]]);
    expect(whole(set)).toMatchObject([{ status: 201, id: "1" }]);
    expect(journal).toEqual([
      { id: 1, text: "one" },
      { id: 2, text: "two" },
    ]);
  });

  test.each<readonly [string, readonly SentPart[], RegExp]>([
    [
      "a set of handlers without transactions",
      [{ request: "DELETE Orders(10)" }, { request: "POST Journal", body: { Id: 2, Text: "two" } }],
      /the handlers of Journal do not take part in transactions/,
    ],
    [
      "a table of another database",
      [{ request: "DELETE Orders(10)" }, { request: "POST Stock", body: { Id: 2, Text: "two" } }],
      /Orders and Stock are in different databases/,
    ],
    ["an action", [{ request: "DELETE Orders(10)" }, { request: "POST Reset" }], /the handlers of Reset do not/],
    [
      "a bound action",
      [{ request: "DELETE Orders(10)" }, { request: "POST Customers(1)/Greet" }],
      /the handlers of Greet do not/,
    ],
    [
      "an operation on a referenced entity",
      [{ request: "POST Journal", id: "1", body: { Id: 2, Text: "two" } }, { request: "DELETE Orders(10)" }],
      /the handlers of Journal do not/,
    ],
  ])("a change set with %s is refused before anything is executed", async (_name, operations, message) => {
    const { batch, rowsOf, journal, calls } = await shopBehind(door);
    const [refused] = await batch([operations]);
    expect(single(refused)).toMatchObject({ status: 501, id: undefined, json: { error: { code: "NotImplemented" } } });
    expect(single(refused).json.error.message).toMatch(message);
    expect(await rowsOf("orders")).toEqual(ORDERS);
    expect([journal.length, calls.length]).toEqual([1, 0]);
  });

  test("handlers that declare `transactional` write in the transaction of the change set", async () => {
    const { batch, rowsOf, calls } = await shopBehind(door);
    const operations: SentPart[] = [
      { request: "POST Audit", id: "1", body: { Id: 1, Text: "renamed" } },
      { request: "POST Customers(1)/Rename", body: { name: "Eve" } },
      { request: "POST Log", body: { id: 2, text: "logged" } },
    ];
    const [set] = await batch([operations]);
    expect(whole(set).map(({ status }) => status)).toEqual([201, 204, 204]);
    expect(calls).toMatchObject([{ handler: "audit", hasTransaction: true }]);
    expect(await rowsOf("audit")).toEqual([
      { id: 1, text: "renamed" },
      { id: 2, text: "logged" },
    ]);
    const [failed] = await batch([
      [
        { request: "POST Audit", body: { Id: 3, Text: "undone" } },
        { request: "POST Log", body: { id: 4, text: "undone" } },
        { request: "PATCH Customers(2)", body: { Name: "refused" } },
      ],
    ]);
    expect(single(failed).status).toBe(400);
    expect(await rowsOf("audit")).toHaveLength(2);
    expect((await rowsOf("customers"))[0]).toMatchObject({ name: "Eve" });
  });

  test('`changeSets: "sequential"` runs change sets that cannot be atomic, without rollback', async () => {
    const { batch, rowsOf, journal } = await shopBehind(door, { batch: { changeSets: "sequential" } });
    const [set] = await batch([
      [{ request: "DELETE Orders(10)" }, { request: "POST Journal", body: { Id: 2, Text: "two" } }],
    ]);
    expect(whole(set).map(({ status }) => status)).toEqual([204, 201]);
    const [failed] = await batch([
      [
        { request: "POST Journal", body: { Id: 3, Text: "three" } },
        { request: "POST Journal", id: "2", body: { Id: 4, Text: "refuse" } },
        { request: "DELETE Orders(11)" },
      ],
    ]);
    expect(single(failed)).toMatchObject({ status: 409, id: "2", json: { error: { code: "Refused" } } });
    expect(journal.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(await rowsOf("orders")).toEqual([ORDERS[1]]);
    const [atomic] = await batch([[{ request: "DELETE Orders(11)" }, { request: "DELETE Customers(9)(1)" }]]);
    expect(single(atomic).status).toBe(404);
    expect(await rowsOf("orders")).toEqual([ORDERS[1]]);
  });

  test.each(["atomic", "sequential"] as const)(
    "an operation that leads nowhere is refused before anything of its change set runs (%s)",
    async (changeSets) => {
      const { batch, journal } = await shopBehind(door, changeSets === "sequential" ? { batch: { changeSets } } : {});
      const [unknown] = await batch([
        [
          { request: "POST Journal", body: { Id: 3, Text: "three" } },
          { request: "POST Nothing", id: "2", body: {} },
        ],
      ]);
      expect(single(unknown)).toMatchObject({ status: 404, id: "2", json: { error: { code: "NotFound" } } });
      const [method] = await batch([
        [
          { request: "POST Journal", body: { Id: 3, Text: "three" } },
          { request: "DELETE Orders", id: "3" },
        ],
      ]);
      expect(single(method)).toMatchObject({
        status: 405,
        id: "3",
        headers: { Allow: "GET, POST, HEAD, OPTIONS" },
      });
      expect(journal.map(({ id }) => id)).toEqual([1]);
    },
  );

  test("two change sets at once do not mix", async () => {
    const { send, rowsOf, db } = await shopBehind(door);
    await sql`create table counted (n integer)`.execute(db);
    const bodies = Array.from({ length: 8 }, (_, index) =>
      multipart([
        Array.from({ length: 5 }, (_each, number) => ({
          request: "POST Orders",
          body: { Id: 100 + 10 * index + number, CustomerId: index % 2 === 0 || number < 4 ? 1 : 77 },
        })),
      ]),
    );
    const answers = await Promise.all(bodies.map((body) => send("/odata/$batch", MULTIPART, "POST", body)));
    const statuses = answers.map(({ headers, text }) => {
      const [part] = received(headers["content-type"], text);
      return Array.isArray(part) ? part.length : part?.status;
    });
    expect(statuses).toEqual([5, 409, 5, 409, 5, 409, 5, 409]);
    expect((await rowsOf("orders")).length).toBe(2 + 4 * 5);
  });

  test("a change set waits for the transaction of another, and single reads do not", async () => {
    const { batch, send } = await shopBehind(door);
    const [set, read] = await Promise.all([
      batch([[{ request: "DELETE Orders(10)" }, { request: "DELETE Orders(11)" }]]),
      send("/odata/Customers(1)"),
    ]);
    expect(whole(set[0]).map(({ status }) => status)).toEqual([204, 204]);
    expect(read.status).toBe(200);
  });
});
