import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../house/source-files.ts";
import { applicationWith, runNode } from "./application.ts";
import { npm } from "./tarball.ts";

/** A module that exports the result of each builder. */
const MODEL = `
import {
  action, allRows, anyOf, arraySource, authenticated, complexType, edm, entitySet, entityType, enumType, fn, hasMany, hasOptional,
  hasRequired, noRows, now, odataService, reloadable, requireUser, resource, role, servicesFetch,
} from "odatakit";
import { explorerRoute } from "odatakit/explorer";
import { sqlEntitySet } from "odatakit/kysely";
import { openApiDocument } from "odatakit/openapi";
import { sqliteDialect } from "odatakit/sqlite";
import { Kysely } from "kysely";

export const Color = enumType("Color", { Red: 0, Green: 1 });
export const Right = enumType("Right", { Read: 1, Write: 2 }, { isFlags: true });
export const Inner = complexType("Inner", { code: edm.string({ maxLength: 1 }), seen: edm.date().nullable().computed() });
export const Outer = complexType("Outer", { inner: edm.complex(Inner), list: edm.collection(edm.complex(Inner)) });
export const Kind = entityType("Kind", {
  id: edm.guid().key(), text: edm.string({ maxLength: 2 }), memo: edm.string().nullable(), yes: edm.boolean(), byte: edm.byte(),
  sbyte: edm.sByte(), int16: edm.int16(), int64: edm.int64(), single: edm.single(), double: edm.double(),
  decimal: edm.decimal({ precision: 2, scale: 2 }), any: edm.decimal(), bytes: edm.binary({ maxLength: 2 }), date: edm.date(),
  time: edm.timeOfDay(), instant: edm.dateTimeOffset({ precision: 0 }), span: edm.duration(), color: edm.enum(Color),
  rights: edm.enum(Right).nullable(), outer: edm.complex(Outer).nullable(), tags: edm.collection(edm.string({ maxLength: 3 })),
  days: edm.collection(edm.date()), born: edm.date().immutable(), version: edm.int32().computed(),
  made: edm.dateTimeOffset().default(new Date(0)), hidden: edm.string().ignored(),
});
export const Order = entityType("Order", {
  id: edm.int32().key().computed(), customerId: edm.int32(), parentId: edm.int32().nullable(), at: edm.dateTimeOffset(),
});
export const Customer = entityType("Customer", { id: edm.int32().key(), name: edm.string(), since: edm.date() });
export const properties = { date: edm.date(), time: edm.timeOfDay(), at: edm.dateTimeOffset(), span: edm.duration() };
export const late = fn(Order, {
  bound: "collection", params: { day: edm.date(), by: edm.string().default("x") }, returns: edm.collection(edm.date()), handler: () => [],
});
export const near = fn(Kind, { bound: "entity", returns: edm.int32(), handler: () => 1 });
export const free = fn({ params: { span: edm.duration() }, returns: Order, handler: () => null });
export const paint = action(Kind, {
  bound: "entity", params: { color: edm.enum(Color), outer: edm.complex(Outer), at: edm.timeOfDay() }, returns: Kind, handler: () => null,
});
export const go = action({ bound: "entity", handler: () => undefined });
export const orders = hasMany(Order, { target: "Orders", on: { id: "customerId" } });
export const customer = hasRequired(Customer, { target: "Customers", on: { customerId: "id" }, partner: "orders" });
export const parent = hasOptional(Order, { target: "Orders", on: { parentId: "id" } });
export const rules = { any: anyOf(role("a"), authenticated()), own: resource((user, order) => user.id === order["id"]), allRows, noRows };
export const values = { now, requireUser };
export const db = new Kysely<{ customers: { id: number } }>({ dialect: sqliteDialect(":memory:") });
export const kinds = entitySet(Kind, { getAll: () => [], getByKey: () => null, actions: { paint }, functions: { near } });
export const Shade = entityType("Shade", { id: edm.int32().key(), color: edm.enum(Color) });
export const shades = entitySet(Shade, {
  getAll: async () => [{ id: 1, color: "Red" }],
  getByKey: (id) => ({ id, color: "Green" }),
  create: (shade) => ({ ...shade, color: "Red" }),
  set: { color: { create: () => "Red" } },
  before: { create: async ({ entity }) => ({ ...entity, color: "Green" }) },
  after: { create: ({ entity }) => ({ ...entity, color: "Green" }) },
});
export const source = arraySource(Customer, []);
export const customers = sqlEntitySet(Customer, { db, table: "customers", operations: ["read"], navigation: { orders } });
export const orderSet = sqlEntitySet(Order, { db, table: "orders", operations: ["read"], navigation: { customer, parent }, functions: { late } });
export const service = odataService({ entitySets: [kinds, customers, orderSet], functions: { free } });
export const running = { reload: reloadable(service), all: servicesFetch([service]), routes: [explorerRoute()], document: openApiDocument(service) };
`;

/** A module of another project, which has only the declarations of the first one. */
const USE = `
import type { EntityOf, KeyOf, NewEntityOf } from "odatakit";
import { entitySet } from "odatakit";
import type { Customer, Kind, service } from "../model/model.js";
import * as model from "../model/model.js";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export const key: Same<KeyOf<typeof Kind>, string> = true;
export const color: Same<EntityOf<typeof Kind>["color"], "Green" | "Red"> = true;
export const date: Same<EntityOf<typeof Customer>["since"], string> = true;
export const created: NewEntityOf<typeof Customer> = { id: 1, name: "a", since: "2020-01-01" };
export const again = entitySet(model.Customer, { name: "Again", getByKey: (id) => ({ id, name: "a", since: new Date(0) }) });
export const fetched: Promise<Response> = ({} as typeof service).fetch(new Request("http://localhost"));
// @ts-expect-error -- a customer has no such property
export type Wrong = EntityOf<typeof Customer>["size"];
`;

const COMPILERS = { "5.4": "5.4.5", "5.9": "5.9.3" };

describe("a project with composite: true", async () => {
  const application = await applicationWith(["kysely", "@types/node", "undici-types"]);
  const compilers = mkdtempSync(join(tmpdir(), "odatakit-compilers-"));
  beforeAll(() => {
    writeFileSync(join(compilers, "package.json"), "{}");
    const packages = Object.entries(COMPILERS).map(([name, version]) => `typescript-${name}@npm:typescript@${version}`);
    npm(compilers, "install", "--no-audit", "--no-fund", "--prefer-offline", "--no-bin-links", ...packages);
    for (const [name, text] of Object.entries({ model: MODEL, use: USE })) {
      mkdirSync(join(application, name));
      writeFileSync(join(application, name, `${name}.ts`), text);
    }
  });
  afterAll(() => {
    for (const folder of [application, compilers]) rmSync(folder, { recursive: true });
  });

  it.each([
    ...Object.keys(COMPILERS).map((name) => [name, join(compilers, `node_modules/typescript-${name}/bin/tsc`)]),
    ["7", join(ROOT, "node_modules/typescript/bin/tsc")],
  ])("exports a model that another one uses, with TypeScript %s", (name, compiler = "") => {
    const compilerOptions = {
      module: "nodenext",
      target: "es2022",
      lib: ["es2022", "esnext.disposable"],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      types: ["node"],
      composite: true,
      emitDeclarationOnly: true,
    };
    for (const [project, references] of Object.entries({ model: [], use: [{ path: "../model" }] })) {
      const folder = join(application, project);
      const options = { ...compilerOptions, rootDir: "." };
      const config = { compilerOptions: options, files: [`${project}.ts`], references };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
      expect([name, project, runNode(folder, [compiler, "-p", folder, "--pretty", "false"]).out]).toEqual([
        name,
        project,
        "",
      ]);
    }
    const written = readFileSync(join(application, "model/model.d.ts"), "utf8");
    expect([...new Set(written.match(/from "odatakit[^"]*"|import\("odatakit[^"]*"\)/gu))]).toContain(
      'import("odatakit")',
    );
    expect(written).not.toContain("any;");
  });
});
