import { allRows, edm, entitySet, entityType, hasMany, hasOptional, noRows, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import type { Service } from "../../service/http/doors.ts";
import { createTable, ENGINES, insertRow } from "../executors/engines.ts";

export interface Part {
  readonly id: number;
  readonly name: string;
  readonly parentId: number | null;
}

const Part = entityType("Part", {
  id: edm.int32().key(),
  name: edm.string(),
  parentId: edm.int32().nullable(),
});

/** How a set of parts is read: by a handler, or from a table of a database. */
export const FORMS: readonly string[] = ["getAll", ...ENGINES.map(({ title }) => title)];

/** A service of parts, whose user sees the ones that his name does not hide. */
export interface Parts {
  readonly service: Service;
  /** Replaces all parts. */
  readonly fill: (parts: readonly Part[]) => Promise<void>;
  /** The statements of its requests. */
  readonly statements: string[];
  readonly close: () => Promise<void>;
}

const navigation = {
  parent: hasOptional(Part, { on: { parentId: "id" }, target: "Parts" }),
  children: hasMany(Part, { on: { id: "parentId" }, target: "Parts" }),
};

const authenticate = ({ headers }: { readonly headers: Headers }): { readonly id: string } => ({
  id: headers.get("authorization") ?? "all",
});

/** Users see all parts, none, or all but the one with the id that is their name. */
function rows({ id }: { readonly id: string }, part: { readonly id: { ne(value: number): unknown } }): unknown {
  if (id === "all") return allRows;
  return id === "none" ? noRows : part.id.ne(Number(id));
}

/** Opens a service of parts in one form. */
export async function openParts(form: string, options: object = {}): Promise<Parts> {
  const statements: string[] = [];
  const engine = ENGINES.find(({ title }) => title === form);
  const database = await engine?.open();
  const kept: Part[] = [];
  const declared = {
    name: "Parts",
    navigation,
    hierarchy: { parent: "parentId" },
    authorization: { rows },
    ...options,
  };
  if (database !== undefined) {
    await createTable(database, "parts", {
      id: "integer not null primary key",
      name: "varchar(40) not null",
      parentId: "integer",
    });
  }
  const set =
    database === undefined
      ? entitySet(Part, {
          getAll: () => kept,
          getByKey: (id: number) => kept.find((part) => part.id === id) ?? null,
          ...declared,
        } as never)
      : sqlEntitySet(Part, { db: database.db, table: "parts", operations: ["read"], ...declared } as never);
  const service = odataService({
    prefix: "/s",
    profile: "standard",
    authenticate,
    onStatement: ({ sql }: { readonly sql: string }) => void statements.push(sql),
    entitySets: [set],
    defaults: { maxTop: null },
  } as never);
  return {
    service,
    statements,
    fill: async (parts) => {
      kept.splice(0, kept.length, ...parts);
      if (database === undefined) return;
      await database.db.deleteFrom("parts" as never).execute();
      for (const { id, name, parentId } of parts) await insertRow(database, "parts", [id, name, parentId]);
    },
    close: async () => database?.close(),
  };
}
