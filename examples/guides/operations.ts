import { action, edm, entitySet, entityType, fn, odataService } from "odatakit";

const Order = entityType("Order", { id: edm.int32().key(), placed: edm.date() });
const orders = entitySet(Order, {
  functions: {
    since: fn({
      bound: "collection",
      params: { day: edm.date().default("2026-11-01") },
      returns: edm.collection(Order),
      composable: true,
      handler: ({ day }) => [{ id: 2, placed: day }],
    }),
  },
  actions: {
    approve: action({
      bound: "entity",
      params: { note: edm.string({ maxLength: 100 }) },
      handler: (id, { note }) => console.log(id, note),
    }),
  },
});

const greet = fn({ params: { name: edm.string() }, returns: edm.string(), handler: ({ name }) => `Hi ${name}` });
const shop = odataService({ entitySets: [orders], functions: { greet } });
for (const path of ["Orders/since?day=2026-11-10&$select=Id", "greet?name=Ada", "greet?nam=Ada"]) {
  console.log(await (await shop.fetch(new Request(`http://shop.example/${path}`))).text());
}
