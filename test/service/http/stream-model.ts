import { createHash, randomUUID } from "node:crypto";
import { sql } from "kysely";
import {
  applyDelta,
  columnStore,
  edm,
  entitySet,
  entityType,
  type EntityOf,
  hasMany,
  odataService,
  type ODataService,
  role,
  type ServiceOptions,
  type StreamStore,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { AnyDatabase, DatabaseEngine } from "../../engine/executors/engines.ts";

/** People with a photo in a column and a scan in a store, their pictures, which are media entities, and a store to look into. */

/** A store in memory that tests look into. */
export interface WatchedStore extends StreamStore {
  readonly kept: Map<string, Uint8Array>;
  /** Called before the bytes are kept. */
  onWrite: () => void;
}

export function watchedStore(): WatchedStore {
  const kept = new Map<string, Uint8Array>();
  let count = 0;
  const store: WatchedStore = {
    kept,
    onWrite: () => undefined,
    write: async (stream) => {
      const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
      store.onWrite();
      count += 1;
      const id = `file-${String(count)}`;
      kept.set(id, bytes);
      return { id, length: bytes.length, etag: createHash("sha256").update(bytes).digest("base64url") };
    },
    read: (id, { start, end }) => {
      const bytes = kept.get(id);
      if (bytes === undefined) throw new Error(`No bytes ${id}.`);
      return Promise.resolve(new Blob([new Uint8Array(bytes.subarray(start, end))]).stream());
    },
    delete: (id) => {
      kept.delete(id);
      return Promise.resolve();
    },
  };
  return store;
}

const typesOf = (store: StreamStore) => ({
  Person: entityType("Person", {
    id: edm.int32().key(),
    name: edm.string({ maxLength: 40 }),
    photo: edm.stream({ store: columnStore("photoBytes"), accepts: ["image/png", "text/plain"], maxBytes: 1000 }),
    photoBytes: edm.binary().nullable().ignored(),
    scan: edm.stream({ store, maxBytes: 2000 }).describe("The signed form."),
    version: edm.int32().computed(),
  }),
  Picture: entityType("Picture", {
    id: edm.guid().key(),
    personId: edm.int32().nullable(),
    title: edm.string({ maxLength: 40 }).nullable(),
    file: edm.stream({ store, accepts: ["image/png", "image/jpeg"] }),
  }),
});

type Types = ReturnType<typeof typesOf>;

export interface Gallery {
  readonly service: ODataService;
  readonly store: WatchedStore;
  readonly failures: string[];
  /** Makes the next writes of people fail. */
  readonly broken: { isBroken: boolean };
  /** Deletes a person of a table without the hooks of the application. */
  readonly removeUnhooked?: (id: number) => Promise<unknown>;
}

const RULES = { properties: { scan: { read: role("boss"), update: role("boss") } } } as const;

function serviceOf(entitySets: ServiceOptions["entitySets"], failures: string[]): ODataService {
  return odataService({
    entitySets,
    profile: "standard",
    defaults: { applyEnabled: true, computeEnabled: true },
    batch: { json: true, multipart: true },
    logger: {
      error: (_message, { err }) => void failures.push(err instanceof Error ? err.message : String(err)),
      warn: () => {},
      info: () => {},
    },
    authenticate: (request) => ({ id: "u", roles: (request.headers.get("x-roles") ?? "").split(",") }),
  });
}

/** The gallery over lists of handlers. */
export function listedGallery(): Gallery {
  const store = watchedStore();
  const { Person, Picture } = typesOf(store);
  const broken = { isBroken: false };
  type Person = EntityOf<Types["Person"]>;
  type Picture = EntityOf<Types["Picture"]>;
  const people = new Map<number, Person>(
    [1, 2, 3].map((id) => [id, { id, name: `P${String(id)}`, photo: null, photoBytes: null, scan: null, version: 1 }]),
  );
  const pictures = new Map<string, Picture>();
  const checkWhole = (): void => {
    if (broken.isBroken) throw new Error("The table is broken.");
  };
  const peopleSet = entitySet(Person, {
    name: "People",
    getAll: () => people.values(),
    getByKey: (key) => people.get(key) ?? null,
    create: (person) => {
      const saved = { photo: null, photoBytes: null, scan: null, ...person, version: 1 };
      people.set(person.id, saved);
      return saved;
    },
    replace: (key, person) => {
      checkWhole();
      const old = people.get(key);
      if (old === undefined) return null;
      const saved = { photo: null, photoBytes: null, scan: null, ...person, version: old.version + 1 };
      people.set(key, saved);
      return saved;
    },
    patch: (key, delta) => {
      checkWhole();
      const old = people.get(key);
      const changed = old === undefined ? null : applyDelta(Person, old, delta);
      if (changed === null) return null;
      const saved = { ...changed, version: (old?.version ?? 0) + 1 };
      people.set(key, saved);
      return saved;
    },
    delete: (key) => {
      checkWhole();
      return people.delete(key);
    },
    authorization: RULES,
    etag: ["version"],
    navigation: { pictures: hasMany(Picture, { on: { id: "personId" }, target: "Pictures" }) },
  });
  const pictureSet = entitySet(Picture, {
    media: { stream: "file" },
    getAll: () => pictures.values(),
    getByKey: (key) => pictures.get(key) ?? null,
    create: (picture) => {
      checkWhole();
      const saved = { file: null, ...picture };
      pictures.set(picture.id, saved);
      return saved;
    },
    patch: (key, delta) => {
      checkWhole();
      const old = pictures.get(key);
      const changed = old === undefined ? null : applyDelta(Picture, old, delta);
      if (changed !== null) pictures.set(key, changed);
      return changed;
    },
    delete: (key) => pictures.delete(key),
    set: { id: { create: () => randomUUID() } },
  });
  const failures: string[] = [];
  return { service: serviceOf([peopleSet, pictureSet], failures), store, failures, broken };
}

/** The gallery over tables, which are made and filled. */
export async function tabledGallery(db: AnyDatabase, engine: DatabaseEngine["name"]): Promise<Gallery> {
  const [text, bytes] = { sqlite: ["text", "blob"], postgres: ["text", "bytea"], mariadb: ["text", "longblob"] }[
    engine
  ];
  const key = { sqlite: "text", postgres: "uuid", mariadb: "char(36)" }[engine];
  for (const command of [
    "drop table if exists s_people",
    "drop table if exists s_pictures",
    `create table s_people (id int primary key not null, name varchar(40) not null, photo ${text ?? ""},
      photo_bytes ${bytes ?? ""}, scan ${text ?? ""}, version int not null)`,
    `create table s_pictures (id ${key} primary key not null, person_id int, title varchar(40), file ${text ?? ""})`,
  ]) {
    await sql.raw(command).execute(db);
  }
  const rows = [1, 2, 3].map((id) => ({ id, name: `P${String(id)}`, version: 1 }));
  await db.insertInto("s_people").values(rows).execute();
  const store = watchedStore();
  const { Person, Picture } = typesOf(store);
  const broken = { isBroken: false };
  const check = (): void => {
    if (broken.isBroken) throw new Error("The table is broken.");
  };
  const operations = ["read", "create", "replace", "patch", "delete"] as const;
  const people = sqlEntitySet(Person, {
    db,
    name: "People",
    table: "s_people",
    columns: { photoBytes: "photo_bytes" },
    operations,
    rowVersion: "version",
    etag: ["version"],
    authorization: RULES,
    after: { patch: check, delete: check },
    navigation: { pictures: hasMany(Picture, { on: { id: "personId" }, target: "Pictures" }) },
  });
  const pictures = sqlEntitySet(Picture, {
    db,
    media: { stream: "file" },
    table: "s_pictures",
    columns: { personId: "person_id" },
    operations,
    after: { create: check, patch: check },
    set: { id: { create: () => randomUUID() } },
  });
  const failures: string[] = [];
  const service = serviceOf([people, pictures], failures);
  const removeUnhooked = (id: number): Promise<unknown> =>
    service.run(null, (ctx) => ctx.sets(people, { hooks: false, trusted: true }).delete(id));
  return { service, store, failures, broken, removeUnhooked };
}
