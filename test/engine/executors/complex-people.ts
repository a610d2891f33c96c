import { sql } from "kysely";
import {
  applyDelta,
  complexType,
  edm,
  entitySet,
  entityType,
  now,
  odataError,
  odataService,
  type AfterHooks,
  type BeforeHooks,
  type BodyOf,
  type EntityOf,
} from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { SetOption } from "../../../src/definition/sets/set-option.ts";
import type { AnyDatabase, DatabaseEngine } from "./engines.ts";

/** People whose complex values are stored over arrays, in a column per member, and in one column of JSON. */

export const ORIGIN: string = "http://service.example";
const Geo = complexType("Geo", { latitude: edm.int32(), name: edm.string().nullable() });
const Address = complexType("Address", {
  street: edm.string(),
  city: edm.string().nullable(),
  zip: edm.string().default("0000"),
  geo: edm.complex(Geo).nullable(),
  since: edm.int32().nullable().immutable(),
  seen: edm.int32().nullable().computed(),
  secret: edm.string().nullable().ignored(),
  tags: edm.collection(edm.string()),
});
const Loose = complexType("Loose", { a: edm.string().nullable(), b: edm.string().nullable() });
const PROPERTIES = {
  id: edm.int32().key(),
  home: edm.complex(Address),
  work: edm.complex(Address).nullable(),
  away: edm.complex(Address).nullable(),
  office: edm.complex(Address),
  loose: edm.complex(Loose).nullable(),
  note: edm.complex(Loose),
  spot: edm.complex(Loose).nullable(),
  stops: edm.collection(edm.complex(Geo)),
  version: edm.int32().computed(),
};
const Person = entityType("Person", PROPERTIES);
type Person = EntityOf<typeof Person>;

/** A person with values that the server sets. */
const AuditedPerson = entityType("Person", {
  ...PROPERTIES,
  author: edm.string(),
  editor: edm.string(),
  changed: edm.dateTimeOffset({ precision: 3 }),
});
type AuditedPerson = EntityOf<typeof AuditedPerson>;

const COLUMNS = ["street", "city", "zip", "geo_latitude", "geo_name", "since", "seen", "tags"] as const;

/** Creates the table. @param isAudited whether it has columns for values that the server sets */
export async function createTable(db: AnyDatabase, engine: DatabaseEngine, isAudited: boolean = false): Promise<void> {
  const json = engine.name === "postgres" ? "jsonb" : "text";
  const members = ["home", "work"].flatMap((property) =>
    COLUMNS.map((column) => {
      const isNumber = ["geo_latitude", "since", "seen"].includes(column);
      const type = isNumber ? "int" : ({ tags: json }[column as string] ?? "varchar(50)");
      const isRequired = property === "home" && ["street", "zip", "tags"].includes(column);
      return `${property}_${column} ${type} ${isRequired ? "not null" : "null"}`;
    }),
  );
  const columns = [
    "id int primary key",
    ...members,
    `away ${json} null`,
    `office ${json} not null`,
    "loose_a varchar(50) null",
    "loose_b varchar(50) null",
    "note_a varchar(50) null",
    "note_b varchar(50) null",
    "spot varchar(50) null",
    `stops ${json} not null`,
    "version int not null",
  ];
  if (isAudited) {
    const instant = { sqlite: "text", postgres: "timestamptz(3)", mariadb: "datetime(3)" }[engine.name];
    columns.push("author varchar(50) not null", "editor varchar(50) not null", `changed ${instant} not null`);
  }
  await sql.raw(`create table people (${columns.join(", ")})`).execute(db);
}

const OPERATIONS = ["read", "create", "replace", "patch"] as const;
const JSON_COLUMN = { storage: "json" } as const;

/** A complex value in one column, in a custom form. */
const SPOT = {
  fromDatabase: (cell: unknown) => {
    const [a = null, b = null] = String(cell)
      .split("|")
      .map((text) => (text === "" ? null : text));
    return { a, b };
  },
  toDatabase: (value: { readonly a: string | null; readonly b: string | null }) => `${value.a ?? ""}|${value.b ?? ""}`,
};

export type Service = ReturnType<typeof odataService>;
type Profile = "specification" | "standard";

export function tableService(db: AnyDatabase, guarded: boolean = false, profile: Profile = "specification"): Service {
  return odataService({
    namespace: "Test",
    profile,
    entitySets: [
      sqlEntitySet(Person, {
        name: "People",
        db,
        table: "people",
        operations: OPERATIONS,
        rowVersion: "version",
        etag: ["version"],
        columns: { away: JSON_COLUMN, office: JSON_COLUMN, spot: { convert: SPOT } },
        authorization: guarded ? { rows: (_user, row) => row.work.isNull() } : {},
      }),
    ],
    authenticate: () => ({ id: "u", roles: [] }),
  });
}

function saved(id: number, body: BodyOf<typeof Person>, version: number): Person {
  return fill({ ...body, id, version });
}

/** Computed members without a value are null. */
function fill<P extends Person>(person: P): P {
  const address = <A extends Person["work"]>(value: A): A =>
    value === null ? value : { ...value, seen: value.seen ?? null };
  return {
    ...person,
    home: address(person.home),
    work: address(person.work),
    away: address(person.away),
    office: address(person.office),
  };
}

export function memoryService(
  propertyNaming: "PascalCase" | "camelCase" = "PascalCase",
  guarded: boolean = false,
  profile: Profile = "specification",
): Service {
  const people = new Map<number, Person>();
  const store = (person: Person): Person => {
    people.set(person.id, person);
    return person;
  };
  return odataService({
    namespace: "Test",
    profile,
    propertyNaming,
    entitySets: [
      entitySet(Person, {
        name: "People",
        etag: ["version"],
        getByKey: (id) => people.get(id) ?? null,
        create: (body) => store(saved(body.id, body, 1)),
        replace: (id, body) => store(saved(id, body, (people.get(id)?.version ?? 0) + 1)),
        patch: (id, delta) => {
          const old = people.get(id);
          if (old === undefined) return odataError(404, "NotFound", "none");
          const changed = applyDelta(Person, old, delta);
          return store({ ...fill(changed), version: old.version + 1 });
        },
        authorization: guarded ? { rows: (_user, row) => row.work.isNull() } : {},
      }),
    ],
    authenticate: () => ({ id: "u", roles: [] }),
  });
}

/** The author, the editor and the instant of the last change of each person. */
const SET: SetOption<typeof AuditedPerson> = {
  author: { create: ({ user }) => user.id ?? "" },
  editor: { create: ({ user }) => user.id ?? "", update: ({ user }) => user.id ?? "" },
  changed: { create: now, update: now },
};

/** Hooks that change the written values, depending on the stored person, and the shown values. */
const BEFORE: BeforeHooks<typeof AuditedPerson> = {
  create: ({ entity }) => ({ ...entity, loose: entity.spot }),
  replace: async ({ entity, current }) => {
    const stored = await current();
    return { ...entity, spot: stored === null || stored.note.a === null ? null : { a: stored.editor, b: null } };
  },
  patch: async ({ delta, current }) => {
    const { spot, editor } = await current();
    // Some empty changes remain empty.
    return spot === null ? undefined : { ...delta, loose: { a: editor, b: spot.a } };
  },
};
const AFTER: AfterHooks<typeof AuditedPerson> = {
  patch: ({ entity }) => ({ note: { a: entity.author, b: entity.editor } }),
};
const AUDITED = {
  name: "People",
  etag: ["version"],
  set: SET,
  before: BEFORE,
  after: AFTER,
} as const;
const userOfRequest = ({ headers }: { readonly headers: Headers }) => ({ id: headers.get("X-User") ?? "", roles: [] });

/** People in a table, with hooks and values that the server sets. */
export function auditedTable(db: AnyDatabase): Service {
  return odataService({
    namespace: "Test",
    entitySets: [
      sqlEntitySet(AuditedPerson, {
        ...AUDITED,
        db,
        table: "people",
        operations: OPERATIONS,
        rowVersion: "version",
        columns: { away: JSON_COLUMN, office: JSON_COLUMN, spot: { convert: SPOT } },
      }),
    ],
    authenticate: userOfRequest,
  });
}

/** The same people over arrays. */
export function auditedMemory(): Service {
  const people = new Map<number, AuditedPerson>();
  const store = (person: AuditedPerson): AuditedPerson => {
    people.set(person.id, person);
    return person;
  };
  return odataService({
    namespace: "Test",
    entitySets: [
      entitySet(AuditedPerson, {
        ...AUDITED,
        getByKey: (id) => people.get(id) ?? null,
        create: (body) => store(fill({ ...body, version: 1 })),
        replace: (id, body) => {
          const old = people.get(id);
          if (old === undefined) return odataError(404, "NotFound", "none");
          return store(fill({ ...old, ...body, id, version: old.version + 1 }));
        },
        patch: (id, delta) => {
          const old = people.get(id);
          if (old === undefined) return odataError(404, "NotFound", "none");
          return store({ ...fill(applyDelta(AuditedPerson, old, delta)), version: old.version + 1 });
        },
      }),
    ],
    authenticate: userOfRequest,
  });
}

/** The parts of a response that a client sees: status, ETag, whole body. */
export async function ask(
  service: Service,
  method: string,
  target: string,
  body?: unknown,
  headers = {},
): Promise<readonly unknown[]> {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await service.fetch(
    new Request(`${ORIGIN}/${target}`, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      ...init,
    }),
  );
  const text = await answer.text();
  return [answer.status, answer.headers.get("ETag") === null ? "no ETag" : "ETag", text === "" ? "" : JSON.parse(text)];
}

export const GEO: Readonly<Record<string, unknown>> = { Latitude: 1, Name: "n" };
const ADDRESS = { Street: "A", City: "B", Zip: "1", Geo: GEO, Since: 1, Tags: ["t"] };
export const WHOLE: Readonly<Record<string, unknown>> = {
  Home: ADDRESS,
  Work: ADDRESS,
  Away: ADDRESS,
  Office: ADDRESS,
  Loose: { A: "a", B: "b" },
  Note: { A: "a", B: "b" },
  Spot: { A: "a", B: "b" },
  Stops: [GEO],
};
export const SHOWN: Readonly<Record<string, unknown>> = { ...ADDRESS, Seen: null };
export const EMPTY: Readonly<Record<string, unknown>> = {
  ...WHOLE,
  Work: null,
  Away: null,
  Loose: null,
  Spot: null,
  Home: { ...ADDRESS, Geo: null },
  Office: { ...ADDRESS, Geo: null },
};

export const ADDRESSES = ["Home", "Work", "Away", "Office"] as const;

export function missing(target: string): readonly unknown[] {
  const message = `${target} is missing. The enclosing value is null, so send all required members.`;
  return [400, "no ETag", { error: { code: "InvalidBody", message, target } }];
}

export function shown(id: number, before: object, after: object, version: unknown): object {
  const whole: Record<string, unknown> = { ...before };
  for (const name of ADDRESSES) {
    if (whole[name] !== null) whole[name] = { ...(whole[name] as object), Seen: null };
  }
  const { "@odata.etag": _etag, ...rest } = { "@odata.etag": "", ...whole, ...after };
  return {
    "@odata.context": `${ORIGIN}/$metadata#People/$entity`,
    "@odata.id": `${ORIGIN}/People(${String(id)})`,
    Id: id,
    ...rest,
    Version: version,
  };
}

/** Removes the ETag, whose value means nothing. */
export function withoutTag([status, tag, body]: readonly unknown[]): readonly unknown[] {
  if (typeof body !== "object" || body === null) return [status, tag, body];
  const { "@odata.etag": _etag, ...rest } = body as Record<string, unknown>;
  return [status, tag, rest];
}

export function withoutVersion([status, tag, body]: readonly unknown[]): readonly unknown[] {
  const [, , rest] = withoutTag([status, tag, body]);
  return [status, tag, { ...(rest as object), Version: 0 }];
}
