import type { DatabaseSchema, ObjectColumn } from "../../introspect/database-schema.ts";
import type { DescribedColumn, DescribedProperty, DescribedSet } from "../described-service.ts";
import { enumTypeOf } from "./describe-enum-types.ts";
import { describeNavigations } from "./describe-navigations.ts";
import type { DraftObject } from "./draft-object.ts";
import { findIndexes } from "./find-indexes.ts";
import { isGuaranteed } from "./find-key.ts";
import { memberOf, namesOf, type FoundService } from "./found-service.ts";
import { hasOwnDefault, literalDefault } from "./literal-default.ts";
import { mayBeNull } from "./may-be-null.ts";
import { mapColumn } from "./rough-mapping.ts";

/** Describes the entity set of an object. */
export function describeSet(draft: DraftObject, found: FoundService): DescribedSet {
  const { object, columns, key } = draft;
  const { typeName, setName } = namesOf(object, found.names);
  const properties = columns.map((column) => describeProperty(draft, column, found));
  return {
    typeName,
    setName,
    table: { schema: object.schema, name: object.name },
    needsSchema: object.schema !== found.schema.defaultSchema,
    kind: object.kind,
    key: key.kind,
    isKeyGuaranteed: isGuaranteed(object, key),
    excludesNulls: columns.flatMap((column) =>
      key.columns.includes(column.name) && mayBeNullInKey(draft, column)
        ? [memberOf(object, column.name, found.names).field]
        : [],
    ),
    excludes: [],
    leftOutRows: 0,
    description: descriptionOf(draft),
    properties,
    unsuppliedColumns: unsuppliedColumns(draft, properties),
    navigations: describeNavigations(draft, found),
    estimatedRows: object.estimatedRows,
  };
}

/** Columns that are hidden or read-only, but neither null nor supplied by the database. */
function unsuppliedColumns({ object }: DraftObject, properties: readonly DescribedProperty[]): readonly string[] {
  const supplied = new Set(properties.filter(({ isReadOnly }) => !isReadOnly).map(({ column }) => column));
  return object.columns
    .filter(({ nullable, defaultValue, isIdentity, isGenerated }) => {
      return !nullable && defaultValue === null && !isIdentity && !isGenerated;
    })
    .flatMap(({ name }) => (supplied.has(name) ? [] : [name]));
}

/** The source of a key that only the data has is a part of the description, because clients rely on keys. */
function descriptionOf({ object: { comment }, key }: DraftObject): string | null {
  if (key.kind !== "unique in the data") return comment;
  const note = "The key is unique in the data, which the database does not guarantee.";
  return comment === null ? note : `${comment} ${note}`;
}

/**
 * Rows with null in the key cannot be entities. SQLite accepts null in most primary keys, and the sample shows whether a row
 * has it. The proven key of a view is never null.
 */
function mayBeNullInKey({ key, object }: DraftObject, { nullable, sample }: ObjectColumn): boolean {
  if (!nullable || key.kind === "proven" || key.kind === "rowid") return false;
  return object.kind !== "table" || sample === null || sample.nulls > 0;
}

function describeProperty(draft: DraftObject, column: ObjectColumn, found: FoundService): DescribedProperty {
  const { object, key } = draft;
  const member = memberOf(object, column.name, found.names);
  const place = `${namesOf(object, found.names).setName}.${member.name}`;
  const chosen = typeOf(draft, column, place, found);
  const isKey = key.columns.includes(column.name);
  // SQLite may have cells that a type of `map` cannot have.
  const isForced = found.schema.kind === "sqlite" && Object.hasOwn(found.options.map ?? {}, place);
  const nullable = (isForced && !isKey) || mayBeNull(draft, column, chosen, found.schema.kind);
  if (nullable && !column.nullable && column.holdsUnreadable === true) {
    found.warn({ code: "null-cells", place, message: "holds cells without a value, published as null", flag: null });
  }
  const defaultValue = isKey ? undefined : literalDefault(column, chosen, found.schema.kind);
  return {
    ...chosen,
    ...member,
    column: column.name,
    isKey,
    nullable,
    computed: column.isIdentity || column.isGenerated,
    defaultValue,
    databaseDefault: defaultValue === undefined && hasOwnDefault(column, chosen, found.schema.kind),
    description: column.comment ?? commentOfSource(column, found.schema),
    ...findIndexes(object, column, { ...chosen, nullable }, found.schema),
  };
}

function typeOf(draft: DraftObject, column: ObjectColumn, place: string, found: FoundService): DescribedColumn {
  const { schema, options, forced, names, warn } = found;
  const enumType = enumTypeOf(draft, column, names);
  const mapping = mapColumn(schema.kind, column, { place, enumType, zoneless: options.zoneless ?? "utc" });
  const natural = "column" in mapping ? mapping.column : null;
  const nameEnum = (): string => found.nameEnum(draft.object, column.name);
  const isKey = draft.key.columns.includes(column.name);
  const given = forced.apply(place, { kind: schema.kind, column, natural, nameEnum }, isKey);
  if (given !== undefined) return given;
  if (!("column" in mapping)) throw new Error(`${place} has no type.`);
  for (const warning of mapping.warnings) warn({ ...warning, place });
  return mapping.column;
}

/** A column of a view without a comment has that of its table. */
function commentOfSource({ source }: ObjectColumn, { objects }: DatabaseSchema): string | null {
  if (source === null) return null;
  const table = objects.find(({ schema, name }) => schema === source.schema && name === source.name);
  return table?.columns.find(({ name }) => name === source.column)?.comment ?? null;
}
