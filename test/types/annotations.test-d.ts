import { type Annotations, edm, entityType } from "odatakit";
import { expectTypeOf, test } from "vitest";

/** A record of an application. */
interface Field {
  readonly Value: { readonly $Path: string };
  readonly Label?: string;
}

const annotated = (annotations: Annotations): string =>
  entityType("Thing", { id: edm.int32().key() }, { annotations }).name;

test("annotations take conditional values, interfaces, bytes and dates", () => {
  const fields: readonly Field[] = [{ Value: { $Path: "id" } }];
  const label: string | undefined = Math.random() > 2 ? "x" : undefined;
  expectTypeOf(annotated).toBeCallableWith({ "Common.Label": label, "UI.LineItem": fields });
  expectTypeOf(annotated).toBeCallableWith({
    "X.A": { $Binary: new Uint8Array([1]) },
    "X.B": [{ $Date: new Date(0) }],
  });
  expectTypeOf(annotated).toBeCallableWith({ "X.A": 5n, "X.B": null, "UI.Hidden": { $Path: "a" } });
});

test("annotations need terms and values", () => {
  // @ts-expect-error a term has a vocabulary
  annotated({ Label: "x" });
  // @ts-expect-error a symbol is not a value
  annotated({ "Common.Label": Symbol("x") });
});
