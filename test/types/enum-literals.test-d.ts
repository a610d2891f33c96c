import { action, complexType, edm, entitySet, entityType, enumType, odataError } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { expectTypeOf, test } from "vitest";

const Status = enumType("Status", { Open: 0, Closed: 1 });
const Step = complexType("Step", { status: edm.enum(Status), note: edm.string() });
const Order = entityType("Order", {
  id: edm.int32().key(),
  status: edm.enum(Status),
  old: edm.enum(Status).nullable(),
  first: edm.complex(Step).nullable(),
  steps: edm.collection(edm.complex(Step)),
});
const STEP = { status: "Open", note: "a" } as const;
const ORDER = { id: 1, old: null, first: null, steps: [] };
declare const db: Parameters<typeof sqlEntitySet>[1]["db"];

test("members of an enumeration are written as they are, in each handler", () => {
  entitySet(Order, {
    getAll: () => [{ id: 1, status: "Open", old: "Closed", first: { status: "Open", note: "" }, steps: [STEP] }],
    getByKey: (id) => ({ ...ORDER, id, status: "Open", steps: [{ status: "Closed", note: "b" }] }),
    create: async (order) => ({ ...order, status: "Open", old: order.old ?? null, first: null }),
    replace: (id, order) => (order.status === "Open" ? null : { ...ORDER, id, status: "Closed" }),
    patch: async (id, { status = "Open" }) => (id === 1 ? odataError(409, "Conflict", "no") : { ...ORDER, id, status }),
    set: { status: { create: () => "Open", update: ({ user }) => (user.id === "" ? "Open" : "Closed") } },
    before: {
      create: ({ entity }) => ({ ...entity, status: "Open" }),
      replace: async ({ entity }) => ({ ...entity, status: "Closed" }),
      patch: ({ delta }) => ({ ...delta, status: "Closed" }),
    },
    after: {
      create: ({ entity }) => ({ ...entity, status: "Closed" }),
      patch: async () => ({ status: "Open", first: { status: "Open", note: "" } }),
    },
    actions: {
      close: action(Order, { bound: "entity", returns: Order, handler: (id) => ({ ...ORDER, id, status: "Closed" }) }),
    },
  });
  const orders = sqlEntitySet(Order, {
    db,
    table: "orders",
    operations: ["read", "create"],
    set: { status: { create: () => "Open" }, first: { create: () => ({ status: "Open", note: "" }) } },
    before: { create: ({ entity }) => ({ ...entity, status: "Open" }) },
    after: { create: ({ entity }) => ({ ...entity, status: "Closed" }) },
  });
  expectTypeOf(orders.entityType).toEqualTypeOf<typeof Order>();
});

test("other texts are refused", () => {
  // @ts-expect-error -- no member has this name
  entitySet(Order, { getAll: () => [{ ...ORDER, status: "Opened" }] });
  // @ts-expect-error -- no member has this name
  entitySet(Order, { getByKey: (id) => ({ ...ORDER, id, status: "" }) });
  // @ts-expect-error -- no member has this name
  entitySet(Order, { getByKey: async (id) => ({ ...ORDER, id, status: "Open", old: "Opened" }) });
  // @ts-expect-error -- no member has this name
  entitySet(Order, { getByKey: (id) => ({ ...ORDER, id, status: "Open", first: { status: "Opened", note: "" } }) });
  // @ts-expect-error -- a text is not an entity
  entitySet(Order, { getByKey: () => "" });
  // @ts-expect-error -- the status is missing
  entitySet(Order, { getByKey: () => ({ ...ORDER }) });
  // @ts-expect-error -- no member has this name
  entitySet(Order, { set: { status: { create: () => "" } } });
  // @ts-expect-error -- no member has this name
  entitySet(Order, { before: { create: ({ entity }) => ({ ...entity, status: "Opened" }) } });
  // @ts-expect-error -- no member has this name
  entitySet(Order, { after: { patch: async () => ({ status: "" }) } });
  // @ts-expect-error -- a text is not a number
  entitySet(Order, { after: { patch: () => ({ id: "" }) } });
});
