import { loadEntitySets, odataService } from "odatakit";

const shared = await loadEntitySets(new URL("./sets/", import.meta.url));

/** Served at /v1: the original service. */
export const v1 = odataService({
  name: "v1",
  entitySets: [...shared, ...(await loadEntitySets(new URL("./v1/", import.meta.url)))],
});

/** Served at /v2: new names, new limits, and a navigation from products to their category. */
export const v2 = odataService({
  name: "v2",
  namespace: "Furniture",
  propertyNaming: "camelCase",
  defaults: { maxTop: 100 },
  entitySets: [...shared, ...(await loadEntitySets(new URL("./v2/", import.meta.url)))],
});
