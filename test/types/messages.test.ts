import { beforeAll, describe, expect, test } from "vitest";
import { compileProgram } from "./compile-program.ts";

const HEAD = `import { edm, entitySet, entityType, enumType, odataError, type EntityOf } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
const Status = enumType("Status", { Draft: 0, Paid: 1 });
const Row = entityType("Row", { id: edm.string().key(), name: edm.string(), status: edm.enum(Status), age: edm.int32().nullable() });
const right = { id: "x", name: "y", status: "Draft", age: null } as const;
const wrong = { ...right, name: 1 };
declare const db: Parameters<typeof sqlEntitySet>[1]["db"];
`;

const WRONG_NAME = "The property 'name' of the returned entities has a wrong type.";
const NO_NAME = "The returned entities lack the property 'name'.";
const NO_ENTITIES = "The handler must return an array or an iterable of entities.";

const MESSAGES: ReadonlyArray<readonly [handler: string, message: string]> = [
  ['getAll: () => [{ ...right, id: "x", name: 1 }]', WRONG_NAME],
  ["getAll: () => [wrong]", WRONG_NAME],
  ["getAll: async () => [wrong]", WRONG_NAME],
  ["getAll: (ctx) => (ctx.user === null ? [wrong] : [])", WRONG_NAME],
  ["getAll: () => new Set([wrong])", WRONG_NAME],
  ["getAll: async function* () { yield wrong; }", WRONG_NAME],
  ["getAll: () => [right, wrong]", WRONG_NAME],
  ['getAll: () => [{ id: "x", status: "Draft" as const }]', NO_NAME],
  ['getAll: () => [{ Id: "x", Name: 1, id: "x", status: right.status }]', NO_NAME],
  ['getAll: () => [{ ...right, status: "Drft" as const }]', WRONG_NAME.replace("name", "status")],
  ['getAll: () => [{ ...right, age: "1" }]', WRONG_NAME.replace("name", "age")],
  ["getAll: () => ({ items: [right] })", NO_ENTITIES],
  ["applyQuery: () => ({ items: [wrong], count: 1 })", WRONG_NAME],
  ["applyQuery: async ({ top }) => ({ items: [wrong].slice(top) })", WRONG_NAME],
  ["applyQuery: () => [right]", "The handler must return { items, count?, nextLink? }."],
  ["getByKey: () => wrong", WRONG_NAME],
  ["getByKey: async (id) => (id === right.id ? wrong : null)", WRONG_NAME],
  ["getByKey: () => [right]", "The returned entities lack the property"],
  ["create: async (entity) => ({ ...entity, name: entity.name.length })", WRONG_NAME],
  ["replace: (id, entity) => ({ ...entity, id, name: null })", WRONG_NAME],
  ["patch: async () => wrong", WRONG_NAME],
];

/** Arrays of wrong entities whose errors have two levels: the property, and its types. */
const ARRAYS: readonly string[] = [
  "arraySource(Row, [wrong])",
  "entitySet(Row, { queryable: () => arraySource(Row, [right, wrong]) })",
  "fn({ returns: edm.collection(Row), handler: () => [wrong] })",
  "action({ returns: edm.collection(Row), handler: async () => [wrong] })",
];
const RIGHT_ARRAYS = `
export const set = arraySource(Row, new Set([right]));
export const values = arraySource(Row, [right].values());
export const more = fn({ returns: edm.collection(Row), handler: () => new Set([right]) });
`;

/** Programs that have no error: results that the compiler infers must not be stricter than the declared ones. */
const RIGHT = `
export const a = entitySet(Row, { getAll: () => [right], getByKey: async (id) => ({ id, name: "y", status: right.status }), filterProperties: ["age"] });
export const b = entitySet(Row, { getAll: () => [], getByKey: (id) => (id === "x" ? right : odataError(404, "Gone", "x")) });
export const c = entitySet(Row, { getAll: () => odataError(400, "No", "x"), getByKey: () => { throw new Error(); }, create: (row) => ({ ...row, id: "x" }) });
export const d = entitySet(Row, { applyQuery: async ({ top }) => ({ items: new Set([right]).values(), count: BigInt(top ?? 1) }), patch: () => null });
export const e = sqlEntitySet(Row, { db, table: "rows", operations: [], getAll: async () => [right], getByKey: () => null });
`;

/** Functions whose sets return values of their type parameters; they have no error. */
const GENERIC = `
type Row = EntityOf<typeof Row>;
export function f<T extends Row>(rows: readonly T[]) {
  return entitySet(Row, { getAll: () => rows, getByKey: (id) => rows.find((row) => row.id === id) ?? null, applyQuery: () => ({ items: rows }) });
}
export function g<T extends Row>(load: () => Promise<T>) {
  return entitySet(Row, { getAll: async function* () { yield await load(); }, create: load, replace: load, patch: () => load() });
}
export function h<T extends object>(rows: Iterable<T & Row>, one: T & Row) {
  return sqlEntitySet(Row, { db, table: "rows", operations: [], getAll: () => rows, getByKey: () => one, create: (row) => ({ ...one, ...row, id: "x" }) });
}
export function i<T>(rows: readonly T[], id: keyof T, map: (row: T) => Row) {
  return [
    entitySet(Row, { getAll: () => rows.map(map), getByKey: () => rows.map(map)[0] ?? null }),
    entitySet(Row, { getAll: () => rows.map((row) => ({ ...row, ...right, id: String(row[id]) })) }),
  ];
}
`;

/** The lines of each error of a program: the error itself, and its indented levels. */
function errorsOf(report: string): readonly (readonly string[])[] {
  const errors: string[][] = [];
  for (const line of report.split("\n")) {
    if (line.includes("error TS")) errors.push([line]);
    else if (line.startsWith(" ")) errors.at(-1)?.push(line.trim());
  }
  return errors;
}

const HANDLERS = MESSAGES.flatMap(([handler], index) => [
  `export const s${index} = entitySet(Row, { ${handler} });`,
  `export const t${index} = sqlEntitySet(Row, { db, table: "rows", operations: [], ${handler} });`,
]);
const ARRAYS_HEAD = HEAD.replace("import {", "import { action, arraySource, fn,").replace(
  ", odataError, type EntityOf",
  "",
);
const ARRAY_CALLS = ARRAYS.map((call, index) => `export const s${String(index)} = ${call};`);

describe("the errors of wrong entities", () => {
  let errors: ReturnType<typeof errorsOf>;

  // The compiler takes most of its time for the types of the package, so it runs once.
  beforeAll(() => {
    const { report } = compileProgram({
      "handlers.ts": HEAD + HANDLERS.join("\n") + RIGHT + GENERIC,
      "arrays.ts": ARRAYS_HEAD + ARRAY_CALLS.join("\n") + RIGHT_ARRAYS,
    });
    errors = errorsOf(report);
  });

  const errorsIn = (file: string): typeof errors => errors.filter(([first = ""]) => first.includes(`${file}(`));

  test("a handler that returns wrong entities is an error of one level, which names the property", () => {
    const found = errorsIn("handlers.ts");
    expect(found.slice(HANDLERS.length), "programs without an error").toEqual([]);
    expect(found.map(([, ...levels]) => levels.length)).toEqual(HANDLERS.map(() => 1));
    for (const [index, [handler, message]] of MESSAGES.entries()) {
      for (const error of found.slice(2 * index, 2 * index + 2)) expect(error[1], handler).toContain(`"${message}`);
    }
  });

  test("an array of wrong entities is an error of two levels, which names the property", () => {
    const levels = ["Types of property 'name' are incompatible.", "Type 'number' is not assignable to type 'string'."];
    expect(errorsIn("arrays.ts").map(([, ...each]) => each)).toEqual(ARRAY_CALLS.map(() => levels));
  });

  test("no other file has an error", () => {
    expect(errors).toHaveLength(errorsIn("handlers.ts").length + errorsIn("arrays.ts").length);
  });
});
