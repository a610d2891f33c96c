import { action, complexType, edm, entitySet, entityType, hasMany, hasRequired, odataService } from "odatakit";
import { expect, test } from "vitest";
import { type Answer, eachDoor, ERROR_HEADERS, expectAnswer, expectError, SEVERITY } from "./doors.ts";
import { noFailures } from "./model.ts";
import { JSON_BODY } from "./write-model.ts";

const Address = complexType("Address", { street: edm.string(), city: edm.string({ maxLength: 5 }) });
const Order = entityType("Order", {
  id: edm.int32().key(),
  total: edm.decimal({ scale: 2, minimum: 0 }),
  note: edm.string({ maxLength: 3 }).nullable(),
  tags: edm.collection(edm.string({ minLength: 2 })),
  shipTo: edm.complex(Address).nullable(),
  stops: edm.collection(edm.complex(Address)),
});
const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int32(), qty: edm.int32({ minimum: 1 }) });

const order = { id: 1, total: "1", note: null, tags: [], shipTo: null, stops: [] };

function shop(profile: "specification" | "standard") {
  return odataService({
    profile,
    prefix: "/s",
    logger: noFailures,
    batch: { json: true },
    entitySets: [
      entitySet(Order, {
        allowDeepInsert: true,
        getByKey: (id) => ({ ...order, id }),
        create: (given) => given,
        replace: (_id, given) => given,
        patch: (_id, delta) => ({ ...order, ...delta }) as typeof order,
        navigation: {
          lines: hasMany(Line, { target: "Lines", on: { id: "orderId" }, create: (_key, line) => line }),
        },
        actions: {
          ship: action({
            bound: "entity",
            params: { to: edm.complex(Address), days: edm.int32({ minimum: 1 }), codes: edm.collection(edm.int32()) },
            handler: (_key, _given) => undefined,
          }),
        },
      }),
      entitySet(Line, { navigation: { order: hasRequired(Order, { target: "Orders", on: { orderId: "id" } }) } }),
    ],
  });
}

interface Detail {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
}

/** Asserts a whole answer with several faults. */
function expectFaults(answer: Answer, details: readonly Detail[], code = "InvalidBody"): void {
  const message = `The body has ${String(details.length)} faults. 'details' lists them.`;
  const whole = details.map((each) => ({ ...each, ...SEVERITY }));
  expectAnswer(answer, { status: 400, headers: ERROR_HEADERS, body: { error: { code, message, details: whole } } });
}

const invalid = (target: string, problem: string): Detail => ({
  code: "InvalidBody",
  message: problem,
  target,
});
const REQUIRED = "This member is required: it has no default and must not be null.";
const NUMBER =
  "write a whole number from -2147483648 to 2147483647 without quotes, or say IEEE754Compatible=true in the Content-Type to send numbers as strings.";

const FAULTY = {
  Id: "x",
  Total: -1,
  Note: "long",
  Extra: 1,
  Tags: ["a", null, 3],
  ShipTo: { Street: null, Cty: "Rome", City: "Berlin" },
  Stops: [{ Street: "A", City: "Rome" }, { City: 1 }, 7],
  Lines: [
    { Id: 1, Qty: 1 },
    { Id: "b", Qty: 0, More: true },
  ],
};
const FAULTS: readonly Detail[] = [
  invalid("Extra", 'Shop.Order has no property "Extra": leave it out, or look up the names in $metadata.'),
  invalid("Id", `"x" is not an Edm.Int32: ${NUMBER}`),
  invalid("Total", "-1 is too small: write a number of at least 0."),
  invalid("Note", '"long" is too long: write at most 3 characters.'),
  invalid("Tags(0)", '"a" is too short: write at least 2 characters.'),
  { code: "NullNotAllowed", message: "This value must not be null: leave the item out.", target: "Tags(1)" },
  invalid("Tags(2)", "3 is not an Edm.String: write a string in quotes."),
  invalid("ShipTo/Cty", 'Shop.Address has no property "Cty": did you mean City?'),
  { code: "NullNotAllowed", message: "This value must not be null: give it a value.", target: "ShipTo/Street" },
  invalid("ShipTo/City", '"Berlin" is too long: write at most 5 characters.'),
  invalid("Stops(1)/Street", REQUIRED),
  invalid("Stops(1)/City", "1 is not an Edm.String: write a string in quotes."),
  invalid("Stops(2)", "7 is not a Shop.Address: write an object with its properties."),
];
const LINE_FAULTS: readonly Detail[] = [
  invalid("Lines(1)/More", 'Shop.Line has no property "More": leave it out, or look up the names in $metadata.'),
  invalid("Lines(1)/Id", `"b" is not an Edm.Int32: ${NUMBER}`),
  invalid("Lines(1)/Qty", "0 is too small: write a number of at least 1."),
];
const named = (faults: readonly Detail[]): readonly Detail[] =>
  faults.map((fault) => ({ ...fault, message: fault.message.replace("Shop.", "Default.") }));

eachDoor((door) => {
  const standard = door.to(shop("standard"));
  const specification = door.to(shop("specification"));

  test("the standard profile answers all faults of a POST with nested entities", async () => {
    const answer = await standard("/s/Orders", JSON_BODY, "POST", JSON.stringify(FAULTY));
    expectFaults(answer, named([...FAULTS, ...LINE_FAULTS]));
  });

  test("the default profile answers the first fault, without details", async () => {
    const answer = await specification("/s/Orders", JSON_BODY, "POST", JSON.stringify(FAULTY));
    expectError(answer, {
      status: 400,
      code: "InvalidBody",
      target: "Extra",
      message: `Extra: ${named(FAULTS)[0]?.message ?? ""}`,
    });
    const nested = JSON.stringify({ Id: 1, Total: 1, Lines: [{ Id: 1, Qty: 0 }] });
    expectError(await specification("/s/Orders", JSON_BODY, "POST", nested), {
      status: 400,
      code: "InvalidBody",
      target: "Lines/0/Qty",
      message: "Lines/0/Qty: 0 is too small: write a number of at least 1.",
    });
  });

  test("a single fault is the whole answer", async () => {
    expectError(await standard("/s/Orders", JSON_BODY, "POST", '{"Id":1,"Total":1,"Lines":[{"Id":1,"Qty":0}]}'), {
      status: 400,
      code: "InvalidBody",
      target: "Lines(0)/Qty",
      message: "0 is too small: write a number of at least 1.",
    });
    expectError(await standard("/s/Orders", JSON_BODY, "POST", "[1]"), {
      status: 400,
      code: "InvalidBody",
      message: "An array is not a Default.Order: send a JSON object with its properties.",
    });
  });

  test("answers all missing members", async () => {
    const faults = [invalid("Id", REQUIRED), invalid("Total", REQUIRED)];
    expectFaults(await standard("/s/Orders", JSON_BODY, "POST", "{}"), faults);
  });

  test("PUT, PATCH and writes along navigations answer all faults", async () => {
    const faults = named(FAULTS).filter(({ target }) => target !== "Id");
    const { Lines: _lines, ...own } = FAULTY;
    expectFaults(await standard("/s/Orders(1)", JSON_BODY, "PUT", JSON.stringify(own)), faults);
    const changed = faults;
    expectFaults(await standard("/s/Orders(1)", JSON_BODY, "PATCH", JSON.stringify(own)), changed);
    const line = await standard("/s/Orders(1)/Lines", JSON_BODY, "POST", '{"Id":"b","Qty":0,"OrderId":2}');
    expectFaults(line, [
      invalid("Id", `"b" is not an Edm.Int32: ${NUMBER}`),
      invalid("OrderId", '"2" differs from the value of the related entity, "1": omit it, or use that value.'),
      invalid("Qty", "0 is too small: write a number of at least 1."),
    ]);
  });

  test("writes of properties answer all faults", async () => {
    const body = '{"Street":1,"City":"Berlin","x":2}';
    const faults = named([
      invalid("ShipTo/x", 'Shop.Address has no property "x": leave it out, or look up the names in $metadata.'),
      invalid("ShipTo/Street", "1 is not an Edm.String: write a string in quotes."),
      invalid("ShipTo/City", '"Berlin" is too long: write at most 5 characters.'),
    ]);
    expectFaults(await standard("/s/Orders(1)/ShipTo", JSON_BODY, "PUT", body), faults);
    expectFaults(await standard("/s/Orders(1)/ShipTo", JSON_BODY, "PATCH", body), faults);
    const items = await standard("/s/Orders(1)/Tags", JSON_BODY, "PUT", '{"value":["a",1]}');
    expectFaults(items, [
      invalid("Tags(0)", '"a" is too short: write at least 2 characters.'),
      invalid("Tags(1)", "1 is not an Edm.String: write a string in quotes."),
    ]);
  });

  test("actions answer the faults of all parameters", async () => {
    const send = (body: object) => standard("/s/Orders(1)/ship", JSON_BODY, "POST", JSON.stringify(body));
    const parameter = (target: string, problem: string): Detail => ({
      ...invalid(target, problem),
      code: "InvalidParameter",
    });
    expectFaults(await send({ to: { Street: 1, City: "Berlin" }, codes: [1, "b"], other: 1 }), [
      invalid("other", 'ship has no parameter "other": leave it out, or look up the names in $metadata.'),
      parameter("to/Street", "1 is not an Edm.String: write a string in quotes."),
      parameter("to/City", '"Berlin" is too long: write at most 5 characters.'),
      { code: "MissingParameter", message: "The body lacks the parameter days, which has no default.", target: "days" },
      parameter("codes(1)", `"b" is not an Edm.Int32: ${NUMBER}`),
    ]);
  });

  test("a batch answers the faults of each of its requests", async () => {
    const requests = [{ id: "1", method: "POST", url: "Orders", headers: JSON_BODY, body: {} }];
    const answer = await standard("/s/$batch", JSON_BODY, "POST", JSON.stringify({ requests }));
    expect(answer.json.responses[0].body).toEqual({
      error: {
        code: "InvalidBody",
        message: "The body has 2 faults. 'details' lists them.",
        details: ["Id", "Total"].map((target) => ({ ...invalid(target, REQUIRED), ...SEVERITY })),
      },
    });
  });

  test("a link that cannot be read is a fault like others; an unsupported one takes precedence", async () => {
    const body = '{"Id":"x","Total":"y","Customer@odata.bind":"Customers(1)"}';
    const answer = await standard("/s/Orders", JSON_BODY, "POST", body);
    const details = answer.json.error.details as ReadonlyArray<{ readonly target: string }>;
    const targets = details.map(({ target }) => target);
    expect([answer.status, targets]).toEqual([400, ["Id", "Total", "Customer@odata.bind"]]);
    const nested = '{"Id":"x","Total":"y","@a.b":{"Customer@odata.bind":"Customers(1)"}}';
    expectError(await standard("/s/Orders", JSON_BODY, "POST", nested), {
      status: 501,
      code: "NotImplemented",
      target: "@a.b/Customer@odata.bind",
      message: /@odata\.bind is unsupported/,
    });
  });

  test("lists at most 100 faults", async () => {
    const tags = Array.from({ length: 1000 }, () => "a");
    const { status, json } = await standard("/s/Orders", JSON_BODY, "POST", JSON.stringify({ Id: "x", Tags: tags }));
    expect([status, json.error.code, json.error.message]).toEqual([
      400,
      "InvalidBody",
      "The body has 100 faults or more. 'details' lists the first 100.",
    ]);
    expect(json.error.details).toHaveLength(100);
    const last = invalid("Tags(97)", '"a" is too short: write at least 2 characters.');
    expect(json.error.details[99]).toEqual({ ...last, ...SEVERITY });
  });

  test("a valid body has the same answer in both profiles", async () => {
    const body = '{"Id":1,"Total":1.5,"Note":"abc","Tags":["ab"],"Stops":[]}';
    const [one, other] = [
      await standard("/s/Orders", JSON_BODY, "POST", body),
      await specification("/s/Orders", JSON_BODY, "POST", body),
    ];
    expect([one.status, one.json]).toEqual([201, other.json]);
  });
});
