import {
  authenticated,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataService,
  type RowPredicate,
} from "odatakit";
import { describe, expect, test } from "vitest";
import { noFailures } from "./model.ts";

/**
 * Of several writes with one condition that arrive together, one is executed, where all handlers are synchronous: no other write
 * comes between the comparison and the call of the handler.
 */

const Thing = entityType("P", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  owner: edm.string().nullable(),
  version: edm.int32().computed(),
});

interface Row {
  readonly id: number;
  readonly name: string | null;
  readonly owner: string | null;
  readonly version: number;
}
const EMPTY: Row = { id: 0, name: null, owner: null, version: 0 };
type Kind = keyof typeof SETTINGS;

interface RowOf {
  readonly id: { ge(value: number): RowPredicate };
}

/** Options that call synchronous functions between the comparison and the handler. */
const SETTINGS = {
  plain: {},
  validated: { validate: { create: () => [], patch: () => [] } },
  "with values of the server": { set: { owner: { create: () => "ann", update: () => "bob" } } },
  "with a rule": { authorization: { create: [authenticated()] } },
  "with a row rule": { authorization: { rows: (_user: object, row: RowOf) => row.id.ge(0) } },
};

function things(kind: Kind, isCreatedByReplace = false) {
  const rows = new Map<unknown, Row>([[1, { id: 1, name: "a", owner: "ann", version: 1 }]]);
  const links: unknown[] = [];
  const bump = (key: unknown, link: unknown): undefined => {
    const row = rows.get(key);
    if (row !== undefined) rows.set(key, { ...row, version: row.version + 1 });
    links.push(link);
  };
  const save = (key: unknown, values: Partial<Row>): Row | null => {
    const row = rows.get(key) ?? (isCreatedByReplace ? { ...EMPTY, id: Number(key) } : null);
    if (row === null) return null;
    const changed = { ...row, ...values, version: row.version + 1 };
    rows.set(key, changed);
    return changed;
  };
  const create = (entity: Partial<Row>): Row => {
    const row = { ...EMPTY, ...entity, version: 1 };
    rows.set(row.id, row);
    return row;
  };
  const service = odataService({
    prefix: "",
    logger: noFailures,
    authenticate: () => ({ id: "ann" }),
    entitySets: [
      entitySet(Thing, {
        etag: ["version"],
        allowUpsert: true,
        requireIfMatch: false,
        ...SETTINGS[kind],
        getByKey: (key) => rows.get(key) ?? null,
        patch: (key, delta) => save(key, delta),
        replace: (key, entity) => save(key, entity),
        delete: (key) => rows.delete(key),
        ...(isCreatedByReplace ? {} : { create }),
        navigation: {
          next: hasOptional(Thing, { target: "Ps", setRef: bump, removeRef: (key) => bump(key, null) }),
          links: hasMany(Thing, {
            target: "Ps",
            addRef: bump,
            create: (key, child) => {
              bump(key, child.name);
              return { ...EMPTY, ...child, version: 1 };
            },
          }),
        },
      }),
    ],
  });
  const send = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
    const sent =
      body === undefined
        ? { headers }
        : { headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
    const response = await service.fetch(new Request(`http://s.example/${path}`, { method, ...sent }));
    const text = await response.text();
    return {
      status: response.status,
      etag: response.headers.get("etag"),
      body: text === "" ? null : (JSON.parse(text) as { Name?: string; error?: { code: string } }),
    };
  };
  const tag = async (): Promise<string> => (await send("GET", "Ps(1)", {})).etag ?? "";
  return { rows, links, send, tag };
}

describe.each(Object.keys(SETTINGS) as Kind[])("writes at once to a set that is %s", (kind) => {
  test.each(["PATCH", "PUT"])("%s with one If-Match: the first is saved, the others are 412", async (method) => {
    const { rows, send, tag } = things(kind);
    const headers = { "If-Match": await tag() };
    const [first, ...others] = await Promise.all(
      ["x", "y", "z"].map((Name) => send(method, "Ps(1)", headers, { Name })),
    );
    expect(first).toMatchObject({ status: 200, body: { Name: "x" } });
    expect(others.map(({ status, etag, body }) => [status, etag, body?.error?.code])).toEqual([
      [412, null, "PreconditionFailed"],
      [412, null, "PreconditionFailed"],
    ]);
    expect(rows.get(1)).toMatchObject({ name: "x", version: 2 });
    expect(first?.etag).toBe(await tag());
  });

  test.each([
    ["with a create handler", false],
    ["without one", true],
  ])("PUT of a new key %s: one creates the entity", async (_handlers, isCreatedByReplace) => {
    const { rows, send } = things(kind, isCreatedByReplace);
    const put = (key: number, Name: string, headers: Record<string, string>) =>
      send("PUT", `Ps(${String(key)})`, headers, { Name });
    const none = { "If-None-Match": "*" };
    const conditional = await Promise.all([put(7, "x", none), put(7, "y", none)]);
    expect(conditional.map(({ status, body }) => [status, body?.Name, body?.error?.code])).toEqual([
      [201, "x", undefined],
      [412, undefined, "PreconditionFailed"],
    ]);
    expect(rows.get(7)).toMatchObject({ name: "x", version: 1 });
    const free = await Promise.all([put(8, "x", {}), put(8, "y", {})]);
    expect(free.map(({ status, body }) => [status, body?.Name])).toEqual([
      [201, "x"],
      [200, "y"],
    ]);
    expect(rows.get(8)).toMatchObject({ name: "y", version: 2 });
  });

  test("PUT of a property with one If-Match: the first is saved", async () => {
    const { rows, send, tag } = things(kind);
    const headers = { "If-Match": await tag() };
    const answers = await Promise.all(["x", "y", "z"].map((value) => send("PUT", "Ps(1)/Name", headers, { value })));
    expect(answers.map(({ status }) => status)).toEqual([204, 412, 412]);
    expect(rows.get(1)).toMatchObject({ name: "x", version: 2 });
  });

  test("DELETE with one If-Match: the first deletes the entity, others are 412", async () => {
    const { rows, send, tag } = things(kind);
    const headers = { "If-Match": await tag() };
    const answers = await Promise.all([
      send("DELETE", "Ps(1)", headers),
      send("DELETE", "Ps(1)", headers),
      send("PATCH", "Ps(1)", headers, { Name: "x" }),
    ]);
    expect(answers.map(({ status, body }) => [status, body?.error?.code])).toEqual([
      [204, undefined],
      [412, "PreconditionFailed"],
      [412, "PreconditionFailed"],
    ]);
    expect(rows.size).toBe(0);
  });

  test.each([
    ["PUT", "Ps(1)/Next/$ref", { "@odata.id": "Ps(1)" }, 204],
    ["DELETE", "Ps(1)/Next/$ref", undefined, 204],
    ["POST", "Ps(1)/Links/$ref", { "@odata.id": "Ps(1)" }, 204],
    ["POST", "Ps(1)/Links", { Id: 5, Name: "x" }, 201],
  ] as const)("%s %s with one If-Match of the parent: the first is saved", async (method, path, body, status) => {
    const { rows, links, send, tag } = things(kind);
    const headers = { "If-Match": await tag() };
    const answers = await Promise.all([send(method, path, headers, body), send(method, path, headers, body)]);
    expect(answers.map((answer) => answer.status)).toEqual([status, 412]);
    expect(links).toHaveLength(1);
    expect(rows.get(1)).toMatchObject({ version: 2 });
  });
});
