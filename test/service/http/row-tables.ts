import assert from "node:assert/strict";
import type { StructuralProperty } from "../../../src/edm/model.ts";
import { tableNameText } from "../../../src/edm/table-name.ts";
import type { PrimitiveValue } from "../../../src/edm/value-codec.ts";
import { applyQuery } from "../../../src/engine/memory/apply-query.ts";
import type { SelectedProperty } from "../../../src/language/query/clauses.ts";
import type { JoinedShape, Row, RowColumn, RowShape } from "../../../src/language/query/row-shape.ts";
import type {
  JoinedNavigation,
  KeyedRow,
  QueryableSource,
  RelatedPage,
  RelatedQuery,
  SourceQuery,
} from "../../../src/language/query/source.ts";

/** An entity of a table, by the application's keys. */
export type Entity = Readonly<Record<string, unknown>>;

/** A database that is made of arrays: it reads as the contract of sources says, and notes each statement. */
export class RowDatabase {
  /** The statements that were read, in order. */
  readonly statements: string[] = [];
  /** How many layouts were made: statements that are compiled again make new ones. */
  compiled = 0;
  /** Rows of tables of links, by name. */
  readonly links = new Map<string, readonly Entity[]>();
  /** Whether answers come by promises. */
  isLater = false;

  take(): readonly string[] {
    return this.statements.splice(0);
  }
}

const NO_JOINS: readonly JoinedNavigation[] = [];

/** The cached parts of a statement: the layout of its rows, and the function that makes them. */
interface Statement {
  readonly rowShape: RowShape;
  readonly toRow: (entity: Entity, query: Pick<SourceQuery, "values" | "sources">) => Row;
  readonly text: string;
}

/** A table as source and handlers of an entity set. */
export class RowTable implements QueryableSource {
  readonly kind = "EntitySource";
  readonly name: string;
  readonly rows: readonly Entity[];
  readonly database: RowDatabase;
  readonly keyFields: readonly string[];
  readonly #statements = new WeakMap<object, WeakMap<object, Statement>>();

  constructor(database: RowDatabase, name: string, keyFields: readonly string[], rows: readonly Entity[]) {
    this.database = database;
    this.name = name;
    this.keyFields = keyFields;
    this.rows = rows;
  }

  readonly relational = {
    joins: (other: QueryableSource): boolean => other instanceof RowTable && other.database === this.database,
    readRelated: (query: RelatedQuery): RelatedPage | Promise<RelatedPage> => this.#later(this.#readRelated(query)),
    readRow: (key: unknown, selected: readonly SelectedProperty[]): KeyedRow | null | Promise<KeyedRow | null> =>
      this.readRow(key, selected),
  };

  read(query: SourceQuery): ReturnType<QueryableSource["read"]> {
    const { selected, joined = NO_JOINS } = query;
    const statement = this.#statement(selected, joined);
    const { entities, count } = applyQuery(this.rows, query);
    this.database.statements.push(`${this.name}: ${statement.text}`);
    const rows = entities.map((entity) => statement.toRow(entity as Entity, query));
    return this.#later({ entities: rows, rowShape: statement.rowShape, count });
  }

  /** The entity with a key. */
  find(key: unknown): Entity | undefined {
    const { keyFields } = this;
    const valueOf = (field: string): unknown => (keyFields.length === 1 ? key : (key as Entity)[field]);
    return this.rows.find((entity) => keyFields.every((field) => entity[field] === valueOf(field)));
  }

  /** A source of some of the rows, as a search answers it. */
  matching(isMatch: (entity: Entity) => boolean): RowTable {
    return new RowTable(this.database, `${this.name} found`, this.keyFields, this.rows.filter(isMatch));
  }

  /** Reads by key, as rows, like `getByKey.readRow` of a set. */
  readRow(key: unknown, selected: readonly SelectedProperty[]): KeyedRow | null | Promise<KeyedRow | null> {
    const statement = this.#statement(selected, NO_JOINS);
    this.database.statements.push(`${this.name} by key: ${statement.text}`);
    const found = this.find(key);
    if (found === undefined) return this.#later(null);
    const row = statement.toRow(found, { values: [], sources: undefined });
    return this.#later({ row, rowShape: statement.rowShape });
  }

  #readRelated(query: RelatedQuery): RelatedPage {
    const { shape, keys, skip, top, count, values, maxRows } = query;
    const { join, entityType, filter, orderBy, selected, joined, roundingMode } = shape;
    assert.notEqual(keys.length, 0, "keys are never empty");
    assert.equal(new Set(keys.map((key) => JSON.stringify(key, textOf))).size, keys.length, "keys are distinct");
    assert.ok(
      keys.flat().every((value) => value !== null && value !== undefined),
      "keys have no null",
    );
    const statement = this.#statement(selected, joined);
    this.database.statements.push(`${this.name} of ${String(keys.length)}: ${statement.text}`);
    let left = maxRows ?? Number.POSITIVE_INFINITY;
    const pages = keys.map((key) => {
      const related = this.rows.filter((entity) => this.#isRelated(join, key, entity));
      const page = applyQuery(related, {
        shape: { entityType, roundingMode },
        values,
        filter,
        orderBy,
        skip,
        top,
        count,
      });
      const entities = page.entities.slice(0, left);
      left -= entities.length;
      return { rows: entities.map((entity) => statement.toRow(entity as Entity, query)), count: page.count };
    });
    return {
      rowShape: statement.rowShape,
      related: pages.map(({ rows }) => rows),
      ...(count ? { counts: pages.map((page) => page.count ?? 0) } : {}),
    };
  }

  #isRelated(join: JoinedNavigation["join"], key: readonly PrimitiveValue[], entity: Entity): boolean {
    if (join.kind === "direct") {
      return join.pairs.every(({ related }, index) => isEqual(entity[related.field], key[index]));
    }
    return (this.database.links.get(tableNameText(join.table)) ?? []).some(
      (link) =>
        join.from.every(({ column }, index) => isEqual(link[column], key[index])) &&
        join.to.every(({ column, property }) => isEqual(link[column], entity[property.field])),
    );
  }

  #statement(selected: readonly SelectedProperty[], joined: readonly JoinedNavigation[]): Statement {
    const known = this.#statements.get(selected)?.get(joined);
    if (known !== undefined) return known;
    this.database.compiled += 1;
    const made = makeStatement(selected, joined);
    const ofSelected = this.#statements.get(selected) ?? new WeakMap<object, Statement>();
    this.#statements.set(selected, ofSelected.set(joined, made));
    return made;
  }

  #later<T>(value: T): T | Promise<T> {
    return this.database.isLater ? Promise.resolve(value) : value;
  }
}

/** Appends cells to a row. */
type PutCells = (entity: Entity | null, row: unknown[], query: Pick<SourceQuery, "values" | "sources">) => void;

interface Layout {
  readonly rowShape: RowShape;
  readonly put: PutCells;
  readonly width: number;
  readonly text: string;
}

function makeStatement(selected: readonly SelectedProperty[], joined: readonly JoinedNavigation[]): Statement {
  const { rowShape, put, text } = makeLayout(selected, joined, 0);
  assert.equal(new Set(selected.map(({ property }) => property)).size, selected.length, "each property stands once");
  return {
    rowShape,
    text,
    toRow: (entity, query) => {
      const row: unknown[] = [];
      put(entity, row, query);
      return row;
    },
  };
}

function makeLayout(selected: readonly SelectedProperty[], joined: readonly JoinedNavigation[], start: number): Layout {
  const columns = new Map<StructuralProperty, RowColumn>();
  const puts: PutCells[] = [];
  let index = start;
  for (const { property } of selected) {
    columns.set(property, columnOf(property, index));
    index += 1;
    puts.push((entity, row) => row.push(entity === null ? null : (entity[property.field] ?? null)));
  }
  const inner = new Map<JoinedNavigation["expansion"]["navigationProperty"], JoinedShape>();
  const texts = [selected.map(({ property }) => property.name).join(",")];
  for (const navigation of joined) {
    const at = index;
    const layout = makeLayout(navigation.selected, navigation.joined, at + 1);
    index = at + 1 + layout.width;
    inner.set(navigation.expansion.navigationProperty, { ...layout.rowShape, isPresent: (row) => row[at] === true });
    texts.push(`+${navigation.expansion.navigationProperty.name}(${layout.text})`);
    puts.push((entity, row, query) => {
      const found = entity === null ? null : findJoined(entity, navigation, query);
      row.push(found !== null);
      layout.put(found, row, query);
    });
  }
  return {
    rowShape: Object.freeze({ columns, ...(inner.size === 0 ? {} : { joined: inner }) }),
    put: (entity, row, query) => {
      for (const put of puts) put(entity, row, query);
    },
    width: index - start,
    text: texts.filter((text) => text !== "").join(" "),
  };
}

function columnOf(property: StructuralProperty, index: number): RowColumn {
  if (property.isCollection || property.type.kind === "ComplexType") {
    return { kind: "document", index, toValue: (cell) => cell };
  }
  return { kind: "scalar", index, toValue: (cell) => (cell ?? null) as PrimitiveValue | null };
}

function findJoined(
  entity: Entity,
  { join, target, expansion }: JoinedNavigation,
  { values, sources }: Pick<SourceQuery, "values" | "sources">,
): Entity | null {
  const table = sources?.get(target);
  assert.ok(table instanceof RowTable, `the source of ${target.name} comes along`);
  assert.equal(join.kind, "direct");
  if (join.kind !== "direct") return null;
  const found = table.rows.filter((other) =>
    join.pairs.every(({ property, related }) => isEqual(other[related.field], entity[property.field])),
  );
  assert.ok(found.length <= 1, "a joined entity is one");
  return found.find((other) => keeps(expansion, other, values)) ?? null;
}

function keeps(
  { filter, navigationProperty, roundingMode }: JoinedNavigation["expansion"],
  entity: Entity,
  values: readonly PrimitiveValue[],
): boolean {
  const shape = { entityType: navigationProperty.entityType, roundingMode };
  const query = { shape, values, orderBy: [], skip: 0, top: undefined, count: false };
  return applyQuery([entity], { ...query, filter }).entities.length === 1;
}

function isEqual(left: unknown, right: unknown): boolean {
  return left !== null && left !== undefined && left === right;
}

function textOf(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${String(value)}n` : value;
}
