import { applyDelta, edm, entitySet, entityType, odataService, type EntityOf } from "odatakit";

const Order = entityType("Order", {
  id: edm.int32().key().computed(),
  customer: edm.string({ maxLength: 80 }),
  status: edm.string().default("Draft"),
  version: edm.int32().computed(),
});
const rows = new Map<number, EntityOf<typeof Order>>();

const orders = entitySet(Order, {
  etag: ["version"],
  getByKey: (id) => rows.get(id) ?? null,
  create: (order) => {
    const saved = { ...order, id: rows.size + 1, version: 1 };
    rows.set(saved.id, saved);
    return saved;
  },
  patch: (id, delta) => {
    const changed = applyDelta(Order, rows.get(id), delta);
    if (changed === null) return null;
    const saved = { ...changed, version: changed.version + 1 };
    rows.set(id, saved);
    return saved;
  },
  delete: (id) => rows.delete(id),
});

const shop = odataService({ entitySets: [orders] });
const send = (method: string, path: string, body: object, headers: Record<string, string> = {}) => {
  const init = { method, body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } };
  return shop.fetch(new Request(`http://shop.example/${path}`, init));
};

const created = await send("POST", "Orders", { Customer: "Ada" });
console.log(created.status, created.headers.get("Location"));
const old = { "If-Match": created.headers.get("ETag") ?? "" };
console.log((await send("PATCH", "Orders(1)", { Status: "Paid" }, { ...old, Prefer: "return=minimal" })).status);
console.log((await send("PATCH", "Orders(1)", { Status: "Shipped" }, old)).status);
