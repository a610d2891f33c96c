import {
  action,
  arraySource,
  edm,
  entitySet,
  entityType,
  type FaultParameters,
  odataError,
  odataService,
  type ServiceOptions,
} from "odatakit";
import { beforeEach, describe, expect, test } from "vitest";

const Line = entityType("Line", {
  id: edm.int32().key(),
  orderId: edm.int32(),
  qty: edm.int32({ minimum: 1, maximum: 9 }),
});
const Order = entityType("Order", {
  id: edm.int32().key(),
  title: edm.string({ minLength: 2, maxLength: 5, pattern: /^[A-Z]/ }),
  price: edm.decimal({ precision: 5, scale: 2 }).default("1.00"),
  weight: edm.decimal({ precision: 3 }).default("1"),
  placed: edm.dateTimeOffset({ precision: 0 }).nullable(),
  tags: edm.collection(edm.string(), { minItems: 1, maxItems: 2 }).default(["a"]),
  bytes: edm.binary({ maxLength: 2 }).nullable(),
});

interface Asked {
  readonly code: string;
  readonly parameters: FaultParameters;
  readonly language: string;
}

const asked: Asked[] = [];
const logged: unknown[] = [];

beforeEach(() => {
  asked.length = 0;
  logged.length = 0;
});

/** Answers in German and French with the code and parameters. */
function messages(code: string, parameters: FaultParameters, language: string): string | undefined {
  asked.push({ code, parameters, language });
  const name = { de: "deutsch", fr: "français" }[language.slice(0, 2)];
  return name === undefined ? undefined : `${name} ${code} ${JSON.stringify(parameters)}`;
}

function shop(options: Partial<ServiceOptions> = {}) {
  const rows = [{ id: 1, title: "One", price: "1", weight: "1", placed: null, tags: ["a"], bytes: null }];
  return odataService({
    messages,
    batch: { json: true },
    cors: { origins: ["https://app.example"] },
    logger: {
      error: (message, fields) => logged.push([message, fields]),
      warn: () => undefined,
      info: () => undefined,
    },
    actions: {
      Buy: action({
        authorization: [],
        params: { amount: edm.int32({ maximum: 5 }) },
        handler: () => odataError(409, "SoldOut", "Only 2 are left.", { parameters: { left: 2 } }),
      }),
      Fail: action({
        authorization: [],
        handler: () => {
          throw new Error("secret");
        },
      }),
    },
    ...options,
    entitySets: [
      entitySet(Order, {
        queryable: () => arraySource(Order, rows),
        getByKey: (id) => rows.find((row) => row.id === id) ?? null,
        create: (order) => order,
        patch: (_id, delta) => ({ ...rows[0], ...delta }) as never,
        validate: {
          create: ({ entity }) =>
            entity.title === "Bad"
              ? [{ message: "No bad titles.", path: ["title"], code: "BadTitle", parameters: { least: 3 } }]
              : [],
        },
      }),
      entitySet(Line, { getAll: () => [], create: (line) => line }),
    ],
  });
}

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly error: { readonly code: string; readonly message: string; readonly details?: readonly object[] };
}

async function send(
  service: ReturnType<typeof shop>,
  path: string,
  body: object | null,
  language: string | null,
): Promise<Sent> {
  const headers = new Headers({ "Content-Type": "application/json" });
  if (language !== null) headers.set("Accept-Language", language);
  const init = body === null ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await service.fetch(new Request(`http://shop.example/${path}`, init));
  const { error } = (await response.json()) as Pick<Sent, "error">;
  return { status: response.status, headers: response.headers, error };
}

describe("the fault of a value", () => {
  const order = { Id: 2, Title: "Two" };
  test.each<[string, object, string, object]>([
    ["minLength", { ...order, Title: "T" }, "MinLength", { minLength: 2, target: "Title" }],
    ["maxLength", { ...order, Title: "Twenty" }, "MaxLength", { maxLength: 5, target: "Title" }],
    ["maxLength of bytes", { ...order, Bytes: "AAAA" }, "MaxLength", { maxLength: 2, target: "Bytes" }],
    ["pattern", { ...order, Title: "two" }, "Pattern", { pattern: "^[A-Z]", target: "Title" }],
    ["scale", { ...order, Price: 1.001 }, "Scale", { precision: 5, scale: 2, target: "Price" }],
    ["precision of a Decimal", { ...order, Weight: 1.001 }, "Precision", { precision: 3, target: "Weight" }],
    [
      "precision of an instant",
      { ...order, Placed: "2026-01-01T00:00:00.5Z" },
      "Precision",
      { precision: 0, target: "Placed" },
    ],
    ["minItems", { ...order, Tags: [] }, "MinItems", { minItems: 1, target: "Tags" }],
    ["maxItems", { ...order, Tags: ["a", "b", "c"] }, "MaxItems", { maxItems: 2, target: "Tags" }],
    ["type", { ...order, Title: 5 }, "Type", { type: "Edm.String", target: "Title" }],
    ["a missing member", { Id: 2 }, "Required", { target: "Title" }],
    ["null", { ...order, Title: null }, "NullNotAllowed", { target: "Title" }],
    ["an issue", { ...order, Title: "Bad" }, "BadTitle", { least: 3, target: "Title" }],
  ])("%s has a code and parameters", async (_name, body, code, parameters) => {
    const { status, headers, error } = await send(shop(), "Orders", body, "de");
    const own = ["NullNotAllowed", "BadTitle"].includes(code) ? code : "InvalidBody";
    expect([status, error.code, error.message]).toEqual([400, own, `deutsch ${code} ${JSON.stringify(parameters)}`]);
    expect(headers.get("Content-Language")).toBe("de");
  });

  test.each([
    [0, "Minimum"],
    [10, "Maximum"],
  ])("a number outside of a range: %d", async (qty, code) => {
    const { error } = await send(shop(), "Lines", { Id: 1, OrderId: 1, Qty: qty }, "fr");
    const parameters = { minimum: "1", maximum: "9", target: "Qty" };
    expect(error.message).toBe(`français ${code} ${JSON.stringify(parameters)}`);
  });

  test("of a parameter, and an error of the application", async () => {
    const large = await send(shop(), "Buy", { amount: 6 }, "de");
    expect(large.error.message).toBe('deutsch Maximum {"maximum":"5","target":"amount"}');
    const sold = await send(shop(), "Buy", { amount: 5 }, "de");
    expect([sold.status, sold.error.code, sold.error.message]).toEqual([409, "SoldOut", 'deutsch SoldOut {"left":2}']);
  });

  test("all faults of a body have their texts", async () => {
    const body = { Id: 2, Title: "t", Tags: [] };
    const { error } = await send(shop({ profile: "standard" }), "Orders", body, "de");
    expect(error).toMatchObject({
      code: "InvalidBody",
      message: "deutsch InvalidBody {}",
      details: [
        { code: "InvalidBody", target: "Title", message: 'deutsch MinLength {"minLength":2,"target":"Title"}' },
        { code: "InvalidBody", target: "Tags", message: 'deutsch MinItems {"minItems":1,"target":"Tags"}' },
      ],
    });
    expect(error.details?.[0]).not.toHaveProperty("fault");
  });
});

describe("the language", () => {
  test.each<[string | null, readonly string[], string | null]>([
    ["de-CH, en;q=0.5", ["de-ch"], "de-ch"],
    ["it, fr;q=0.2, de;q=0.9", ["it", "de"], "de"],
    ["it, en-GB;q=0.9, de;q=0.8", ["it", "en-gb"], "en"],
    ["it", ["it", "*"], "en"],
    ["de;q=0, *", ["*"], "en"],
    ["de;q=2, ;;, 7x, fr;q=x", ["*"], "en"],
    [null, ["*"], "en"],
  ])("of %s", async (header, languages, language) => {
    const { status, headers, error } = await send(shop(), "Orders(7)", null, header);
    expect([status, error.code]).toEqual([404, "NotFound"]);
    expect(asked.map((each) => each.language)).toEqual(languages);
    expect(headers.get("Content-Language")).toBe(language);
    expect(headers.get("Vary")).toContain("Accept-Language");
  });

  test("a service in one language needs no header, and does not name it", async () => {
    const service = shop({ messages: (code) => `česky ${code}` });
    const { headers, error } = await send(service, "Orders(7)", null, null);
    expect([error.message, headers.get("Content-Language")]).toEqual(["česky NotFound", null]);
  });

  test("a text of the application has the language that its error names", async () => {
    const closed = odataError(409, "Closed", "Geschlossen.", { headers: { "Content-Language": "de" } });
    const service = shop({ messages: () => undefined, explainError: () => closed });
    const { headers, error } = await send(service, "Fail", {}, "de");
    expect([error.message, headers.get("Content-Language")]).toEqual(["Geschlossen.", "de"]);
  });

  test("texts in two languages name both", async () => {
    const service = shop({
      profile: "standard",
      messages: (code, _parameters, language) => (language === "de" && code === "MinLength" ? "Zu kurz." : undefined),
    });
    const { headers, error } = await send(service, "Orders", { Id: 2, Title: "t", Tags: [] }, "de");
    expect(headers.get("Content-Language")).toBe("en, de");
    expect(error.details).toMatchObject(
      [{ message: "Zu kurz." }, { message: /has 0 items/ }].map((each) => ({
        message: typeof each.message === "string" ? each.message : expect.stringMatching(each.message),
      })),
    );
  });

  test("an operation of a batch has its own header, else that of the batch", async () => {
    const requests = [
      { id: "1", method: "GET", url: "Orders(7)", headers: { "Accept-Language": "fr" } },
      { id: "2", method: "GET", url: "Orders(7)" },
      { id: "3", atomicityGroup: "g", method: "POST", url: "Orders", body: { Id: 3 } },
    ];
    const response = await shop().fetch(
      new Request("http://shop.example/$batch", {
        method: "POST",
        headers: { "Content-Type": "application/json", "Accept-Language": "de" },
        body: JSON.stringify({ requests }),
      }),
    );
    const { responses } = (await response.json()) as { responses: ReadonlyArray<{ body: Sent; headers: object }> };
    expect(responses.map(({ body }) => body.error.message.split(" ", 2))).toEqual([
      ["français", "NotFound"],
      ["deutsch", "NotFound"],
      ["deutsch", expect.any(String)],
    ]);
  });

  test("a preflight and other responses stay", async () => {
    const response = await shop().fetch(
      new Request("http://shop.example/Orders(1)", { headers: { "Accept-Language": "de" } }),
    );
    expect([response.status, response.headers.get("Content-Language"), asked]).toEqual([200, null, []]);
    const crossed = await shop().fetch(
      new Request("http://shop.example/Orders(7)", {
        headers: { "Accept-Language": "de", Origin: "https://app.example" },
      }),
    );
    expect(crossed.headers.get("Vary")?.split(/, */).toSorted()).toEqual(["Accept-Language", "Origin"]);
  });
});

test("a failure of the service is translated, and reveals nothing", async () => {
  const { status, error } = await send(shop(), "Fail", {}, "de");
  expect([status, error.message]).toEqual([500, "deutsch InternalServerError {}"]);
  const service = shop({ explainError: () => odataError(503, "Closed", "Closed.", { parameters: { until: "noon" } }) });
  expect((await send(service, "Fail", {}, "de")).error.message).toBe('deutsch Closed {"until":"noon"}');
});

test.each<[string, () => unknown]>([
  [
    "an exception",
    () => {
      throw new Error("No table.");
    },
  ],
  ["another result", () => 7],
  ["a promise", () => Promise.reject(new Error("Late."))],
])("%s of messages is logged, and the text stays", async (_name, own) => {
  const { status, headers, error } = await send(shop({ messages: own as never }), "Orders(7)", null, "de");
  expect([status, error.message]).toEqual([404, "Orders has no entity with the key (7)."]);
  expect(headers.get("Content-Language")).toBe("en");
  expect(logged).toMatchObject([["messages failed.", { status: 404 }]]);
});
