import { assert, asyncProperty, boolean, constantFrom, record, subarray } from "fast-check";
import {
  arraySource,
  complexType,
  edm,
  entitySet,
  entityType,
  enumType,
  hasMany,
  hasOptional,
  odataService,
} from "odatakit";
import { describe, expect, test } from "vitest";
import { caseCount } from "../../cases.ts";
import { CapabilityTrials, type Subject } from "./capability-trials.ts";
import { ORIGIN, type Service } from "./doors.ts";
import { noFailures } from "./model.ts";

const Color = enumType("Color", { Red: 0, Green: 1 });
const Place = complexType("Place", { city: edm.string() });
const Part = entityType("Part", { id: edm.int32().key(), thingId: edm.int32(), name: edm.string() });
const Thing = entityType("Thing", {
  id: edm.int32().key(),
  title: edm.string(),
  price: edm.decimal().nullable(),
  color: edm.enum(Color),
  place: edm.complex(Place).nullable(),
  tags: edm.collection(edm.string()),
  photo: edm.binary().nullable(),
  made: edm.dateTimeOffset(),
  lasts: edm.duration(),
  token: edm.guid(),
  secret: edm.string().ignored(),
});

const PART = { id: 1, thingId: 1, name: "wheel" };
const CART = {
  id: 1,
  title: "cart",
  price: "1.50",
  color: "Red",
  place: { city: "Rome" },
  tags: ["a"],
  photo: new Uint8Array([1]),
  made: "2020-01-02T10:20:30Z",
  lasts: "PT1H",
  token: "01234567-89ab-cdef-0123-456789abcdef",
  secret: "hush",
} as const;
/** Related entities without a loader are expanded where the handler populated them. */
const THING = { ...CART, parts: [PART], owner: CART };

const SUBJECTS: Readonly<Record<string, Subject>> = {
  Things: {
    key: "(1)",
    body: {
      Id: 1,
      Title: "cart",
      Color: "Red",
      Tags: [],
      Made: "2020-01-02T10:20:30Z",
      Lasts: "PT1H",
      Token: "01234567-89ab-cdef-0123-456789abcdef",
    },
    filters: {
      Id: "Id eq 1",
      Title: "contains(Title,'a') or Title in ('a','b')",
      Price: "Price gt 1.2 or Price eq null",
      Color: "Color eq Default.Color'Red'",
      Place: "Place/City eq 'Rome'",
      Tags: "Tags/any(t: t eq 'a') and Tags/$count gt 0",
      Photo: "Photo eq binary'AQ=='",
      Made: "year(Made) eq 2020",
      Lasts: "Lasts gt duration'PT1M'",
      Token: "Token ne 00000000-0000-0000-0000-000000000000",
    },
    orders: {
      Id: "Id",
      Title: "tolower(Title)",
      Price: "Price",
      Color: "Color",
      Place: "Place/City",
      Tags: "Tags/$count",
      Photo: "Photo",
      Made: "Made",
      Lasts: "Lasts",
      Token: "Token",
    },
  },
  Parts: {
    key: "(1)",
    body: { Id: 1, ThingId: 1, Name: "wheel" },
    filters: { Id: "Id eq 1", ThingId: "ThingId eq 1", Name: "Name eq 'wheel'" },
    orders: { Id: "Id", ThingId: "ThingId", Name: "Name" },
  },
};

const READS = {
  queryable: { queryable: () => arraySource(Thing, [THING]) },
  getAll: { getAll: () => [THING] },
  applyQuery: { applyQuery: () => ({ items: [THING] }) },
  none: {},
} as const;

/** Everything that decides on a claim about things. */
interface Choice {
  readonly read?: keyof typeof READS;
  /** The undeclared capabilities. */
  readonly without?: ReadonlyArray<"getByKey" | "create" | "replace" | "patch" | "delete" | "search">;
  readonly settings?: object;
  /** The declared capabilities of the navigation to parts. */
  readonly along?: ReadonlyArray<"get" | "getBatch" | "create" | "addRef" | "target">;
  readonly owner?: "handler" | "none";
  /** The declared capabilities of the set of parts. */
  readonly parts?: ReadonlyArray<"getAll" | "getByKey" | "create">;
  readonly partSettings?: object;
  readonly profile?: "specification" | "standard";
}

const ALONG = ["get", "getBatch", "create", "addRef", "target"] as const;
const WITHOUT = ["getByKey", "create", "replace", "patch", "delete", "search"] as const;

function chosen<const H extends object>(handlers: H, names: readonly string[]): Partial<H> {
  return Object.fromEntries(Object.entries(handlers).filter(([name]) => names.includes(name))) as Partial<H>;
}

/** Things with parts and an owner, as they are chosen to be. */
function things(choice: Choice): Service {
  const { read = "queryable", without = [], settings = {}, along = ALONG, owner = "handler" } = choice;
  const { parts = ["getAll", "getByKey", "create"], partSettings = {}, profile = "specification" } = choice;
  const handlers = {
    getByKey: () => THING,
    create: () => THING,
    replace: () => THING,
    patch: () => THING,
    delete: () => true,
    search: () => [THING],
  };
  const left: readonly string[] = read === "none" ? [...without, "search"] : without;
  const kept = Object.keys(handlers).filter((name) => !left.includes(name));
  const partHandlers = {
    getAll: () => [PART],
    getByKey: () => PART,
    create: () => PART,
  };
  const alongHandlers = {
    get: () => [PART],
    getBatch: (keys: readonly number[]) => new Map(keys.map((key) => [key, [PART]])),
    create: () => PART,
    addRef: () => undefined,
    target: "Parts",
  };
  return odataService({
    profile,
    logger: noFailures,
    entitySets: [
      entitySet(Thing, {
        ...READS[read],
        ...chosen(handlers, kept),
        navigation: {
          parts: hasMany(Part, chosen(alongHandlers, along) as object),
          owner: hasOptional(
            Thing,
            owner === "handler" ? { target: "Things", get: () => THING } : { target: "Things" },
          ),
        },
        ...settings,
      }),
      entitySet(Part, { ...chosen(partHandlers, parts), ...partSettings }),
    ],
  });
}

const FLAGS = ["filterEnabled", "orderByEnabled", "selectEnabled", "expandEnabled", "countEnabled"] as const;
const LISTS = {
  filterProperties: ["title", "tags", "place"],
  orderByProperties: ["title", "tags", "price"],
  selectProperties: ["title"],
  expandProperties: ["owner"],
} as const;
/** The choices from which the table is built. */
const CHOICES: ReadonlyArray<readonly [string, Choice]> = [
  ["everything", {}],
  ["the standard's profile", { profile: "standard" }],
  ...Object.keys(READS).map((read) => [`read by ${read}`, { read: read as keyof typeof READS }] as const),
  ...FLAGS.flatMap((flag) =>
    [false, true].map((isOn) => [`${flag}: ${String(isOn)}`, { settings: { [flag]: isOn } }] as const),
  ),
  ["every flag off", { settings: Object.fromEntries(FLAGS.map((flag) => [flag, false])) }],
  ...Object.entries(LISTS).flatMap(([list, names]) => [
    [`${list}: ${names.join()}`, { settings: { [list]: names } }] as const,
    [`${list}: none of them`, { settings: { [list]: [] } }] as const,
  ]),
  ...[null, 1, 5].map((maxTop) => [`maxTop: ${String(maxTop)}`, { settings: { maxTop } }] as const),
  ...WITHOUT.map((name) => [`without ${name}`, { without: [name] }] as const),
  ["no write", { without: ["create", "replace", "patch", "delete"] }],
  ["PUT alone", { without: ["patch"] }],
  ["no update", { without: ["patch", "replace"] }],
  ["creation alone", { read: "none", without: ["getByKey", "replace", "patch", "delete"] }],
  ["deletion alone", { read: "none", without: ["getByKey", "create", "replace", "patch"], along: [], owner: "none" }],
  ["keyed reads alone", { read: "none", without: ["create", "replace", "patch", "delete"] }],
  ["nothing along the navigation", { along: [] }],
  ["no related entities", { along: ["target"], owner: "none" }],
  ...ALONG.map((name) => [`along the navigation ${name} alone`, { along: [name] }] as const),
  ["creation along the navigation alone, as of parts", { along: ["create", "target"] }],
  ["creation along the navigation, none of parts", { along: ["get", "create", "target"], parts: ["getAll"] }],
  ["no creation along the navigation, none of parts", { along: ["get", "target"], parts: ["getAll"] }],
  ["parts that are reached along the navigation alone", { parts: [] }],
  ["parts that are not reached", { parts: [], along: ["addRef"] }],
  ["parts that are not asked for much", { partSettings: { selectEnabled: false, filterEnabled: false } }],
];

describe("what $metadata claims is what requests find", () => {
  test.each(CHOICES)("%s", async (_name, choice) => {
    const trials = new CapabilityTrials(things(choice), SUBJECTS, undefined, choice.profile);
    await trials.run();
    expect(trials.tried.size).toBeGreaterThan(20);
  });

  test("every claim of a service with everything is tried", async () => {
    const trials = new CapabilityTrials(things({}), SUBJECTS);
    await trials.run();
    expect(Object.fromEntries([...trials.tried].filter(([name]) => name.startsWith("Things.")))).toMatchInlineSnapshot(`
      {
        "Things.ComputeSupported": 1,
        "Things.Countable": 1,
        "Things.Deletable": 1,
        "Things.Expandable": 10,
        "Things.FilterFunctions": 36,
        "Things.Filterable": 1,
        "Things.FilterableProperty": 10,
        "Things.IndexableByKey": 1,
        "Things.Insertable": 1,
        "Things.InsertableAlong": 1,
        "Things.Navigability": 4,
        "Things.NavigationOnwards": 2,
        "Things.ReadByKey": 1,
        "Things.Readable": 1,
        "Things.Searchable": 1,
        "Things.SelectSupport": 11,
        "Things.SkipSupported": 1,
        "Things.Sortable": 1,
        "Things.SortableProperty": 20,
        "Things.TopSupported": 1,
        "Things.Updatable": 1,
      }
    `);
  });

  /** A service whose $metadata claims something else. */
  function claiming(service: Service, alter: (xml: string) => string): Service {
    const fetch = async (request: Request): Promise<Response> => {
      const response = await service.fetch(request);
      return request.url.endsWith("/$metadata") ? new Response(alter(await response.text())) : response;
    };
    return { ...service, fetch };
  }

  /** A service whose handlers always return the same: it runs each request once, and then repeats its response. */
  function remembering(service: Service): Service {
    const responses = new Map<string, () => Response>();
    const fetch = async (request: Request): Promise<Response> => {
      const body = await request.clone().text();
      const key = JSON.stringify([request.method, request.url, [...request.headers], body]);
      const known = responses.get(key);
      if (known !== undefined) return known();
      const first = await service.fetch(request);
      const text = await first.text();
      const repeat = (): Response => new Response(text === "" ? null : text, first);
      responses.set(key, repeat);
      return repeat();
    };
    return { ...service, fetch };
  }

  /** The claims that equal the defaults of the vocabulary, which $metadata omits: each is denied in one set. */
  function denied(xml: string): ReadonlyArray<() => string> {
    const restrictions = [
      ["FilterRestrictions", "Filterable"],
      ["SortRestrictions", "Sortable"],
      ["SearchRestrictions", "Searchable"],
      ["CountRestrictions", "Countable"],
      ["SelectSupport", "Supported"],
      ["InsertRestrictions", "Insertable"],
      ["UpdateRestrictions", "Updatable"],
      ["DeleteRestrictions", "Deletable"],
      ["TopSupported", ""],
      ["SkipSupported", ""],
    ] as const;
    return Array.from(xml.matchAll(/<EntitySet [^>]*[^/]>(.*?)<\/EntitySet>/gsu)).flatMap(
      ({ 0: block, 1: own = "", index }) =>
        restrictions.flatMap(([term, property]) => {
          if (own.includes(`V1.${term}"`)) return [];
          const start = `<Annotation Term="Org.OData.Capabilities.V1.${term}"`;
          const value = `<Record><PropertyValue Property="${property}" Bool="false"/></Record>`;
          const claim = property === "" ? `${start} Bool="false"/>` : `${start}>${value}</Annotation>`;
          const end = index + block.length - "</EntitySet>".length;
          return [() => xml.slice(0, end) + claim + xml.slice(end)];
        }),
    );
  }

  test("detects a false or unknown claim", async () => {
    const service = remembering(things({ without: ["patch"], settings: LISTS, along: ["get", "target"] }));
    const xml = await (await service.fetch(new Request(`${ORIGIN}/$metadata`))).text();
    const start = xml.indexOf("<EntityContainer");
    const replaced = (from: RegExp, to: (text: string) => string): ReadonlyArray<() => string> =>
      Array.from(xml.matchAll(from), ({ 0: text, index }) => {
        return () => xml.slice(0, index) + (index < start ? text : to(text)) + xml.slice(index + text.length);
      });
    const wrong = [
      ...replaced(/Bool="(?:true|false)"/g, (text) => (text.includes("true") ? 'Bool="false"' : 'Bool="true"')),
      ...replaced(/<PropertyPath>(?!Tags)\w+<\/PropertyPath>/g, () => ""),
      ...replaced(/<String>\w+<\/String>/g, (text) => (text.includes("length") ? "<String>cast</String>" : "")),
      ...replaced(/HttpMethod\/PUT/g, () => "HttpMethod/PATCH"),
      ...replaced(/NavigationType\/Single/g, () => "NavigationType/None"),
      ...replaced(/V1\.(?:Top|Compute)Supported/g, () => "V1.BatchSupported"),
      ...denied(xml),
      ...["Supported", "EtagReferencesSupported", "RequestDependencyConditionsSupported"].flatMap((property) =>
        replaced(/V1\.BatchSupport"><Record>/g, (text) => {
          return `${text}<PropertyValue Property="${property}" Bool="${String(property !== "Supported")}"/>`;
        }),
      ),
      ...replaced(/Property="Searchable"/g, () => 'Property="UnsupportedExpressions"'),
      ...replaced(/<NavigationPropertyPath>\w+<\/NavigationPropertyPath>/g, () => ""),
    ];
    expect(wrong.length).toBeGreaterThan(70);
    await new CapabilityTrials(
      claiming(service, (text) => text),
      SUBJECTS,
    ).run();
    const passed: string[] = [];
    for (const alter of wrong) {
      const altered = alter();
      if (altered === xml) continue;
      const run = new CapabilityTrials(claiming(service, alter), SUBJECTS).run();
      const difference = Array.from(altered).findIndex((character, index) => character !== xml[index]);
      await run.then(
        () => passed.push(xml.slice(difference - 80, difference + 40)),
        () => undefined,
      );
    }
    expect(passed).toEqual([]);
  });

  const settings = record({
    filterEnabled: boolean(),
    orderByEnabled: boolean(),
    selectEnabled: boolean(),
    expandEnabled: boolean(),
    countEnabled: boolean(),
    maxTop: constantFrom(null, 1, 10),
    filterProperties: constantFrom(undefined, [], LISTS.filterProperties),
    orderByProperties: constantFrom(undefined, [], LISTS.orderByProperties),
    selectProperties: constantFrom(undefined, LISTS.selectProperties),
    expandProperties: constantFrom(undefined, [], LISTS.expandProperties),
  });

  test("of any service", async () => {
    const choices = record<Choice>({
      read: constantFrom(...(Object.keys(READS) as Array<keyof typeof READS>)),
      without: subarray([...WITHOUT]),
      settings,
      along: subarray([...ALONG]),
      owner: constantFrom("handler", "none"),
      parts: subarray(["getAll", "getByKey", "create"]),
      partSettings: record({ filterEnabled: boolean(), selectEnabled: boolean(), expandEnabled: boolean() }),
      profile: constantFrom("specification", "standard"),
    });
    await assert(
      asyncProperty(choices, async (choice) => {
        await new CapabilityTrials(things(choice), SUBJECTS, undefined, choice.profile).run();
      }),
      { numRuns: caseCount(60) },
    );
  });
});
