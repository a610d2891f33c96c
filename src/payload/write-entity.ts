import type { EntitySet, EntityType } from "../edm/model.ts";
import type { SelectExpandClause } from "../query/clauses.ts";
import type { RowShape } from "../query/row-shape.ts";
import { entityUrl } from "./entity-url.ts";
import { etagWriter } from "./etag.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { encodeSegment } from "./percent-encoding.ts";
import { requireObject, requireRow } from "./property-reader.ts";
import { compileRowMembers } from "./write-row.ts";
import { compileMembers, type MemberWriter } from "./write-value.ts";

/** Writes entities of one set as JSON text: made once per clause and format. */
export interface EntityWriter {
  readonly format: PayloadFormat;
  /**
   * The text of an entity inside a collection.
   * @param serviceRoot absolute, without a trailing slash
   * @throws Error when the entity has a value that the model does not allow
   */
  writeItem(entity: unknown, serviceRoot: string): string;
  /**
   * The body of a response that is one entity.
   * @param serviceRoot absolute, without a trailing slash
   * @throws Error when the entity has a value that the model does not allow
   */
  writeEntity(entity: unknown, serviceRoot: string, contextUrl: string): string;
}

/** Where the entities come from. */
export interface WriterTarget {
  readonly entitySet: EntitySet;
  readonly entityType: EntityType;
}

/** Writes the control information of an entity: nothing, or members that each end in a comma. */
type ControlWriter = (entity: unknown, serviceRoot: string) => string;

/**
 * Makes the writer of entities: the members that the clause selects, in its order, and the control information that
 * the format asks for. Members that the clause does not name are never written, whatever the object holds.
 * @param clause the bound `$select` and `$expand`
 * @param rowShape the layout of the entities when they are rows; otherwise they are the application's objects
 * @returns a writer that keeps nothing of a request
 * @see OData JSON Format 4.0, sections 3.1, 4.5 and 6
 */
export function compileEntityWriter(
  target: WriterTarget,
  clause: SelectExpandClause,
  format: PayloadFormat,
  rowShape?: RowShape,
): EntityWriter {
  const { entitySet, entityType } = target;
  const typeName = entityType.qualifiedName;
  const members =
    rowShape === undefined
      ? compileMembers(typeName, clause.selected, format)
      : compileRowMembers(typeName, clause.selected, format, rowShape.columns);
  const itemControl = compileItemControl(target, format, rowShape);
  const entityControl = compileEntityControl(target, format, rowShape);
  const links = format.metadata === "full" && !clause.isSelection ? compileLinks(entitySet) : null;
  const writeText = (entity: unknown, serviceRoot: string, control: string): string => {
    const source = rowShape === undefined ? requireObject(entity, typeName) : requireRow(entity, typeName);
    const text = writeMembers(members, source, control);
    return links === null ? `{${text}}` : `{${text}${links(entityUrl(serviceRoot, entitySet, entity, rowShape))}}`;
  };
  return Object.freeze({
    format,
    writeItem: (entity, serviceRoot) => writeText(entity, serviceRoot, itemControl(entity, serviceRoot)),
    writeEntity: (entity, serviceRoot, contextUrl) => {
      const context = format.metadata === "none" ? "" : `"@odata.context":${JSON.stringify(contextUrl)},`;
      return writeText(entity, serviceRoot, context + entityControl(entity, serviceRoot));
    },
  } satisfies EntityWriter);
}

/** The text between the braces, without a comma at its end. */
function writeMembers(members: readonly MemberWriter[], source: object, control: string): string {
  if (members.length === 0) return control.slice(0, -1);
  let text = control;
  let separator = "";
  for (const member of members) {
    text += separator + member(source);
    separator = ",";
  }
  return text;
}

const nothing: ControlWriter = () => "";

function compileItemControl(
  target: WriterTarget,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
): ControlWriter {
  if (format.metadata === "none") return nothing;
  if (format.metadata === "full") return compileFullControl(target, rowShape);
  return compileEtagControl(target.entitySet, rowShape);
}

function compileEntityControl(
  target: WriterTarget,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
): ControlWriter {
  if (format.metadata === "none") return nothing;
  if (format.metadata === "full") return compileFullControl(target, rowShape);
  const etag = compileEtagControl(target.entitySet, rowShape);
  return (entity, serviceRoot) => {
    const id = JSON.stringify(entityUrl(serviceRoot, target.entitySet, entity, rowShape));
    return `"@odata.id":${id},${etag(entity, serviceRoot)}`;
  };
}

function compileFullControl({ entitySet, entityType }: WriterTarget, rowShape: RowShape | undefined): ControlWriter {
  const type = `"@odata.type":${JSON.stringify(`#${entityType.qualifiedName}`)},`;
  const etag = compileEtagControl(entitySet, rowShape);
  return (entity, serviceRoot) => {
    const url = JSON.stringify(entityUrl(serviceRoot, entitySet, entity, rowShape));
    return `${type}"@odata.id":${url},${etag(entity, serviceRoot)}"@odata.editLink":${url},`;
  };
}

function compileEtagControl(entitySet: EntitySet, rowShape: RowShape | undefined): ControlWriter {
  const write = etagWriter(entitySet, rowShape);
  if (write === null) return nothing;
  return (entity) => `"@odata.etag":${JSON.stringify(write(entity))},`;
}

/** The links of the navigation properties that the set declares, each with a comma in front. */
function compileLinks(entitySet: EntitySet): (url: string) => string {
  const names = [...entitySet.navigationProperties.keys()].map((name) => ({
    association: `,${JSON.stringify(`${name}@odata.associationLink`)}:`,
    navigation: `,${JSON.stringify(`${name}@odata.navigationLink`)}:`,
    segment: encodeSegment(name),
  }));
  return (url) => {
    let text = "";
    for (const { association, navigation, segment } of names) {
      const target = `${url}/${segment}`;
      text += `${association}${JSON.stringify(`${target}/$ref`)}${navigation}${JSON.stringify(target)}`;
    }
    return text;
  };
}
