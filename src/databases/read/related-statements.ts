import type { RowShape } from "../../language/query/row-shape.ts";
import type { RelatedQuery, SourcesBySet } from "../../language/query/source.ts";
import type { Database } from "../forms/database.ts";
import type { Rows, StatementState } from "../translate/relation.ts";
import { translateRelated, translateRelatedCounts } from "../translate/translate-related.ts";
import type { RowStatement, StatementCompiler } from "./compile-statement.ts";
import type { KeepStatement } from "./kept-statements.ts";

/** The facts about a table that statements of related entities need. */
interface RelatedTable {
  readonly keep: KeepStatement;
  readonly compiler: StatementCompiler;
  /** Whether statements differ for one key and for several. */
  readonly bindsKeys: boolean;
  readonly rows: (statement: StatementState) => Rows;
  readonly translate: Translate;
}

/** Translates in the scope of a statement over a table and the sources that it mentions. */
type Translate = <T>(profile: Database, sources: SourcesBySet | undefined, make: (statement: StatementState) => T) => T;

/** The statements that read the entities of one table by the keys of the entities that they are related to. */
export class RelatedStatements {
  readonly #table: RelatedTable;

  constructor(table: RelatedTable) {
    this.#table = table;
  }

  /**
   * Returns the statement of related entities. Each row starts with the position of its key.
   * @throws ODataError as `StatementCache.page`
   */
  entities({ shape, keys, top, skip, maxRows, sources }: RelatedQuery): RowStatement {
    const { compiler, keep, rows, translate } = this.#table;
    const variant = {
      hasTop: top !== undefined,
      hasSkip: skip > 0,
      hasMaxRows: maxRows !== undefined,
      hasOneKey: this.#hasOne(keys),
    };
    return keep(["related", shape, ...Object.values(variant)], sources, () =>
      compiler.choose((profile) =>
        translate(profile, sources, (statement) =>
          compiler.compileRows(translateRelated(rows(statement), statement, shape, variant), statement),
        ),
      ),
    );
  }

  /** Returns the statement that counts the related entities per key. @throws ODataError as `StatementCache.page` */
  counts({ shape, keys, sources }: RelatedQuery): RowStatement {
    const { compiler, keep, rows, translate } = this.#table;
    const hasOneKey = this.#hasOne(keys);
    return keep(["counts", shape, hasOneKey], sources, () =>
      compiler.choose((profile) => {
        return translate(profile, sources, (statement) => {
          const query = translateRelatedCounts(rows(statement), statement, shape, { hasOneKey });
          return compiler.compileRows({ query, rowShape: NO_COLUMNS, width: 2 }, statement);
        });
      }),
    );
  }

  #hasOne(keys: RelatedQuery["keys"]): boolean {
    return this.#table.bindsKeys && keys.length === 1;
  }
}

const NO_COLUMNS: RowShape = Object.freeze({ columns: new Map() });
