import { BoundedCache } from "../../base/memo.ts";
import type { EntitySet } from "../../edm/model.ts";
import type { RowColumn, RowShape } from "../../language/query/row-shape.ts";
import type { SourcesBySet } from "../../language/query/source.ts";
import type { RowStatements } from "../translate/relation.ts";
import type { MentionedStatements } from "../translate/translate-query.ts";
import { findReader } from "./row-source.ts";
import { Structures } from "./structures.ts";

/** The maximum number of statements of a database, or of the databases of one function. */
const STATEMENTS_KEPT = 3000;
/** A statement has several clauses, most of which it shares with others. */
const STRUCTURES_PER_STATEMENT = 4;
/** The most characters of their texts, and those that a bound value counts as: it is an object of about 240 bytes. */
const CHARACTERS_KEPT = 32_000_000;
const VALUE_WEIGHT = 120;
/** What a column of its rows counts as: its functions, and what the writers of responses keep for it, are about 800 bytes. */
const COLUMN_WEIGHT = 600;

/** A compiled statement: its text and its placeholders. */
interface KeptStatement {
  readonly sql: string;
  readonly slots: readonly unknown[];
  /** The layout of its rows, or the members of its objects as JSON; absent: it returns neither. */
  readonly rowShape?: RowShape;
  readonly members?: readonly unknown[];
}

/** Stands for a statement that cannot be made. */
const NONE: KeptStatement = Object.freeze({ sql: "", slots: Object.freeze([]) });

/** A part of a statement: an object by its structure, or a word without spaces; the last part may be JSON. */
export type StatementPart = object | string | boolean | null | undefined;

/**
 * Returns a statement of some rows, made on first use. It may be null.
 * @param parts the first says what the statement does, and determines its type
 * @param sources the sources of the sets that it mentions
 */
export type KeepStatement = <S extends KeptStatement | null>(
  parts: readonly StatementPart[],
  sources: SourcesBySet | undefined,
  make: () => S,
) => S;

/** Rows that statements read. */
export interface NamedRows {
  readonly kept: KeptStatements;
  /** Names everything in which rows of the same cache differ, in a word without spaces. */
  readonly name: string;
  /** Whether the rows of several databases have the name; absent: those of one. */
  readonly isShared?: true | undefined;
}

/** Makes the function that names rows, again after each change of the facts that their statements depend on. */
export function namedBy(factsOf: () => readonly unknown[], name: () => NamedRows): () => NamedRows {
  let known: NamedRows | undefined;
  let last: readonly unknown[] = [];
  return () => {
    const facts = factsOf();
    for (let index = 0; known !== undefined && index < facts.length; index += 1) {
      if (facts[index] !== last[index]) known = undefined;
    }
    last = facts;
    return (known ??= name());
  };
}

/**
 * The compiled statements of a database, or of all databases that one function finds. Each has a key, a text of everything
 * that the statement depends on. Neither the key nor the statement contains a value of a request.
 */
export class KeptStatements {
  readonly structures: Structures;
  readonly #statements: BoundedCache<string, KeptStatement>;

  constructor(capacity: number = STATEMENTS_KEPT) {
    this.structures = new Structures(capacity * STRUCTURES_PER_STATEMENT);
    this.#statements = new BoundedCache(capacity, {
      most: CHARACTERS_KEPT,
      weightOf: (key, { sql, slots, rowShape, members = [] }) => {
        const columns = members.length + (rowShape === undefined ? 0 : columnsOf(rowShape));
        return key.length + sql.length + slots.length * VALUE_WEIGHT + columns * COLUMN_WEIGHT;
      },
    });
  }

  /** As `KeepStatement`. @param rows the name of the rows */
  get<S extends KeptStatement | null>(
    rows: string,
    parts: readonly StatementPart[],
    sources: SourcesBySet | undefined,
    make: () => S,
  ): S {
    let key = rows;
    for (const part of parts) {
      key +=
        typeof part === "object" || part === undefined ? ` ${String(this.structures.of(part))}` : ` ${String(part)}`;
    }
    if (sources !== undefined && sources.size > 0) key += ` ${this.#namesOf(sources)}`;
    const kept = this.#statements.getOrMake(key, () => make() ?? NONE);
    // A key belongs to statements of one type.
    return (kept === NONE ? null : kept) as S;
  }

  /** A source without a database may be among them, as long as the query reads nothing from it. */
  #namesOf(sources: SourcesBySet): string {
    const mentioned = new Map<EntitySet, RowStatements>();
    for (const [entitySet, source] of sources) {
      const reader = findReader(source);
      if (reader !== undefined) mentioned.set(entitySet, reader.statements);
    }
    return this.mentioned(mentioned);
  }

  /** Returns the names of the rows of mentioned sets, in a word without spaces. */
  mentioned(statements: MentionedStatements): string {
    const names = Array.from(statements, ([entitySet, { named }]) => {
      const { kept, name } = named();
      const other = kept === this ? "" : `${String(this.structures.of(kept))}!`;
      return `${String(this.structures.of(entitySet))}:${other}${name}`;
    });
    return `[${names.join()}]`;
  }
}

/** Returns the number of columns of a layout, with those of members and of joined entities. */
function columnsOf({ columns, joined }: RowShape): number {
  let count = 0;
  for (const column of columns.values()) count += membersOf(column);
  for (const related of joined?.values() ?? []) count += columnsOf(related);
  return count;
}

function membersOf(column: RowColumn): number {
  if (column.kind !== "complex") return 1;
  let count = 1;
  for (const member of column.members.values()) count += membersOf(member);
  for (const member of column.ignored?.values() ?? []) count += membersOf(member);
  return count;
}
