import { sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { driverFields } from "../../../src/base/errors/driver-fields.ts";
import { violationOf } from "../../../src/base/errors/violated-constraint.ts";
import type { OpenDatabase } from "../../engine/executors/engines.ts";
import { SPREAD_ENGINES } from "./spread-database.ts";

const ON_MACHINE = { where: "while executing command on 10.0.0.1:5432" };

test.each([
  [
    "23505",
    'duplicate key value violates unique constraint "orders_code_key_102866"',
    { ...ON_MACHINE, detail: "Key (tenant, code)=(a, b) already exists." },
    {
      kind: "unique",
      constraint: "orders_code_key",
      names: ["orders_code_key", "orders_code_key_102866", "tenant, code"],
    },
    { constraint: "orders_code_key", column: "tenant, code" },
  ],
  [
    "23503",
    'insert or update on table "orders_102872" violates foreign key constraint "own_102872"',
    { ...ON_MACHINE, detail: 'Key (r)=(5) is not present in table "customers_102864".' },
    { kind: "foreignKey", constraint: "own", names: ["own", "own_102872", "r"] },
    { constraint: "own", column: "r" },
  ],
  [
    "23502",
    'null value in column "code" of relation "orders_102872" violates not-null constraint',
    ON_MACHINE,
    { kind: "notNull", constraint: null, names: ["orders.code"] },
    { table: "orders", column: "code" },
  ],
  [
    "23514",
    'new row for relation "orders_102872" violates check constraint "before_202412"',
    ON_MACHINE,
    { kind: "check", constraint: "before_202412", names: ["before_202412", "before_202412"] },
    { constraint: "before_202412" },
  ],
  // A check that was added after the distribution.
  [
    "23514",
    'new row for relation "orders_102872" violates check constraint "later_102872"',
    ON_MACHINE,
    { kind: "check", constraint: "later", names: ["later", "later_102872"] },
    { constraint: "later" },
  ],
  [
    "23P01",
    'conflicting key value violates exclusion constraint "apart_102872"',
    ON_MACHINE,
    { kind: "unique", constraint: "apart", names: ["apart", "apart_102872"] },
    { constraint: "apart" },
  ],
  // A shard on the coordinator.
  [
    "23505",
    'duplicate key value violates unique constraint "orders_pkey_102866"',
    { table: "orders_102866", constraint: "orders_pkey_102866" },
    { kind: "unique", constraint: "orders_pkey" },
    { constraint: "orders_pkey", table: "orders" },
  ],
  // Tables and constraints with such names on one machine.
  [
    "23505",
    'duplicate key value violates unique constraint "orders_202412_pkey"',
    { table: "orders_202412", constraint: "orders_202412_pkey" },
    { kind: "unique", constraint: "orders_202412_pkey", names: ["orders_202412_pkey"] },
    { constraint: "orders_202412_pkey", table: "orders_202412" },
  ],
  // A service declares such a constraint by its whole name, whatever the language of the message is.
  [
    "23P01",
    "Konflikt",
    { table: "bookings_202412", constraint: "apart_202412" },
    { kind: "unique", names: ["apart", "apart_202412"] },
    { constraint: "apart", table: "bookings" },
  ],
  // The message of a trigger.
  [
    "23505",
    'duplicate key value violates unique constraint "orders_pkey"',
    {},
    { kind: "unique", constraint: null, names: [] },
    {},
  ],
] as const)("%s: %s", (code, message, fields, violation, logged) => {
  const error = Object.assign(new Error(message), { code, ...fields });
  expect(violationOf(error)).toMatchObject(violation);
  expect(driverFields(error)).toEqual({ code, ...logged });
});

const Order = entityType("Order", {
  tenant: edm.string().key(),
  id: edm.int32().key(),
  code: edm.string(),
  total: edm.int32(),
});

describe.each(SPREAD_ENGINES.filter(({ isCitus }) => isCitus))("constraints over $title", ({ open, create }) => {
  let opened: OpenDatabase;
  let service: ODataService;
  beforeAll(async () => {
    opened = await open();
    const columns = `tenant text, id int, code text not null constraint has_code check (code <> ''), total int not null constraint positive_total check (total > 0), primary key (tenant, id), constraint one_code unique (tenant, code)`;
    await create(opened.db, { table: "coded_orders", columns, by: "tenant" });
    service = odataService({
      propertyNaming: "camelCase",
      exposeConstraintNames: true,
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
      entitySets: [
        sqlEntitySet(Order, {
          db: opened.db,
          table: "coded_orders",
          operations: ["read", "create", "patch"],
          distributed: { by: "tenant" },
          constraints: {
            one_code: { target: "code", message: "This code is taken." },
            positive_total: { target: "total", message: "The total must be positive." },
          },
        }),
      ],
    });
    await sql`insert into coded_orders values ('a', 1, 'x', 1)`.execute(opened.db);
  });
  afterAll(() => opened.close());

  test.each([
    [{ tenant: "a", id: 2, code: "x", total: 1 }, [409, "This code is taken.", "code"]],
    [{ tenant: "a", id: 2, code: "y", total: -1 }, [400, "The total must be positive.", "total"]],
    [
      { tenant: "a", id: 2, code: "", total: 1 },
      [400, expect.stringContaining("The constraint 'has_code' of the database rejects this write"), undefined],
    ],
    [{ tenant: "a", id: 1, code: "z", total: 1 }, [409, expect.stringContaining("unique"), "tenant"]],
  ])("%j", async (body, expected) => {
    const init = { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
    const response = await service.fetch(new Request("http://service.example/Orders", init));
    const { error } = (await response.json()) as {
      readonly error: { readonly message: string; readonly target?: string };
    };
    expect([response.status, error.message, error.target]).toEqual(expected);
  });
});
