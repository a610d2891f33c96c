import { type } from "arktype";
import {
  applyDelta,
  complexType,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasRequired,
  odataError,
  odataService,
  type Context,
  type ResultOf,
  type ServiceOptions,
} from "odatakit";
import * as v from "valibot";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Answer, eachDoor, ERROR_HEADERS, expectAnswer, expectError, SEVERITY } from "./doors.ts";
import { noFailures, recordingLogger } from "./model.ts";
import { JSON_BODY } from "./write-model.ts";

const Address = complexType("Address", { street: edm.string(), city: edm.string().json("Town") });
const Order = entityType("Order", {
  id: edm.int32().key(),
  total: edm.int32({ minimum: 0 }),
  note: edm.string().nullable(),
  tags: edm.collection(edm.string()),
  shipTo: edm.complex(Address).nullable(),
  stops: edm.collection(edm.complex(Address)),
  secret: edm.string().nullable().ignored(),
});
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), qty: edm.int32({ maximum: 99 }) });

type OrderRow = ResultOf<typeof Order>;
const STORED = { id: 1, total: 5, note: "n", tags: [], shipTo: null, stops: [] } satisfies OrderRow;

type OrderOptions = Parameters<typeof entitySet<typeof Order>>[1];
type Validate = NonNullable<OrderOptions["validate"]>;

interface Shop {
  readonly service: ReturnType<typeof odataService>;
  /** The calls of handlers that write. */
  readonly writes: unknown[];
}

function shop(validate: Validate, options: Partial<ServiceOptions> = {}): Shop {
  const writes: unknown[] = [];
  const rows = new Map([[1, STORED]]);
  const note =
    (name: string) =>
    <T>(result: T): T => {
      writes.push(name);
      return result;
    };
  const lines = entitySet(Line, {
    create: (line) => note("line")(line),
    validate: {
      create: ({ entity }) => (entity.qty === 13 ? [{ message: "Not 13.", path: ["qty"], code: "Unlucky" }] : []),
    },
    navigation: { order: hasRequired(Order, { target: "Orders", on: { orderId: "id" } }) },
  });
  const orders = entitySet(Order, {
    allowDeepInsert: true,
    allowUpsert: true,
    getByKey: (id) => rows.get(id) ?? null,
    create: (order) => note("create")({ ...order }),
    replace: (id, order) => (rows.has(id) ? note("replace")({ ...order }) : null),
    patch: (id, delta) => (rows.has(id) ? note("patch")(applyDelta(Order, { ...STORED, secret: null }, delta)) : null),
    validate,
    navigation: {
      lines: hasMany(Line, { target: "Lines", on: { id: "orderId" }, create: (_key, line) => note("along")(line) }),
    },
  });
  return {
    writes,
    service: odataService({
      prefix: "/s",
      profile: "standard",
      logger: noFailures,
      batch: { json: true },
      entitySets: [orders, lines],
      ...options,
    }),
  };
}

const body = (members: object = {}): string => JSON.stringify({ Id: 7, Total: 1, Tags: [], Stops: [], ...members });

/** Schemas of the same rules: at least one tag, and a note of at most 3 characters. */
const SCHEMAS: ReadonlyArray<readonly [string, Validate, readonly [string, string]]> = [
  [
    "zod",
    {
      create: z.object({ tags: z.array(z.string()).min(1, "A tag."), note: z.string().max(3, "Short.").nullable() }),
      patch: z.object({ note: z.string().max(3, "Short.").nullable().optional() }),
    },
    ["A tag.", "Short."],
  ],
  [
    "valibot",
    {
      create: v.object({
        tags: v.pipe(v.array(v.string()), v.minLength(1, "A tag.")),
        note: v.nullable(v.pipe(v.string(), v.maxLength(3, "Short."))),
      }),
      patch: v.object({ note: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(3, "Short.")))) }),
    },
    ["A tag.", "Short."],
  ],
  [
    "arktype",
    {
      create: type({ tags: "string[] >= 1", note: "string <= 3 | null" }),
      patch: type({ "note?": "string <= 3 | null" }),
    },
    ["tags must be non-empty", "note must be at most length 3 (was 4)"],
  ],
];

interface Detail {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
}

function expectFaults(answer: Answer, details: readonly Detail[]): void {
  const message = `The body has ${String(details.length)} faults. 'details' lists them.`;
  const error = { code: "InvalidBody", message, details: details.map((each) => ({ ...each, ...SEVERITY })) };
  expectAnswer(answer, { status: 400, headers: ERROR_HEADERS, body: { error } });
}

const issue = (target: string, message: string, code = "InvalidBody"): Detail => ({ code, message, target });

eachDoor((door) => {
  test.each(SCHEMAS)("takes schemas of %s", async (_name, validate, [noTag, tooLong]) => {
    const { service, writes } = shop(validate);
    const send = door.to(service);
    const faults = [issue("Tags", noTag), issue("Note", tooLong)].toSorted((one, other) =>
      (one.target ?? "").localeCompare(other.target ?? ""),
    );
    const { status, json } = await send("/s/Orders", JSON_BODY, "POST", body({ Note: "long" }));
    expect(status).toBe(400);
    const details = json.error.details as readonly Detail[];
    const sorted = details.toSorted((one, other) => (one.target ?? "").localeCompare(other.target ?? ""));
    expect(sorted).toEqual(faults.map((each) => ({ ...each, ...SEVERITY })));
    const single = { status: 400, code: "InvalidBody", target: "Note", message: tooLong };
    expectError(await send("/s/Orders(1)", JSON_BODY, "PATCH", '{"Note":"long"}'), single);
    expectError(await send("/s/Orders(1)", JSON_BODY, "PUT", body({ Id: 1, Note: "long", Tags: ["a"] })), single);
    expect(writes).toEqual([]);
    expect((await send("/s/Orders", JSON_BODY, "POST", body({ Note: "abc", Tags: ["a"] }))).status).toBe(201);
    expect((await send("/s/Orders(1)", JSON_BODY, "PATCH", '{"Note":"abc"}')).status).toBe(200);
    expect(writes).toEqual(["create", "patch"]);
  });

  test("writes the values of the client, not those that a schema makes of them", async () => {
    const schemas = shop({ create: z.object({ note: z.string().transform((note) => `${note}!`) }) });
    const functions = shop({
      create: ({ entity }) => void Object.assign(entity, { note: "x" }),
      patch: ({ delta }) => void Object.assign(delta, { note: "x" }),
    });
    for (const { service } of [schemas, functions]) {
      const { status, json } = await door.to(service)("/s/Orders", JSON_BODY, "POST", body({ Note: "abc" }));
      expect([status, json.Note]).toEqual([201, "abc"]);
    }
    const { json } = await door.to(functions.service)("/s/Orders(1)", JSON_BODY, "PATCH", '{"Total":9}');
    expect([json.Total, json.Note]).toEqual([9, "n"]);
  });

  test("gives functions the entity or the delta, the stored entity and the context", async () => {
    const seen: unknown[] = [];
    const { service } = shop({
      create: ({ entity, ctx }) => {
        seen.push(entity, ctx.request.method, typeof ctx.set.get);
      },
      patch: async ({ delta, current, ctx }) => {
        const [first, second] = [current(), current()];
        seen.push(delta, await first, first === second, ctx.request.method);
        return null;
      },
    });
    const send = door.to(service);
    await send("/s/Orders", JSON_BODY, "POST", body({ Lines: [{ Id: 1, Qty: 2 }] }));
    await send("/s/Orders(1)", JSON_BODY, "PATCH", '{"Total":6}');
    await send("/s/Orders(9)", JSON_BODY, "PATCH", '{"Total":6}');
    const order = { id: 7, total: 1, note: null, tags: [], shipTo: null, stops: [] };
    expect(seen).toEqual([
      { ...order, lines: [{ id: 1, orderId: 7, qty: 2 }] },
      "POST",
      "function",
      { total: 6 },
      STORED,
      true,
      "PATCH",
      { total: 6 },
      null,
      true,
      "PATCH",
    ]);
  });

  test("answers issues with the paths of the body", async () => {
    const paths: ReadonlyArray<ReadonlyArray<PropertyKey | { key: PropertyKey }>> = [
      ["note"],
      ["shipTo", "city"],
      [{ key: "stops" }, { key: 1 }, { key: "city" }],
      ["tags", 0],
      ["lines", 0, "qty"],
      ["stops"],
    ];
    const { service } = shop({ create: () => paths.map((path) => ({ message: "No.", path })) });
    expectFaults(
      await door.to(service)("/s/Orders", JSON_BODY, "POST", body()),
      ["Note", "ShipTo/Town", "Stops(1)/Town", "Tags(0)", "Lines(0)/Qty", "Stops"].map((target) =>
        issue(target, "No."),
      ),
    );
  });

  test.each([
    [["unknown"]],
    [["note", "length"]],
    [["secret"]],
    [["stops", "city"]],
    [[Symbol("x")]],
    [["lines", 0, "other"]],
    [[]],
    [undefined],
  ])("answers an issue at %j without a target", async (path) => {
    const { service } = shop({ create: () => [{ message: "No.", path }] });
    const answer = await door.to(service)("/s/Orders", JSON_BODY, "POST", body());
    expectError(answer, { status: 400, code: "InvalidBody", message: "No." });
  });

  test("judges nested entities by their set, after the entity itself", async () => {
    const { service, writes } = shop({ create: () => [{ message: "Never.", code: "Never" }] });
    const lines = [
      { Id: 1, Qty: 1 },
      { Id: 2, Qty: 13 },
    ];
    expectFaults(await door.to(service)("/s/Orders", JSON_BODY, "POST", body({ Lines: lines })), [
      { code: "Never", message: "Never." },
      issue("Lines(1)/Qty", "Not 13.", "Unlucky"),
    ]);
    expect(writes).toEqual([]);
  });

  test("reports facets and issues together, if all values could be read", async () => {
    const { service } = shop({
      create: ({ entity }) => (entity.note === null ? [{ message: "A note.", path: ["note"] }] : []),
      patch: ({ delta }) => (delta.note === null ? [{ message: "A note.", path: ["note"] }] : []),
    });
    const send = door.to(service);
    const both = [
      issue("Total", "-1 is too small: write a number of at least 0."),
      issue("Lines(0)/Qty", "100 is too large: write a number of at most 99."),
    ];
    const note = issue("Note", "A note.");
    const total = both.slice(0, 1);
    const Lines = [{ Id: 1, Qty: 100 }];
    expectFaults(await send("/s/Orders", JSON_BODY, "POST", body({ Total: -1, Lines })), [...both, note]);
    expectFaults(await send("/s/Orders(1)", JSON_BODY, "PUT", body({ Id: 1, Total: -1 })), [...total, note]);
    expectFaults(await send("/s/Orders(9)", JSON_BODY, "PUT", body({ Id: 9, Total: -1 })), [...total, note]);
    expectFaults(await send("/s/Orders(1)", JSON_BODY, "PATCH", '{"Total":-1,"Note":null}'), [...total, note]);
    const single = { status: 400, code: "InvalidBody", ...total[0] };
    expectError(await send("/s/Orders(1)", JSON_BODY, "PATCH", '{"Total":-1}'), single);
    expectError(await send("/s/Orders(1)/Total", JSON_BODY, "PUT", '{"value":-1}'), single);
    expectFaults(await send("/s/Orders", JSON_BODY, "POST", body({ Total: -1, Extra: 1 })), [
      issue("Extra", 'Default.Order has no property "Extra": leave it out, or look up the names in $metadata.'),
      ...total,
    ]);
  });

  test("the default profile answers the first fault", async () => {
    const { service } = shop(
      { create: () => [{ message: "One.", path: ["stops", 1, "city"], code: "First" }, { message: "Two." }] },
      { profile: "specification" },
    );
    const send = door.to(service);
    const first = { status: 400, code: "First", target: "Stops/1/Town", message: "One." };
    expectError(await send("/s/Orders", JSON_BODY, "POST", body()), first);
    expectError(await send("/s/Orders", JSON_BODY, "POST", body({ Total: -1 })), {
      status: 400,
      code: "InvalidBody",
      target: "Total",
      message: "Total: -1 is too small: write a number of at least 0.",
    });
  });

  test("holds on every way to a write", async () => {
    const { service, writes } = shop({
      create: ({ entity }) => (entity.total === 13 ? [{ message: "Not 13.", path: ["total"], code: "Unlucky" }] : []),
      patch: ({ delta }) => ("total" in delta ? [{ message: "Fixed.", path: ["total"], code: "Unlucky" }] : []),
    });
    const send = door.to(service);
    const refused = { status: 400, code: "Unlucky", target: "Total" };
    expectError(await send("/s/Orders", JSON_BODY, "POST", body({ Total: 13 })), refused);
    expectError(await send("/s/Orders(1)", JSON_BODY, "PUT", body({ Id: 1, Total: 13 })), refused);
    expectError(await send("/s/Orders(9)", JSON_BODY, "PUT", body({ Id: 9, Total: 13 })), refused);
    expectError(await send("/s/Orders(1)", JSON_BODY, "PATCH", '{"Total":1}'), refused);
    expectError(await send("/s/Orders(1)/Total", JSON_BODY, "PUT", '{"value":1}'), refused);
    const line = await send("/s/Orders(1)/Lines", JSON_BODY, "POST", '{"Id":1,"Qty":13}');
    expectError(line, { status: 400, code: "Unlucky", target: "Qty", message: "Not 13." });
    const write = (id: string, method: string, url: string, text: string) => ({
      id,
      method,
      url,
      headers: JSON_BODY,
      body: JSON.parse(text) as unknown,
    });
    const requests = [
      write("a", "POST", "Orders", body({ Total: 13 })),
      write("b", "PATCH", "Orders(1)", '{"Total":1}'),
    ];
    const batch = await send("/s/$batch", JSON_BODY, "POST", JSON.stringify({ requests }));
    const responses = batch.json.responses as ReadonlyArray<{ readonly body: { readonly error: Detail } }>;
    expect(responses.map((each) => each.body.error.code)).toEqual(["Unlucky", "Unlucky"]);
    expect(writes).toEqual([]);
  });

  test("judges the writes of ctx.sets, also of trusted calls", async () => {
    const Run = entityType("Run", { id: edm.int32().key() });
    const lines = entitySet(Line, {
      create: (line) => line,
      patch: (id, delta) => ({ id, orderId: 1, qty: 1, ...delta }),
      validate: {
        create: ({ entity }) => [{ message: `Not ${String(entity.qty)}.`, path: ["qty"] }, { message: "Two." }],
        patch: ({ delta }) => [{ message: `Not ${String(delta.qty)}.`, path: ["qty"] }],
      },
    });
    const attempt = async (ctx: Context, write: (sets: Context["sets"]) => Promise<unknown>) =>
      write(ctx.sets).then(
        () => "written",
        (error: unknown) => error,
      );
    const caught: unknown[] = [];
    const runs = entitySet(Run, {
      getByKey: async (id, ctx) => {
        caught.push(await attempt(ctx, (sets) => sets(lines).create({ id: 1, orderId: 1, qty: 5 })));
        caught.push(await attempt(ctx, (sets) => sets(lines, { trusted: true }).patch(1, { qty: 6 })));
        return { id };
      },
    });
    const service = odataService({ profile: "standard", entitySets: [runs, lines], logger: noFailures });
    expect((await door.to(service)("/Runs(1)")).status).toBe(200);
    expect(caught).toEqual([
      expect.objectContaining({
        name: "ODataError",
        status: 400,
        code: "InvalidBody",
        details: [
          expect.objectContaining(issue("Qty", "Not 5.")),
          expect.objectContaining({ code: "InvalidBody", message: "Two.", target: undefined }),
        ],
      }),
      expect.objectContaining({ name: "ODataError", status: 400, message: "Not 6.", target: "Qty" }),
    ]);
  });

  test.each<[string, Validate, RegExp]>([
    [
      "a function that throws",
      {
        create: () => {
          throw new Error("Broken rule.");
        },
      },
      /Broken rule/,
    ],
    ["a promise that rejects", { create: () => Promise.reject(new Error("Broken rule.")) }, /Broken rule/],
    [
      "a schema that throws",
      {
        create: z.object({}).refine(() => {
          throw new Error("Broken rule.");
        }),
      },
      /Broken rule/,
    ],
    [
      "a result that is no list",
      { create: () => true as never },
      /`validate\.create` of Orders returned no list of iss/,
    ],
    ["an issue without a message", { create: () => [{ path: [] }] as never }, /returned no list of issues/],
    ["an issue with another code", { create: () => [{ message: "", code: 5 }] as never }, /returned no list of issues/],
  ])("logs %s as a 500", async (_title, validate, message) => {
    const logger = recordingLogger();
    const { service, writes } = shop(validate, { logger });
    const answer = await door.to(service)("/s/Orders", JSON_BODY, "POST", body());
    expectError(answer, { status: 500, code: "InternalServerError" });
    expect(logger.errors.map(({ fields }) => String(fields["err"]))).toEqual([expect.stringMatching(message)]);
    expect(writes).toEqual([]);
  });

  test("an error for the client that a function throws is the answer", async () => {
    const { service } = shop({
      create: () => {
        throw odataError(403, "Closed", "The shop is closed.");
      },
    });
    const answer = await door.to(service)("/s/Orders", JSON_BODY, "POST", body());
    expectError(answer, { status: 403, code: "Closed", message: "The shop is closed." });
  });

  test("an error for the client that a function returns is the answer", async () => {
    const closed = odataError(403, "Closed", "The shop is closed.", { headers: { "Retry-After": "60" } });
    const { service, writes } = shop({ create: () => closed, patch: async () => Promise.resolve(closed) });
    const send = door.to(service);
    const headers = { ...ERROR_HEADERS, "retry-after": "60" };
    const body403 = { error: { code: "Closed", message: "The shop is closed." } };
    for (const [path, method, text] of [
      ["/s/Orders", "POST", body({ Total: -1 })],
      ["/s/Orders(1)", "PUT", body({ Id: 1 })],
      ["/s/Orders(1)", "PATCH", '{"Total":6}'],
      ["/s/Orders(1)/Total", "PUT", '{"value":6}'],
    ] as const) {
      expectAnswer(await send(path, JSON_BODY, method, text), { status: 403, headers, body: body403 });
    }
    expect(writes).toEqual([]);
  });

  test("an upsert is judged once, although `replace` finds no entity, and `create` writes it", async () => {
    const judged: unknown[] = [];
    const saved = new Map<number, OrderRow>();
    const orders = entitySet(Order, {
      allowUpsert: true,
      create: (order) => saved.set(order.id, order).get(order.id) ?? order,
      replace: (id, order) => (saved.has(id) ? order : null),
      validate: { create: ({ entity: { id, total } }) => void judged.push([id, total]) },
    });
    const service = odataService({ prefix: "/s", entitySets: [orders], logger: noFailures });
    const { status, json } = await door.to(service)("/s/Orders(7)", JSON_BODY, "PUT", '{"Total":6}');
    expect([status, json.Id, json.Total]).toEqual([201, 7, 6]);
    expect([judged, saved.get(7)?.total]).toEqual([[[7, 6]], 6]);
  });

  test("lists at most 100 issues", async () => {
    const { service } = shop({ create: () => Array.from({ length: 500 }, () => ({ message: "No." })) });
    const { json } = await door.to(service)("/s/Orders", JSON_BODY, "POST", body());
    expect([json.error.message, json.error.details.length]).toEqual([
      "The body has 100 faults or more. 'details' lists the first 100.",
      100,
    ]);
  });
});
