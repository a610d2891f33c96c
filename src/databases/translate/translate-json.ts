import { sql } from "kysely";
import type { StructuralProperty } from "../../edm/model.ts";
import { codecOf } from "../../edm/value-codecs.ts";
import type { JsonEtag, JsonExpansion, JsonId, JsonMembers } from "../../language/query/source.ts";
import { scanInteger } from "../cells/json-cells.ts";
import { etagPlace, type JsonMember, scanEntities, scanEntity, scanEtagPlace } from "../cells/json-rows.ts";
import { scanCell, scanDecimalText, scanId } from "../cells/json-values.ts";
import { JSON_PAGE, type JsonCell, type JsonLimit, type JsonPart, type JsonSyntax } from "../columns/json-syntax.ts";
import { holdsBytes, planOf, type ScalarPlan } from "../columns/table-columns.ts";
import { bindFixed, bindSlot } from "../statement/parameter-slot.ts";
import type { Sql } from "../statement/sql-form.ts";
import { DerivedRelation } from "./derived-relation.ts";
import { type JsonMarks, markRow } from "./json-marks.ts";
import { linkOrder } from "./link-order.ts";
import { relationScope } from "./path-scope.ts";
import { whereClause, type Relation, type Rows, type StatementState } from "./relation.ts";
import type { Cells } from "./select-columns.ts";
import { makeTranslator } from "./translate-expression.ts";
import { itemTests, joinItems, selectItems } from "./translate-lambda.ts";
import { orderClause, translateOrder, translateSelection, type PageClauses } from "./translate-query.ts";

/** A query of a page as JSON, and the members of its objects. */
export interface JsonQuery {
  readonly query: Sql;
  readonly members: readonly JsonMember[];
  /** The number of cells in the row. */
  readonly width: number;
  /** Selects the place of the marked row; absent if no place is wanted. */
  readonly marks?: JsonMarks | undefined;
}

/** One row with all objects, or with all objects and the total. */
export type JsonForm = "page" | "counted";

/** The cells of the row: the bytes, the number of objects without JSON, and of all; the total. */
const WIDTHS: Readonly<Record<JsonForm, number>> = { page: 3, counted: 4 };

/** The parts of a statement that all its objects need. */
interface Writing {
  readonly syntax: JsonSyntax;
  /** Whether the database writes floating-point numbers with all digits. */
  readonly writesDoubles: () => boolean;
  readonly statement: StatementState;
  /** Whether the page has no expansions. */
  readonly isPlain: boolean;
  readonly form: JsonForm;
}

/** A member, in the statement and in the bytes. */
interface WrittenMember {
  readonly part: JsonPart;
  readonly member: JsonMember;
}

/**
 * Translates the query of a page as JSON, in the order of the rows. Expansions are subqueries per row.
 * @returns null if the database cannot write the value of a member, or has too many members
 */
export function translateJsonPage(
  rows: Rows,
  writing: Writing,
  clauses: Omit<PageClauses, "selected" | "joined">,
  json: JsonMembers,
): JsonQuery | null {
  const { statement, syntax, form } = writing;
  const { query, written, marked } = translateSelection(rows, statement, clauses, ({ it }, cells, sorter) => ({
    written: writeObject(json, new DerivedRelation(it, JSON_PAGE, cells), writing),
    marked: markRow(clauses.marked, json, writing, { it, cells, sorter, first: WIDTHS[form] }),
  }));
  if (written === null || marked === null) return null;
  return {
    query: syntax.page(
      written.map(({ part }) => part),
      query,
      { total: clauses.total ?? null, marks: marked.cells },
      LIMIT,
    ),
    members: membersOf(written),
    width: WIDTHS[form] + marked.cells.length,
    marks: marked.marks,
  };
}

function membersOf(written: readonly WrittenMember[]): readonly JsonMember[] {
  return Object.freeze(written.map(({ member }) => member));
}

/**
 * Writes the members of the entities of a relation.
 * @param checked properties that are checked even if they are not selected
 */
function writeObject(
  { id, etag, selected, expanded }: JsonMembers,
  it: Relation,
  writing: Writing,
  checked: readonly StructuralProperty[] = [],
): readonly WrittenMember[] | null {
  const properties = selected.map(({ property }) => property);
  const written = [
    ...(id === undefined ? [] : [writeId(id, it, writing)]),
    ...withEtag(
      properties.map((property) => writeProperty(property, it, writing)),
      properties,
      etag,
      writing,
    ),
    ...expanded.flatMap((expansion) => writeExpansion(expansion, it, writing)),
    ...unselected([...joinedBy(expanded), ...checked], properties).map((property) =>
      hidden(writeProperty(property, it, writing)),
    ),
    ...digestedBeside(properties, etag, it, writing),
  ];
  const found = written.filter((each) => each !== null);
  return found.length < written.length || found.length === 0 || found.length > writing.syntax.maxMembers ? null : found;
}

/**
 * Returns the properties whose values lead to related entities: an invalid value must not be one without related entities. A
 * related entity that is found by its key is joined without such a check for rows, too.
 */
function joinedBy(expanded: readonly JsonExpansion[]): readonly StructuralProperty[] {
  return expanded
    .filter(({ isKeyed }) => !isKeyed)
    .flatMap(({ join }) => (join.kind === "direct" ? join.pairs : join.from).map(({ property }) => property));
}

function unselected(
  properties: readonly StructuralProperty[],
  selected: readonly StructuralProperty[],
): readonly StructuralProperty[] {
  return [...new Set(properties)].filter((property) => !selected.includes(property));
}

const ETAG = "@odata.etag";

/** Adds an ETag before the members of properties, and marks those that it is made of. */
function withEtag(
  written: readonly (WrittenMember | null)[],
  properties: readonly StructuralProperty[],
  etag: JsonEtag | undefined,
  { syntax }: Writing,
): readonly (WrittenMember | null)[] {
  if (etag === undefined) return written;
  // The digest is written into its place when the members are known.
  const place: WrittenMember = {
    part: { name: ETAG, argument: syntax.constant(etagPlace(etag.digest)), cell: null },
    member: { head: headOf(ETAG), nullable: false, scan: scanEtagPlace(etag.digest), digested: { kind: "place" } },
  };
  const start = startOf(etag, properties);
  if (start < 0) return [place, ...written];
  const end = start + etag.properties.length;
  const marked = markDigested(written.slice(start, end), etag, false);
  return [place, ...written.slice(0, start), ...marked, ...written.slice(end)];
}

/** Returns the members that an ETag is made of, if they do not follow each other in the response. */
function digestedBeside(
  properties: readonly StructuralProperty[],
  etag: JsonEtag | undefined,
  it: Relation,
  writing: Writing,
): readonly (WrittenMember | null)[] {
  if (etag === undefined || startOf(etag, properties) >= 0) return [];
  const written = etag.properties.map((property) => writeProperty(property, it, writing));
  return markDigested(written, etag, true);
}

/** Returns the index from which the properties of an ETag are those of a response; -1 without one. */
function startOf({ properties: made }: JsonEtag, properties: readonly StructuralProperty[]): number {
  const start = properties.findIndex((each) => each === made[0]);
  return start >= 0 && made.every((each, index) => each === properties[start + index]) ? start : -1;
}

function markDigested(
  written: readonly (WrittenMember | null)[],
  { digest }: JsonEtag,
  isHidden: boolean,
): readonly (WrittenMember | null)[] {
  return written.map((each, index) => {
    const end = index === written.length - 1 ? { digest, isHidden } : undefined;
    if (each === null || (index > 0 && end === undefined)) return each;
    return { ...each, member: { ...each.member, digested: { kind: "member", isFirst: index === 0, end } } };
  });
}

function hidden(written: WrittenMember | null): WrittenMember | null {
  return written === null ? null : { ...written, member: { ...written.member, isHidden: true } };
}

function writeProperty(property: StructuralProperty, it: Relation, writing: Writing): WrittenMember | null {
  const plan = planOf(property, it.rows.plans);
  if (plan.kind !== "scalar") return null;
  const json = plan.format.json ?? cellOf(plan, writing);
  if (json === null) return null;
  if (json.isDouble === true && !writing.writesDoubles()) return null;
  const { name, nullable } = property;
  const cell = it.column(plan.column);
  return {
    part: { name, argument: json.toArgument(cell), cell, isText: property.type.name === "Edm.String" },
    member: { head: headOf(name), nullable, scan: json.scan },
  };
}

const ID = "@odata.id";

function writeId({ key, entitySet }: JsonId, it: Relation, { syntax }: Writing): WrittenMember | null {
  const plan = planOf(key, it.rows.plans);
  if (plan.kind !== "scalar" || plan.format.json === undefined || syntax.idOf === undefined) return null;
  const cell = it.column(plan.column);
  const start = bindSlot(({ idStart }) => idStart(entitySet));
  return {
    part: { name: ID, argument: syntax.idOf(start, cell), cell: null },
    member: { head: headOf(ID), nullable: false, scan: scanId(plan.format.json.scan) },
  };
}

/**
 * Returns how the value of a column is written that is neither the text nor the number of its cell; null for bytes. JavaScript
 * writes it again, which costs as much as a row, so this pays only for entities with expansions.
 */
function cellOf(plan: ScalarPlan, { syntax, isPlain }: Writing): JsonCell | null {
  if (isPlain || !syntax.keepsCells || holdsBytes(plan)) return null;
  const { property, format, storage } = plan;
  const { toJson } = codecOf(property);
  const scan = scanCell((cell) => format.toJson?.(cell, false) ?? toJson(format.toValue(cell), false));
  const isDecimal = property.type.name === "Edm.Decimal" && (storage === undefined || storage === "text");
  const texts = isDecimal ? scanDecimalText(property.facets.scale, scan) : scan;
  return { toArgument: format.toSelected, scan: texts, isDouble: true };
}

/** Returns the number of bytes of a separator and a name. */
function headOf(name: string): number {
  return new TextEncoder().encode(`,${JSON.stringify(name)}:`).length;
}

/** Writes the members of one expansion: the number of related entities, and the entities. */
function writeExpansion(each: JsonExpansion, it: Relation, writing: Writing): readonly (WrittenMember | null)[] {
  const { expansion, members } = each;
  const { navigationProperty, count } = expansion;
  const { name, isCollection } = navigationProperty;
  if (writing.syntax.needsListLimit && isCollection && each.readSize === undefined) return [null];
  const counted = isCollection && count ? [writeCount(`${name}@odata.count`, each, it, writing)] : [];
  return members === null ? counted : [...counted, writeRelated(each, members, it, writing)];
}

/** The number before `$skip` and `$top`. */
function writeCount(name: string, each: JsonExpansion, it: Relation, writing: Writing): WrittenMember {
  const { items, conditions } = itemsOf(each, it, writing);
  const argument = sql`(${selectItems(sql`count(*)`, items, conditions, [])})`;
  return {
    part: { name, argument, cell: null },
    member: { head: headOf(name), nullable: false, scan: scanInteger(0, Infinity) },
  };
}

function writeRelated(each: JsonExpansion, json: JsonMembers, it: Relation, writing: Writing): WrittenMember | null {
  const { navigationProperty } = each.expansion;
  const { name, isCollection } = navigationProperty;
  const found = each.isKeyed ? keyedEntity(each, json, it, writing) : listedEntities(each, json, it, writing);
  if (found === null) return null;
  const { written, from } = found;
  const parts = written.map(({ part }) => part);
  const members = membersOf(written);
  const { syntax } = writing;
  return {
    part: {
      name,
      argument: isCollection ? syntax.entities(parts, from, LIMIT) : syntax.entity(parts, from, LIMIT),
      cell: null,
    },
    member: {
      head: headOf(name),
      nullable: !isCollection,
      scan: isCollection ? scanEntities(members, each.size, each.join.kind === "link") : scanEntity(members),
    },
  };
}

const LIMIT: JsonLimit = Object.freeze({
  execution: bindSlot(({ id }) => id()),
  most: bindSlot(({ maxRows }) => maxRows),
  bytes: bindSlot(({ maxBytes }) => maxBytes),
});

/** One more than all lists together may have. */
const BEYOND_LIMIT: Sql = bindSlot(({ maxRows }) => BigInt(maxRows) + 1n);

interface FoundEntities {
  readonly written: readonly WrittenMember[];
  /** The clauses from `from` on. */
  readonly from: Sql;
}

/** Finds the entity with the key that the row contains. */
function keyedEntity(each: JsonExpansion, json: JsonMembers, it: Relation, writing: Writing): FoundEntities | null {
  const { items, conditions } = itemsOf(each, it, writing);
  const written = writeObject(json, items.related, writing);
  if (written === null) return null;
  return {
    written,
    from: sql` from ${items.related.level.from(items.from())}${whereClause([...items.alive, ...conditions])}`,
  };
}

/** Finds the related entities in their order, within the limits. */
function listedEntities(each: JsonExpansion, json: JsonMembers, it: Relation, writing: Writing): FoundEntities | null {
  const { statement } = writing;
  const { profile } = statement;
  const { items, conditions, translator } = itemsOf(each, it, writing);
  const cells: Cells = [];
  const list = new DerivedRelation(items.related, `of_${items.related.alias}`, cells);
  const { link } = items;
  // The key distinguishes an entity that follows itself from another one with the same values.
  const written = writeObject(json, list, writing, link === null ? [] : list.rows.key);
  if (written === null) return null;
  const terms =
    link === null
      ? translateOrder(each.orderBy, translator, statement)
      : linkOrder(each.orderBy, { join: each.join, link, related: items.related, translator, statement });
  const order = orderClause(terms);
  const top = each.readSize === undefined ? BEYOND_LIMIT : bindFixed(BigInt(each.readSize));
  const { skip } = each.expansion;
  const limit = profile.syntax.limit(top, skip > 0 ? bindFixed(BigInt(skip)) : null);
  const rows = sql`${selectItems(sql.join(cells), items, conditions, [])}${order}${limit}`;
  return { written, from: sql` from (${rows}) as ${sql.id(list.alias)}` };
}

function itemsOf({ expansion, join, target }: JsonExpansion, it: Relation, { statement }: Writing) {
  const { filter, roundingMode } = expansion;
  const { profile } = statement;
  const items = joinItems(join, target, it, statement);
  // The related entities are found by the values of a row, few at a time.
  const scope = relationScope(items.related, { ...statement, isLookup: true });
  const translator = makeTranslator({ profile, scope, roundingMode });
  const own = filter === null ? [] : [sql`(${translator.condition(filter.expression, "filter")})`];
  return { items, conditions: [...itemTests(items), ...own], translator };
}
