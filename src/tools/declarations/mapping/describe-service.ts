import { ConfigurationError, type ConfigurationFault } from "../../../base/errors/configuration-error.ts";
import type { DatabaseSchema, SchemaObject } from "../../../databases/introspect/database-schema.ts";
import type {
  DescribeOptions,
  DescribedService,
  DescribedWarning,
  DescribedNavigation,
  DescribedProperty,
  DescribedSet,
} from "../described-service.ts";
import { chooseNames } from "../names/choose-names.ts";
import { objectKey, type NamingInput } from "../names/naming.ts";
import { describeEnumTypes, isEnumColumn, describeSet, enumNamer } from "./describe-set.ts";
import { draftObject, type DraftObject } from "./draft-object.ts";
import { publishedColumn } from "./find-key.ts";
import {
  findLinks,
  type FoundLink,
  findRelations,
  type DraftRelation,
  type IsComparable,
  withGivenRelations,
} from "./find-relations.ts";
import { withKeyColumns } from "./key-columns.ts";
import { mapReader } from "./read-map.ts";
import { selectObjects } from "./select-objects.ts";

/**
 * Describes a service over a database: its entity sets, properties, navigations and enumeration types, and omitted parts. The
 * same schema and options give the same description.
 * @throws ConfigurationError for names and types that cannot be used
 * @see docs/guides/existing-databases.md
 */
export function describeService(given: DatabaseSchema, options: DescribeOptions = {}): DescribedService {
  const schema = withKeyColumns(given, options);
  const warnings: DescribedWarning[] = [];
  const warn = (warning: DescribedWarning): void => void warnings.push(warning);
  const settings = { kind: schema.kind, options, warn };
  const faults: ConfigurationFault[] = [];
  const published = selectObjects(schema, options, warn).flatMap((object) => draftObject(object, settings) ?? []);
  const isComparable = comparison(schema, options);
  const drafts = withGivenRelations(published, options.relations ?? [], isComparable, faults);
  const relations = findRelations(drafts, isComparable, warn);
  const links = findLinks(drafts, relations);
  const input = namingInput(schema, drafts, relations, links, options);
  const names = chooseNames(input, {
    style: options.style ?? styleOf(options),
    names: options.names ?? {},
    defaultSchema: schema.defaultSchema,
  });
  const forced = mapReader(options.map ?? {});
  const found = { schema, options, relations, links, names, forced, nameEnum: enumNamer(names), warn };
  const sets = comparableNavigations(
    drafts.map((draft) => describeSet(draft, found)),
    warn,
  );
  faults.push(
    ...names.faults.map(({ key, message, fix }) => ({ message: `${key}: ${message}`, fix })),
    ...forced.faults(),
  );
  if (faults.length > 0) throw new ConfigurationError(faults, { where: PLACE });
  return {
    kind: schema.kind,
    enumTypes: [...describeEnumTypes(drafts, names, schema.kind, options), ...forced.enumTypes()].toSorted(
      (left, right) => (left.name < right.name ? -1 : 1),
    ),
    sets: sets.toSorted((left, right) => (left.setName < right.setName ? -1 : 1)),
    warnings: [...warnings, ...names.warnings],
  };
}

/** The place of faults. */
const PLACE = "in the settings of names, types and relations";

/** The entry `*` of the names is a style. */
function styleOf({ names = {} }: DescribeOptions): "as-is" | "idiomatic" {
  return names["*"] === "as-is" ? "as-is" : "idiomatic";
}

/** A navigation compares values of one type. */
function comparison({ kind }: DatabaseSchema, options: DescribeOptions): IsComparable {
  const typeOf = ([draft, name]: readonly [draft: DraftObject, column: string]): string => {
    const { column, mapped } = publishedColumn(draft.columns, name, kind, options);
    const { type, isCollection } = mapped;
    if (isCollection) return "";
    if (typeof type === "string") return type;
    // Each enumeration of MariaDB is a separate type.
    return column.enumType === null ? "" : objectKey(column.enumType);
  };
  return (from, to) => {
    const type = typeOf(from);
    return type !== "" && type === typeOf(to);
  };
}

function namingInput(
  { kind }: DatabaseSchema,
  drafts: readonly DraftObject[],
  relations: readonly DraftRelation[],
  links: readonly FoundLink[],
  options: DescribeOptions,
): NamingInput {
  const enumTypes = new Map(
    drafts.flatMap(({ columns }) =>
      columns.flatMap((column) =>
        column.enumType !== null && isEnumColumn(kind, column, options)
          ? [[objectKey(column.enumType), column.enumType] as const]
          : [],
      ),
    ),
  );
  return {
    objects: drafts.map(({ object, columns }) => ({
      ...nameOf(object),
      columns: columns.map(({ name }) => name),
      enumColumns: columns.flatMap((column) =>
        column.enumType === null && isEnumColumn(kind, column, options) ? [column.name] : [],
      ),
    })),
    relations: relations.map(({ id, from, to, foreignKey, isUnique }) => ({
      id,
      from: nameOf(from.object),
      columns: foreignKey.columns,
      to: nameOf(to.object),
      isUnique,
    })),
    links: links.map(({ id, link, from, to }) => ({
      id,
      link: nameOf(link.object),
      from: { columns: from.foreignKey.columns, target: nameOf(from.to.object) },
      to: { columns: to.foreignKey.columns, target: nameOf(to.to.object) },
    })),
    enumTypes: [...enumTypes.values()],
  };
}

function nameOf({ schema, name }: SchemaObject): { schema: string; name: string } {
  return { schema, name };
}

/** Leaves out the navigations whose ends have different types since one of them was mapped to another type. */
function comparableNavigations(
  sets: readonly DescribedSet[],
  warn: (warning: DescribedWarning) => void,
): readonly DescribedSet[] {
  const byType = new Map(sets.map((set) => [set.typeName, set]));
  return sets.map((set) => {
    const navigations = set.navigations.filter((navigation) => {
      const mapped = mappedEnd(set, byType.get(navigation.target), navigation);
      if (mapped === undefined) return true;
      const message = `is no navigation: ${mapped} is mapped to another type`;
      warn({ code: "mapped-key", place: `${set.setName}.${navigation.name}`, message, flag: null });
      return false;
    });
    return navigations.length === set.navigations.length ? set : { ...set, navigations };
  });
}

/** Returns the mapped Boolean property at an end of a navigation; undefined without such a property. */
function mappedEnd(
  set: DescribedSet,
  target: DescribedSet | undefined,
  { on, through }: DescribedNavigation,
): string | undefined {
  const own = [...on.map(([field]) => field), ...(through?.from ?? []).map(([field]) => field)];
  const other = [...on.map(([, field]) => field), ...(through?.to ?? []).map(([, field]) => field)];
  return nameOfMapped(set, own) ?? nameOfMapped(target, other);
}

function nameOfMapped(set: DescribedSet | undefined, fields: readonly string[]): string | undefined {
  const found = set?.properties.find((property) => fields.includes(property.field) && isMapped(property));
  return found === undefined ? undefined : `${String(set?.setName)}.${found.name}`;
}

function isMapped({ storage }: DescribedProperty): boolean {
  return typeof storage === "object" && storage !== null && "true" in storage;
}
