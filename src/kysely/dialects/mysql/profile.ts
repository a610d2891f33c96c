import { MysqlAdapter, sql } from "kysely";
import type { FunctionName } from "../../../query/functions.ts";
import { infixOperators, refuseModulo, castValues } from "../../forms/arithmetic.ts";
import type { DialectCapabilities } from "../../forms/dialect-capabilities.ts";
import type { DialectProfile, DialectValues } from "../../forms/dialect-profile.ts";
import type { TextMemory } from "../../statement/sql-form.ts";
import { MY_CATALOGUE } from "./catalogue.ts";
import { myColumnFormat } from "./column-format.ts";
import { MY_DOCUMENTS } from "./documents.ts";
import { MY_FAULTS } from "./faults.ts";
import { MY_FORMS, MY_MARK, MY_NUMBERS, myComparedText, myText } from "./forms.ts";
import { MY_FUNCTIONS, MY_SYNTAX, MY_WRITES, MY_STREAMING, doublesOnce } from "./syntax.ts";
import { MY_DATE, MY_MIDNIGHT, myOffsetOfText, MY_TEXTS } from "./temporal-forms.ts";

/**
 * Makes statements fail in which `concat` would make a text of more than `max_allowed_packet` bytes: its result would be null,
 * with a warning only. The other functions make no text that is longer than theirs.
 */
const MY_TEXT_MEMORY: TextMemory = Object.freeze<TextMemory>({
  most: Infinity,
  few: 0,
  unbound: new Set<FunctionName>(["tolower", "toupper", "trim", "substring"]),
  copiesOf: ({ name }) => (name === "concat" ? 1 : 0),
  countsAll: true,
  sortedCopies: 0,
  bytesOf: (text) => sql`octet_length(${text})`,
  within: (bytes, _most, value) => {
    // No function fails on demand: a value with two rows does. It names the row, so that it is not evaluated before.
    const failure = sql`(select '' from (select 1 as one union all select 2) as odata_two where ${bytes} > odata_two.one)`;
    return sql`if(${bytes} > @@max_allowed_packet, ${failure}, ${value})`;
  },
});

/** How MariaDB stores values and computes with them. */
const MY_VALUES: DialectValues = Object.freeze<DialectValues>({
  columnFormat: myColumnFormat,
  mark: MY_MARK,
  guidsAreTexts: true,
  documentText: myText,
  comparedText: myComparedText,
  ...castValues({
    forms: MY_FORMS,
    numbers: MY_NUMBERS,
    wide: (value) => sql`cast(${value} as decimal(20, 0))`,
    toDouble: (value) => sql`(${value} + 0e0)`,
    divideIntegers: (left, right) => sql`truncate(${left} * 1.${sql.raw("0".repeat(30))} / ${right}, 0)`,
    integerRemainder: (left, right) => sql`cast(mod(${left}, ${right}) as signed)`,
    // A remainder may be negative zero, which equals nothing until 0 is added.
    decimalRemainder: (left, right) => sql`(mod(${left.sql}, ${right.sql}) + 0)`,
    double: {
      ...infixOperators((left, operator, right) => sql`(${left.sql} ${operator} ${right.sql})`),
      // Doubles cannot be infinite, so a division by zero fails the statement instead of returning null.
      div: (left, right) =>
        doublesOnce(
          [left.sql, right.sql],
          (dividend, divisor) =>
            sql`case when ${divisor} = 0 then exp(1000 + ${divisor}) else ${dividend} / ${divisor} end`,
        ),
      mod: refuseModulo("MariaDB"),
    },
    date: MY_DATE,
    midnight: MY_MIDNIGHT,
    textTimestamp: MY_TEXTS.timestamp,
    offsetOfText: myOffsetOfText,
    asOffset: (place) => sql`cast(${place} as signed)`,
  }),
});

/** MariaDB from version 10.6 on. */
export const MY_PROFILE: DialectProfile = Object.freeze<DialectProfile>({
  name: "MariaDB",
  // Also by name, because the application may use another copy of Kysely.
  isSpokenBy: (adapter) => adapter instanceof MysqlAdapter || /mysql|mariadb/i.test(adapter.constructor.name),
  functions: MY_FUNCTIONS,
  values: MY_VALUES,
  syntax: MY_SYNTAX,
  documents: MY_DOCUMENTS,
  writes: MY_WRITES,
  catalogue: MY_CATALOGUE,
  faults: MY_FAULTS,
  capabilities: Object.freeze<DialectCapabilities>({
    topPerParent: "window",
    correlatedSubqueries: true,
    listsWhole: false,
    searchesLists: false,
    excludedRows: "skipped",
    countsWithPage: true,
    joins: true,
    bindsKeys: false,
    returnsAnything: true,
    readsInWrites: true,
    locksByCondition: true,
  }),
  maxParameters: 65_535,
  textMemory: MY_TEXT_MEMORY,
  streaming: MY_STREAMING,
  transactionIsolation: "serializable",
});
