import {
  anyOf,
  ConfigurationError,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataService,
  resource,
  role,
} from "odatakit";
import { describe, expect, test } from "vitest";
import { eachDoor, expectError } from "./doors.ts";
import { as, authenticate, bodyHeaders, CHALLENGE } from "./guarded-model.ts";
import { noFailures } from "./model.ts";

const Box = entityType("Box", { id: edm.int32().key(), name: edm.string() });
const Key = entityType("Key", { id: edm.int32().key(), boxId: edm.int32().nullable(), owner: edm.string() });

const BOXES = [
  { id: 1, name: "one" },
  { id: 2, name: "two" },
];
const KEYS = [
  { id: 1, boxId: 1, owner: "ann" },
  { id: 2, boxId: 2, owner: "bob" },
  { id: 3, boxId: null, owner: "ann" },
];

const isOwner = resource<typeof Key>((user, key) => key.owner === user.id);
const owner = anyOf<typeof Key>(role("chief"), isOwner);

/** Boxes have a list of keys, and one main key, each of which holds the id of its box. */
function boxesOf(skips: { readonly authorization?: "parent" } = {}) {
  const calls: string[] = [];
  const note = (name: string) => {
    calls.push(name);
  };
  const boxes = entitySet(Box, {
    getAll: () => BOXES,
    getByKey: (id) => BOXES.find((box) => box.id === id) ?? null,
    create: (box) => box as never,
    allowDeepInsert: true,
    navigation: {
      keys: hasMany(Key, {
        target: "Keys",
        on: { id: "boxId" },
        get: (id) => KEYS.filter(({ boxId }) => boxId === id),
        create: (_id, key) => {
          note("create");
          return key;
        },
        addRef: () => note("addRef"),
        removeRef: () => note("removeRef"),
        ...skips,
      }),
      main: hasOptional(Key, {
        target: "Keys",
        on: { id: "boxId" },
        get: (id) => KEYS.find(({ boxId }) => boxId === id) ?? null,
        setRef: () => note("setRef"),
        removeRef: () => note("removeRef"),
        ...skips,
      }),
    },
  });
  const keys = entitySet(Key, {
    getByKey: (id) => KEYS.find((key) => key.id === id) ?? null,
    create: (key) => key as never,
    authorization: { read: owner, create: owner, update: owner, rows: (_user, key) => key.id.ge(0) },
  });
  const options = { prefix: "", authenticate, challenge: CHALLENGE["www-authenticate"] ?? "", logger: noFailures };
  return { service: odataService({ ...options, entitySets: [boxes, keys] }), calls };
}

const link = (id: number) => `{"@odata.id":"Keys(${String(id)})"}`;

/** Requests, and the status for ann, who owns the keys 1 and 3, and for bob, who owns the key 2. */
const REQUESTS: ReadonlyArray<readonly [string, string, number, number, string | undefined]> = (
  [
    ["GET", "/Boxes(1)/Keys(1)", 200, 403],
    ["GET", "/Boxes(1)/Main", 200, 403],
    ["GET", "/Boxes(1)/Main/$ref", 200, 403],
    // In lists and expansions, the `rows` rule decides which entities are visible.
    ["GET", "/Boxes(1)/Keys", 200, 200],
    ["GET", "/Boxes?$expand=Keys,Main", 200, 200],
    ["GET", "/Boxes?$filter=Keys/any(k:k/Owner%20eq%20'ann')", 200, 200],
    ["POST", "/Boxes(1)/Keys", 201, 403, '{"Id":9,"Owner":"ann"}'],
    ["POST", "/Boxes", 201, 403, '{"Id":9,"Name":"n","Keys":[{"Id":9,"Owner":"ann"}]}'],
    ["POST", "/Boxes", 403, 403, '{"Id":9,"Name":"n","Keys":[{"Id":9,"Owner":"ann"},{"Id":8,"Owner":"bob"}]}'],
    ["POST", "/Boxes", 201, 201, '{"Id":9,"Name":"n","Keys":[]}'],
    ["POST", "/Boxes(1)/Keys/$ref", 204, 403, link(3)],
    ["POST", "/Boxes(1)/Keys/$ref", 403, 204, link(2)],
    ["POST", "/Boxes(1)/Keys/$ref", 404, 404, link(7)],
    ["DELETE", "/Boxes(1)/Keys/$ref?$id=Keys(1)", 204, 403],
    ["PUT", "/Boxes(1)/Main/$ref", 204, 403, link(3)],
    // The key that is linked now changes, too.
    ["PUT", "/Boxes(2)/Main/$ref", 403, 403, link(3)],
    ["DELETE", "/Boxes(1)/Main/$ref", 204, 403],
    ["DELETE", "/Boxes(2)/Main/$ref", 403, 204],
    ["DELETE", "/Boxes(9)/Main/$ref", 204, 204],
  ] as ReadonlyArray<readonly [string, string, number, number, string?]>
).map(([method, path, ann, bob, body]) => [method, path, ann, bob, body]);

eachDoor((door) => {
  describe("a check of the related entity", () => {
    const { service, calls } = boxesOf();
    const send = door.to(service);

    test.each(REQUESTS)("%s %s: %d for ann, %d for bob", async (method, path, ann, bob, body) => {
      const ask = (user: string | null) => send(path, { ...as(user), ...bodyHeaders(body) }, method, body);
      const nested = method === "POST" && path === "/Boxes" && body?.includes("[]") === true;
      calls.length = 0;
      const nobody = await ask(null);
      if (!nested) expect(nobody.status).toBe(401);
      for (const [user, status] of [
        ["ann", ann],
        ["bob", bob],
      ] as const) {
        calls.length = 0;
        const answer = await ask(user);
        expect({ user, status: answer.status }).toEqual({ user, status });
        if (status === 403) expect(calls).toEqual([]);
      }
      const chief = await ask("eve:chief");
      if (Math.min(ann, bob) === 404) expect(chief.status).toBe(404);
      else expect(chief.status).toBeLessThan(300);
    });

    test("a refused link names the navigation in its error", async () => {
      const answer = await send("/Boxes(1)/Keys/$ref", { ...as("bob"), ...bodyHeaders(link(3)) }, "POST", link(3));
      expectError(answer, { status: 403, code: "Forbidden", message: /link this entity of Keys/u, target: "Keys" });
    });
  });

  describe('a navigation with authorization "parent"', () => {
    const { service } = boxesOf({ authorization: "parent" });
    const send = door.to(service);

    test.each(REQUESTS.filter(([, , ann, bob]) => ann !== 404 && bob !== 404))(
      "skips the rules of the target set: %s %s",
      async (method, path, _ann, _bob, body) => {
        const answer = await send(path, { ...as("bob"), ...bodyHeaders(body) }, method, body);
        expect(answer.status).toBeLessThan(300);
      },
    );

    test("row rules still apply", async () => {
      // Anonymous users see no rows.
      expect((await send("/Boxes(1)/Keys")).json.value).toEqual([]);
      expectError(await send("/Boxes(1)/Main"), { status: 404, code: "NotFound" });
    });
  });
});

/** Returns the faults for which a service refuses to start. */
function faultsOf(boxes: Parameters<typeof entitySet<typeof Box>>[1], keys: object): readonly string[] {
  try {
    odataService({ prefix: "", entitySets: [entitySet(Box, boxes), entitySet(Key, { name: "Keys", ...keys })] });
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults.map(({ message }) => message);
    throw error;
  }
  return [];
}

describe("startup rejects", () => {
  const getByKey = (): null => null;
  const done = (): void => {};
  const rows = (_user: unknown, key: { readonly id: { ge(value: number): never } }) => key.id.ge(0);

  test('a value other than "parent"', () => {
    const main = hasOptional(Key, { target: "Keys", authorization: "target" as never });
    expect(faultsOf({ navigation: { main } }, { getByKey })).toEqual([
      expect.stringContaining("`authorization` of `main` (hasOptional)"),
    ]);
  });

  test("an entity check reached through a navigation without a target", () => {
    const read = { getByKey, authorization: { read: isOwner } };
    const to = (authorization?: "parent") => hasMany(Key, { get: () => [], ...(authorization && { authorization }) });
    expect(faultsOf({ navigation: { keys: to() } }, read)).toEqual([expect.stringContaining("`keys` of Boxes leads")]);
    expect(faultsOf({ navigation: { keys: to("parent") } }, read)).toEqual([]);
  });

  test("an entity check for links if no handler loads the entity", () => {
    const addRef = { keys: hasMany(Key, { target: "Keys", on: { id: "boxId" }, addRef: done }) };
    expect(faultsOf({ navigation: addRef }, { authorization: { update: isOwner } })).toEqual([
      "`update` requires resource(…), but no `getByKey` loads the entity that it checks.",
    ]);
    // Without `on` no row of the target is known to change.
    const free = { keys: hasMany(Key, { target: "Keys", addRef: done }) };
    expect(faultsOf({ navigation: free }, { authorization: { update: isOwner } })).toEqual([]);
    const removed = { main: hasOptional(Key, { target: "Keys", on: { id: "boxId" }, removeRef: done }) };
    expect(faultsOf({ navigation: removed }, { getByKey, authorization: { update: isOwner } })).toEqual([
      expect.stringContaining("no handler reads the currently linked entity"),
    ]);
    const nameless = { keys: hasMany(Key, { on: { id: "boxId" }, addRef: done }) };
    expect(faultsOf({ navigation: nameless }, { getByKey, authorization: { update: isOwner } })).toEqual([
      expect.stringContaining("names no `target`"),
    ]);
    expect(faultsOf({ navigation: removed }, { getByKey, authorization: { read: isOwner, rows } })).toEqual([
      expect.stringContaining("no handler reads the currently linked entity"),
    ]);
  });
});

describe("a navigation without a target set", () => {
  const keys = (role_?: string) =>
    entitySet(Key, {
      getByKey: () => null,
      ...(role_ === undefined ? { name: "OpenKeys" } : { authorization: { read: role(role_) } }),
    });
  const boxes = entitySet(Box, {
    getAll: () => BOXES,
    navigation: { keys: hasMany(Key, { get: () => KEYS }) },
    getByKey: () => BOXES[0] ?? null,
  });
  const options = { prefix: "", authenticate, logger: noFailures };

  test("checks the rules of every set of its type", async () => {
    const guarded = odataService({ ...options, entitySets: [boxes, keys("a"), keys()] });
    const ask = (path: string, user: string) =>
      guarded.fetch(new Request(`http://service.example${path}`, { headers: as(user) })).then(({ status }) => status);
    for (const path of ["/Boxes(1)/Keys", "/Boxes?$expand=Keys", "/Boxes?$filter=Keys/any()"]) {
      expect([await ask(path, "ann"), await ask(path, "ann:a")], path).toEqual([403, 200]);
    }
    expect(await ask("/Boxes", "ann")).toBe(200);
    const open = odataService({ ...options, entitySets: [boxes, keys()] });
    expect((await open.fetch(new Request("http://service.example/Boxes(1)/Keys"))).status).toBe(200);
  });
});
