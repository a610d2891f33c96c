import {
  arraySource,
  authenticated,
  complexType,
  edm,
  entitySet,
  entityType,
  hasMany,
  hasOptional,
  odataError,
  odataService,
  resource,
  type EntitySet,
} from "odatakit";
import { describe, expect, test } from "vitest";

/** Handlers that return values of the wrong type, and errors for single keys. */

const Place = complexType("Place", { city: edm.string(), zip: edm.string().nullable() });
const Tag = entityType("Tag", { id: edm.int32().key(), name: edm.string(), place: edm.complex(Place).nullable() });
const Note = entityType("Note", {
  id: edm.int32().key(),
  tagId: edm.int32().nullable(),
  words: edm.collection(edm.string()),
  place: edm.complex(Place).nullable(),
});

// The options have mistakes that the compiler would refuse.
const make = entitySet as unknown as (type: unknown, options: object) => EntitySet;

const NOTE = { id: 1, tagId: 2, words: [], place: null };
const TAG = { id: 2, name: "a", place: null };

function serviceOf(notes: object, tags: object = { getAll: () => [TAG] }) {
  const failures: string[] = [];
  const warnings: string[] = [];
  const service = odataService({
    prefix: "",
    defaults: { allowDeepInsert: true },
    authenticate: () => ({ id: "u", roles: [] }),
    logger: {
      error: (_message, fields) => failures.push(String(fields["err"] ?? fields["error"])),
      warn: (message) => warnings.push(message),
      info: () => undefined,
    },
    entitySets: [
      make(Note, {
        getAll: () => [NOTE],
        getByKey: () => NOTE,
        navigation: { tag: hasOptional(Tag, { on: { tagId: "id" }, target: "Tags" }) },
        ...notes,
      }),
      make(Tag, tags),
    ],
  });
  const get = async (path: string) => {
    const response = await service.fetch(new Request(`http://service.example${path}`));
    return { status: response.status, text: await response.text(), failures, warnings };
  };
  return { get, service };
}

const along = (handlers: object) => ({ navigation: { tag: hasOptional(Tag, { target: "Tags", ...handlers }) } });
const many = (handlers: object) => ({ navigation: { tags: hasMany(Tag, { target: "Tags", ...handlers }) } });
/** Loads the entity by its key, whole, for a rule. */
const guarded = { getAll: undefined, authorization: { read: [authenticated(), resource(() => true)] } };

describe("a value of the wrong type is a failure that names it", () => {
  test.each<[message: string, path: string, notes: object, tags?: object]>([
    [
      "The getByKey handler of Tags returned a value that is not an entity.",
      "/Notes?$filter=$root/Tags(2)/Name eq 'a'",
      {},
      { getByKey: () => 5 },
    ],
    [
      "The target set of Notes/Tag contains a value that is not an entity.",
      "/Notes?$filter=Tag/Name eq 'a'",
      {},
      { getAll: () => [5] },
    ],
    [
      "The handler of Notes/Tag returned a value that is not an entity.",
      "/Notes?$filter=Tag/Name eq 'a'",
      along({ get: () => 5 }),
    ],
    ["The handler of Notes/Tag returned a value that is not an entity.", "/Notes(1)/Tag", along({ get: () => 5 })],
    [
      "The handler of Notes/Tags returned a value that is not an entity.",
      "/Notes?$expand=Tags($search=a)",
      many({ get: () => [5] }),
      { getAll: () => [TAG], search: () => [TAG] },
    ],
    ["Note.Words must be a collection, but", "/Notes(1)", { ...guarded, getByKey: () => ({ ...NOTE, words: "a" }) }],
    ["Note.Place must be Place, but", "/Notes(1)", { ...guarded, getByKey: () => ({ ...NOTE, place: "a" }) }],
    ["nextLink of applyQuery is not a string.", "/Notes", { applyQuery: () => ({ items: [NOTE], nextLink: 5 }) }],
    [
      "count of applyQuery is not a whole number of 0 or more.",
      "/Notes",
      { applyQuery: () => ({ items: [NOTE], count: -1 }) },
    ],
    [
      "The queryable handler of Tags did not return a source",
      "/Notes?$filter=Tag/Name eq 'a'",
      {},
      { queryable: () => 5 },
    ],
  ])("%s %s", async (message, path, notes, tags) => {
    const { status, failures } = await serviceOf(notes, tags).get(path);
    expect({ status, failures }).toEqual({ status: 500, failures: [expect.stringContaining(message)] });
  });
});

describe("an error for one key of a batch is the response", () => {
  const getBatch = (keys: readonly number[]) =>
    new Map(keys.map((key) => [key, odataError(409, "Locked", "Not now.")]));

  test.each([
    ["a path", "/Notes?$filter=Tag/Name eq 'a'", along({ getBatch })],
    ["an expansion", "/Notes?$expand=Tags", many({ getBatch })],
    ["an expansion with options", "/Notes?$expand=Tags($filter=Name eq 'a')", many({ getBatch })],
    ["a navigation route", "/Notes(1)/Tags", many({ getBatch })],
  ])("%s", async (_name, path, notes) => {
    const { status, text } = await serviceOf(notes).get(path);
    expect(status).toBe(409);
    expect(JSON.parse(text)).toMatchObject({ error: { code: "Locked" } });
  });
});

describe("any iterable is a list", () => {
  test.each<[string, object, string]>([
    ["applyQuery", { applyQuery: () => ({ items: new Set([NOTE]) }) }, "/Notes?$select=Id"],
    ["applyQuery, counted", { applyQuery: () => ({ items: new Set([NOTE]) }) }, "/Notes?$select=Id&$count=true"],
    ["queryable", { queryable: () => arraySource(Note, new Set([NOTE])) }, "/Notes?$select=Id"],
  ])("%s", async (_name, notes, path) => {
    const { status, text } = await serviceOf(notes).get(path);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ value: [{ Id: 1 }] });
  });

  test("of a deep insert", async () => {
    const { service } = serviceOf({
      create: () => ({ ...NOTE, tags: new Set([TAG]) }),
      navigation: { tags: hasMany(Tag, { target: "Tags" }) },
    });
    const response = await service.fetch(
      new Request("http://service.example/Notes", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ Id: 1, Words: [] }),
      }),
    );
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ Id: 1, Tags: [{ Id: 2, Name: "a" }] });
  });
});

describe("a loaded entity that cannot be written is left out, and logged", () => {
  const broken = {
    ...TAG,
    get name(): string {
      // oxlint-disable-next-line typescript/only-throw-error -- applications may throw anything
      throw "gone";
    },
  };

  test.each<[string, unknown, string]>([
    ["a getter that throws no Error", broken, "it cannot be read"],
    ["a complex value that lacks a member", { ...TAG, place: { zip: "1" } }, "'City' is missing"],
  ])("%s", async (_name, tag, reason) => {
    const notes = { getAll: () => [{ ...NOTE, tag }], ...along({}) };
    const { status, text, warnings } = await serviceOf(notes).get("/Notes?$expand=Tag&$select=Id");
    expect(status).toBe(200);
    expect((JSON.parse(text) as { readonly value: unknown }).value).toEqual([{ Id: 1 }]);
    expect(warnings).toEqual([`The expansion 'Notes/Tag' is left out for some entities: ${reason}.`]);
  });
});
