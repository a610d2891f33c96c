import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ENGINES, type OpenDatabase } from "../../engine/executors/engines.ts";
import { listedShop, tabledShop, type VirtualShop } from "./virtual-model.ts";

interface Form {
  readonly title: string;
  readonly open: () => Promise<{ readonly shop: VirtualShop; readonly database?: OpenDatabase }>;
}

const FORMS: readonly Form[] = [
  { title: "handlers", open: () => Promise.resolve({ shop: listedShop() }) },
  ...ENGINES.map(({ title, name, open }): Form => ({
    title,
    open: async () => {
      const database = await open();
      return { shop: await tabledShop(database.db, name), database };
    },
  })),
];

describe.each(FORMS)("virtual properties over $title", ({ open }) => {
  let shop: VirtualShop;
  let database: OpenDatabase | undefined;
  beforeEach(async () => {
    ({ shop, database } = await open());
  });
  afterEach(async () => {
    await database?.close();
  });

  interface Reply {
    readonly status: number;
    readonly body: unknown;
    readonly headers: Headers;
  }
  async function send(request: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    const [method = "", path = ""] = request.split(/ (.*)/s);
    const sent = { "x-roles": "boss", "Content-Type": "application/json", ...headers };
    const init = { method, headers: sent, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await shop.service.fetch(new Request(`http://shop.example/${path}`, init));
    const text = await response.text();
    const isJson = (response.headers.get("Content-Type") ?? "").includes("json");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }
  const read = async (path: string): Promise<unknown> => {
    const { status, body } = await send(`GET ${path}`, undefined, { Accept: "application/json;odata.metadata=none" });
    expect([status, body], path).toEqual([200, expect.anything()]);
    const { value, "@odata.context": _context, "@odata.etag": _etag, ...entity } = body as Record<string, unknown>;
    return value ?? entity;
  };
  const message = async (path: string): Promise<unknown> => {
    const { status, body } = await send(`GET ${path}`);
    return [status, (body as { error?: { message?: unknown } }).error?.message];
  };
  const NONE = "?$select=Id";

  test("appear in collections after the stored properties, with one call for a page", async () => {
    const { status, body, headers } = await send("GET Orders");
    expect([status, headers.get("Content-Type"), body]).toEqual([
      200,
      "application/json;odata.metadata=minimal",
      {
        "@odata.context": "http://shop.example/$metadata#Orders",
        value: [
          { Id: 10, CustomerId: 1, Price: 100, Note: "a", Margin: 40, Label: "note a" },
          { Id: 11, CustomerId: 1, Price: 50, Note: null, Margin: 5, Label: null },
          { Id: 12, CustomerId: 3, Price: 70, Note: "c", Margin: 60, Label: "note c" },
        ],
      },
    ]);
    expect(shop.calls.margins).toEqual([
      [
        { price: 100, cost: 60 },
        { price: 50, cost: 45 },
        { price: 70, cost: 10 },
      ],
    ]);
    expect(shop.calls.labels).toEqual([[{ note: "a" }, { note: null }, { note: "c" }]]);
  });

  test("are computed only if a response shows them", async () => {
    expect(await read(`Orders${NONE}`)).toEqual([{ Id: 10 }, { Id: 11 }, { Id: 12 }]);
    expect((await send("GET Orders/$count")).body).toBe("3");
    expect(await read("Orders?$filter=false")).toEqual([]);
    expect(shop.calls).toEqual({ ibans: [], margins: [], labels: [] });
    expect(await read("Orders?$select=Label&$top=1")).toEqual([{ Label: "note a" }]);
    expect(await read("Orders?$select=Id,margin&$skip=2")).toEqual([{ Id: 12, Margin: 60 }]);
    expect(shop.calls).toEqual({ ibans: [], margins: [[{ price: 70, cost: 10 }]], labels: [[{ note: "a" }]] });
  });

  test("appear by key, in single properties and as raw values", async () => {
    expect(await read("Orders(11)")).toEqual({ Id: 11, CustomerId: 1, Price: 50, Note: null, Margin: 5, Label: null });
    expect(await read("Orders(11)?$select=Margin")).toEqual({ Margin: 5 });
    expect((await send("GET Orders(11)/Margin")).body).toEqual({
      "@odata.context": "http://shop.example/$metadata#Orders(11)/Margin",
      value: 5,
    });
    expect((await send("GET Orders(11)/Margin/$value")).body).toBe("5");
    expect((await send("GET Orders(11)/Label")).status).toBe(204);
    expect((await send("GET Orders(99)/Margin")).status).toBe(404);
  });

  test("mask a stored property, by key and in expansions of each level with one call", async () => {
    expect(await read("Customers(1)/Iban")).toBe("****2222");
    expect((await send("GET Customers(1)/Iban/$value")).body).toBe("****2222");
    shop.calls.ibans.length = 0;
    expect(await read("Customers?$expand=Orders($expand=Customer;$select=Margin)&$select=Iban")).toMatchObject([
      {
        Iban: "****2222",
        Orders: [
          { Margin: 40, Customer: { Id: 1, Name: "Ann", Iban: "****2222", Version: 1 } },
          { Margin: 5, Customer: { Id: 1, Name: "Ann", Iban: "****2222", Version: 1 } },
        ],
      },
      { Iban: null, Orders: [] },
      { Iban: "****4444", Orders: [{ Margin: 60, Customer: { Id: 3, Name: "Cyd", Iban: "****4444", Version: 1 } }] },
    ]);
    expect(shop.calls.margins).toHaveLength(1);
    expect(shop.calls.ibans).toHaveLength(2);
    expect(await read("Orders?$expand=Customer($select=Iban)&$select=Id")).toMatchObject([
      { Id: 10, Customer: { Iban: "****2222" } },
      { Id: 11, Customer: { Iban: "****2222" } },
      { Id: 12, Customer: { Iban: "****4444" } },
    ]);
    // Lists have no routes of navigations here.
    if (database === undefined) return;
    expect(await read("Orders(10)/Customer")).toEqual({ Id: 1, Name: "Ann", Iban: "****2222", Version: 1 });
    expect(await read("Customers(1)/Orders?$select=Margin")).toEqual([{ Margin: 40 }, { Margin: 5 }]);
    expect(await read("Customers(1)/Orders(11)?$select=Margin")).toEqual({ Margin: 5 });
    expect(shop.calls.margins).toHaveLength(3);
  });

  test("leave the ETag of the stored entity, and answer no condition on a masked value with 304", async () => {
    const whole = await send("GET Customers(1)");
    const part = await send("GET Customers(1)?$select=Name");
    const tag = whole.headers.get("ETag") ?? "";
    expect(tag).toBe(part.headers.get("ETag"));
    expect(await send("GET Customers(1)", undefined, { "If-None-Match": tag })).toMatchObject({ status: 200 });
    expect(await send("GET Customers(1)?$select=Name", undefined, { "If-None-Match": tag })).toMatchObject({
      status: 304,
    });
    for (const url of ["GET Customers(1)", "GET Customers(1)/Iban", "GET Customers(1)?$select=Name"]) {
      expect((await send(url, undefined, { "If-Match": tag })).status).toBe(200);
      expect((await send(url, undefined, { "If-Match": '"other"' })).status).toBe(412);
    }
    const list = (await send("GET Customers?$top=1")).body as { value: { "@odata.etag": string }[] };
    expect(list.value[0]?.["@odata.etag"]).toBe(tag);
    const changed = await send("PATCH Customers(1)", { Iban: "DE0011115555" }, { "If-Match": tag });
    expect(changed).toMatchObject({ status: 200, body: { Iban: "****5555", Version: 2 } });
    expect((await send("PATCH Customers(1)", { Name: "x" }, { "If-Match": tag })).status).toBe(412);
  });

  test("appear in the responses of writes, which ignore their values", async () => {
    const created = await send("POST Orders", { Id: 20, CustomerId: 2, Price: 30, Note: "n", Margin: 999, Label: "x" });
    expect(created).toMatchObject({ status: 201, body: { Id: 20, Margin: 25, Label: "note n" } });
    const patched = await send("PATCH Orders(20)", { Price: 40, Margin: 1 });
    expect(patched).toMatchObject({ status: 200, body: { Id: 20, Price: 40, Margin: 35 } });
    expect(await send("PATCH Orders(20)?$select=Margin", { Price: 41 })).toMatchObject({ body: { Margin: 36 } });
    const minimal = await send("PATCH Orders(20)", { Price: 42 }, { Prefer: "return=minimal" });
    expect(minimal.status).toBe(204);
    expect(await send("PUT Orders(20)/Margin", { value: 1 })).toMatchObject({ status: 400 });
    expect(shop.calls.margins).toHaveLength(3);
    const deep = await send("POST Customers", {
      Id: 5,
      Name: "Eve",
      Iban: "AT77778888",
      Orders: [
        { Id: 50, Price: 9 },
        { Id: 51, Price: 8 },
      ],
    });
    expect(deep).toMatchObject({
      status: 201,
      body: {
        Iban: "****8888",
        Orders: [
          { Id: 50, Margin: 4 },
          { Id: 51, Margin: 3 },
        ],
      },
    });
    expect(shop.calls.margins).toHaveLength(4);
    expect(JSON.stringify(deep.body)).not.toContain("AT7777");
  });

  test("appear in the results of operations, and of functions with query options", async () => {
    expect(await read("Customers/best()")).toEqual({ Id: 1, Name: "Ann", Iban: "****2222", Version: 1 });
    expect(await read("Customers/all()?$select=Iban")).toMatchObject([
      { Iban: "****2222" },
      { Iban: null },
      { Iban: "****4444" },
    ]);
    const touched = await send("POST Orders/touch", {});
    expect(touched).toMatchObject({ status: 200, body: { value: [{ Margin: 40 }, { Margin: 5 }, { Margin: 60 }] } });
  });

  test("obey the rules of properties, although the functions get properties that the user may not read", async () => {
    const { status, body } = await send("GET Orders?$top=1", undefined, { "x-roles": "" });
    expect([status, (body as { value: unknown }).value]).toEqual([
      200,
      [{ Id: 10, CustomerId: 1, Price: 100, Note: "a", Label: "note a" }],
    ]);
    expect(shop.calls.margins).toEqual([]);
    for (const path of ["Orders?$select=Margin", "Orders(10)/Margin", "Customers?$expand=Orders($select=Margin)"]) {
      expect((await send(`GET ${path}`, undefined, { "x-roles": "" })).status, path).toBe(403);
    }
  });

  test.each([
    ["Orders?$filter=Margin gt 1", "Margin", "$filter"],
    ["Orders?$filter=margin gt 1", "Margin", "$filter"],
    ["Orders?$orderby=Label", "Label", "$orderby"],
    ["Orders?$compute=Margin add 1 as M&$select=M", "Margin", "$compute"],
    ["Orders?$apply=groupby((Label))", "Label", "$apply"],
    ["Orders?$apply=aggregate(Margin with sum as M)", "Margin", "$apply"],
    ["Orders?$apply=filter(Margin gt 1)", "Margin", "$apply"],
    ["Orders?$apply=topcount(1,Margin)", "Margin", "$apply"],
    ["Orders?$apply=compute(Margin add 1 as M)", "Margin", "$apply"],
    ["Orders?$filter=$it/Margin gt 1", "Margin", "$filter"],
    ["Orders?$filter=Customer/Iban eq 'DE0011112222'", "Iban", "$filter"],
    ["Orders?$filter=$root/Customers(1)/Iban eq 'DE0011112222'", "Iban", "$filter"],
    ["Orders?$apply=groupby((Customer/Iban))", "Iban", "$apply"],
    ["Orders?$orderby=Customer/Iban", "Iban", "$orderby"],
    ["Customers?$filter=startswith(Iban,'DE')", "Iban", "$filter"],
    ["Customers?$filter=Orders/any(o:o/Margin gt 1)", "Margin", "$filter"],
    ["Customers?$expand=Orders($filter=Margin gt 1)", "Margin", "$expand"],
    ["Customers?$expand=Orders($orderby=Label)", "Label", "$expand"],
    ["Customers?$expand=Orders($compute=Margin add 1 as M)", "Margin", "$expand"],
    ["Customers?$apply=join(Orders as O)/groupby((O/Label))", "Label", "$apply"],
    ["Customers/$count?$filter=Iban ne null", "Iban", "$filter"],
  ])("are refused by name in %s", async (path, name, option) => {
    const [status, text] = (await message(path)) as [number, string];
    expect([status, text], path).toEqual([400, expect.stringContaining(`'${name}'`)]);
    expect(text).toContain(option);
  });

  test("stay masked behind steps of $apply that keep entities, and computed values", async () => {
    expect(await read("Customers?$apply=filter(Id eq 1)")).toMatchObject([{ Id: 1, Iban: "****2222" }]);
    expect(await read("Orders?$compute=Price add 1 as P&$select=P,Margin&$top=1")).toEqual([{ P: 101, Margin: 40 }]);
    expect(await read("Orders(10)?$compute=Price add 1 as P&$select=P,Margin")).toEqual({ P: 101, Margin: 40 });
    const others = [
      "Customers?$apply=join(Orders as O)",
      "Customers?$apply=outerjoin(Orders as O)",
      "Orders?$apply=join(Customer as C)",
      "Customers?$apply=concat(filter(Id eq 1),filter(Id eq 3))",
      "Customers?$apply=concat(identity,aggregate($count as N))",
      "Customers?$apply=concat(groupby((Id)),filter(Id eq 3))",
      "Customers?$apply=topcount(2,Id)",
      "Customers?$apply=identity/compute(Id add 1 as J)",
    ];
    for (const path of others) {
      const { body, status } = await send(`GET ${path}`);
      expect(status, path).toBeLessThan(500);
      expect(JSON.stringify(body), path).not.toMatch(/DE0011|FR9933/);
    }
    expect(await read("Customers?$apply=concat(filter(Id eq 1),filter(Id eq 3))")).toMatchObject([
      { Id: 1, Iban: "****2222" },
      { Id: 3, Iban: "****4444" },
    ]);
    expect(await read("Orders?$apply=filter(Id lt 12)&$select=Margin")).toEqual([{ Margin: 40 }, { Margin: 5 }]);
  });

  test("follow next links and keep all formats", async () => {
    const first = await send("GET Orders?$select=Margin&$count=true", undefined, { Prefer: "odata.maxpagesize=2" });
    const page = first.body as Record<string, unknown>;
    expect(page).toMatchObject({ "@odata.count": 3, value: [{ Margin: 40 }, { Margin: 5 }] });
    const link = String(page["@odata.nextLink"]).replace("http://shop.example/", "");
    expect(await send(`GET ${link}`)).toMatchObject({ body: { value: [{ Margin: 60 }] } });
    const full = await send("GET Customers?$top=1&$expand=Orders", undefined, {
      Accept: "application/json;odata.metadata=full",
    });
    expect(full.body).toMatchObject({
      value: [{ "@odata.type": "#Default.Customer", Iban: "****2222", Orders: [{ Margin: 40 }, { Margin: 5 }] }],
    });
    const none = await send("GET Customers?$top=1", undefined, { Accept: "application/json;odata.metadata=none" });
    expect(none.body).toEqual({ value: [{ Id: 1, Name: "Ann", Iban: "****2222", Version: 1 }] });
  });

  test("appear in batches and change sets", async () => {
    const requests = [
      { id: "1", atomicityGroup: "g", method: "PATCH", url: "Customers(1)", body: { Iban: "DE0000009999" } },
      { id: "2", method: "GET", url: "Customers(1)?$select=Iban", dependsOn: ["g"] },
    ].map((each) => ({ headers: { "Content-Type": "application/json" }, ...each }));
    const { body } = await send("POST $batch", { requests });
    const { responses } = body as { responses: { body: Record<string, unknown>; status: number }[] };
    if (database !== undefined) {
      expect(responses.map((each) => [each.status, each.body["Iban"]])).toEqual([
        [200, "****9999"],
        [200, "****9999"],
      ]);
    }
  });

  test("are errors of the service if a function returns wrong values", async () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [[1, 2], "2 values for 3 entities"],
      [["x", 1, 2], "returned no value of Edm.Int32"],
      [[null, 1, 2], "null is not allowed"],
      ["abc", "did not return an array"],
      [undefined, "did not return an array"],
    ];
    for (const [values, problem] of cases) {
      shop.failures.length = 0;
      shop.behaviour.margins = () => values;
      expect((await send("GET Orders")).status, problem).toBe(500);
      expect(shop.failures, problem).toEqual([expect.stringContaining(problem)]);
      expect(shop.failures[0]).toContain("`virtual.margin` of Order");
    }
  });
});
