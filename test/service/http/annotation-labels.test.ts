import { edm, entitySet, entityType, odataService } from "odatakit";
import { expect, test } from "vitest";

const vocabularies = { X: { namespace: "com.example.X", uri: "https://example.com/X.xml" } };
const LABELED = { $LabeledElement: { $Path: "name" }, $Name: "label" };

/** Returns the warnings of a service with these annotations of a property and of a set. */
function warningsOf(ofProperty: object, ofSet: object = {}): readonly unknown[] {
  const warnings: unknown[] = [];
  const Thing = entityType("Thing", {
    id: edm.int32().key(),
    name: edm.string().annotate(ofProperty as Record<string, string>),
  });
  odataService({
    namespace: "Shop",
    vocabularies,
    entitySets: [entitySet(Thing, { getAll: () => [], annotations: ofSet as Record<string, string> })],
    logger: {
      error: () => expect.unreachable(),
      info: () => undefined,
      warn: (message, fields) => void warnings.push([message, fields]),
    },
  });
  return warnings;
}

const warning = (term: string, element: string, reference: string) => [
  `The annotation ${term} of the ${element} refers to ${reference}, which no annotation of the service declares.`,
  { term, element, reference, fix: "Declare it with `$LabeledElement` and `$Name`." },
];

test("a reference to an undeclared labeled element is a warning", () => {
  const reference = { $LabeledElementReference: "Shop.lable" };
  expect(
    warningsOf({ "X.A": reference, "X.B": LABELED }, { "X.C": [{ deep: { $If: [true, reference, "x"] } }] }),
  ).toEqual([warning("X.A", "type Thing/Name", "Shop.lable"), warning("X.C", "set Things", "Shop.lable")]);
});

test("a reference to a declared element, before or after it, and to one of another schema is none", () => {
  const reference = { $LabeledElementReference: "Shop.label" };
  expect(warningsOf({ "X.A": reference, "X.B": LABELED }, { "X.C": [reference] })).toEqual([]);
  expect(warningsOf({ "X.A": [{ inner: LABELED }] }, { "X.C": reference })).toEqual([]);
  expect(warningsOf({ "X.A": { $LabeledElementReference: "Other.label" } })).toEqual([]);
});
