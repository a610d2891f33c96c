import type { Annotation } from "../../edm/annotation.ts";
import type { Model } from "../../edm/model.ts";

/** A reference to a labeled element of the service that no annotation declares. */
export interface UnlabeledReference {
  /** The element with the annotation, as `annotationPlace` names it. */
  readonly place: string;
  readonly term: string;
  /** With the namespace. */
  readonly reference: string;
}

/**
 * Returns the references that clients cannot resolve. Labeled elements of other schemas are unknown here.
 * @see OData CSDL 4.0, sections 14.5.8 and 14.5.9
 */
export function unlabeledReferences(
  { byPlace }: NonNullable<Model["annotations"]>,
  namespace: string,
): readonly UnlabeledReference[] {
  const labels = new Set<string>();
  const found: UnlabeledReference[] = [];
  for (const [place, list] of byPlace) {
    for (const annotation of list) {
      for (const { kind, name } of labelsIn(annotation)) {
        if (kind === "declared") labels.add(`${namespace}.${name}`);
        else if (name.startsWith(`${namespace}.`)) found.push({ place, term: annotation.term, reference: name });
      }
    }
  }
  return found.filter(({ reference }) => !labels.has(reference));
}

interface Label {
  readonly kind: "declared" | "referred";
  readonly name: string;
}

/** Yields the labels of an annotation, also those within values and within annotations of annotations. */
function* labelsIn(part: Annotation | object): Iterable<Label> {
  const { kind, type, text, name, attributes } = part as Readonly<Record<string, unknown>>;
  if (kind === "Constant" && type === "LabeledElementReference") yield { kind: "referred", name: String(text) };
  if (kind === "Operator" && name === "LabeledElement") {
    yield { kind: "declared", name: String((attributes as Readonly<Record<string, unknown>>)["Name"]) };
  }
  for (const each of Object.values(part) as unknown[]) {
    if (typeof each === "object" && each !== null) yield* labelsIn(each);
  }
}
