import {
  authenticated,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  fn,
  hasMany,
  hasOptional,
  odataError,
  odataService,
  role,
  type ServiceOptions,
} from "odatakit";
import { type FindTenant, sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { eachDoor, EMPTY_HEADERS, ERROR_HEADERS, type Door, JSON_HEADERS, TEXT_HEADERS, VARY } from "./doors.ts";
import { noFailures } from "./model.ts";

const City = entityType("City", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  countryId: edm.int32().nullable(),
});
const Country = entityType("Country", { id: edm.int32().key(), name: edm.string() });
const CITIES = [
  { id: 1, name: "Rome", countryId: 5 },
  { id: 2, name: null, countryId: null },
];
const COUNTRIES = [{ id: 5, name: "Italy" }];

/** The `cacheControl` of the two sets; undefined: none. */
interface Settings {
  readonly cities?: string | undefined;
  readonly countries?: string | undefined;
  readonly service?: Partial<ServiceOptions>;
}

function geography(door: Door, { cities, countries, service = {} }: Settings) {
  const sets = [
    entitySet(City, {
      cacheControl: cities,
      etag: ["name"],
      getAll: () => CITIES,
      getByKey: (id) =>
        id === 3 ? odataError(503, "Closed", "Closed.") : (CITIES.find((each) => each.id === id) ?? null),
      create: (city) => city,
      patch: (id, delta) => ({ ...CITIES[0]!, id, ...delta }),
      navigation: {
        country: hasOptional(Country, {
          target: "Countries",
          on: { countryId: "id" },
          get: (id) => (id === 1 ? COUNTRIES[0]! : null),
        }),
        unnamed: hasMany(Country, { get: () => COUNTRIES }),
      },
      functions: { largest: fn({ bound: "collection", returns: City, handler: () => CITIES[0]! }) },
    }),
    entitySet(Country, {
      name: "Countries",
      cacheControl: countries,
      getAll: () => COUNTRIES,
      getByKey: (id) => COUNTRIES.find((each) => each.id === id) ?? null,
      navigation: {
        cities: hasMany(City, {
          target: "Cities",
          on: { id: "countryId" },
          get: (id) => CITIES.filter(({ countryId }) => countryId === id),
        }),
      },
    }),
  ];
  return door.to(
    odataService({
      prefix: "/s",
      logger: noFailures,
      batch: { json: true },
      authenticate: ({ headers }) => {
        const id = headers.get("authorization");
        return id === null ? null : { id };
      },
      entitySets: sets,
      ...service,
    }),
  );
}

const ANN = { Authorization: "ann" };
const MINUTE = "max-age=60";
const PRIVATE = "private, max-age=60";
const cached = { "cache-control": MINUTE };
const ofUser = { vary: `${VARY}, Cookie`, "cache-control": PRIVATE };
const notStored = { "cache-control": "no-store" };
const italy = "$filter=Country/Name eq 'Italy'";

eachDoor((door) => {
  describe("`cacheControl` of a set", () => {
    test("is on each kind of read of the set, with what the response depends on", async () => {
      const send = geography(door, { cities: MINUTE, countries: MINUTE });
      const { etag = "" } = (await send("/s/Cities(1)")).headers;
      const reads: ReadonlyArray<readonly [path: string, headers: object]> = [
        ["/s/Cities", { ...JSON_HEADERS, ...cached }],
        ["/s/Cities?$top=1&$orderby=Name", { ...JSON_HEADERS, ...cached }],
        ["/s/Cities?$expand=Country", { ...JSON_HEADERS, ...cached }],
        [`/s/Cities?${italy}`, { ...JSON_HEADERS, ...cached }],
        ["/s/Cities/$count", { ...TEXT_HEADERS, ...cached }],
        ["/s/Cities(1)", { ...JSON_HEADERS, ...cached, etag }],
        ["/s/Cities(1)/Name", { ...JSON_HEADERS, ...cached, etag }],
        ["/s/Cities(1)/Name/$value", { ...TEXT_HEADERS, ...cached }],
        ["/s/Cities(1)/Country", { ...JSON_HEADERS, ...cached }],
        ["/s/Cities(1)/Country/$ref", { ...JSON_HEADERS, ...cached }],
      ];
      for (const [path, expected] of reads) {
        const read = await send(encodeURI(path));
        expect([path, read.status, read.headers]).toEqual([path, 200, expected]);
        const head = await send(encodeURI(path), {}, "HEAD");
        expect([path, head.status, head.headers]).toEqual([path, 200, expected]);
      }
      const known = await send("/s/Cities(1)", { "If-None-Match": etag });
      expect([known.status, known.headers]).toEqual([304, { ...EMPTY_HEADERS, vary: VARY, ...cached, etag }]);
      const empty = await send("/s/Cities(2)/Name");
      expect([empty.status, empty.headers]).toMatchObject([204, { vary: VARY, ...cached }]);
    });

    test("is on nothing else", async () => {
      const send = geography(door, { cities: MINUTE, countries: MINUTE });
      const headers = { "Content-Type": "application/json" };
      for (const [path, method, body] of [
        ["/s/Cities", "POST", '{"Id":9}'],
        ["/s/Cities(1)", "PATCH", '{"Name":"x"}'],
        ["/s/Cities(1)/Name", "PUT", '{"value":"x"}'],
        ["/s/Cities/largest()", "GET", undefined],
        ["/s", "GET", undefined],
        ["/s/$metadata", "GET", undefined],
      ] as const) {
        const answer = await send(path, headers, method, body);
        expect([path, answer.status < 300, answer.headers["cache-control"]]).toEqual([path, true, undefined]);
      }
      const long = await send("/s/Cities/$query", { "Content-Type": "text/plain" }, "POST", "$top=1");
      expect([long.status, long.headers]).toEqual([200, JSON_HEADERS]);
      for (const path of ["/s/Cities(9)", "/s/Cities(3)", "/s/Cities?$top=x"]) {
        expect((await send(path)).headers).toEqual(ERROR_HEADERS);
      }
    });

    test("without `private` is for anonymous clients: responses to a user stay `no-store`", async () => {
      const send = geography(door, { cities: MINUTE });
      for (const path of ["/s/Cities", "/s/Cities/$count"]) {
        expect((await send(path, ANN)).headers["cache-control"]).toBe("no-store");
        expect((await send(path)).headers["cache-control"]).toBe(MINUTE);
      }
    });

    test("with `private` is for everybody, and `Vary` names cookies", async () => {
      const send = geography(door, { cities: PRIVATE });
      expect((await send("/s/Cities", ANN)).headers).toEqual({ ...JSON_HEADERS, ...ofUser });
      expect((await send("/s/Cities")).headers).toEqual({ ...JSON_HEADERS, ...ofUser });
      expect((await send("/s/Cities(2)/Name", ANN)).headers).toMatchObject(ofUser);
    });

    test.each<readonly [cities: string | undefined, countries: string | undefined]>([
      [MINUTE, undefined],
      [undefined, MINUTE],
      [MINUTE, PRIVATE],
      [PRIVATE, MINUTE],
      ["max-age=5", "max-age=6"],
    ])("%s and %s of another set that the response depends on give no-store", async (cities, countries) => {
      const send = geography(door, {
        cities,
        countries,
        service: { defaults: { applyEnabled: true, computeEnabled: true } },
      });
      for (const path of [
        "/s/Cities?$expand=Country",
        "/s/Cities(1)?$expand=Country($select=Name)",
        `/s/Cities?${italy}`,
        `/s/Cities/$count?${italy}`,
        "/s/Cities?$orderby=Country/Name",
        "/s/Cities(1)/Country",
        "/s/Cities(1)?$compute=Country/Name as N",
        "/s/Cities(1)?$compute=Country/Name as N&$select=N",
        "/s/Cities(1)?$compute=$root/Countries(5)/Name as N",
        "/s/Cities?$compute=Country/Name as N&$select=Id",
        "/s/Cities?$filter=Name ne $root/Countries(5)/Name",
        "/s/Cities?$filter=Country ne null",
        "/s/Cities?$apply=filter(Country/Name eq 'Italy')",
        "/s/Cities?$apply=groupby((Country/Name))",
        "/s/Cities?$apply=compute(Country/Name as N)",
        "/s/Cities/$count?$apply=groupby((Country/Name))",
        "/s/Countries(5)?$expand=Cities($compute=Country/Name as N)",
        "/s/Countries(5)?$expand=Cities($filter=Country/Name eq 'Italy')",
        "/s/Countries(5)?$expand=Cities($orderby=Country/Name;$top=1)",
        "/s/Countries(5)?$expand=Cities($expand=Country)",
        "/s/Countries?$expand=Cities/$count",
        "/s/Countries?$filter=Cities/any(c: c/Name eq 'Rome')",
        "/s/Countries?$orderby=Cities/$count",
        "/s/Countries(5)/Cities",
      ]) {
        const { status, headers } = await send(encodeURI(path));
        expect([path, status, headers["cache-control"]]).toEqual([path, 200, "no-store"]);
      }
    });

    test("related entities of no set are not stored", async () => {
      const send = geography(door, { cities: MINUTE });
      expect((await send("/s/Cities(1)/Unnamed")).headers).toEqual({ ...JSON_HEADERS, ...notStored });
    });

    test("is inherited from `defaults`, and a set may differ", async () => {
      const send = geography(door, { countries: "no-store", service: { defaults: { cacheControl: MINUTE } } });
      expect((await send("/s/Cities")).headers).toEqual({ ...JSON_HEADERS, ...cached });
      expect((await send("/s/Countries")).headers).toMatchObject(notStored);
      expect((await send("/s")).headers["cache-control"]).toBeUndefined();
    });

    test("a batch is not stored; its operations have the headers of single requests", async () => {
      const send = geography(door, { cities: MINUTE });
      const requests = [{ id: "1", method: "GET", url: "Cities/$count" }];
      const headers = { "Content-Type": "application/json" };
      const answer = await send("/s/$batch", headers, "POST", JSON.stringify({ requests }));
      expect(answer.headers).toMatchObject(notStored);
      const { responses } = answer.json as { responses: Array<{ headers: Record<string, string> }> };
      const inner = Object.entries(responses[0]?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
      expect(Object.fromEntries(inner)).toMatchObject({ "cache-control": MINUTE });
    });
  });
});

describe("`cacheControl` at startup", () => {
  const Item = entityType("Item", { id: edm.int32().key(), owner: edm.string() });

  function faultsOf(options: object, service: Partial<ServiceOptions> = {}): readonly unknown[] {
    try {
      const set = entitySet(Item, { getAll: () => [], ...options });
      odataService({ authenticate: () => null, entitySets: [set], ...service });
    } catch (error) {
      if (error instanceof ConfigurationError) return error.faults;
      throw error;
    }
    return [];
  }

  test.each([
    "max-age=0",
    "public, max-age=31536000, immutable",
    "private",
    "Private, Max-Age=60",
    "no-store",
    "no-cache",
    "max-age=60, stale-while-revalidate=30, must-revalidate",
    "s-maxage=60",
  ])("accepts %s", (cacheControl) => {
    expect(faultsOf({ cacheControl })).toEqual([]);
    expect(faultsOf({}, { defaults: { cacheControl } })).toEqual([]);
  });

  const EXAMPLE = 'Give directives such as "private, max-age=60".';
  test.each([
    ["max_age=60", 'has the unknown directive "max_age"', "Did you mean `max-age`?"],
    ["tomorrow", 'has the unknown directive "tomorrow"', EXAMPLE],
    ["max-age=60,", 'has the unknown directive ""', EXAMPLE],
    ["max-age=60\r\nX: y", 'has the wrong value "max-age=60\r\nX: y"', 'Give seconds: "max-age=60".'],
    ["max-age", 'has the wrong value "max-age"', 'Give seconds: "max-age=60".'],
    ["max-age=-1", 'has the wrong value "max-age=-1"', 'Give seconds: "max-age=60".'],
    ["max-age=1.5", 'has the wrong value "max-age=1.5"', 'Give seconds: "max-age=60".'],
    ["max-age=1m", 'has the wrong value "max-age=1m"', 'Give seconds: "max-age=60".'],
    ['private="Set-Cookie"', 'has the wrong value "private="Set-Cookie""', 'Give it without a value: "private".'],
    ["max-age=1, max-age=2", "has `max-age` twice", "Give it once."],
    ["public, private", "has `private` and `public`, which contradict each other", "Remove one of them."],
    ["private, s-maxage=5", "has `private` and `s-maxage`, which contradict each other", "Remove one of them."],
    ["constructor", 'has the unknown directive "constructor"', EXAMPLE],
  ])("refuses %j", (cacheControl, reason, fix) => {
    expect(faultsOf({ cacheControl })).toEqual([{ set: "Items", message: `\`cacheControl\` ${reason}.`, fix }]);
    expect(faultsOf({}, { defaults: { cacheControl } })).toEqual([
      { message: `\`cacheControl\` of \`defaults\` ${reason}.`, fix },
    ]);
  });

  test.each([60, "", null, true])("refuses %j", (cacheControl) => {
    expect(faultsOf({ cacheControl })).toEqual([expect.objectContaining({ fix: "Give a string." })]);
  });

  const rows = (user: { id: string }, row: { owner: { eq(value: string): never } }) => row.owner.eq(user.id);
  test.each<readonly [string, object, Partial<ServiceOptions>]>([
    ["`authorization.all`", { authorization: { all: authenticated() } }, {}],
    ["`authorization.read`", { authorization: { read: role("staff"), all: [] } }, {}],
    ["`authorization.rows`", { authorization: { rows } }, {}],
    ["`authorization` of odataService", {}, { authorization: authenticated() }],
  ])("refuses shared caches for reads that obey %s", (rule, options, service) => {
    const fault = (name: string) => ({
      set: "Items",
      message: `${name} lets shared caches store responses, but ${rule} decides who reads the set.`,
      fix: 'Give the set "private, max-age=60", or "no-store".',
    });
    expect(faultsOf({ ...options, cacheControl: MINUTE }, service)).toEqual([fault("`cacheControl`")]);
    expect(faultsOf(options, { ...service, defaults: { cacheControl: MINUTE } })).toEqual([
      fault("`cacheControl` of `defaults`"),
    ]);
    for (const cacheControl of [PRIVATE, "no-store"]) {
      expect(faultsOf({ ...options, cacheControl }, service)).toEqual([]);
    }
  });

  test.each([
    ["public, max-age=60", "private, max-age=60"],
    ["max-age=60, Public, S-MaxAge=5, must-revalidate, proxy-revalidate", "private, max-age=60, must-revalidate"],
    ["s-maxage=60", "private"],
  ])("suggests for %s a value without directives of shared caches", (cacheControl, suggested) => {
    const authorization = { all: authenticated() };
    expect(faultsOf({ cacheControl, authorization })).toMatchObject([
      { fix: `Give the set "${suggested}", or "no-store".` },
    ]);
    expect(faultsOf({ cacheControl: suggested, authorization })).toEqual([]);
  });

  test("refuses shared caches for the databases of tenants", () => {
    const db: FindTenant = () => {
      throw odataError(403, "NoTenant", "There is no tenant.");
    };
    const faultsOfTable = (cacheControl: string | undefined, defaults: object = {}): unknown => {
      const items = sqlEntitySet(Item, { db, table: "items", operations: ["read"], cacheControl });
      try {
        odataService({ entitySets: [items], defaults });
      } catch (error) {
        if (error instanceof ConfigurationError) return error.faults;
        throw error;
      }
      return [];
    };
    const fault = (name: string) => ({
      set: "Items",
      message: `${name} lets shared caches store responses, but the function \`db\` decides whose database the set reads.`,
      fix: 'Give the set "private, max-age=60", or "no-store".',
    });
    expect(faultsOfTable(MINUTE)).toEqual([fault("`cacheControl`")]);
    expect(faultsOfTable("public, max-age=60")).toEqual([fault("`cacheControl`")]);
    expect(faultsOfTable(undefined, { cacheControl: MINUTE })).toEqual([fault("`cacheControl` of `defaults`")]);
    for (const cacheControl of [PRIVATE, "no-store", undefined]) expect(faultsOfTable(cacheControl)).toEqual([]);
  });

  test("accepts shared caches where rules restrict writes alone", () => {
    const authorization = { create: role("editor"), update: role("editor"), delete: role("editor") };
    expect(faultsOf({ cacheControl: MINUTE, authorization })).toEqual([]);
  });
});
