import {
  action,
  complexType,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  enumType,
  fn,
  hasMany,
  hasOptional,
  hasRequired,
  odataService,
  type ODataService,
  type ServiceOptions,
} from "odatakit";
import { openApiDocument } from "odatakit/openapi";
import { describe, expect, test } from "vitest";
import { faultsOfSchema, readCsdl } from "../../payload/csdl/validate-csdl.ts";

const Status = enumType("Status", { Draft: 0, Paid: 1 }).describe("The state of an order", { Paid: "Money is here" });
const Flags = enumType("Flags", { A: 1, B: 2 }, { isFlags: true }).describe("Marks", { B: "Second" });
const Address = complexType("Address", { city: edm.string() }).describe('A "postal" address');
const Customer = entityType("Customer", { id: edm.int32().key() }).describe("Who buys");
const Order = entityType("Order", {
  id: edm.int32().key(),
  customerId: edm.int32(),
  backupId: edm.int32().nullable(),
  status: edm.enum(Status),
  flags: edm.enum(Flags),
  address: edm.complex(Address),
}).describe("An order <b>");

function shop(more: Partial<ServiceOptions> = {}): ODataService {
  const customer = hasRequired(Customer, { on: { customerId: "id" }, target: "Customers" }).describe("Who pays");
  const backup = hasOptional(Customer, { on: { backupId: "id" }, target: "Customers" }).describe("Who pays otherwise");
  const approve = action(Order, {
    bound: "entity",
    params: { note: edm.string().describe("Why") },
    handler: (_key) => undefined,
  }).describe("Approves the order");
  return odataService({
    namespace: "Shop",
    profile: "standard",
    entitySets: [
      entitySet(Order, { getAll: () => [], navigation: { customer, backup }, actions: { approve } }).describe(
        "All orders",
      ),
      entitySet(Customer, {
        getAll: () => [],
        navigation: { orders: hasMany(Order, { target: "Orders" }).describe("What they bought") },
      }),
    ],
    functions: {
      now: fn({
        params: { zone: edm.string().default("UTC").describe("The time zone") },
        returns: edm.string(),
        handler: ({ zone }) => zone,
      }).describe("The time"),
    },
    ...more,
  });
}

async function read(service: ODataService, format: string): Promise<string> {
  const response = await service.fetch(new Request(`http://localhost/$metadata?$format=${format}`));
  expect(response.status).toBe(200);
  return response.text();
}

const EXPECTED = {
  Status: {
    "@Core.Description": "The state of an order",
    "Paid@Core.Description": "Money is here",
  },
  Flags: { "@Core.Description": "Marks", "B@Core.Description": "Second" },
  Address: { "@Core.Description": 'A "postal" address' },
  Customer: { "@Core.Description": "Who buys", Orders: { "@Core.Description": "What they bought" } },
  Order: {
    "@Core.Description": "An order <b>",
    Customer: { "@Core.Description": "Who pays" },
    Backup: { "@Core.Description": "Who pays otherwise" },
  },
  approve: [{ "@Core.Description": "Approves the order", $Parameter: [{}, { "@Core.Description": "Why" }] }],
  now: [{ "@Core.Description": "The time", $Parameter: [{ "@Core.Description": "The time zone" }] }],
};

describe("descriptions", () => {
  test.each([["inline"], ["external"]] as const)("are Core.Description in XML, %s", async (annotationForm) => {
    const xml = await read(shop({ annotationForm }), "xml");
    expect(await faultsOfSchema(xml)).toEqual([]);
    const texts = [...xml.matchAll(/Term="Core.Description" String="([^"]*)"/g)].map(([, text]) => text);
    expect(texts).toHaveLength(15);
    expect(new Set(texts)).toEqual(
      new Set([
        "A &quot;postal&quot; address",
        "All orders",
        "An order &lt;b&gt;",
        "Approves the order",
        "Marks",
        "Money is here",
        "Second",
        "The state of an order",
        "The time",
        "The time zone",
        "What they bought",
        "Who buys",
        "Who pays",
        "Who pays otherwise",
        "Why",
      ]),
    );
    if (annotationForm === "inline") expect(readCsdl(xml)).toMatchObject({ Shop: EXPECTED });
  });

  test("are Core.Description in CSDL JSON", async () => {
    const csdl = JSON.parse(await read(shop(), "json")) as Record<string, unknown>;
    expect(csdl).toMatchObject({
      Shop: { ...EXPECTED, Container: { Orders: { "@Core.Description": "All orders" } } },
    });
  });

  test("are descriptions of the API", () => {
    const document = openApiDocument([shop()]);
    expect(document).toMatchObject({
      components: {
        schemas: {
          Status: { description: "The state of an order", "x-enumDescriptions": { Paid: "Money is here" } },
          Flags: {
            description: "Marks One or more of A, B, separated by commas.",
            "x-enumDescriptions": { B: "Second" },
          },
          Address: { description: 'A "postal" address' },
          Order: {
            description: "An order <b>",
            properties: { Customer: { description: "Who pays" }, Backup: { description: "Who pays otherwise" } },
          },
        },
      },
      paths: {
        "/now": { get: { description: "The time", parameters: [{ name: "zone", description: "The time zone" }] } },
      },
    });
    expect(document.tags).toContainEqual({ name: "Orders", description: "All orders" });
    expect(document.tags).toContainEqual({ name: "Customers", description: "Who buys" });
    expect(JSON.stringify(document)).toContain("Approves the order");
  });

  test("leave the declaration as it was, and the last one counts", async () => {
    const type = entityType("Plain", { id: edm.int32().key() });
    const first = type.describe("First");
    expect(type.description).toBeUndefined();
    expect(Object.isFrozen(first)).toBe(true);
    const service = odataService({ entitySets: [entitySet(first.describe("Second"), { getAll: () => [] })] });
    const xml = await (await service.fetch(new Request("http://localhost/$metadata"))).text();
    expect(xml).toContain('String="Second"');
    expect(xml).not.toContain('String="First"');
  });

  test("of one navigation agree in all sets of its type", () => {
    const to = { target: "Customers" } as const;
    const sets = ["First", "Second"].map((text) =>
      entitySet(Order, {
        name: text,
        getAll: () => [],
        navigation: { customers: hasMany(Customer, to).describe(text) },
      }),
    );
    expect(faultsOf({ entitySets: [...sets, entitySet(Customer, { getAll: () => [] })] })).toEqual([
      "`Core.Description` of the navigation `customers` differs from that in another set of the same type.",
    ]);
  });

  const untyped = (value: unknown): never => value as never;
  test.each([
    [
      "text",
      entityType("T", { id: edm.int32().key() }).describe(untyped(5)),
      "The description of the type T cannot be 5.",
    ],
    [
      "single text",
      entityType("T", { id: edm.int32().key() }, { annotations: { "Core.Description": "One" } }).describe("Two"),
      "The type T has two descriptions.",
    ],
    [
      "known member",
      entityType("T", {
        id: edm.int32().key(),
        e: edm.enum(enumType("E", { A: 0 }).describe("", untyped({ B: "x" }))),
      }),
      "`.describe()` of E names `B`, which is not a member.",
    ],
    [
      "text of a member",
      entityType("T", {
        id: edm.int32().key(),
        e: edm.enum(enumType("E", { A: 0 }).describe("", untyped({ A: 7 }))),
      }),
      "The description of the member A of E cannot be 7.",
    ],
    [
      "table of members",
      entityType("T", { id: edm.int32().key(), e: edm.enum(enumType("E", { A: 0 }).describe("", untyped([]))) }),
      "The members of `.describe()` of E are an array.",
    ],
  ])("need a %s", (_what, type, message) => {
    expect(faultsOf({ entitySets: [entitySet(type, { getAll: () => [] })] })).toEqual([message]);
  });
});

function faultsOf(options: ServiceOptions): readonly string[] {
  try {
    odataService(options);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ message }) => message);
  }
}
