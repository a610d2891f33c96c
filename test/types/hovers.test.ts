import { expect, test } from "vitest";
import { declarationPaths } from "../house/declarations.ts";
import { compileProgram } from "./compile-program.ts";

const MODEL = `
import { complexType, edm, entityType, enumType, type BodyOf, type DeltaOf, type EntityOf, type KeyOf, type ResultOf } from "odatakit";
const Status = enumType("Status", { Draft: 0, Paid: 1 });
const Address = complexType("Address", { street: edm.string(), city: edm.string().nullable() });
export const Order = entityType("Order", {
  tenant: edm.string().key(),
  id: edm.int64().key(),
  status: edm.enum(Status).default("Draft"),
  total: edm.decimal(),
  shipTo: edm.complex(Address).nullable(),
  tags: edm.collection(edm.string()),
  version: edm.int32().computed(),
});
declare function show<T>(): { readonly shown: T };
`;

const EXPECTED = {
  "KeyOf<typeof Order>": "{ readonly tenant: string; readonly id: bigint; }",
  "EntityOf<typeof Order>":
    '{ tenant: string; id: bigint; status: "Draft" | "Paid"; total: string; shipTo: { street: string; city: string | null; } | null; tags: readonly string[]; version: number; }',
  "BodyOf<typeof Order>":
    '{ tenant: string; id: bigint; status: "Draft" | "Paid"; total: string; shipTo: { street: string; city: string | null; } | null; tags: readonly string[]; }',
  "DeltaOf<typeof Order>":
    '{ readonly status?: "Draft" | "Paid"; readonly total?: string; readonly shipTo?: { readonly street?: string; readonly city?: string | null; } | null; readonly tags?: readonly string[]; }',
  "ResultOf<typeof Order>":
    '{ readonly tenant: string; readonly id: number | bigint; readonly status: "Draft" | "Paid"; readonly total: string | number; readonly shipTo?: { readonly street: string; readonly city?: string | null | undefined; } | null | undefined; readonly tags: readonly string[]; readonly version: number; }',
};

/** Messages of the compiler show a type like an editor. */
test("inferred types read as their members, in order of declaration", async () => {
  const types = Object.keys(EXPECTED);
  const statements = types.map((type, index) => `export const x${index}: never = show<${type}>().shown;`);
  const { errors } = compileProgram(
    { "hovers.ts": MODEL + statements.join("\n") },
    { noErrorTruncation: true, paths: await declarationPaths() },
  );
  const shown = errors.map((error) => /Type '(.*)' is not assignable to type 'never'/u.exec(error)?.[1] ?? error);
  expect(Object.fromEntries(types.map((type, index) => [type, shown[index]]))).toEqual(EXPECTED);
});
