import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import { adaptLogger, type Logger } from "../logger.ts";
import {
  type DeclaredNavigation,
  type DeclaredService,
  type DeclaredSet,
  entriesOf,
  fieldsSet,
  namesOf,
  propertyIn,
} from "../model/declared-service.ts";
import { isObject } from "../option-table.ts";
import { declaredRows } from "./row-function.ts";
import { takesNothing } from "./takes-nothing.ts";

/** A warning about one property or navigation of a set. */
interface RowWarning extends Required<Pick<ConfigurationFault, "message" | "fix">> {
  /** For filters of logs. @see docs/guides/authorization.md, Warnings */
  readonly code: "written-claim" | "open-claim" | "open-child";
  readonly set: string;
  /** The key of the property. */
  readonly property?: string;
  /** The key of the navigation. */
  readonly navigation?: string;
}

/** Returns the logger of a service, which receives the warnings about its declarations. */
export function openLogger(service: DeclaredService, given: Logger): Logger {
  const logger = adaptLogger(given);
  for (const { message, ...fields } of [...unsetProperties(service), ...openChildren(service)]) {
    logger.warn(message, fields);
  }
  return logger;
}

/**
 * Finds properties that row rules compare with the user, and that clients write themselves without a rule of the property; and sets without a row rule that
 * have such a property.
 * @see docs/guides/authorization.md
 */
function unsetProperties(service: DeclaredService): readonly RowWarning[] {
  const { sets } = service;
  const compared = sets.flatMap((set) =>
    comparedWithUser(declaredRows(set)).flatMap((field) => {
      const declared = propertyIn(set.entityType, field);
      return declared === undefined ? [] : [{ set, field, declared }];
    }),
  );
  const written = compared.filter(({ set, field }) => isClientWritten(service, set, field));
  const open = sets.flatMap((set) => {
    if (declaredRows(set) !== undefined) return [];
    const found = compared.find((each) => !isOnlyKey(each.set, each.field) && isCarried(set, each.field));
    return found === undefined ? [] : [{ set, field: found.field, by: found.set.name }];
  });
  return [
    ...written.map(({ set: { name: set }, field: property }) => ({
      code: "written-claim" as const,
      set,
      property,
      message: `The row rule of ${set} compares \`${property}\` with the user, but clients write \`${property}\` themselves.`,
      fix: `Let the server set it: \`set: { ${property}: { create: ({ user }) => … } }\`. Or state who may write it: \`properties: { ${property}: { create: …, update: … } }\`.`,
    })),
    ...open.map(({ set: { name: set }, field: property, by }) => ({
      code: "open-claim" as const,
      set,
      property,
      message: `${set} has \`${property}\`, which the row rule of ${by} compares with the user, but no row rule.`,
      fix: `Give \`rows\`, and \`set: { ${property}: { create: ({ user }) => … } }\`. If every user may see all rows: \`rows: () => allRows\`.`,
    })),
  ];
}

/**
 * Finds sets without a row rule whose entities belong to entities of a set with a rule that may hide rows: users read the lines
 * of orders that they do not see.
 * @see docs/guides/authorization.md
 */
function openChildren({ sets }: DeclaredService): readonly RowWarning[] {
  const open = sets.filter((set) => declaredRows(set) === undefined);
  const hiding = sets.filter((set) => mayHide(declaredRows(set)));
  return open.flatMap((set): readonly RowWarning[] => {
    for (const parent of hiding) {
      const up = set.navigations.find(
        ({ declaration, options }) => declaration.cardinality === "required" && options["target"] === parent.name,
      );
      const down = parent.navigations.find((each) => each.options["target"] === set.name && isOwner(parent, set, each));
      const link = up ?? down;
      if (link === undefined) continue;
      const message = `Each entity of ${set.name} belongs to one of ${parent.name} by \`${link.field}\`${up === undefined ? ` of ${parent.name}` : ""}, but the row rule of ${parent.name} does not hide entities of ${set.name}.`;
      const give =
        up === undefined
          ? `Declare the way back with \`hasRequired\`, such as \`parent\`, and give \`rows: inherit("parent")\`.`
          : `Give \`rows: inherit("${up.field}")\`.`;
      const fix = `${give} If every user may see all rows: \`rows: () => allRows\`.`;
      return [{ code: "open-child", set: set.name, navigation: link.field, message, fix }];
    }
    return [];
  });
}

/** Whether a rule may show users different rows. A rule that reads no parameter is the same for all, such as `() => allRows`. */
function mayHide(rule: unknown): boolean {
  return rule !== undefined && !takesNothing(rule);
}

/** Whether a navigation leads to entities that each have the key of one entity of its set. */
function isOwner(parent: DeclaredSet, set: DeclaredSet, { declaration, options }: DeclaredNavigation): boolean {
  const pairs = entriesOf(options["on"]);
  if (declaration.cardinality !== "many" || pairs.length === 0) return false;
  return pairs.every(([own, foreignKey]) => {
    const refers = typeof foreignKey === "string" ? propertyIn(set.entityType, foreignKey) : undefined;
    return propertyIn(parent.entityType, own)?.key === true && refers?.nullable === false;
  });
}

/** Whether a set has a property with this key that does not identify its entities alone. */
function isCarried(set: DeclaredSet, field: string): boolean {
  return propertyIn(set.entityType, field) !== undefined && !isOnlyKey(set, field);
}

function isOnlyKey({ entityType }: DeclaredSet, field: string): boolean {
  const keys = namesOf(entityType.properties).filter((each) => propertyIn(entityType, each)?.key === true);
  return keys.length === 1 && keys[0] === field;
}

function isClientWritten(service: DeclaredService, { entityType, options }: DeclaredSet, field: string): boolean {
  const declared = propertyIn(entityType, field);
  if (declared === undefined || declared.ignored || declared.computed) return false;
  if (fieldsSet(service, entityType).has(field)) return false;
  const rules = memberOf(memberOf(options["authorization"], "properties"), field);
  const changes = (options["replace"] ?? options["patch"]) !== undefined && !declared.key && !declared.immutable;
  const isCreated = options["create"] !== undefined && memberOf(rules, "create") === undefined;
  return isCreated || (changes && memberOf(rules, "update") === undefined);
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

/** An identifier. */
const NAME = /[A-Za-z_$][\w$]*/g;
/** An identifier that is not a member of something. */
const FREE_NAME = /(?<![\w$.])[A-Za-z_$][\w$]*/g;
/** The parameters of a function: names, or patterns. */
const PARAMETERS = /^[^(]*\(\s*(\{[^}]*\}|[\w$]+)[^,]*,\s*(\{[^}]*\}|[\w$]+)/;
/** A comparison of a parameter, or of a member of a parameter, with its argument: calls in it nest two levels at most. */
const COMPARISON =
  /(?<![\w$.])([A-Za-z_$][\w$]*)(?:\s*\.\s*([\w$]+))?\s*\.\s*(?:eq|in)\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g;

/**
 * Returns the properties of the row that a rule compares with its user, by the source text of the rule: it must not be called
 * without a request. A comparison is `row.tenant.eq(…)` or `in(…)` with an argument that names the first parameter, or a
 * constant that is made from it.
 * @returns none for a rule in another form
 */
export function comparedWithUser(rule: unknown): readonly string[] {
  if (typeof rule !== "function") return [];
  const source = Function.prototype.toString.call(rule).replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
  const [, user, row] = PARAMETERS.exec(source) ?? [];
  if (user === undefined || row === undefined) return [];
  const users = namesFrom(user.match(NAME) ?? [], source);
  const bindings = bindingsOf(row);
  const fields = Array.from(source.matchAll(COMPARISON)).flatMap(([, subject, member, compared = ""]) => {
    const binding = bindings.find(
      ({ name, field }) => name === subject && (field === undefined) === (member !== undefined),
    );
    return binding !== undefined && mentions(compared, users) ? [binding.field ?? member ?? ""] : [];
  });
  return [...new Set(fields)];
}

/** Returns the names of a parameter: its own, or for a pattern those of its members with their fields. */
function bindingsOf(parameter: string): ReadonlyArray<{ readonly name: string; readonly field?: string }> {
  if (!parameter.startsWith("{")) return [{ name: parameter.match(NAME)?.[0] ?? "" }];
  const members = parameter.matchAll(/([A-Za-z_$][\w$]*)\s*(?::\s*([A-Za-z_$][\w$]*))?/g);
  return Array.from(members, ([, field = "", name = field]) => ({ name, field }));
}

/** Adds the names of constants that are made from names. */
function namesFrom(names: readonly string[], source: string): readonly string[] {
  const known = [...names];
  for (const [, left = "", right = ""] of source.matchAll(/\b(?:const|let|var)\s+([^=;]+?)\s*=(?!=|>)\s*([^;\n]+)/g)) {
    if (mentions(right, known)) known.push(...(left.match(NAME) ?? []));
  }
  return known;
}

function mentions(text: string, names: readonly string[]): boolean {
  return (text.match(FREE_NAME) ?? []).some((name) => names.includes(name));
}
