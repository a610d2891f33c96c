import { expect, test } from "vitest";
import { compileProgram } from "./compile-program.ts";

const ENTITY_TYPES = 200;
const PROPERTIES = 20;
/** The type instantiations of the package itself. */
const OF_PACKAGE = 170_000;
/**
 * The maximum number of type instantiations for the model below: 3800 per set, of which 600 compare what handlers return, so
 * that an error names the wrong property. Times would depend on the machine.
 */
const INSTANTIATIONS = OF_PACKAGE + 3800 * ENTITY_TYPES;

const BUILDERS = [
  "edm.string({ maxLength: 50 })",
  "edm.int32()",
  "edm.int64().nullable()",
  "edm.decimal({ precision: 12, scale: 2 })",
  "edm.dateTimeOffset().computed()",
  "edm.boolean().default(false)",
  "edm.collection(edm.string())",
  "edm.enum(Status)",
  "edm.complex(Address).nullable()",
  'edm.guid().nullable().json("other")',
];

const HEAD = `import { applyDelta, complexType, edm, entitySet, entityType, enumType, fn, hasMany, hasRequired, type EntityOf } from "odatakit";
const Status = enumType("Status", { Draft: 0, Paid: 1, Shipped: 2 });
const Address = complexType("Address", { street: edm.string(), city: edm.string().nullable() });
`;

function declarationsOf(index: number): string {
  const properties = Array.from(
    { length: PROPERTIES - 1 },
    (_, at) => `  p${at}: ${BUILDERS[at % BUILDERS.length] ?? ""},`,
  );
  const next = (index + 1) % ENTITY_TYPES;
  return `export const E${index} = entityType("E${index}", {
  id: edm.int64().key(),
${properties.join("\n")}
});
declare const rows${index}: Array<EntityOf<typeof E${index}>>;
export const set${index} = entitySet(E${index}, {
  getAll: () => rows${index},
  getByKey: (key) => rows${index}.find((row) => row.id === key) ?? null,
  create: (entity) => ({ ...entity, p4: "", p14: "" }),
  patch: (key, delta) => applyDelta(E${index}, rows${index}.find((row) => row.id === key), delta),
  filterProperties: ["p0", "p1"],
  navigation: {
    next: hasRequired(() => E${next}, { on: { p2: "id" }, get: () => null }),
    many: hasMany(() => E${next}, { on: { id: "p2" }, getBatch: () => new Map() }),
  },
  functions: { total: fn({ bound: "entity", returns: edm.decimal(), handler: (key) => String(key) }) },
});
`;
}

test(`${ENTITY_TYPES} sets of ${PROPERTIES} properties stay within the budget of the compiler`, () => {
  const all = Array.from({ length: ENTITY_TYPES }, (_, index) => declarationsOf(index));
  const { errors, figures } = compileProgram({ "model.ts": HEAD + all.join("\n") });
  expect(errors.slice(0, 5)).toEqual([]);
  const instantiations = figures.get("Instantiations") ?? Number.NaN;
  const [types, seconds] = [figures.get("Types"), figures.get("Check time")];
  process.stdout.write(
    `${ENTITY_TYPES} sets: ${instantiations} instantiations, ${String(types)} types, ${String(seconds)} s to check\n`,
  );
  expect(instantiations).toBeLessThan(INSTANTIATIONS);
});
