import { type } from "arktype";
import { edm, entitySet, entityType, hasMany, odataError, type SetContext } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { RE2JS } from "re2js";
import * as v from "valibot";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

const Line = entityType("Line", { id: edm.int32().key(), orderId: edm.int64(), qty: edm.int32() });
const Order = entityType("Order", {
  id: edm.int64().key(),
  total: edm.decimal({ scale: 2, minimum: 0, maximum: "99.50" }),
  note: edm.string({ minLength: 1, pattern: /^a/ }).nullable(),
  tags: edm.collection(edm.string({ pattern: "^a$" }), { minItems: 1, maxItems: 3 }),
  secret: edm.string().ignored(),
  version: edm.int32().computed(),
});

declare const db: Parameters<typeof sqlEntitySet>[1]["db"];

test("facets have the types of the values", () => {
  edm.string({ pattern: RE2JS.compile("a") });
  edm.int64({ minimum: 1, maximum: 2n });
  // @ts-expect-error -- a bound of Int32 is a number
  edm.int32({ minimum: "1" });
  // @ts-expect-error -- only numbers have bounds
  edm.string({ minimum: 1 });
  // @ts-expect-error -- only collections have a number of items
  edm.string({ minItems: 1 });
  // @ts-expect-error -- entities in results have no facets
  edm.collection(Order, { minItems: 1 });
});

test("functions get the entity, the delta and the stored entity of their set", () => {
  entitySet(Order, {
    patch: () => null,
    navigation: { lines: hasMany(Line, { target: "Lines", on: { id: "orderId" } }) },
    validate: {
      create: ({ entity, ctx }) => {
        expectTypeOf(entity.total).toEqualTypeOf<string>();
        expectTypeOf(entity.lines?.[0]?.qty).toEqualTypeOf<number | undefined>();
        expectTypeOf(entity).not.toHaveProperty("secret");
        expectTypeOf(ctx).toExtend<Pick<SetContext<typeof Order>, "user" | "sets">>();
      },
      patch: async ({ delta, current }) => {
        expectTypeOf(delta).toEqualTypeOf<{
          readonly total?: string;
          readonly note?: string | null;
          readonly tags?: readonly string[];
        }>();
        expectTypeOf(await current()).toEqualTypeOf<{
          readonly id: bigint;
          readonly total: string;
          readonly note: string | null;
          readonly tags: readonly string[];
          readonly secret: string;
          readonly version: number;
        } | null>();
        return [{ message: "No.", path: ["lines", 0, { key: "qty" }], code: "No" }];
      },
    },
  });
});

test("functions may return an error for the client", () => {
  const closed = odataError(403, "Closed", "The shop is closed.");
  entitySet(Order, {
    patch: () => null,
    validate: { create: () => closed, patch: async () => Promise.resolve(closed) },
  });
});

test("schemas of zod, valibot and arktype fit", () => {
  const create = z.object({ note: z.string() });
  entitySet(Order, { validate: { create } });
  entitySet(Order, { validate: { create: v.object({ note: v.string() }) } });
  entitySet(Order, { validate: { create: type({ note: "string" }) } });
  sqlEntitySet(Order, { db, table: "orders", operations: ["create"], validate: { create } });
  // @ts-expect-error -- a schema has the interface Standard Schema
  entitySet(Order, { validate: { create: { parse: () => undefined } } });
  // @ts-expect-error -- an issue has a message
  entitySet(Order, { validate: { create: () => [{ path: ["note"] }] } });
});

test("constraints name properties of the set", () => {
  entitySet(Order, { constraints: { total_check: { target: "total", message: "No." }, other: { message: "No." } } });
  // @ts-expect-error -- the type has no such property
  entitySet(Order, { constraints: { total_check: { target: "totals", message: "No." } } });
  // @ts-expect-error -- a message is required
  entitySet(Order, { constraints: { total_check: { target: "total" } } });
});
