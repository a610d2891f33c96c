import { expect, test } from "vitest";
import { compileProgram } from "./compile-program.ts";

const ENTITY_TYPES = 200;
/** A model of this size has the instantiations that do not depend on the number of sets, such as those of the package. */
const FEW_TYPES = 20;
const PROPERTIES = 20;
/**
 * The maximum number of type instantiations for a further set of the model below. 600 of them compare results of handlers, so
 * that an error names the wrong property. Times would depend on the machine.
 */
const OF_SET = 3800;

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

function declarationsOf(index: number, count: number): string {
  const properties = Array.from(
    { length: PROPERTIES - 1 },
    (_, at) => `  p${at}: ${BUILDERS[at % BUILDERS.length] ?? ""},`,
  );
  const next = (index + 1) % count;
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

function compileModel(count: number): ReturnType<typeof compileProgram> {
  const all = Array.from({ length: count }, (_, index) => declarationsOf(index, count));
  return compileProgram({ "model.ts": HEAD + all.join("\n") });
}

function instantiationsOf(figures: ReadonlyMap<string, number>): number {
  return figures.get("Instantiations") ?? Number.NaN;
}

test(`${ENTITY_TYPES} sets of ${PROPERTIES} properties stay within the budget of the compiler`, () => {
  const { errors, figures } = compileModel(ENTITY_TYPES);
  expect(errors.slice(0, 5)).toEqual([]);
  const few = compileModel(FEW_TYPES);
  const instantiations = instantiationsOf(figures);
  const ofSets = instantiations - instantiationsOf(few.figures);
  const [types, seconds] = [figures.get("Types"), figures.get("Check time")];
  process.stdout.write(
    `${ENTITY_TYPES} sets: ${instantiations} instantiations, ${String(types)} types, ${String(seconds)} s to check\n`,
  );
  expect(ofSets).toBeLessThan(OF_SET * (ENTITY_TYPES - FEW_TYPES));
});
