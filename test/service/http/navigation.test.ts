import { edm, entitySet, entityType, hasMany, hasOptional, hasRequired, odataError, odataService } from "odatakit";
import { describe, expect, test } from "vitest";
import {
  type Door,
  eachDoor,
  EMPTY_HEADERS,
  expectAnswer,
  expectError,
  expectInvalidOption,
  JSON_HEADERS,
  ORIGIN,
  targetOf,
  TEXT_HEADERS,
  url,
} from "./doors.ts";
import { recordingLogger } from "./model.ts";

const House = entityType("House", {
  street: edm.string().key(),
  number: edm.int32().key(),
  name: edm.string(),
});
const Room = entityType("Room", {
  id: edm.int32().key(),
  label: edm.string(),
  area: edm.decimal().nullable(),
  floor: edm.int32(),
  secret: edm.string().ignored(),
});
interface HouseKey {
  readonly street: string;
  readonly number: number;
}

const HOUSES = [
  { street: "O'Hara/Ave", number: 1, name: "Big" },
  { street: "O'Hara/Ave", number: 2, name: "Empty" },
] as const;
const ROOMS = [
  { id: 3, label: "Kitchen", area: "12.50", floor: 0, secret: "x" },
  { id: 1, label: "Attic", area: null, floor: 2, secret: "x" },
  { id: 2, label: "bath", area: "4", floor: 1, secret: "x" },
  { id: 4, label: "Cellar", area: "30", floor: -1, secret: "x" },
] as const;
type RoomRow = (typeof ROOMS)[number];

const BIG = "/n/Houses(Street='O''Hara%2FAve',Number=1)";
const EMPTY = "/n/Houses(Street='O''Hara%2FAve',Number=2)";
const NOWHERE = "/n/Houses(Street='x',Number=9)";
const FRAGMENT = `${ORIGIN}/n/$metadata#Houses(Street='O''Hara%2FAve',Number=1)`;
const NOT_FOUND = { status: 404, code: "NotFound" } as const;

const isHouse = (key: HouseKey) => HOUSES.some(({ street, number }) => street === key.street && number === key.number);
const roomsOf = (key: HouseKey): readonly RoomRow[] => (key.number === 1 ? ROOMS : []);

type Style = "get" | "later" | "stream" | "getBatch" | "batchLater";
const STYLES: readonly Style[] = ["get", "later", "stream", "getBatch", "batchLater"];

/** The handlers of a collection: one parent at a time, or a batch that leaves out parents without any. */
function many(style: Style) {
  const one = (key: HouseKey) => (isHouse(key) ? roomsOf(key) : null);
  const batch = (keys: readonly HouseKey[]) => {
    expect(keys).toHaveLength(1);
    // New key objects: they are compared by value.
    return new Map(keys.filter((key) => roomsOf(key).length > 0).map((key) => [{ ...key }, roomsOf(key)]));
  };
  switch (style) {
    case "get":
      return { get: one };
    case "later":
      return { get: async (key: HouseKey) => one(key) };
    case "stream":
      return {
        get: (key: HouseKey) => {
          const rows = one(key);
          if (rows === null) return null;
          return (async function* stream() {
            yield* rows;
          })();
        },
      };
    case "getBatch":
      return { getBatch: batch };
    case "batchLater":
      return { getBatch: async (keys: readonly HouseKey[]) => batch(keys) };
  }
}

function one(style: Style) {
  const find = ({ number }: HouseKey) => (number === 1 ? ROOMS[0] : null);
  if (style === "getBatch" || style === "batchLater") {
    return {
      getBatch: (keys: readonly HouseKey[]) =>
        new Map(keys.flatMap((key) => (key.number === 1 ? [[key, ROOMS[0]] as const] : []))),
    };
  }
  return style === "later" ? { get: async (key: HouseKey) => find(key) } : { get: find };
}

interface Options {
  readonly style?: Style;
  readonly rooms?: object;
  readonly houses?: object;
  readonly defaults?: Parameters<typeof odataService>[0]["defaults"];
  readonly navigation?: object;
}

function town({ style = "get", rooms = {}, houses = {}, defaults = {}, navigation = {} }: Options = {}) {
  const logger = recordingLogger();
  const service = odataService({
    prefix: "/n",
    logger,
    defaults,
    entitySets: [
      entitySet(House, {
        getByKey: (key) => HOUSES.find(({ street, number }) => street === key.street && number === key.number) ?? null,
        ...houses,
        navigation: {
          rooms: hasMany(Room, { target: "Rooms", ...many(style) }),
          loose: hasMany(Room, many(style)),
          best: hasOptional(Room, { target: "Rooms", ...one(style) }),
          gate: hasRequired(Room, one(style)),
          bare: hasMany(Room, { target: "Rooms" }),
          linked: hasMany(Room, { target: "Rooms", addRef: () => {} }),
          ...navigation,
        },
      }),
      entitySet(Room, {
        getAll: () => ROOMS,
        getByKey: (key) => ROOMS.find(({ id }) => id === key) ?? null,
        etag: ["label"],
        ...rooms,
      }),
    ],
  });
  return { service, logger };
}

const labels = (answer: { readonly json: { readonly value: ReadonlyArray<{ readonly Label: string }> } }) =>
  answer.json.value.map(({ Label }) => Label);

eachDoor((door) => {
  const send = door.to(town().service);
  const sendTo = (options: Options) => door.to(town(options).service);

  describe.each(STYLES)("rule 1, handlers by %s", (style) => {
    const ask = sendTo({ style });

    test("a collection in its envelope, in the handler's order, with the ETags of the target set", async () => {
      const answer = await ask(`${BIG}/Rooms?$select=Label,Id&$top=2`);
      expectAnswer(answer, {
        body: {
          "@odata.context": `${FRAGMENT}/Rooms(Label,Id)`,
          value: [
            { "@odata.etag": expect.stringMatching(/^"/u), Id: 3, Label: "Kitchen" },
            { "@odata.etag": expect.stringMatching(/^"/u), Id: 1, Label: "Attic" },
          ],
        },
      });
      expect((await ask(`${BIG}/Rooms`)).json["@odata.context"]).toBe(`${FRAGMENT}/Rooms`);
      expect(labels(await ask(`${EMPTY}/Rooms`))).toEqual([]);
    });

    test("null is 404, and so is a parent that a batch does not know", async () => {
      for (const path of ["/Rooms", "/Rooms/$count", "/Rooms(1)", "/Loose", "/Loose/$count", "/Best", "/Gate"]) {
        expectError(await ask(NOWHERE + path), NOT_FOUND);
      }
      for (const path of ["/Best", "/Gate"]) expectError(await ask(EMPTY + path), NOT_FOUND);
    });

    test("a single entity, with its id and ETag where its set is known", async () => {
      const best = await ask(`${BIG}/Best?$select=Label`);
      const etag = best.headers["etag"] ?? "";
      expectAnswer(best, {
        headers: { ...JSON_HEADERS, etag },
        body: {
          "@odata.context": `${FRAGMENT}/Best(Label)/$entity`,
          "@odata.id": `${ORIGIN}/n/Rooms(3)`,
          "@odata.etag": etag,
          Label: "Kitchen",
        },
      });
      expect(etag).toBe((await ask("/n/Rooms(3)")).headers["etag"]);
      expectAnswer(await ask(`${BIG}/Gate?$select=Label`), {
        body: { "@odata.context": `${FRAGMENT}/Gate(Label)/$entity`, Label: "Kitchen" },
      });
      expect((await ask(`${BIG}/Best`)).json["@odata.context"]).toBe(`${FRAGMENT}/Best/$entity`);
      const whole = await ask(`${BIG}/Best`);
      for (const header of ["If-None-Match", "If-Match"]) {
        for (const value of [`W/${etag}`, "*", '"x"']) {
          expect({ ...(await ask(`${BIG}/Best`, { [header]: value })) }).toEqual({ ...whole });
        }
      }
    });

    test("rule 2: the count is all of them, as text", async () => {
      expectAnswer(await ask(`${BIG}/Rooms/$count`), { headers: TEXT_HEADERS, body: "4" });
      expectAnswer(await ask(`${EMPTY}/Loose/$count`), { headers: TEXT_HEADERS, body: "0" });
      const stray = `${BIG}/Rooms/$count?$top=1&$skip=1&$orderby=Label&$select=Id`;
      expectAnswer(await ask(stray), { headers: TEXT_HEADERS, body: "4" });
    });

    test("one of the related entities, by its key", async () => {
      expectAnswer(await ask(`${BIG}/Rooms(2)?$select=Label`), {
        headers: { ...JSON_HEADERS, etag: (await ask("/n/Rooms(2)")).headers["etag"] ?? "" },
        body: {
          "@odata.context": `${FRAGMENT}/Rooms(Label)/$entity`,
          "@odata.id": `${ORIGIN}/n/Rooms(2)`,
          "@odata.etag": expect.any(String),
          Label: "bath",
        },
      });
      expect((await ask(`${BIG}/Rooms(Id=2)`)).json.Label).toBe("bath");
      expect((await ask(`${BIG}/Rooms(@k)?@k=2`)).json.Label).toBe("bath");
      expectError(await ask(`${EMPTY}/Rooms(2)`), NOT_FOUND);
      expectError(await ask(`${BIG}/Rooms(99)`), NOT_FOUND);
      expectError(await ask(`${BIG}/Rooms('a')`), { status: 400, code: "InvalidKey", target: "key" });
    });
  });

  describe("rule 3: $orderby, $skip, $top, $count, $select, in memory", () => {
    test.each<[Readonly<Record<string, string>>, readonly string[], number?]>([
      [{ $orderby: "Floor" }, ["Cellar", "Kitchen", "bath", "Attic"]],
      [{ $orderby: "floor desc" }, ["Attic", "bath", "Kitchen", "Cellar"]],
      [{ $orderby: "AREA desc,lAbEl asc" }, ["Cellar", "Kitchen", "bath", "Attic"]],
      [{ $orderby: "Floor gt 0 desc,Label" }, ["Attic", "bath", "Cellar", "Kitchen"]],
      [{ $orderby: "Floor", $skip: "1", $top: "2" }, ["Kitchen", "bath"]],
      [{ $skip: "1", $top: "2" }, ["Attic", "bath"]],
      [{ $skip: "9" }, []],
      [{ $top: "0" }, []],
      [{ $count: "true" }, ["Kitchen", "Attic", "bath", "Cellar"], 4],
      [{ $count: "true", $top: "1" }, ["Kitchen"], 4],
      [{ $count: "true", $skip: "1" }, ["Attic", "bath", "Cellar"], 3],
      [{ $count: "true", $skip: "3", $top: "0" }, [], 1],
      [{ $count: "true", $skip: "9" }, [], 0],
      [{ $count: "false", $skip: "3" }, ["Cellar"]],
    ])("%o", async (options, expected, count) => {
      for (const path of ["/Rooms", "/Loose"]) {
        const answer = await send(url(BIG + path, options));
        expect(labels(answer)).toEqual(expected);
        expect(answer.json["@odata.count"]).toBe(count);
        expect(answer.json["@odata.nextLink"]).toBeUndefined();
      }
    });

    test.each<readonly [string, string, string]>([
      ["$orderby", "Nothing", "Rooms"],
      ["$orderby", "secret", "Rooms"],
      ["$orderby", "Label up", "Rooms"],
      ["$select", "Nothing", "Rooms"],
      ["$select", "secret", "Best"],
      ["$select", "Nothing", "Gate"],
      ["$select", "Nothing", "Rooms(1)"],
      ["$top", "-1", "Rooms"],
      ["$top", "x", "Rooms"],
      ["$top", "1.5", "Rooms"],
      ["$skip", "-1", "Rooms"],
      ["$skip", "x", "Loose"],
      ["$count", "yes", "Rooms"],
      ["$top", "-1", "Rooms/$count"],
      ["$skip", "x", "Rooms/$count"],
      ["$orderby", "Label up", "Rooms/$count"],
    ])("%s=%s at %s is invalid", async (option, value, path) => {
      expectInvalidOption(await send(url(`${BIG}/${path}`, { [option]: value })), option);
    });
  });

  describe("rule 4: options that no navigation route takes", () => {
    const NEVER = ["$filter", "$expand", "$search", "$apply", "$compute", "$skiptoken", "$deltatoken", "$index"];
    const ROUTES: ReadonlyArray<readonly [string, readonly string[]]> = [
      ["Rooms", NEVER],
      ["Loose", NEVER],
      ["Rooms/$count", [...NEVER, "$count"]],
      ["Best", [...NEVER, "$orderby", "$top", "$skip", "$count"]],
      ["Rooms(1)", [...NEVER, "$orderby", "$top", "$skip", "$count"]],
    ];
    test.each(ROUTES)("%s", async (path, refused) => {
      // A search handler of the target set changes nothing.
      const ask = sendTo({ rooms: { search: () => ROOMS } });
      for (const option of refused) {
        const expected = { status: 400, code: "UnsupportedQueryOption", target: option };
        expectError(await ask(url(`${BIG}/${path}`, { [option]: "Id eq 1" })), expected);
        expectError(await ask(url(`${BIG}/${path}`, { [option]: "" })), expected);
      }
    });
  });

  describe("the options of the target set apply", () => {
    test("maxTop caps the page, with a $skip link to the rest", async () => {
      const ask = sendTo({ rooms: { maxTop: 3 } });
      expectInvalidOption(await ask(`${BIG}/Rooms?$top=4`), "$top");
      const first = await ask(`${BIG}/Rooms?$count=true&$select=Label&custom=1`);
      expect(labels(first)).toEqual(["Kitchen", "Attic", "bath"]);
      const link = first.json["@odata.nextLink"];
      expect(link).toBe(`${ORIGIN}${BIG}/Rooms?$count=true&$select=Label&custom=1&$skip=3`);
      const second = await ask(targetOf(link));
      expect(labels(second)).toEqual(["Cellar"]);
      expect([second.json["@odata.count"], second.json["@odata.nextLink"]]).toEqual([1, undefined]);
      expect((await ask(`${BIG}/Rooms?$top=3`)).json["@odata.nextLink"]).toBeUndefined();
      // Without a target set the defaults of the registration hold.
      expect(labels(await ask(`${BIG}/Loose`))).toHaveLength(4);
    });

    test("maxpagesize is honoured up to it", async () => {
      const ask = sendTo({ rooms: { maxTop: 3 } });
      const answer = await ask(`${BIG}/Rooms?$skip=1`, { Prefer: "odata.maxpagesize=2" });
      expect(labels(answer)).toEqual(["Attic", "bath"]);
      expect(answer.headers["preference-applied"]).toBe("odata.maxpagesize=2");
      expect(answer.json["@odata.nextLink"]).toBe(`${ORIGIN}${BIG}/Rooms?$skip=3`);
    });

    test.each([
      ["$orderby", "Label", "orderByEnabled"],
      ["$select", "Label", "selectEnabled"],
      ["$count", "true", "countEnabled"],
    ])("%s=%s with %s: false", async (option, value, setting) => {
      const refused = { status: 400, code: "UnsupportedQueryOption", target: option };
      const byTarget = sendTo({ rooms: { [setting]: false } });
      expectError(await byTarget(url(`${BIG}/Rooms`, { [option]: value })), refused);
      expect((await byTarget(url(`${BIG}/Loose`, { [option]: value }))).status).toBe(200);
      const byDefault = sendTo({ rooms: { [setting]: true }, defaults: { [setting]: false } });
      expect((await byDefault(url(`${BIG}/Rooms`, { [option]: value }))).status).toBe(200);
      expectError(await byDefault(url(`${BIG}/Loose`, { [option]: value })), refused);
      const byParent = sendTo({ houses: { [setting]: false } });
      expect((await byParent(url(`${BIG}/Rooms`, { [option]: value }))).status).toBe(200);
      expect((await byParent(url(`${BIG}/Loose`, { [option]: value }))).status).toBe(200);
    });

    test("applies allowlists, and the default maxTop if the navigation has no target set", async () => {
      const ask = sendTo({
        rooms: { orderByProperties: ["floor"], selectProperties: ["label"] },
        defaults: { maxTop: 2 },
      });
      expectInvalidOption(await ask(`${BIG}/Rooms?$orderby=Label`), "$orderby");
      expectInvalidOption(await ask(`${BIG}/Rooms?$select=Floor`), "$select");
      expectInvalidOption(await ask(`${BIG}/Best?$select=Floor`), "$select");
      const loose = await ask(`${BIG}/Loose?$orderby=Label&$select=Label,Floor`);
      expect(labels(loose)).toEqual(["Attic", "Cellar"]);
      expect(loose.json["@odata.nextLink"]).toContain("$skip=2");
      expectInvalidOption(await ask(`${BIG}/Loose?$top=3`), "$top");
    });
  });

  test("one query on two navigations of one type keeps what each of their sets says", async () => {
    for (const path of ["/Rooms", "/Loose", "/Rooms"]) {
      const { json } = await send(`${BIG}${path}?$orderby=Id&$select=Label&$top=1`);
      expect(Object.keys(json.value[0])).toEqual(path === "/Rooms" ? ["@odata.id", "@odata.etag", "Label"] : ["Label"]);
    }
  });

  test("full metadata: ids of the target set; without one a type and no id", async () => {
    const full = { Accept: "application/json;odata.metadata=full" };
    const [room] = (await send(`${BIG}/Rooms?$top=1`, full)).json.value;
    expect(room).toMatchObject({ "@odata.type": "#Default.Room", "@odata.id": `${ORIGIN}/n/Rooms(3)` });
    for (const path of ["/Loose?$top=1", "/Gate"]) {
      const { json } = await send(BIG + path, full);
      const entity = json.value?.[0] ?? json;
      expect(entity["@odata.type"]).toBe("#Default.Room");
      expect(Object.keys(entity).filter((name) => /id$|link$|etag$/iu.test(name))).toEqual(["Id"]);
    }
    const none = { Accept: "application/json;odata.metadata=none" };
    expect(Object.keys((await send(`${BIG}/Best`, none)).json)).toEqual(["Id", "Label", "Area", "Floor"]);
  });

  describe("routes", () => {
    test.each<readonly [string, string]>([
      ["/Bare", "no handler"],
      ["/Bare/$count", "no handler"],
      ["/Bare(1)", "no handler"],
      ["/Linked", "handlers of links alone"],
      ["/Best/$count", "a count of one entity"],
      ["/Best(3)", "a key of one entity"],
      ["/Loose(3)", "a key without a target set"],
      ["/Rooms(1)/Label", "a path that goes on"],
      ["/Rooms/1", "a key as segment"],
      ["/rooms", "another letter case"],
      ["/Rooms()", "an empty key"],
    ])("%s is 404 or 400: %s", async (path) => {
      const answer = await send(BIG + path);
      if (path === "/Rooms()") expectError(answer, { status: 400, code: "InvalidKey", target: "key" });
      else expectError(answer, NOT_FOUND);
    });

    test("a key needs a target set that reads by key", async () => {
      const ask = sendTo({ rooms: { getByKey: undefined } });
      expectError(await ask(`${BIG}/Rooms(1)`), NOT_FOUND);
      expect((await ask(`${BIG}/Rooms`)).status).toBe(200);
    });

    test("HEAD, OPTIONS and other methods", async () => {
      for (const path of ["/Rooms", "/Rooms/$count", "/Rooms(1)", "/Best"]) {
        const head = await send(BIG + path, {}, "HEAD");
        const get = await send(BIG + path);
        expect([head.status, head.text, head.headers]).toEqual([200, "", get.headers]);
        expectAnswer(await send(BIG + path, {}, "OPTIONS"), {
          status: 204,
          headers: { ...EMPTY_HEADERS, allow: "GET, HEAD, OPTIONS" },
          body: "",
        });
        expectError(await send(BIG + path, {}, "POST"), {
          status: 405,
          code: "MethodNotAllowed",
          headers: { allow: "GET, HEAD, OPTIONS" },
        });
      }
    });

    test("creating has its own route; a navigation without a read handler has no references", async () => {
      const ask = sendTo({ navigation: { made: hasMany(Room, { create: (_key, room) => room }) } });
      expectError(await ask(`${BIG}/Made`), {
        status: 405,
        code: "MethodNotAllowed",
        headers: { allow: "POST, OPTIONS" },
      });
      expect((await ask(`${BIG}/Linked/$ref`)).json.value).toEqual([]);
    });
  });

  test("the order of checks: format, then the key, then the options, then the handler", async () => {
    const broken = `${BIG.replace("Number=1", "Number=x")}/Rooms?$filter=x`;
    const key = { status: 400, code: "InvalidKey", target: "key" };
    expectError(await send(`${broken}&$format=xml`), { status: 400, code: "UnsupportedFormat", target: "$format" });
    expectError(await send(broken, { Accept: "image/png" }), { status: 406, code: "NotAcceptable", target: "Accept" });
    expectError(await send(broken), key);
    expectError(await send(broken.replace("Rooms?", "Rooms/$count?")), key);
    expectError(await send(broken.replace("Rooms?", "Best?")), key);
    expectError(await send(`${NOWHERE}/Rooms?$top=x`), { status: 400, code: "InvalidQueryOption", target: "$top" });
  });

  test("a batch handler without getByKey: a parent without entities has none", async () => {
    const ask = sendTo({ style: "getBatch", houses: { getByKey: undefined } });
    expect(labels(await ask(`${NOWHERE}/Rooms`))).toEqual([]);
    expectAnswer(await ask(`${NOWHERE}/Rooms/$count`), { headers: TEXT_HEADERS, body: "0" });
  });

  test("get is preferred: a batch is for expansions", async () => {
    const getBatch = () => {
      throw new Error("This handler is not to be called.");
    };
    const ask = sendTo({ navigation: { both: hasMany(Room, { get: () => [ROOMS[3]], getBatch }) } });
    expect(labels(await ask(`${BIG}/Both`))).toEqual(["Cellar"]);
  });

  answersOfHandlers(door);
});

/** Wrong results of handlers, and results with a special meaning. */
function answersOfHandlers(door: Door): void {
  describe("results of handlers", () => {
    const intended = () => odataError(409, "Locked", "Somebody is in there.", { target: "Rooms" });
    const expected = { status: 409, code: "Locked", target: "Rooms" } as const;

    test.each<readonly [string, object]>([
      ["returned", { get: intended }],
      ["by a promise", { get: async () => intended() }],
      [
        "thrown",
        {
          get: () => {
            throw intended();
          },
        },
      ],
      ["by a batch", { getBatch: intended }],
      ["in a batch", { getBatch: ([key]: readonly unknown[]) => new Map([[key, intended()]]) }],
    ])("an intended error, %s", async (_, handlers) => {
      const navigation = { many: hasMany(Room, { target: "Rooms", ...handlers }), single: hasOptional(Room, handlers) };
      const ask = door.to(town({ navigation }).service);
      for (const path of ["/Many", "/Many/$count", "/Many(1)", "/Single"]) expectError(await ask(BIG + path), expected);
    });

    test.each<readonly [string, object, readonly string[]]>([
      ["a number", { get: () => 5 }, ["/Many", "/Many/$count", "/Many(1)", "/Single"]],
      ["text", { get: () => "rooms" }, ["/Many", "/Many/$count", "/Many(1)", "/Single"]],
      ["one entity for many", { get: () => ROOMS[0] }, ["/Many", "/Many/$count"]],
      ["many for one", { get: () => ROOMS }, ["/Single"]],
      ["what is no entity", { get: () => [5] }, ["/Many", "/Many(1)"]],
      ["a batch without a Map", { getBatch: () => [] }, ["/Many", "/Single"]],
      ["an entity without its key", { get: () => [{ label: "x" }] }, ["/Many", "/Many(1)"]],
    ])("%s is a logged 500", async (_, handlers, paths) => {
      const navigation = { many: hasMany(Room, { target: "Rooms", ...handlers }), single: hasOptional(Room, handlers) };
      const { service, logger } = town({ navigation });
      const ask = door.to(service);
      for (const path of paths) {
        expectError(await ask(BIG + path), { status: 500, code: "InternalServerError" });
      }
      expect(logger.errors).toHaveLength(paths.length);
    });

    test("null in a batch is a missing parent, undefined is a missing related entity", async () => {
      const navigation = {
        many: hasMany(Room, { getBatch: (keys) => new Map(keys.map((key) => [key, null as never])) }),
        single: hasOptional(Room, { get: () => undefined as never }),
      };
      const ask = door.to(town({ navigation }).service);
      expectError(await ask(`${BIG}/Many`), NOT_FOUND);
      expectError(await ask(`${BIG}/Single`), NOT_FOUND);
    });
  });

  test("no response contains more entities than the limit", async () => {
    const { service } = town({ rooms: { maxTop: null }, defaults: { maxResponseEntities: 3 } });
    const ask = door.to(service);
    expectInvalidOption(await ask(`${BIG}/Rooms`), "$top");
    expect((await ask(`${BIG}/Rooms?$top=3`)).status).toBe(200);
    expectAnswer(await ask(`${BIG}/Rooms/$count`), { headers: TEXT_HEADERS, body: "4" });
  });
}
