import type { ObjectName } from "../../../databases/introspect/database-schema.ts";
import type { DescribedWarning } from "../described-service.ts";

/** The published part of a database, whose names are chosen together. */
export interface NamingInput {
  /** In the order of the database. */
  readonly objects: readonly NamingObject[];
  readonly relations: readonly NamingRelation[];
  /** Links through tables, one for each direction. */
  readonly links: readonly NamingLink[];
  /** The enumeration types that the database names. */
  readonly enumTypes: readonly ObjectName[];
}

/** A table or view that becomes an entity type with an entity set. */
export interface NamingObject extends ObjectName {
  /** The published columns, in the order of the table. */
  readonly columns: readonly string[];
  /** The published columns whose enumeration type has no name in the database, as in MariaDB. */
  readonly enumColumns: readonly string[];
}

/** A foreign key between two objects of the input; others get no names. */
interface NamingRelation {
  /** Any text that no other relation or link has. */
  readonly id: string;
  readonly from: ObjectName;
  readonly columns: readonly string[];
  readonly to: ObjectName;
  /** Whether the columns are unique, so that the reverse navigation leads to one entity at most. */
  readonly isUnique: boolean;
}

/** One direction through a link table. The three objects belong to the input; other links get no names. */
interface NamingLink {
  /** Any text that no other relation or link has. */
  readonly id: string;
  readonly link: ObjectName;
  /** The columns of the link table that refer to the object with the navigation. */
  readonly from: { readonly columns: readonly string[]; readonly target: ObjectName };
  /** The columns of the link table that refer to the objects that the navigation returns. */
  readonly to: { readonly columns: readonly string[]; readonly target: ObjectName };
}

/** The settings of names. */
export interface NamingOptions {
  /** `as-is` keeps the names of the database for sets, types and properties. */
  readonly style: "as-is" | "idiomatic";
  /**
   * Names that replace the chosen ones. The key `*` is ignored.
   *
   * | key | value |
   * | --- | --- |
   * | `public.tbl_cust`, `tbl_cust` in the default schema | `Customer` names the type, and the set by its plural; `Customer/Clients` names both |
   * | `public.order_state`, an enumeration type | the type |
   * | `Customer.work_address_id`: a type and a column | the navigation of the foreign key of this column alone, else the property |
   * | `Customer.OrdersByWorkAddress`: a type and a name without these entries | the property or navigation with this name |
   * | `public.tbl_cust.work_address_id`: a table and a column | the property |
   */
  readonly names: Readonly<Record<string, string>>;
  /** The schema whose objects get no prefix. */
  readonly defaultSchema: string;
}

/** The names of a service over a database. All of them are simple identifiers. Without faults, none clash. */
export interface ServiceNames {
  /** By `objectKey`. */
  readonly objects: ReadonlyMap<string, ObjectNames>;
  /** By the `id` of the relation. */
  readonly relations: ReadonlyMap<string, RelationNames>;
  /** By the `id` of the link. */
  readonly links: ReadonlyMap<string, MemberName>;
  /** The names of enumeration types that the database names, by `objectKey`. */
  readonly enumTypes: ReadonlyMap<string, string>;
  /** Names that clash, so that their objects have less usual ones, and entries of `NamingOptions.names` that name nothing. */
  readonly warnings: readonly DescribedWarning[];
  /** Entries of `NamingOptions.names` that cannot be used. */
  readonly faults: readonly NamingFault[];
}

/** The names of a table or view. */
export interface ObjectNames {
  readonly typeName: string;
  readonly setName: string;
  /** By the name of the column. */
  readonly properties: ReadonlyMap<string, MemberName>;
  /** The names of anonymous enumeration types by the name of the column. */
  readonly enumTypes: ReadonlyMap<string, string>;
}

/** The names of the two navigations of a foreign key. */
export interface RelationNames {
  /** The navigation of the object with the foreign key. */
  readonly toOne: MemberName;
  /** The navigation of the object that the foreign key refers to. */
  readonly reverse: MemberName;
}

/** The name of a property or navigation. */
export interface MemberName {
  /** The name in `$metadata` and JSON. */
  readonly name: string;
  /** The key in code. */
  readonly field: string;
}

/** An entry of `NamingOptions.names` that cannot be used. */
export interface NamingFault {
  /** The key of the entry. */
  readonly key: string;
  /** The problem. */
  readonly message: string;
  /** The correction. */
  readonly fix: string;
}

/** Returns the key of an object in the maps of names. */
export function objectKey({ schema, name }: ObjectName): string {
  return JSON.stringify([schema, name]);
}

/** Returns the name of a table, view or type for messages. */
export function describeObject({ schema, name }: ObjectName): string {
  return `${schema}.${name}`;
}

/** Returns the columns of a table for messages, such as `public.orders (customer_id)`. */
export function describeColumns(object: ObjectName, columns: readonly string[]): string {
  return `${describeObject(object)} (${columns.join(", ")})`;
}

/** Names that differ in more than case. */
export class TakenNames {
  readonly #taken = new Set<string>();

  has(name: string): boolean {
    return this.#taken.has(name.toLowerCase());
  }

  add(name: string): void {
    this.#taken.add(name.toLowerCase());
  }

  /** Returns the first candidate that is free, else the last one with the first number from 2 that is free. */
  free(candidates: readonly string[], isFree: (name: string) => boolean = (name) => !this.has(name)): string {
    const found = candidates.find(isFree);
    if (found !== undefined) return found;
    const last = candidates.at(-1) ?? "";
    for (let number = 2; ; number += 1) {
      const numbered = withNumber(last, number);
      if (isFree(numbered)) return numbered;
    }
  }
}

/** Adds a number to a name, within the 128 characters of an identifier. */
function withNumber(name: string, number: number): string {
  const digits = String(number);
  return (
    Array.from(name)
      .slice(0, 128 - digits.length)
      .join("") + digits
  );
}
