import { sql } from "kysely";
import { arraySource, edm, complexType, entitySet, entityType, enumType, fn, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { openApiRoute } from "odatakit/openapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type DatabaseEngine } from "../../engine/executors/engines.ts";

/** The order of the names is not that of the numbers; two names have one value. */
const State = enumType("State", { Open: 0, Paid: 1, Draft: 2, Archived: 3, Closed: 3 }).describe("The state", {
  Paid: "Money is here",
});
const Mark = complexType("Mark", { state: edm.enum(State).nullable() });
const Ticket = entityType("Ticket", {
  id: edm.int32().key(),
  name: edm.string({ maxLength: 20 }),
  state: edm.enum(State),
  stage: edm.enum(State).nullable(),
});
const ROWS = [
  { id: 1, name: "Open", state: "Open", stage: "Paid" },
  { id: 2, name: "x", state: "Paid", stage: null },
  { id: 3, name: "draft", state: "Draft", stage: "Draft" },
  { id: 4, name: "y", state: "Archived", stage: "Open" },
  { id: 5, name: "z", state: "Paid", stage: "Archived" },
] as const;
const CELLS: Readonly<Record<string, number>> = { Open: 30, Paid: 10, Draft: 20, Archived: 5 };

type Service = ReturnType<typeof odataService>;

const inMemory = odataService({
  profile: "standard",
  enumsAsStrings: true,
  entitySets: [entitySet(Ticket, { queryable: () => arraySource(Ticket, ROWS) })],
});

async function overTable({
  open,
}: DatabaseEngine): Promise<{ readonly service: Service; readonly close: () => Promise<void> }> {
  const { db, close } = await open();
  await sql`create table tickets (id int primary key, name varchar(20) not null, state varchar(20) not null, stage int)`.execute(
    db,
  );
  for (const { id, name, state, stage } of ROWS) {
    const cell = stage === null ? null : CELLS[stage];
    await sql`insert into tickets values (${id}, ${name}, ${state}, ${cell})`.execute(db);
  }
  const values = { Open: 30, Paid: 10, Draft: 20, Archived: 5, Closed: 5 };
  const service = odataService({
    profile: "standard",
    enumsAsStrings: true,
    entitySets: [
      sqlEntitySet(Ticket, {
        db,
        table: "tickets",
        operations: ["read", "create", "delete"],
        columns: { stage: { storage: { values } } },
      }),
    ],
  });
  return { service, close };
}

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

async function send(service: Service, target: string, init?: RequestInit): Promise<Answer> {
  const response = await service.fetch(
    new Request(`http://x${target.includes("%") ? target : encodeURI(target)}`, init),
  );
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

async function valueOf(service: Service, target: string): Promise<unknown> {
  const { status, text } = await send(service, `${target}&$format=application/json;odata.metadata=none`);
  expect([status, text]).toEqual([200, text]);
  return (JSON.parse(text) as { readonly value: unknown }).value;
}

function ids(...wanted: readonly number[]): readonly unknown[] {
  return wanted.map((id) => ({ Id: id }));
}

/** Queries and their answers, by names in the order of code points: Archived, Draft, Open, Paid. */
const READS: ReadonlyArray<readonly [string, unknown]> = [
  ["$filter=State eq 'Paid'", ids(2, 5)],
  ["$filter='Paid' eq State", ids(2, 5)],
  ["$filter=State eq Default.State'Paid'", ids(2, 5)],
  ["$filter=State eq 'Closed'", ids(4)],
  ["$filter=State ne 'Paid'", ids(1, 3, 4)],
  ["$filter=State in ('Open',Default.State'Draft')", ids(1, 3)],
  ["$filter=Stage eq null", ids(2)],
  ["$filter=State gt 'Draft'", ids(1, 2, 5)],
  ["$filter=State ge Default.State'Open'", ids(1, 2, 5)],
  ["$filter=State lt 'E'", ids(3, 4)],
  ["$filter='O' le State", ids(1, 2, 5)],
  ["$filter=Stage le 'Draft'", ids(3, 5)],
  ["$filter=State eq Stage", ids(3)],
  ["$filter=State gt Stage", ids(5)],
  ["$filter=State eq Name", ids(1)],
  ["$filter=tolower(State) eq Name", ids(3)],
  ["$filter=contains(State,'a') and startswith(Stage,'A')", ids(5)],
  ["$filter=cast(State,Edm.String) eq 'Open'", ids(1)],
  ["$filter=isof(Stage,Edm.String)", ids(1, 3, 4, 5)],
  ["$orderby=State,Id", ids(4, 3, 1, 2, 5)],
  ["$orderby=State desc,Id desc", ids(5, 2, 1, 3, 4)],
  ["$orderby=Stage,Id&$filter=Stage ne null", ids(5, 3, 4, 1)],
];

const OTHER_READS: ReadonlyArray<readonly [string, unknown]> = [
  [
    "$apply=groupby((State),aggregate($count as N))&$orderby=State",
    [
      { State: "Archived", N: 1 },
      { State: "Draft", N: 1 },
      { State: "Open", N: 1 },
      { State: "Paid", N: 2 },
    ],
  ],
  [
    "$apply=aggregate(State with min as Least,Stage with max as Most,State with countdistinct as N)",
    [{ Least: "Archived", Most: "Paid", N: 4 }],
  ],
  ["$compute=concat(State,'!') as S&$select=S&$filter=Id eq 3", [{ S: "Draft!" }]],
  ["$compute=Stage as S&$select=S&$orderby=S desc&$top=2&$filter=Stage ne null", [{ S: "Paid" }, { S: "Open" }]],
];

const REFUSED: ReadonlyArray<readonly [string, string]> = [
  ["$filter=State eq 'Nope'", '\\"Nope\\" is not a value of State: write one of Open, Paid'],
  ["$filter=State in ('Open','Nope')", '\\"Nope\\" is not a value of State: write one of Open, Paid'],
  ["$filter=State gt Default.State'Nope'", '\\"Nope\\" is not a value of State: write one of Open, Paid'],
  ["$filter=State has 'Open'", "'has' must follow a property of an enumeration type, not Edm.String"],
  ["$filter=State eq 5", "cannot compare Edm.String with"],
  ["$filter=cast(State,Default.State) eq 'Open'", ""],
];

describe.each([
  { title: "arrays", open: undefined },
  ...ENGINES.map((engine) => ({ title: engine.title, open: engine })),
])("enumerations as texts over $title", ({ open }) => {
  let service = inMemory;
  let close: () => Promise<void> = () => Promise.resolve();
  beforeAll(async () => {
    if (open !== undefined) ({ service, close } = await overTable(open));
  });
  afterAll(() => close());

  test("are found and sorted by name", async () => {
    for (const [query, expected] of READS) {
      expect([query, await valueOf(service, `/Tickets?$select=Id&${query}`)]).toEqual([query, expected]);
    }
    for (const [query, expected] of OTHER_READS) {
      expect([query, await valueOf(service, `/Tickets?${query}`)]).toEqual([query, expected]);
    }
  });

  test("pages in their order have each row once", async () => {
    const headers = { Prefer: "odata.maxpagesize=2" };
    const found: unknown[] = [];
    let next = "/Tickets?$select=Id&$orderby=State,Id";
    while (next !== "") {
      const { status, text } = await send(service, next, { headers });
      expect([status, text]).toEqual([200, text]);
      const page = JSON.parse(text) as { readonly value: readonly object[]; readonly "@odata.nextLink"?: string };
      found.push(...page.value.map((row) => Reflect.get(row, "Id") as unknown));
      next = page["@odata.nextLink"]?.replace("http://x", "") ?? "";
    }
    expect(found).toEqual([4, 3, 1, 2, 5]);
  });

  test("names are checked, and have no flags", async () => {
    for (const [query, message] of REFUSED) {
      const { status, text } = await send(service, `/Tickets?${query}`);
      expect([query, status, text]).toEqual([query, 400, expect.stringContaining(message)]);
    }
  });

  test("bodies have names", async () => {
    if (open === undefined) return;
    const post = (body: object): Promise<Answer> =>
      send(service, "/Tickets", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    const created = await post({ Id: 9, Name: "n", State: "Closed", Stage: "Open" });
    expect([created.status, JSON.parse(created.text)]).toEqual([
      201,
      expect.objectContaining({ State: "Archived", Stage: "Open" }),
    ]);
    const refused = await post({ Id: 10, Name: "n", State: "Nope", Stage: null });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('\\"Nope\\" is not a value of State'),
    ]);
    const removed = await send(service, "/Tickets(9)", { method: "DELETE" });
    expect(removed.status).toBe(204);
  });
});

const Keyed = entityType("Keyed", { state: edm.enum(State).key(), marks: edm.collection(edm.complex(Mark)) });

function describing(options: { readonly enumsAsStrings?: boolean }, ofSet?: boolean): Service {
  return odataService({
    ...options,
    profile: "standard",
    entitySets: [
      entitySet(Keyed, {
        name: "Keyed",
        ...(ofSet === undefined ? {} : { enumsAsStrings: ofSet }),
        getByKey: () => ({ state: "Open" as const, marks: [{ state: "Paid" as const }] }),
        queryable: () => arraySource(Keyed, [{ state: "Open", marks: [{ state: "Paid" }] }]),
        functions: {
          next: fn({
            bound: "entity",
            returns: edm.enum(State),
            params: { from: edm.enum(State) },
            handler: (_key) => "Draft",
          }),
        },
      }),
      entitySet(Ticket, { queryable: () => arraySource(Ticket, ROWS) }),
    ],
    routes: [openApiRoute()],
  });
}

const ALLOWED =
  '<Annotation Term="Org.OData.Validation.V1.AllowedValues"><Collection>' +
  '<Record><PropertyValue Property="Value" String="Open"/></Record>' +
  '<Record><PropertyValue Property="Value" String="Paid"/><Annotation Term="Org.OData.Core.V1.Description" String="Money is here"/></Record>' +
  '<Record><PropertyValue Property="Value" String="Draft"/></Record>' +
  '<Record><PropertyValue Property="Value" String="Archived"/></Record>' +
  '<Record><PropertyValue Property="Value" String="Closed"/></Record>' +
  "</Collection></Annotation>";

test("$metadata has Edm.String with the names as allowed values, and no enumeration", async () => {
  const { status, type, text } = await send(describing({ enumsAsStrings: true }), "/$metadata");
  expect([status, type]).toEqual([200, "application/xml"]);
  expect(text).toContain(`<Property Name="State" Type="Edm.String" Nullable="false">${ALLOWED}</Property>`);
  expect(text).toContain(`<Property Name="Stage" Type="Edm.String">${ALLOWED}</Property>`);
  expect(text).toContain(`<Parameter Name="from" Type="Edm.String" Nullable="false">${ALLOWED}</Parameter>`);
  expect(text).toContain('<ReturnType Type="Edm.String" Nullable="false"/>');
  expect(text).toContain("vocabularies/Org.OData.Validation.V1.xml");
  expect(text).not.toContain("EnumType");
  expect(text).not.toContain("Default.State");
  const json = await send(describing({ enumsAsStrings: true }), "/$metadata?$format=json");
  expect(json.text).toContain(
    '"@Org.OData.Validation.V1.AllowedValues":[{"Value":"Open"},{"Value":"Paid","@Core.Description":"Money is here"}',
  );
});

test("the option of one set leaves the others as they are", async () => {
  const service = describing({}, true);
  const { text } = await send(service, "/$metadata");
  expect(text).toContain('<EnumType Name="State">');
  expect(text).toContain(`<Property Name="State" Type="Edm.String" Nullable="false">${ALLOWED}</Property>`);
  expect(text).toContain('<Property Name="State" Type="Default.State" Nullable="false"/>');
  const opposite = await send(describing({ enumsAsStrings: true }, false), "/$metadata");
  expect(opposite.text).toContain('<Property Name="State" Type="Default.State" Nullable="false"/>');
  expect(opposite.text).toContain(`<Property Name="Stage" Type="Edm.String">${ALLOWED}</Property>`);
  expect((await send(service, "/Tickets?$select=Id&$filter=State lt 'Paid'")).text).toContain('[{"Id":1}]');
});

test("keys, types and results are texts", async () => {
  const service = describing({ enumsAsStrings: true });
  const full = { headers: { Accept: "application/json;odata.metadata=full" } };
  const { status, text } = await send(service, "/Keyed('Open')", full);
  expect([status, JSON.parse(text)]).toEqual([
    200,
    {
      "@odata.context": "http://x/$metadata#Keyed/$entity",
      "@odata.type": "#Default.Keyed",
      "@odata.id": "http://x/Keyed('Open')",
      "@odata.editLink": "http://x/Keyed('Open')",
      State: "Open",
      "Marks@odata.type": "#Collection(Default.Mark)",
      Marks: [{ "@odata.type": "#Default.Mark", State: "Paid" }],
    },
  ]);
  const result = await send(service, "/Keyed(Default.State'Open')/Default.next(from='Paid')");
  expect([result.status, JSON.parse(result.text)]).toEqual([
    200,
    { "@odata.context": "http://x/$metadata#Edm.String", value: "Draft" },
  ]);
  const api = await send(service, "/openapi.json");
  expect(JSON.parse(api.text)).toEqual(
    expect.objectContaining({
      paths: expect.objectContaining({ "/Keyed('{State}')": expect.any(Object) }),
    }),
  );
});

test("flags, and a type in both forms, are refused at startup", () => {
  const Rights = enumType("Rights", { Read: 1, Write: 2 }, { isFlags: true });
  const Owner = entityType("Owner", { id: edm.int32().key(), rights: edm.enum(Rights) });
  expect(() => odataService({ enumsAsStrings: true, entitySets: [entitySet(Owner, {})] })).toThrow(
    "`enumsAsStrings` cannot publish the enumeration Rights: its flags have no single name.",
  );
  const sets = [
    entitySet(Ticket, { name: "Some", enumsAsStrings: true }),
    entitySet(Ticket, { name: "Others", enumsAsStrings: false }),
  ];
  expect(() => odataService({ entitySets: sets })).toThrow(
    "`enumsAsStrings` holds for one use of the type Ticket, but not for another.",
  );
});
