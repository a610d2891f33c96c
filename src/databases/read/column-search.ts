import type { EntitySource } from "../../definition/handlers.ts";
import { declaredEntityType } from "../../definition/model/declared-entity-type.ts";
import { adviseName, describe } from "../../definition/option-table.ts";
import type { EntityTypeDeclaration } from "../../definition/types/value-type.ts";
import type { StructuralProperty } from "../../edm/model.ts";
import { PRIMITIVE_TYPES } from "../../edm/primitive-type.ts";
import type { SearchClause, SearchExpression } from "../../language/query/clauses.ts";
import { counted } from "../../language/query/computed-text.ts";
import type { Expression, TextCalls } from "../../language/query/expression.ts";
import { NO_ROW } from "../../language/query/no-row.ts";
import type { ReportFault } from "../columns/storage-option.ts";
import type { SqlReader } from "./sql-reader.ts";
import { narrowedReader, sourceOf } from "./sql-row-source.ts";

const STRING = PRIMITIVE_TYPES["Edm.String"];
const BOOLEAN = PRIMITIVE_TYPES["Edm.Boolean"];

/** The searched properties, and the reader of their rows. */
interface SearchedTable<E extends EntityTypeDeclaration> {
  readonly type: E;
  readonly reader: SqlReader;
  readonly properties: readonly StructuralProperty[];
}

/** Returns the source of the rows that match a search. */
export type ColumnSearch<E extends EntityTypeDeclaration> = (search: SearchClause) => EntitySource<E>;

/**
 * Finds the searched properties.
 * @param names their keys, unchecked
 * @param report receives unknown properties and those without text
 */
export function searchedProperties(
  type: EntityTypeDeclaration,
  names: readonly unknown[],
  report: ReportFault,
): readonly StructuralProperty[] {
  const { properties } = declaredEntityType(type);
  if (names.length === 0) report("`search` names no properties.", "Name the properties to search, or omit it.");
  return names.flatMap((name) => {
    const found = properties.find(({ field }) => field === name);
    if (found === undefined) {
      const fields = properties.map(({ field }) => field);
      const shown = typeof name === "string" ? `\`${name}\`` : describe(name);
      report(`\`search\` names ${shown}, which ${type.name} does not have.`, adviseName(String(name), fields));
      return [];
    }
    if (found.type.name === STRING.name && !found.isCollection) return [found];
    report(`\`search\` names \`${found.field}\`, which is not a single Edm.String.`, "Name string properties.");
    return [];
  });
}

/**
 * Makes the search over columns of a table. A word or phrase matches if a property contains it, ignoring case; null contains
 * nothing.
 * @see OData Protocol 4.0, section 11.2.5.6
 */
export function columnSearch<E extends EntityTypeDeclaration>(table: SearchedTable<E>): ColumnSearch<E> {
  return ({ expression, unreadable = [] }) => {
    const values: string[] = [];
    // A service may have other names for the properties of the declared type, but has the same fields.
    const hidden = new Set(unreadable.map(({ field }) => field));
    const properties = table.properties.filter(({ field }) => !hidden.has(field));
    const filter = { expression: toCondition(expression, { ...table, properties, texts: { count: 0 } }, values) };
    return sourceOf(table.type, narrowedReader(table.reader, { filter, values }));
  };
}

/** A table with the number of texts that a search computes. */
interface CountingTable<E extends EntityTypeDeclaration> extends SearchedTable<E> {
  readonly texts: TextCalls;
}

/** @param values receives the words in lower case, in the order of parameters */
function toCondition<E extends EntityTypeDeclaration>(
  search: SearchExpression,
  table: CountingTable<E>,
  values: string[],
): Expression {
  switch (search.kind) {
    case "word":
    case "phrase": {
      const word: Expression = { kind: "parameter", index: values.length, type: STRING };
      values.push(search.text.toLowerCase());
      // In properties that the user may not read, no word is found.
      if (table.properties.length === 0) return NO_ROW.expression;
      return joined(
        "or",
        table.properties.map((property) => holds(property, table, word)),
      );
    }
    case "not":
      return { kind: "not", operand: toCondition(search.operand, table, values), type: BOOLEAN };
    case "and":
    case "or":
      return joined(
        search.kind,
        search.operands.map((operand) => toCondition(operand, table, values)),
      );
  }
}

/** Makes a condition that is never null, so that `NOT` matches rows without text. */
function holds<E extends EntityTypeDeclaration>(
  property: StructuralProperty,
  { type, texts }: CountingTable<E>,
  word: Expression,
): Expression {
  const entityType = declaredEntityType(type);
  const text: Expression = {
    kind: "property",
    source: { kind: "it", type: entityType },
    property,
    type: property.type,
  };
  const lower = counted({ kind: "call", name: "tolower", arguments: [text], type: STRING }, texts);
  const found: Expression = { kind: "call", name: "contains", arguments: [lower, word], type: BOOLEAN };
  const isTrue: Expression = { kind: "literal", value: true, type: BOOLEAN };
  return { kind: "comparison", operator: "eq", left: found, right: isTrue, operandType: BOOLEAN, type: BOOLEAN };
}

function joined(operator: "and" | "or", operands: readonly Expression[]): Expression {
  const [first] = operands;
  return operands.length === 1 && first !== undefined ? first : { kind: "logical", operator, operands, type: BOOLEAN };
}
