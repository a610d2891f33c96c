import { edm, entitySet, entityType, hasMany, hasOptional, odataService, role, type EntitySet } from "odatakit";
import { expect, test } from "vitest";

/** The handler of a deep insert may return more than the client sent: the response omits hidden entities. */

const Box = entityType("Box", { id: edm.int32().key(), isSecret: edm.boolean() });
const Item = entityType("Item", { id: edm.int32().key(), isSecret: edm.boolean() });
const Label = entityType("Label", { id: edm.int32().key(), text: edm.string() });

// Options are put together here, so that their types are not known to the compiler.
const make = entitySet as unknown as (type: unknown, options: object) => EntitySet;
const silent = (): void => undefined;

/** @param isThrough whether the rule of items follows the navigation to their box, which a handler loads */
function start(answer: object, isThrough: boolean) {
  const boxes = new Map([
    [1, { id: 1, isSecret: false }],
    [2, { id: 2, isSecret: true }],
  ]);
  const rule = (_user: unknown, { isSecret, box }: { isSecret: Flag; box: { isSecret: Flag } }) =>
    isThrough ? box.isSecret.eq(false) : isSecret.eq(false);
  const service = odataService({
    prefix: "",
    logger: { error: silent, warn: silent, info: silent },
    defaults: { allowDeepInsert: true },
    authenticate: () => ({ id: "u" }),
    entitySets: [
      make(Box, {
        getAll: () => [...boxes.values()],
        create: () => Promise.resolve(answer),
        navigation: {
          items: hasMany(Item, { target: "Items" }),
          main: hasOptional(Item, { target: "Items" }),
        },
      }),
      make(Item, {
        getAll: () => [],
        getByKey: () => null,
        navigation: {
          // The last digit of the key of an item is the key of its box.
          box: hasOptional(Box, {
            target: "Boxes",
            get: (key) => Promise.resolve(boxes.get(Number(key) % 10) ?? null),
          }),
          parts: hasMany(Item, { target: "Items" }),
        },
        authorization: { rows: rule },
      }),
    ],
  });
  return async (body: object) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await service.fetch(new Request("http://service.example/Boxes", init));
    return { status: response.status, json: (await response.json()) as object };
  };
}

interface Flag {
  eq(value: boolean): unknown;
}

const BOX = { id: 1, isSecret: false };
const open = (id: number, more: object = {}) => ({ id, isSecret: false, ...more });
const secret = (id: number, more: object = {}) => ({ id, isSecret: true, ...more });

test("lists are shorter, single ones are left out, at every level", async () => {
  const items = [open(11, { parts: [secret(21), open(31)] }), secret(41, { parts: [open(51)] })];
  const post = start({ ...BOX, items, main: secret(61) }, false);
  const { status, json } = await post({ Id: 1, IsSecret: false });
  expect(status).toBe(201);
  expect(json).toMatchObject({ Id: 1, Items: [{ Id: 11, Parts: [{ Id: 31 }] }] });
  expect(json).not.toHaveProperty("Main");
  expect(JSON.stringify(json)).not.toMatch(/21|41|51|61/);
});

test("loads the entities that a rule needs to check the result", async () => {
  const post = start({ ...BOX, items: [open(11), open(12), open(13)], main: open(21) }, true);
  const { status, json } = await post({ Id: 1, IsSecret: false });
  expect(status).toBe(201);
  expect(json).toMatchObject({ Items: [{ Id: 11 }], Main: { Id: 21 } });
});

test("nested entities in a new entity of a set without a rule obey their own rules", async () => {
  const post = start(BOX, false);
  const { status, json } = await post({ Id: 1, IsSecret: false, Items: [{ Id: 11, IsSecret: true }] });
  expect(status).toBe(403);
  expect(json).toMatchObject({ error: { code: "Forbidden" } });
});

test("hidden entities add no members to visible ones, and do not change their order", async () => {
  const visible = open(11, { parts: [], box: { id: 1, isSecret: false } });
  const bare = open(12);
  const hidden = secret(41, { parts: [open(51)], box: { id: 2, isSecret: true } });
  const answerTo = async (items: readonly object[], more: object = {}) => {
    const { json } = await start({ ...BOX, items, ...more }, false)({ Id: 1, IsSecret: false });
    return JSON.stringify(json);
  };
  expect(await answerTo([hidden, bare])).toBe(await answerTo([bare]));
  expect(await answerTo([{ ...hidden, box: null }, visible])).toBe(await answerTo([visible]));
  expect(await answerTo([open(13, { parts: [secret(21, { parts: [] }), bare] })])).toBe(
    await answerTo([open(13, { parts: [bare] })]),
  );
  expect(await answerTo([bare], { main: secret(61) })).toBe(await answerTo([bare]));
});

test("omits entities that the user may not read, unless the user sent them", async () => {
  const service = odataService({
    prefix: "",
    defaults: { allowDeepInsert: true },
    authenticate: () => ({ id: "u", roles: [] }),
    entitySets: [
      make(Box, {
        create: () => ({ ...BOX, items: [open(11, { boxes: [BOX] })], main: open(12), spare: open(13) }),
        navigation: {
          items: hasMany(Item, { target: "Items" }),
          main: hasOptional(Item, { target: "Items" }),
          spare: hasOptional(Item, { target: "Items", authorization: "parent" }),
        },
      }),
      make(Item, {
        getAll: () => [],
        navigation: { boxes: hasMany(Box, { target: "Boxes" }) },
        authorization: { read: role("reader") },
      }),
    ],
  });
  const post = async (body: object) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await service.fetch(new Request("http://service.example/Boxes", init));
    expect(response.status).toBe(201);
    return (await response.json()) as object;
  };
  const shown = { Id: 1, IsSecret: false };
  const context = { "@odata.context": "http://service.example/$metadata#Boxes/$entity" };
  const rest = { "@odata.id": "http://service.example/Boxes(1)" };
  const spare = { Spare: { Id: 13, IsSecret: false } };
  expect(await post(shown)).toEqual({ ...context, ...rest, ...shown, ...spare });
  expect(await post({ ...shown, Items: [] })).toEqual({ ...context, ...rest, ...shown, ...spare });
  expect(await post({ ...shown, Items: [{ Id: 11, IsSecret: false }] })).toEqual({
    ...context,
    ...rest,
    ...shown,
    ...spare,
    Items: [{ Id: 11, IsSecret: false, Boxes: [shown] }],
  });
});

/** A service whose boxes contain entities of a type without a set, and spares that skip the rules of their set. */
function nesting() {
  const service = odataService({
    prefix: "",
    logger: { error: silent, warn: silent, info: silent },
    defaults: { allowDeepInsert: true },
    authenticate: () => ({ id: "u", roles: [] }),
    entitySets: [
      make(Box, {
        create: (box: object) => box,
        navigation: {
          labels: hasMany(Label),
          items: hasMany(Item, { target: "Items" }),
          spare: hasOptional(Item, { target: "Items", authorization: "parent" }),
        },
      }),
      make(Item, {
        getAll: () => [],
        getByKey: () => null,
        navigation: { boxes: hasMany(Box, { target: "Boxes" }), box: hasOptional(Box, { target: "Boxes" }) },
        authorization: {
          create: role("writer"),
          rows: (_user: unknown, item: { isSecret: Flag }) => item.isSecret.eq(false),
        },
      }),
    ],
  });
  return async (body: object) => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await service.fetch(new Request("http://service.example/Boxes", init));
    return { status: response.status, json: (await response.json()) as object };
  };
}

test("entities along a navigation without a target set obey no rule", async () => {
  const labels = [{ Id: 11, Text: "a" }];
  const { status, json } = await nesting()({ Id: 1, IsSecret: false, Labels: labels });
  expect(status).toBe(201);
  expect(json).toMatchObject({ Id: 1, Labels: labels });
});

test("entities below a navigation that skips the rules of its target set are checked by them", async () => {
  const post = nesting();
  const spare = { Id: 11, IsSecret: false };
  expect(await post({ Id: 1, IsSecret: false, Spare: spare })).toMatchObject({
    status: 201,
    json: { Spare: { Id: 11 } },
  });
  const box = { Id: 2, IsSecret: false };
  expect(await post({ Id: 1, IsSecret: false, Spare: { ...spare, Boxes: [box] } })).toMatchObject({
    status: 403,
    json: { error: { code: "Forbidden", target: "Spare/Boxes" } },
  });
  expect(await post({ Id: 1, IsSecret: false, Items: [{ ...spare, Box: box }] })).toMatchObject({
    status: 403,
    json: { error: { code: "Forbidden", target: "Items" } },
  });
});
