import { edm, entityType, entitySet, odataService, type ODataService } from "odatakit";

const Order = entityType("Order", { id: edm.int32().key() });

/** A service with a fault in its declarations. */
export const service: ODataService = odataService({
  entitySets: [entitySet(Order, { getAll: () => [], name: "not a name" })],
});
