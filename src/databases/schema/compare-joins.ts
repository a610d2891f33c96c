import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import type { EntitySetDefinition } from "../../definition/model/service-definition.ts";
import type { EntitySet, JoinPair, LinkColumn, StructuralProperty } from "../../edm/model.ts";
import { columnName, wantedTable } from "../columns/column-name.ts";
import { everyMember, type ColumnPlan, type PlansByField } from "../columns/table-columns.ts";
import type { DialectCatalogue } from "../forms/dialect-session.ts";
import type { DialectValues } from "../forms/dialect-values.ts";
import { type CatalogueSteps, textOf } from "../introspect/catalogue-steps.ts";
import type { ComparedTexts, WantedTable } from "../introspect/schema.ts";
import type { JoinComparisons } from "../translate/relation.ts";
import { type CheckedSet, type CheckScope, joinsOf } from "./table-rows.ts";

/** One side of a part of a join: a table, and the column of a text. */
type JoinEnd = readonly [table: string, column: string];

/** A part of a join between two columns of texts. */
interface TextPair {
  readonly part: Parameters<JoinComparisons["set"]>[0];
  readonly ends: readonly [JoinEnd, JoinEnd];
}

/** Finds the parts of joins that compare columns of texts. */
export function textPairs(scope: CheckScope): readonly TextPair[] {
  const byName = new Map(scope.sets.map((checked) => [checked.set.entitySet.name, checked]));
  const pairs: TextPair[] = [];
  for (const checked of scope.sets) {
    for (const { target, pairs: parts } of checked.set.guardedReferences) {
      pairs.push(...directPairs(parts, checked, byName.get(target.name), scope));
    }
    for (const { name, join } of joinsOf(checked.set.entitySet)) {
      const target = byName.get(targetName(checked.set.entitySet, name));
      if (target === undefined) continue;
      if (join.kind === "direct") {
        pairs.push(...directPairs(join.pairs, checked, target, scope));
        continue;
      }
      const links = wantedTable(join.table, scope.db);
      pairs.push(...linkPairs(join.from, checked, links, scope), ...linkPairs(join.to, target, links, scope));
    }
  }
  return pairs;
}

function directPairs(
  parts: readonly JoinPair[],
  from: CheckedSet,
  to: CheckedSet | undefined,
  scope: CheckScope,
): readonly TextPair[] {
  if (to === undefined) return [];
  return parts.flatMap((part): readonly TextPair[] => {
    const [own, other] = [textEnd(from, part.property, scope), textEnd(to, part.related, scope)];
    return own === null || other === null ? [] : [{ part, ends: [own, other] }];
  });
}

function targetName({ navigationPropertyBindings: bindings }: EntitySet, navigation: string): string {
  return bindings.get(navigation) ?? "";
}

function linkPairs(
  columns: readonly LinkColumn[],
  end: CheckedSet,
  links: WantedTable,
  scope: CheckScope,
): readonly TextPair[] {
  return columns.flatMap((part): readonly TextPair[] => {
    const own = textEnd(end, part.property, scope);
    if (own === null || !isText(part.storage)) return [];
    return [{ part, ends: [own, [links.text, columnName(part.column, scope.db)]] }];
  });
}

/** Returns null for a property that is not stored as a text in a column of the table. */
function textEnd({ rows }: CheckedSet, property: StructuralProperty, scope: CheckScope): JoinEnd | null {
  const plan = rows.plans.get(property.field);
  if (plan?.kind !== "scalar" || property.type.name !== "Edm.String" || !isText(plan.storage)) return null;
  if (plan.expression !== undefined) return null;
  return [wantedTable(rows.table, scope.db).text, columnName(plan.column, scope.db)];
}

/** Whether the cells of a String are texts, and not the bytes of its digits. */
function isText(storage: unknown): boolean {
  return storage === undefined || storage === "text";
}

/** Records how the database compares the parts of joins that follow a foreign key. */
export function compareJoins(
  pairs: readonly TextPair[],
  compared: readonly ComparedTexts[],
  { comparedText }: Pick<DialectValues, "comparedText">,
  comparisons: JoinComparisons,
): void {
  for (const { part, ends } of pairs) {
    const found = compared.find((each) => isAlong(each, ends));
    if (found === undefined) continue;
    const { comparison } = found;
    comparisons.set(part, { form: comparedText(comparison), isShared: comparison.isShared });
  }
}

function isAlong({ child, childColumn, parent, parentColumn }: ComparedTexts, ends: TextPair["ends"]): boolean {
  const [from, to] = [keyOf([child, childColumn]), keyOf([parent, parentColumn])];
  const [own, other] = ends.map(keyOf);
  return (own === from && other === to) || (own === to && other === from);
}

/** Databases that ignore the letter case of columns have no two columns that differ in it alone. */
function keyOf([table, column]: JoinEnd): string {
  return JSON.stringify([table, column.toLowerCase()]);
}

/** An entity set and its columns. */
interface PlannedSet {
  readonly set: EntitySetDefinition;
  readonly rows: { readonly plans: PlansByField };
}

/**
 * Finds settings of the sessions with which statements or values have another meaning, and reports them at the first set that
 * they concern.
 */
export function* checkSessions(
  sets: readonly PlannedSet[],
  { sessions }: DialectCatalogue,
): CatalogueSteps<readonly SchemaFinding[]> {
  if (sessions === undefined) return [];
  const { query, types = {}, refused, proof } = sessions;
  const concerned = new Map(Object.keys(refused).map((setting) => [setting, firstOf(sets, types[setting])]));
  if ([...concerned.values()].every((set) => set === undefined)) return [];
  const rows = yield query;
  if (proof !== undefined && proof.row.some((text, at) => rows[0]?.[at] !== text)) {
    const { message, fix } = proof;
    return sets
      .slice(0, 1)
      .map(({ set }) => ({ set: set.entitySet.name, code: "C15", severity: "error", message, fix }));
  }
  return rows.flatMap(([setting, value]): readonly SchemaFinding[] => {
    const set = concerned.get(textOf(setting))?.set.entitySet.name;
    const described = refused[textOf(setting)]?.(textOf(value));
    return set === undefined || described === undefined ? [] : [{ set, code: "C15", severity: "error", ...described }];
  });
}

/** Finds the first set with a column of some types; the first set for all types. */
function firstOf(sets: readonly PlannedSet[], types: ReadonlySet<string> | undefined): PlannedSet | undefined {
  if (types === undefined) return sets[0];
  return sets.find(({ rows }) => [...rows.plans.values()].some((plan) => isOfType(plan, types)));
}

function isOfType(plan: ColumnPlan, types: ReadonlySet<string>): boolean {
  if (plan.kind === "complex") return [...everyMember(plan).values()].some((member) => isOfType(member, types));
  const { type } = plan.property;
  return types.has(type.name) || (plan.kind === "scalar" && plan.storage === "real" && types.has("Edm.Double"));
}
