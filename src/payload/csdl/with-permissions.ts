import type { Annotation, AnnotationExpression, ModelAnnotations } from "../../edm/annotation.ts";
import type { Model } from "../../edm/model.ts";
import type { Permission } from "../../language/query/capabilities.ts";

const TERM = "Org.OData.Core.V1.Permissions";
const TYPE = "Org.OData.Core.V1.Permission";

/** The members of the enumeration for properties. The position is the value: its bits are flags. */
const MEMBERS = ["None", "Read", "Write", "ReadWrite"] as const;

const NO_ANNOTATIONS: ModelAnnotations = { byPlace: new Map(), vocabularies: [], isExternal: false };

/**
 * Returns a model that states permissions on properties. A permission that the application has declared for all users is
 * limited to them.
 * @param permissions by the place of the property
 * @see Org.OData.Core.V1.Permissions
 */
export function withPermissions(model: Model, permissions: ReadonlyMap<string, Permission>): Model {
  const { annotations = NO_ANNOTATIONS } = model;
  const limited = Array.from(
    permissions,
    ([place, permission]) => [place, limit(annotations.byPlace.get(place) ?? [], permission)] as const,
  );
  return { ...model, annotations: { ...annotations, byPlace: new Map([...annotations.byPlace, ...limited]) } };
}

function limit(stated: readonly Annotation[], permission: Permission): readonly Annotation[] {
  const known = stated.find(({ qualifiedTerm, qualifier }) => qualifiedTerm === TERM && qualifier === undefined);
  const granted = known === undefined ? MEMBERS.indexOf("ReadWrite") : bitsOf(known.value);
  const left = granted & MEMBERS.indexOf(permission);
  const value = { kind: "Constant", type: "EnumMember", text: `${TYPE}/${MEMBERS[left] ?? "None"}` } as const;
  const { annotations = [], term = TERM } = known ?? {};
  const limited = { term, qualifiedTerm: TERM, qualifier: undefined, value, annotations };
  return known === undefined ? [...stated, limited] : stated.map((each) => (each === known ? limited : each));
}

/** Returns the flags of a constant. A value that depends on the entity may grant everything. */
function bitsOf(value: AnnotationExpression): number {
  if (value.kind !== "Constant" || value.type !== "EnumMember") return MEMBERS.indexOf("ReadWrite");
  const names = new Set(value.text.split(" ").map((each) => each.slice(each.indexOf("/") + 1)));
  return MEMBERS.reduce((bits, name, position) => (names.has(name) ? bits | position : bits), 0);
}
