import {
  arraySource,
  edm,
  entitySet,
  entityType,
  hasRequired,
  odataService,
  type ODataService,
  type ServiceOptions,
} from "odatakit";

/** Makes a service of many sets: each but the first refers to the first one, and to the one before it. */
export function manySets(count: number, options: Partial<ServiceOptions> = {}): ODataService {
  const First = entityType("Table0", { id: edm.int32().key(), name: edm.string().nullable() });
  const columns = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`column${at}`, edm.string().nullable()]));
  const types = Array.from({ length: count - 1 }, (_, at) =>
    entityType(`Table${at + 1}`, { id: edm.int32().key(), firstId: edm.int32(), lastId: edm.int32(), ...columns }),
  );
  const others = types.map((type, at) => {
    const before = types[at - 1];
    const first = { first: hasRequired(First, { on: { firstId: "id" }, target: "Table0s" }) };
    const last =
      before === undefined ? {} : { last: hasRequired(before, { on: { lastId: "id" }, target: `Table${at}s` }) };
    const navigation = { ...first, ...last };
    return entitySet(type, { name: `Table${at + 1}s`, queryable: () => arraySource(type, []), navigation });
  });
  const first = entitySet(First, { name: "Table0s", queryable: () => arraySource(First, []), getByKey: () => null });
  return odataService({ prefix: "/odata", entitySets: [first, ...others], ...options });
}
