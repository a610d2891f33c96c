import { expect, test } from "vitest";
import { declarationPaths } from "../house/declarations.ts";
import { compileProgram } from "./compile-program.ts";

const PROGRAM = `
import { action, edm, entitySet, entityType, type Context } from "odatakit";
const Order = entityType("Order", { id: edm.int32().key(), total: edm.int32(), status: edm.string() });
export const Orders = entitySet(Order, {
  getByKey: () => null,
  create: (order) => order,
  patch: () => null,
  set: { status: { create: async ({ ctx, input }) => statusAfter(ctx, input.id) } },
  before: { create: async ({ ctx, entity }) => ({ ...entity, total: await totalOf(ctx, entity.id) }) },
  actions: { close: action({ bound: "entity", returns: Order, handler: async (key, _given, ctx) => closed(ctx, key) }) },
});
async function totalOf(ctx: Context, id: number) {
  const order = await ctx.sets(Orders, { trusted: true }).get(id, { forUpdate: true });
  return order === null ? 0 : order.total + 1;
}
async function statusAfter(ctx: Context, id: number) {
  return (await ctx.sets(Orders).get(id))?.status ?? "new";
}
async function closed(ctx: Context, id: number) {
  return ctx.sets(Orders).patch(id, { status: "closed" });
}
`;

test("a helper that refers to its own set leads to errors that name the circle, and to no others", async () => {
  const { errors } = compileProgram({ "orders.ts": PROGRAM }, { paths: await declarationPaths() });
  expect(errors[0]).toContain("'Orders' implicitly has type 'any'");
  expect(errors.filter((error) => !error.includes("is referenced directly or indirectly in"))).toEqual([]);
});

test("a written return type of the helper, or the set as its parameter, compiles", async () => {
  const written = PROGRAM.replace("type Context }", "type Context, type EntitySetAccess }")
    .replace("totalOf(ctx: Context, id: number)", "$&: Promise<number>")
    .replace("statusAfter(ctx: Context, id: number)", "$&: Promise<string>")
    .replace("closed(ctx: Context, id", "closed(orders: EntitySetAccess<typeof Order, unknown>, id")
    .replace("ctx.sets(Orders).patch", "orders.patch")
    .replace("closed(ctx, key)", "closed(ctx.set, key)");
  expect(compileProgram({ "orders.ts": written }, { paths: await declarationPaths() }).errors).toEqual([]);
});
