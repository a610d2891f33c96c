import { keptPer } from "../base/memo.ts";
import type { EntitySet, EntityType } from "../edm/model.ts";
import { selectsKey, type SelectExpandClause, type ExpandedNavigation } from "../language/query/clauses.ts";
import type { ExpandedEntity, Related, RelatedCollection } from "../language/query/expanded-entity.ts";
import type { RowShape } from "../language/query/row-shape.ts";
import { type EntityText, joinTexts, prefixed } from "./entity-text.ts";
import { etagOfMembers, etagWriter, marked } from "./etag.ts";
import { clauseOfType, columnsOfType, compileTypeFinder, withType } from "./hierarchy-entities.ts";
import type { PayloadFormat } from "./payload-format.ts";
import { requireObject, requireRow } from "./property-reader.ts";
import { entityUrl, knownUrlFinder, encodeSegment } from "./urls.ts";
import { compileLinks, type LinksOf, type LinkWriters } from "./write-links.ts";
import { compileRowWriter, type RowWriter } from "./write-row.ts";
import { compileStreamControl } from "./write-streams.ts";
import { compileMembers, type MemberWriter } from "./write-value.ts";

/** Writes entities of one set as JSON text: made once per clause and format. */
export interface EntityWriter {
  readonly format: PayloadFormat;
  /**
   * Writes an entity in a collection.
   * @param entity an `ExpandedEntity` if the clause has expansions
   * @param serviceRoot absolute, without a trailing slash
   * @throws Error if the entity has a value that the model does not allow
   */
  writeItem(entity: unknown, serviceRoot: string): EntityText;
  /**
   * Writes the body of a response with one entity.
   * @param entity as for an item
   * @param serviceRoot absolute, without a trailing slash
   * @throws Error if the entity has a value that the model does not allow
   */
  writeEntity(entity: unknown, serviceRoot: string, contextUrl: string): EntityText;
}

/** The origin of the entities. */
export interface WriterTarget {
  /** Null: no set is declared, so the entities have neither URL nor ETag. */
  readonly entitySet: EntitySet | null;
  readonly entityType: EntityType;
  /** The type that the context of the entities declares; absent: their type. */
  readonly declared?: EntityType | undefined;
  /** The routes of the entities; absent: all. */
  readonly routes?: EntityRoutes | undefined;
}

/** The routes that entities have, and so may be links in a response. */
export interface EntityRoutes {
  /** The links of navigation properties for full control information. */
  readonly linksOf: LinksOf;
  /** Whether the entities of a set can be read by their keys, and so have an `@odata.id`. */
  readonly isReadByKey: (entitySet: EntitySet) => boolean;
  /** Whether the entities of a set can be updated or deleted, and so have an edit link even if they cannot be read. */
  readonly isEdited: (entitySet: EntitySet) => boolean;
  /** Whether full control information marks entities without a set as transient, by an `@odata.id` of null. */
  readonly marksTransient: boolean;
}

/**
 * Writes the control information of an entity: members that each end in a comma, or nothing.
 * @param members the members that follow, if the ETag is made of them
 */
type ControlWriter = (entity: unknown, serviceRoot: string, members?: string) => string;

/** Writes one entity with its control information. */
type TextWriter<Text> = (entity: unknown, serviceRoot: string, control: ControlWriter) => Text;

/**
 * Makes the writer of entities: the selected members in the order of the clause, and the control information of the format.
 * Members outside the clause are never written.
 * @param clause the bound `$select` and `$expand`; expansions are written after the members, recursively
 * @returns a writer that does not depend on a request
 * @see OData JSON Format 4.0, sections 3.1, 4.5 and 6
 */
export function compileEntityWriter(
  target: WriterTarget,
  clause: SelectExpandClause,
  format: PayloadFormat,
  rowShape?: RowShape,
): EntityWriter {
  if (target.entityType.hierarchy === undefined) return compileTypeWriter(target, clause, format, rowShape);
  return compileHierarchyWriter(target, clause, format, rowShape);
}

function compileHierarchyWriter(...made: Parameters<typeof compileEntityWriter>): EntityWriter {
  const [{ entityType: declared, ...target }, clause, format, rowShape] = made;
  const findType = compileTypeFinder(declared, rowShape);
  const writerOf = keptPer((entityType: EntityType) =>
    compileTypeWriter({ ...target, entityType, declared }, clauseOfType(clause, entityType), format, rowShape),
  );
  const isExpanded = clause.expanded.length > 0;
  const find = (value: unknown): EntityWriter => writerOf(findType(isExpanded ? asExpanded(value).entity : value));
  const writeItem: EntityWriter["writeItem"] = (value, root) => find(value).writeItem(value, root);
  const writeEntity: EntityWriter["writeEntity"] = (value, ...more) => find(value).writeEntity(value, ...more);
  return Object.freeze({ format, writeItem, writeEntity });
}

/** Makes the writer of the entities of one type. */
function compileTypeWriter(
  target: WriterTarget,
  clause: SelectExpandClause,
  format: PayloadFormat,
  rowShape?: RowShape,
): EntityWriter {
  const { entitySet, entityType, routes } = target;
  const typeName = entityType.qualifiedName;
  const stored = clause.selected.filter(({ property }) => property.stream === undefined);
  const writeMembers =
    rowShape === undefined
      ? joinMembers(compileMembers(typeName, stored, format))
      : compileRowWriter(typeName, stored, format, columnsOfType(entityType, rowShape.columns));
  const linked = entitySet !== null && hasId(entitySet, routes) ? entitySet : null;
  const streams = compileStreamControl({ entityType, linked }, clause, format, rowShape);
  const added = (control: ControlWriter): ControlWriter => withType(target, format, withStreams(control, streams));
  const itemControl = added(compileItemControl(target, clause, format, rowShape));
  const entityControl = added(compileEntityControl(target, clause, format, rowShape));
  // A star selects all links, even if an allowlist restricts the properties.
  const isSelection = clause.isSelection && !clause.contextSelect.includes("*");
  const isLinked = format.metadata === "full" && !isSelection && entitySet !== null && format.isUnnamed !== true;
  const expanded = new Set(clause.expanded.map(({ navigationProperty }) => navigationProperty.name));
  const links = isLinked ? compileLinks(entitySet, expanded, routes?.linksOf) : null;
  const isOfMembers = entitySet !== null && etagOfMembers(entitySet, clause.selected, format) !== null;
  const writePlain: TextWriter<string> = (entity, serviceRoot, control) => {
    const source = rowShape === undefined ? requireObject(entity, typeName) : requireRow(entity, typeName);
    const members = isOfMembers ? writeMembers(source, "") : undefined;
    const before = control(entity, serviceRoot, members);
    const text = members === undefined ? writeMembers(source, before) : before + members;
    return links === null || entitySet === null
      ? text
      : text + links.unexpanded(entityUrl(serviceRoot, entitySet, entity, rowShape));
  };
  if (clause.expanded.length === 0) {
    return toWriter(format, itemControl, entityControl, (entity, serviceRoot, control) => {
      return `{${writePlain(entity, serviceRoot, control)}}`;
    });
  }
  return compileExpandedWriter(target, clause, {
    format,
    rowShape,
    links,
    itemControl,
    entityControl,
    writePlain,
  });
}

function toWriter(
  format: PayloadFormat,
  itemControl: ControlWriter,
  entityControl: ControlWriter,
  writeText: TextWriter<EntityText>,
): EntityWriter {
  return Object.freeze({
    format,
    writeItem: (entity, serviceRoot) => writeText(entity, serviceRoot, itemControl),
    writeEntity: (entity, serviceRoot, contextUrl) => {
      const context = format.metadata === "none" ? "" : `"@odata.context":${JSON.stringify(contextUrl)},`;
      return writeText(entity, serviceRoot, (...given) => context + entityControl(...given));
    },
  } satisfies EntityWriter);
}

interface PlainParts {
  readonly format: PayloadFormat;
  readonly rowShape: RowShape | undefined;
  /** Null if no links are written. */
  readonly links: LinkWriters | null;
  readonly itemControl: ControlWriter;
  readonly entityControl: ControlWriter;
  readonly writePlain: TextWriter<string>;
}

/** Makes the writer that adds the expansions after the members of the entity. */
function compileExpandedWriter(
  { entitySet, routes }: WriterTarget,
  { expanded }: SelectExpandClause,
  { format, rowShape, links, itemControl, entityControl, writePlain }: PlainParts,
): EntityWriter {
  const compileRelated: CompileRelated = ({ target, navigationProperty, selectExpand }, relatedShape) => {
    const related: WriterTarget = { entitySet: target, entityType: navigationProperty.entityType, routes };
    const saved = format.saved === "graph" ? format.saved : undefined;
    const writer = compileEntityWriter(related, selectExpand, { ...format, isUnnamed: false, saved }, relatedShape);
    return (value, serviceRoot) => writer.writeItem(value, serviceRoot);
  };
  const writers = expanded.map((expansion) => ({
    write: compileExpansion(expansion, format, compileRelated),
    writeLinks: links?.expanded(expansion.navigationProperty.name) ?? null,
  }));
  return toWriter(format, itemControl, entityControl, (value, serviceRoot, control) => {
    const { entity, related } = asExpanded(value);
    const url = (): string => {
      if (entitySet === null) throw new Error("Entities of no set have no URL.");
      return entityUrl(serviceRoot, entitySet, entity, rowShape);
    };
    const text = writePlain(entity, serviceRoot, control);
    const writeMember = ({ write, writeLinks }: (typeof writers)[number], index: number): EntityText => {
      const member = write(related[index] ?? null, serviceRoot, url);
      const links = writeLinks === null ? "" : writeLinks(url());
      // If nothing was loaded, the links are written alone, without their trailing comma.
      return member === "" ? links.slice(0, -1) : prefixed(links, member);
    };
    const separator = text === "" ? "" : ",";
    return joinTexts({ before: `{${text}`, separator, items: writers, write: writeMember, after: "}" });
  });
}

function asExpanded(value: unknown): ExpandedEntity {
  return value as ExpandedEntity;
}

/** Makes the writer of the text between the braces, without a trailing comma. */
function joinMembers(members: readonly MemberWriter[]): RowWriter {
  if (members.length === 0) return (_source, control) => control.slice(0, -1);
  return (source, control) => {
    let text = control;
    let separator = "";
    for (const member of members) {
      text += separator + member(source);
      separator = ",";
    }
    return text;
  };
}

const nothing: ControlWriter = () => "";

/** Adds the control information of streams. */
function withStreams(control: ControlWriter, streams: ReturnType<typeof compileStreamControl>): ControlWriter {
  if (streams === null) return control;
  return (entity, serviceRoot, members) => control(entity, serviceRoot, members) + streams(entity, serviceRoot);
}

function compileItemControl(
  target: WriterTarget,
  clause: SelectExpandClause,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
): ControlWriter {
  if (format.metadata === "none") return nothing;
  if (format.metadata === "full") return compileFullControl(target, clause, format, rowShape);
  const { entitySet, routes } = target;
  const etag = compileEtagControl(entitySet, clause, format, rowShape);
  // Clients make the id from the key, if the entity contains the whole key.
  if (entitySet === null || format.isUnnamed === true || selectsKey(clause, entitySet.entityType)) return etag;
  if (!hasId(entitySet, routes)) return etag;
  const findUrl = knownUrlFinder(entitySet, rowShape);
  return (entity, serviceRoot, members) => {
    const url = findUrl(serviceRoot, entity);
    return (url === null ? "" : `"@odata.id":${JSON.stringify(url)},`) + etag(entity, serviceRoot, members);
  };
}

function compileIdControl(entitySet: EntitySet, rowShape: RowShape | undefined): ControlWriter {
  return (entity, serviceRoot) => `"@odata.id":${JSON.stringify(entityUrl(serviceRoot, entitySet, entity, rowShape))},`;
}

function compileEntityControl(
  target: WriterTarget,
  clause: SelectExpandClause,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
): ControlWriter {
  if (format.metadata === "none") return nothing;
  if (format.metadata === "full") return compileFullControl(target, clause, format, rowShape);
  const { entitySet, routes } = target;
  if (entitySet === null) return nothing;
  const etag = compileEtagControl(entitySet, clause, format, rowShape);
  if (!hasId(entitySet, routes, format.saved !== undefined)) return etag;
  const id = compileIdControl(entitySet, rowShape);
  return (entity, serviceRoot, members) => id(entity, serviceRoot) + etag(entity, serviceRoot, members);
}

function compileFullControl(
  { entitySet, entityType, routes }: WriterTarget,
  clause: SelectExpandClause,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
): ControlWriter {
  if (format.isTransient === true) return () => '"@odata.id":null,';
  const type = `"@odata.type":${JSON.stringify(`#${entityType.qualifiedName}`)},`;
  const withoutSet = routes?.marksTransient === true ? `${type}"@odata.id":null,` : type;
  if (entitySet === null) return () => withoutSet;
  const etag = compileEtagControl(entitySet, clause, format, rowShape);
  const isNamed = hasId(entitySet, routes, format.saved !== undefined);
  const isLinked = hasId(entitySet, routes) || routes?.isEdited(entitySet) === true;
  if (format.isUnnamed === true || !(isNamed || isLinked)) {
    return (entity, serviceRoot) => withoutSet + etag(entity, serviceRoot);
  }
  return (entity, serviceRoot) => {
    const url = JSON.stringify(entityUrl(serviceRoot, entitySet, entity, rowShape));
    const id = isNamed ? `"@odata.id":${url},` : "";
    return `${type}${id}${etag(entity, serviceRoot)}${isLinked ? `"@odata.editLink":${url},` : ""}`;
  };
}

/** Returns whether entities have an id: of a set that is read by key, or saved by a write. */
function hasId(entitySet: EntitySet, routes: EntityRoutes | undefined, isSaved = false): boolean {
  return isSaved || routes === undefined || routes.isReadByKey(entitySet);
}

function compileEtagControl(
  entitySet: EntitySet | null,
  { unreadable, selected }: SelectExpandClause,
  format: PayloadFormat,
  rowShape: RowShape | undefined,
): ControlWriter {
  const write = entitySet === null ? null : etagWriter(entitySet, rowShape);
  if (entitySet === null || write === null) return nothing;
  const ofMembers = etagOfMembers(entitySet, selected, format);
  // Base64 has no characters to escape.
  const end = marked('"', unreadable).slice(0, -1);
  return (entity, _serviceRoot, members) => {
    const etag = ofMembers === null || members === undefined ? write(entity) : ofMembers(members);
    return `"@odata.etag":"\\${etag.slice(0, -1)}${end}\\"",`;
  };
}

/** Writes one related entity as JSON text. */
type RelatedWriter = (entity: unknown, serviceRoot: string) => EntityText;

/**
 * Makes the writer of the related entities of an expansion.
 * @param rowShape their layout if they are rows; otherwise they are the application's objects
 */
type CompileRelated = (expansion: ExpandedNavigation, rowShape: RowShape | undefined) => RelatedWriter;

/**
 * Writes the result of one expansion for one entity as members of the entity; empty if nothing was loaded.
 * @param url returns the URL of the entity, for links
 */
type ExpansionWriter = (related: Related, serviceRoot: string, url: () => string) => EntityText;

/**
 * Makes the writer of the members of one expansion: the entities, or references to them, or their number, each with its
 * control information. Count and next link are written in every format.
 * @param compileRelated makes the writer of the related entities
 * @see OData JSON Format 4.0, sections 4.5.5, 8.3 and 13
 */
function compileExpansion(
  expansion: ExpandedNavigation,
  format: PayloadFormat,
  compileRelated: CompileRelated,
): ExpansionWriter {
  const { navigationProperty, form } = expansion;
  const { name } = navigationProperty;
  const countHead = `${JSON.stringify(`${name}@odata.count`)}:`;
  const quote = format.ieee754Compatible ? '"' : "";
  const writeCount = ({ count }: RelatedCollection): string =>
    count === undefined ? "" : `${countHead}${quote}${String(count)}${quote}`;
  if (form === "count") {
    return (related) => (related?.kind === "collection" ? writeCount(related) : "");
  }
  const head = `${JSON.stringify(name)}:`;
  const linkHead = `${JSON.stringify(`${name}@odata.nextLink`)}:`;
  const writerOf = keepWriters(expansion, form === "references" ? compileReference : compileRelated);
  const nextLink = ({ entities, linkOptions = "" }: RelatedCollection, url: () => string): string =>
    JSON.stringify(`${url()}/${encodeSegment(name)}?$skip=${String(expansion.skip + entities.length)}${linkOptions}`);
  return (related, serviceRoot, url) => {
    if (related === null) return "";
    if (related.kind === "entity") {
      return prefixed(head, related.entity === null ? "null" : writerOf(related.rowShape)(related.entity, serviceRoot));
    }
    const count = related.count === undefined ? "" : `${writeCount(related)},`;
    const link = related.hasMore ? `${linkHead}${nextLink(related, url)},` : "";
    const before = `${count}${link}${head}[`;
    const { entities } = related;
    if (entities.length === 0) return `${before}]`;
    // Without rows the layout may have no columns, so the writer is made here.
    const write = writerOf(related.rowShape);
    const writeItem = (entity: unknown): EntityText => write(entity, serviceRoot);
    return joinTexts({ before, separator: "", items: entities, write: writeItem, after: "]" });
  };
}

/** Keeps one writer of an expansion per layout, because entities may come from different sources. */
function keepWriters(
  expansion: ExpandedNavigation,
  compile: CompileRelated,
): (rowShape: RowShape | undefined) => RelatedWriter {
  const ofRows = new WeakMap<RowShape, RelatedWriter>();
  let ofObjects: RelatedWriter | undefined;
  return (rowShape) => {
    if (rowShape === undefined) return (ofObjects ??= compile(expansion, undefined));
    let writer = ofRows.get(rowShape);
    if (writer === undefined) {
      writer = compile(expansion, rowShape);
      ofRows.set(rowShape, writer);
    }
    return writer;
  };
}

/** Makes the writer of references, which contain only the `@odata.id`, in every format. */
function compileReference(
  { target, navigationProperty }: ExpandedNavigation,
  rowShape: RowShape | undefined,
): RelatedWriter {
  if (target === null) throw new Error(`${navigationProperty.name} has no target set to refer to.`);
  return (entity, serviceRoot) => `{"@odata.id":${JSON.stringify(entityUrl(serviceRoot, target, entity, rowShape))}}`;
}
