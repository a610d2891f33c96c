import { arraySource, edm, entitySet, entityType, odataService, servicesFetch } from "odatakit";

const Order = entityType("Order", { id: edm.int64().key(), name: edm.string() });
const rows = [
  { id: 1n, name: "é" },
  { id: 9007199254740993n, name: "it's" },
];
const orders = entitySet(Order, {
  queryable: () => arraySource(Order, rows),
  getByKey: (key) => rows.find(({ id }) => id === key) ?? null,
  create: ({ id, name }) => ({ id, name }),
});
const entitySets = [orders];
/** Two services over the same rows. */
export const services = ["v1", "v2"].map((name) => odataService({ name, entitySets }));

/** Handles requests to `/v1` and `/v2`. */
export const handle = servicesFetch(services);
